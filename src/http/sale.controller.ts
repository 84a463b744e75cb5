import { Body, Controller, Inject, Param } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { z } from 'zod';
import { SalePayload } from '../aggregates/sale-payload.js';
import { TakeSale } from '../integration/sale-intake.js';
import type { PartnerPrincipal } from '../platform/principal.js';
import { GetSaleStatus } from '../queries/sale.queries.js';
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
    answers: { status: 200, shape: 'plain', schema: SaleStatusDto },
  })
  status(
    @Caller() { tenantId, sourceId }: PartnerPrincipal,
    @Param('externalId') externalId: string,
  ): Promise<unknown> {
    return this.queries.execute(new GetSaleStatus(tenantId, sourceId, externalId));
  }
}
