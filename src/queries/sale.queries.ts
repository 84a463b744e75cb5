import { Inject } from '@nestjs/common';
import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { saleId } from '../aggregates/sale-payload.js';
import { acceptedSale, sale } from '../aggregates/sale.aggregate.js';
import { Progress } from '../platform/progress.js';
import { RecordReader } from '../platform/record-reader.js';
import { transactions } from '../projections/transaction.projection.js';

export type SaleStatus = {
  readonly saleId: string;
  readonly externalId: string;
  readonly sourceId: string;
  readonly status: 'ACCEPTED' | 'BOOKED' | 'REJECTED';
  readonly acceptedAt: string;
  readonly rejection: { readonly code: string; readonly message: string } | null;
};

export class GetSaleStatus extends Query<SaleStatus> {
  constructor(
    readonly tenantId: string,
    readonly sourceId: string,
    readonly externalId: string,
  ) {
    super();
  }
}

/** From the sale's own stream; BOOKED is told only when its transactions can be read. */
@QueryHandler(GetSaleStatus)
export class GetSaleStatusHandler implements IQueryHandler<GetSaleStatus> {
  constructor(
    @Inject(RecordReader) private readonly reader: RecordReader,
    @Inject(Progress) private readonly progress: Progress,
  ) {}

  async execute({ tenantId, sourceId, externalId }: GetSaleStatus): Promise<SaleStatus> {
    const id = saleId(tenantId, sourceId, externalId);
    const { state, position } = await this.reader.read(sale, tenantId, id);
    const { acceptedAt, booking, rejection } = acceptedSale(state);
    const isReadable = booking !== null && this.progress.position(transactions.name) >= position;
    const outcome = rejection ? 'REJECTED' : 'ACCEPTED';
    return {
      saleId: id,
      externalId,
      sourceId,
      status: isReadable ? 'BOOKED' : outcome,
      acceptedAt,
      rejection: rejection && { code: rejection.code, message: rejection.message },
    };
  }
}
