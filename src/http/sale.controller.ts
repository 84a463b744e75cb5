import { Body, Controller, Inject, Param } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { z } from 'zod';
import { SalePayload } from '../aggregates/sale-payload.js';
import { TakeSale } from '../integration/sale-intake.js';
import type { PartnerPrincipal } from '../platform/principal.js';
import { GetIdempotencyKeyStatus, GetSaleStatus } from '../queries/sale.queries.js';
import { answer, type Answer } from './answer.js';
import { Caller, Endpoint, IdempotencyKey, Received } from './endpoint.js';
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
      description: 'ACCEPTED: the key answers for its payload for 24 hours. EXPIRED: it may be used anew.',
    }),
    saleId: recordId,
    externalId: z.string(),
    acceptedAt: instantOut.meta({ description: 'When the sale was accepted.' }),
    expiresAt: instantOut,
  }),
);

/** URLs lose dot segments before anything is sent, however they are written, so nothing can be done about it here. */
const aboutDots = (what: string): string =>
  `Percent-encode ${what}, \`/\` and \`%\` included. One that is \`.\` or \`..\` is a dot segment of the path: browsers, ` +
  '`fetch` and some proxies remove it, also written `%2E`. Clients that send the path as it is (curl with ' +
  '`--path-as-is`) get their answer.';

const partner = { who: 'partner', tag: 'Partner Intake' } as const;

/** Where partners push sales. */
@Controller()
export class SaleController {
  constructor(
    @Inject(CommandBus) private readonly commands: CommandBus,
    @Inject(QueryBus) private readonly queries: QueryBus,
  ) {}

  @Endpoint({
    ...partner,
    method: 'POST',
    path: '/api/integrations/v1/sales',
    summary: 'Push a sale; safe to retry',
    body: SalePayload,
    idempotencyKey: true,
    answers: {
      status: 202,
      shape: 'plain',
      schema: SaleReceiptDto,
      position: 'told',
      also: { 200: 'Replayed: the original answer, byte for byte.' },
    },
  })
  async push(
    @Caller() { tenantId, sourceId }: PartnerPrincipal,
    @IdempotencyKey() idempotencyKey: string | undefined,
    @Body() payload: SalePayload,
    @Received() received: object,
  ): Promise<Answer> {
    const intake = { tenantId, sourceId, idempotencyKey, payload, received };
    const { receipt: body, replayed, position } = await this.commands.execute(new TakeSale(intake));
    return answer(body, { status: replayed ? 200 : 202, replayed, position });
  }

  @Endpoint({
    ...partner,
    method: 'GET',
    path: '/api/integrations/v1/sales/:externalId',
    summary: 'What became of a sale',
    description: aboutDots('the external id'),
    answers: { status: 200, shape: 'plain', schema: SaleStatusDto },
  })
  status(
    @Caller() { tenantId, sourceId }: PartnerPrincipal,
    @Param('externalId') externalId: string,
  ): Promise<unknown> {
    return this.queries.execute(new GetSaleStatus(tenantId, sourceId, externalId));
  }

  @Endpoint({
    ...partner,
    method: 'GET',
    path: '/api/integrations/v1/idempotency-keys/:key',
    summary: 'What an Idempotency-Key was used for',
    description: `Of this partner's own keys, by whichever integration key of its sourceId. ${aboutDots('the key')}`,
    answers: { status: 200, shape: 'plain', schema: IdempotencyKeyDto },
  })
  keyStatus(@Caller() { tenantId, sourceId }: PartnerPrincipal, @Param('key') key: string): Promise<unknown> {
    return this.queries.execute(new GetIdempotencyKeyStatus(tenantId, sourceId, key));
  }
}
