import { Inject, Injectable } from '@nestjs/common';
import { bookCancellation, bookReturn, bookSale } from '../aggregates/sale-booking.js';
import type { SaleEvent } from '../aggregates/sale-events.js';
import { holderIdOf, sale, type AcceptedSale, type Sale } from '../aggregates/sale.aggregate.js';
import type { Target } from '../eventsourcing/command-runner.js';
import { RecordReader } from '../eventsourcing/record-reader.js';
import { BookingFacts } from './booking-facts.js';

/** The decision that books a document, and the record to which it applies: the SALE itself or the related sale. */
export type BookingPlan = { readonly holder: Target; readonly decide: (state: Sale) => SaleEvent[] };

/** Prepares the booking of a document by collecting the necessary facts. */
@Injectable()
export class BookingPlans {
  constructor(
    @Inject(RecordReader) private readonly reader: RecordReader,
    @Inject(BookingFacts) private readonly facts: BookingFacts,
  ) {}

  /** Creates or links the customer of a SALE if necessary. @throws DomainError if the document cannot be booked now */
  async of({ tenantId, id: saleId }: Target, state: AcceptedSale): Promise<BookingPlan> {
    const holder = { tenantId, id: holderIdOf(tenantId, saleId, state) };
    if (state.type === 'SALE') {
      const data = await this.facts.of(tenantId, saleId, state);
      return { holder, decide: (own) => bookSale(own, data) };
    }
    const { accounts, ...facts } = await this.facts.ofDocument(tenantId, state);
    if (state.type === 'CANCELLATION') {
      const data = { saleId, externalId: state.externalId, ...facts };
      return { holder, decide: (sold) => bookCancellation(sold, data) };
    }
    const related = (await this.reader.read(sale, tenantId, holder.id)).state;
    const customerId = related.status === 'absent' ? undefined : related.booking?.customerId;
    const categories = await this.facts.categoriesFor(tenantId, customerId);
    const data = { saleId, accounts, document: state, ...facts, ...categories };
    return { holder, decide: (sold) => bookReturn(sold, data) };
  }
}
