import { z } from 'zod';
import { SalePayload, SaleType } from '../aggregates/sale-payload.js';
import { TakeSale } from '../integration/sale-intake.js';
import { ListPartnerSales } from '../queries/sale.queries.js';
import { GetIdempotencyKeyStatus, GetSaleStatus } from '../queries/transaction.queries.js';
import { answer } from './answer.js';
import { IntakeBackpressure } from './intake-backpressure.js';
import { fromInput, optionalPaging, queryBooleanOr } from './input.js';
import { MAX_BODY_BYTES } from './json-body.js';
import { controllerOf, pageOf, routesAt } from './routes.js';
import { MAX_SALE_VALUES, SaleBatches, salesIn, statusOf } from './sale-batches.js';
import { documented, instantOut, named, PartnerErrorDto, recordId } from './shapes.js';

const MAX_BATCH = 500;
export const MAX_BATCH_BYTES = 4 * MAX_BODY_BYTES;
const MAX_BATCH_VALUES = 8 * MAX_SALE_VALUES;

const validReceipt = { saleId: recordId, externalId: z.string(), sourceId: z.string() };
const receipt = { ...validReceipt, acceptedAt: instantOut };
const SaleReceiptDto = named('SaleReceiptDto', z.object({ ...receipt, status: z.literal('ACCEPTED') }));
const SaleStatusDto = named(
  'SaleStatusDto',
  z.object({
    ...receipt,
    status: z.enum(['ACCEPTED', 'BOOKED', 'REJECTED']),
    rejection: z.object({ code: z.string(), message: z.string() }).nullable(),
  }),
);
const ValidSaleDto = named(
  'ValidSaleDto',
  z.object({ ...validReceipt, status: z.literal('VALID') }).meta({
    description: 'The sale would be accepted. Nothing has been stored.',
  }),
);
const PartnerSaleDto = named(
  'PartnerSaleDto',
  z.object({
    ...SaleStatusDto.shape,
    ...{ type: SaleType, occurredAt: instantOut, currency: z.string(), total: z.string() },
  }),
);
const SaleBatchDto = named(
  'SaleBatchDto',
  z.strictObject({
    sales: z
      .array(z.unknown().meta({ description: 'A sale, as in POST /api/integrations/v1/sales (IntegrationSaleDto).' }))
      .min(1)
      .max(MAX_BATCH),
  }),
);
const SaleBatchAnswerDto = named(
  'SaleBatchAnswerDto',
  z.object({
    items: z.array(
      z.object({
        externalId: z.string().nullable().meta({ description: 'External id of the sale; null if the sale has none.' }),
        status: z.int().meta({ description: 'HTTP status that the sale would get if it were sent alone.' }),
        body: z.union([SaleReceiptDto, ValidSaleDto, PartnerErrorDto]),
        differs: z
          .array(z.string())
          .optional()
          .meta({
            description:
              'Fields in which the payload of a replay differs from the accepted sale (see the `Idempotency-Differs` ' +
              'header).',
          }),
      }),
    ),
  }),
);
const IdempotencyKeyDto = named(
  'IdempotencyKeyDto',
  z.object({
    state: z.enum(['ACCEPTED', 'EXPIRED']).meta({
      description: 'ACCEPTED: the key is bound to its payload for 24 hours. EXPIRED: the key can be used again.',
    }),
    saleId: recordId,
    externalId: z.string(),
    acceptedAt: instantOut.meta({ description: 'Time at which the sale was accepted.' }),
    expiresAt: instantOut,
  }),
);

/**
 * Before sending a request, clients remove dot segments from the URL, even encoded ones. The server therefore never
 * receives such segments.
 */
const aboutDots = (what: string): string =>
  `Percent-encode ${what}, including \`/\` and \`%\`. The values \`.\` and \`..\` are dot segments: browsers, ` +
  '`fetch` and some proxies remove them, even as `%2E`. Use a client that sends the path unchanged (for ' +
  'example, curl with `--path-as-is`).';

const intakeQuery = z.strictObject({
  validateOnly: documented(queryBooleanOr(false), {
    ...{ type: 'boolean', default: false },
    description: 'If true, nothing is stored, and a sale that would be accepted gets the status VALID.',
  }),
});
const listQuery = z.strictObject({
  ...optionalPaging,
  status: SaleStatusDto.shape.status.optional(),
  since: fromInput.optional().meta({ description: 'Returns only sales accepted at or after this time.' }),
});

const partner = routesAt('/api/integrations/v1', { who: 'partner', tag: 'Partner Intake' });

export const SaleController = controllerOf(
  partner.route(
    'Push a sale, return or cancellation',
    {
      method: 'POST',
      path: '/sales',
      description: 'Retries are safe, because the `externalId` identifies the sale.',
      query: intakeQuery,
      body: SalePayload,
      maxValues: MAX_SALE_VALUES,
      idempotencyKey: true,
      answers: {
        status: 202,
        shape: 'plain',
        schema: SaleReceiptDto,
        position: 'told',
        also: { 200: 'Replay: the original response, byte for byte. VALID: the sale was only validated.' },
        bodies: { 200: z.union([SaleReceiptDto, ValidSaleDto]) },
        headers: {
          'Idempotency-Differs': {
            description:
              'Comma-separated names of the top-level fields in which the payload of a replay differs from the ' +
              'accepted sale. The accepted sale does not change. Send a correction with a new `externalId`.',
          },
        },
      },
    },
    async ({ caller, idempotencyKey, body: payload, received, query, request }, services) => {
      const { tenantId, sourceId } = caller;
      const backpressure = services.get(IntakeBackpressure);
      await backpressure.turn(tenantId, request.socket);
      const intake = { tenantId, sourceId, idempotencyKey, payload, received, isOnlyValidated: query.validateOnly };
      const taken = await services.commands.execute(new TakeSale(intake));
      const { receipt: body, replayed, position, differing } = taken;
      const status = statusOf(taken);
      if (status === 202) backpressure.accepted(tenantId, position);
      request.state.sales = salesIn([taken]);
      const headers = differing.length > 0 ? { 'idempotency-differs': differing.join(',') } : {};
      return answer(body, { status, replayed, position, headers });
    },
  ),
  partner.route(
    'Push up to 500 sales, returns and cancellations',
    {
      method: 'POST',
      path: '/sales/batch',
      description:
        'The response lists the results in the same order as the sales in the request. Each sale gets the result ' +
        'that it would get if sent alone, and counts as one request toward the rate limit. A batch is ' +
        'rejected as a whole only if the batch itself is invalid, for example if its JSON is malformed. Retries are ' +
        'safe, because the `externalId` identifies each sale. The `Idempotency-Key` header is ignored.',
      query: intakeQuery,
      body: SaleBatchDto,
      maxBytes: MAX_BATCH_BYTES,
      maxValues: MAX_BATCH_VALUES,
      answers: {
        status: 207,
        shape: 'plain',
        schema: SaleBatchAnswerDto,
        position: 'told',
        headers: {
          'Retry-After': {
            description: 'Number of seconds to wait before resending the items with status 429 or 503.',
          },
        },
      },
    },
    async ({ caller, body: { sales }, query: { validateOnly }, request }, services) => {
      const batch = { partner: caller, requestId: request.id, sales, isOnlyValidated: validateOnly };
      const taken = await services.get<SaleBatches>(SaleBatches).take(batch);
      request.state.sales = taken.sales;
      return answer({ items: taken.items }, taken.options);
    },
  ),
  partner.query(
    "List sales from the caller's source, most recently accepted first",
    { path: '/sales', query: listQuery, answers: pageOf(PartnerSaleDto) },
    ({ scope, caller, query }) => new ListPartnerSales(scope, caller.sourceId, query),
  ),
  partner.query(
    'Get the status of a sale',
    {
      path: '/sales/:externalId',
      description: aboutDots('the external id'),
      answers: { status: 200, shape: 'plain', schema: SaleStatusDto },
    },
    ({ caller, params }) => new GetSaleStatus(caller.tenantId, caller.sourceId, params.externalId),
  ),
  partner.query(
    'Get the status of an idempotency key',
    {
      path: '/idempotency-keys/:key',
      description:
        `Finds only idempotency keys sent with an integration key that has the same \`sourceId\`. ` +
        aboutDots('the key'),
      answers: { status: 200, shape: 'plain', schema: IdempotencyKeyDto },
    },
    ({ caller, params }) => new GetIdempotencyKeyStatus(caller.tenantId, caller.sourceId, params.key),
  ),
);
