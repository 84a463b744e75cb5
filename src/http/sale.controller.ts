import { z } from 'zod';
import { SalePayload } from '../aggregates/sale-payload.js';
import { TakeSale } from '../integration/sale-intake.js';
import { GetIdempotencyKeyStatus, GetSaleStatus } from '../queries/transaction.queries.js';
import { answer } from './answer.js';
import { IntakeBackpressure } from './intake-backpressure.js';
import { controllerOf, routesAt } from './routes.js';
import { instantOut, named, recordId } from './shapes.js';

const receipt = { saleId: recordId, externalId: z.string(), sourceId: z.string(), acceptedAt: instantOut };
const SaleReceiptDto = named('SaleReceiptDto', z.object({ ...receipt, status: z.literal('ACCEPTED') }));
const SaleStatusDto = named(
  'SaleStatusDto',
  z.object({
    ...receipt,
    status: z.enum(['ACCEPTED', 'BOOKED', 'REJECTED']),
    rejection: z.object({ code: z.string(), message: z.string() }).nullable(),
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

/** Clients remove dot segments from URLs before sending, even encoded ones, so the server never receives them. */
const aboutDots = (what: string): string =>
  `Percent-encode ${what}, including \`/\` and \`%\`. The values \`.\` and \`..\` are dot segments: browsers, \`fetch\` ` +
  'and some proxies remove them, even as `%2E`. Use a client that sends the path unchanged (curl with `--path-as-is`).';

const partner = routesAt('/api/integrations/v1', { who: 'partner', tag: 'Partner Intake' });

export const SaleController = controllerOf(
  partner.route(
    'Push a sale, return or cancellation; retries are safe',
    {
      method: 'POST',
      path: '/sales',
      body: SalePayload,
      maxValues: 16_384,
      idempotencyKey: true,
      answers: {
        status: 202,
        shape: 'plain',
        schema: SaleReceiptDto,
        position: 'told',
        also: { 200: 'Replayed: the original response, byte for byte.' },
        headers: {
          'Idempotency-Differs': {
            description:
              'Comma-separated top-level fields in which the payload of a replay differs from the accepted sale. ' +
              'The accepted sale does not change; send a correction with a new externalId.',
          },
        },
      },
    },
    async ({ caller: { tenantId, sourceId }, idempotencyKey, body: payload, received }, services) => {
      const backpressure = services.get(IntakeBackpressure);
      await backpressure.turn();
      const intake = { tenantId, sourceId, idempotencyKey, payload, received };
      const { receipt: body, replayed, position, differing } = await services.commands.execute(new TakeSale(intake));
      if (!replayed) backpressure.accepted(position);
      const headers = differing.length > 0 ? { 'idempotency-differs': differing.join(',') } : {};
      return answer(body, { status: replayed ? 200 : 202, replayed, position, headers });
    },
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
    'Get the status of an Idempotency-Key',
    {
      path: '/idempotency-keys/:key',
      description: `Finds only keys sent with an integration key of the same sourceId. ${aboutDots('the key')}`,
      answers: { status: 200, shape: 'plain', schema: IdempotencyKeyDto },
    },
    ({ caller, params }) => new GetIdempotencyKeyStatus(caller.tenantId, caller.sourceId, params.key),
  ),
);
