import { Inject, Injectable } from '@nestjs/common';
import { customer } from '../aggregates/customer.aggregate.js';
import { causes, NotYetBookable } from '../aggregates/rejection-causes.js';
import type { CategoryFacts, SaleBookingData } from '../aggregates/sale-booking.js';
import type { AcceptedSale } from '../aggregates/sale.aggregate.js';
import { Claims } from '../eventsourcing/claims.js';
import type { Target } from '../eventsourcing/command-runner.js';
import { RecordReader, type Freshness } from '../eventsourcing/record-reader.js';
import { Categorizer } from '../queries/category.queries.js';
import { CustomerMatching, lookupIn, SaleFactsReader, type SaleFacts } from './sale-facts.js';

/** Name of the booking policy. It also appears in bookings appended together with the acceptance. */
export const BOOKING = 'booking';

/**
 * Collects the facts that determine the booking of a document. Uses the latest states of streams and the current rules.
 */
@Injectable()
export class BookingFacts {
  constructor(
    @Inject(RecordReader) private readonly reader: RecordReader,
    @Inject(SaleFactsReader) private readonly facts: SaleFactsReader,
    @Inject(Categorizer) private readonly categorizer: Categorizer,
    @Inject(CustomerMatching) private readonly matching: CustomerMatching,
    @Inject(Claims) private readonly claims: Claims,
  ) {}

  /**
   * Returns the facts of a SALE. Creates or links its customer if necessary.
   * @throws DomainError if the SALE cannot be booked now
   */
  async of(tenantId: string, saleId: string, state: AcceptedSale): Promise<SaleBookingData> {
    const facts = await this.facts.factsOf(tenantId, state);
    const customerId = await this.matching.customerOf({ tenantId, saleId, state });
    return { saleId, customerId, ...facts, ...(await this.categoriesFor(tenantId, customerId)) };
  }

  /**
   * Returns the same facts for a SALE that may not have been accepted yet. Writes nothing, does not wait for other
   * commands, and may use states of the given maximum age.
   * @returns undefined if the customer must be created or linked first
   * @throws DomainError if the SALE cannot be booked now; errors from the engines
   */
  async known(
    { tenantId, id: saleId }: Target,
    state: AcceptedSale,
    freshness: Freshness,
  ): Promise<SaleBookingData | undefined> {
    const lookup = lookupIn(this.claims, 'none', freshness);
    const customerId = await this.matching.knownCustomer(tenantId, state, lookup);
    if (customerId === undefined) return undefined;
    const facts = await this.facts.factsOf(tenantId, state, lookup);
    return { saleId, customerId, ...facts, ...(await this.categoriesFor(tenantId, customerId, freshness)) };
  }

  /**
   * Returns the branch, date and accounts of a document.
   * @throws DomainError conflict BRANCH_UNKNOWN, ACCOUNT_UNKNOWN
   */
  ofDocument(tenantId: string, state: AcceptedSale): Promise<SaleFacts> {
    return this.facts.factsOf(tenantId, state);
  }

  /** @throws DomainError conflict CUSTOMER_PASSIVE */
  async categoriesFor(tenantId: string, customerId: string | undefined, freshness?: Freshness): Promise<CategoryFacts> {
    const rules = await this.categorizer.rulesOf(tenantId);
    if (customerId === undefined) return { merchant: null, rules };
    const { state } = await this.reader.read(customer, tenantId, customerId, freshness);
    if (state.status === 'absent') return { merchant: null, rules };
    if (!state.isActive) {
      const message = 'The customer is inactive. Activate the customer, or choose another one.';
      throw new NotYetBookable('CUSTOMER_PASSIVE', message, causes.customer(customerId));
    }
    return { merchant: state.name, rules };
  }
}
