import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { TenantRules } from '../aggregates/categorization.js';
import { customer } from '../aggregates/customer.aggregate.js';
import { causes, NotYetBookable } from '../aggregates/rejection-causes.js';
import type { CategoryFacts, SaleBookingData } from '../aggregates/sale-booking.js';
import type { AcceptedSale } from '../aggregates/sale.aggregate.js';
import { Claims } from '../eventsourcing/claims.js';
import type { Target } from '../eventsourcing/command-runner.js';
import { RecordReader, type Freshness, type Loaded } from '../eventsourcing/record-reader.js';
import { atMost } from '../ports/entry-limit.js';
import { Categorizer } from '../queries/category.queries.js';
import { CustomerMatching } from './customer-matching.js';
import { datesOf, lookupIn, SaleFactsReader, type SaleFacts, type SalePlace } from './sale-facts.js';

/** Name of the booking policy. It also appears in bookings appended together with the acceptance. */
export const BOOKING = 'booking';

/** The facts that are the same for all sales of a customer with the same branch and the same kinds of payments. */
type CommonFacts = { readonly customerId: string; readonly merchant: string | null; readonly place: SalePlace };
/** `reads`: the states that determine the facts. */
type Remembered = { readonly facts: CommonFacts; readonly reads: readonly Loaded<unknown>[] };

/** The facts of each customer depend on at least two states, and a RecordReader caches 10,000. */
const MAX_REMEMBERED = 5_000;

/** Returns a key for the parts of a sale that determine its common facts. */
const keyOf = (tenantId: string, { sourceId, branchCode, customer: wanted, payments }: AcceptedSale): string =>
  JSON.stringify([tenantId, sourceId, branchCode, wanted, ...payments.flatMap((p) => [p.method, p.accountCode])]);

const dataOf = (
  saleId: string,
  { occurredAt }: AcceptedSale,
  { customerId, merchant, place }: CommonFacts,
  rules: TenantRules,
): SaleBookingData => ({
  ...{ saleId, customerId, branchId: place.branchId, accounts: place.accounts, merchant, rules },
  ...datesOf(place, occurredAt),
});

/**
 * Collects the facts that determine the booking of a document. The policy uses the latest states and rules. The intake
 * may use remembered facts if their states are recent enough.
 */
@Injectable()
export class BookingFacts {
  private readonly remembered = new LRUCache<string, Remembered>(atMost(MAX_REMEMBERED));

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
   * Returns the facts that `of` would return, for a SALE that may not have been accepted yet. Writes nothing, does not
   * wait for other commands, and may use states of the given maximum age.
   * @returns undefined if the customer must be created or linked first
   * @throws DomainError if the SALE cannot be booked now; errors from the engines
   */
  async known({ tenantId, id }: Target, state: AcceptedSale, maxAgeMs: number): Promise<SaleBookingData | undefined> {
    const key = keyOf(tenantId, state);
    const facts = this.remembers(key, maxAgeMs) ?? (await this.read(key, tenantId, state, maxAgeMs));
    return facts && dataOf(id, state, facts, await this.categorizer.rulesOf(tenantId));
  }

  /** Returns the result of `known` if nothing needs to be read; otherwise undefined. */
  atHand({ tenantId, id }: Target, state: AcceptedSale, maxAgeMs: number): SaleBookingData | undefined {
    const facts = this.remembers(keyOf(tenantId, state), maxAgeMs);
    const rules = facts && this.categorizer.cachedRulesOf(tenantId);
    return rules && dataOf(id, state, facts, rules);
  }

  /**
   * Returns the branch, date and accounts of a document.
   * @throws DomainError conflict BRANCH_UNKNOWN, ACCOUNT_UNKNOWN
   */
  ofDocument(tenantId: string, state: AcceptedSale): Promise<SaleFacts> {
    return this.facts.factsOf(tenantId, state);
  }

  /** @throws DomainError conflict CUSTOMER_PASSIVE */
  async categoriesFor(tenantId: string, customerId: string | undefined): Promise<CategoryFacts> {
    const rules = await this.categorizer.rulesOf(tenantId);
    return { merchant: customerId === undefined ? null : await this.merchantOf(tenantId, customerId), rules };
  }

  private async merchantOf(tenantId: string, customerId: string, freshness?: Freshness): Promise<string | null> {
    const { state } = await this.reader.read(customer, tenantId, customerId, freshness);
    if (state.status === 'absent') return null;
    if (state.isActive) return state.name;
    const message = 'The customer is inactive. Activate the customer, or choose another one.';
    throw new NotYetBookable('CUSTOMER_PASSIVE', message, causes.customer(customerId));
  }

  private remembers(key: string, maxAgeMs: number): CommonFacts | undefined {
    const found = this.remembered.get(key);
    return found && this.reader.areRecent(found.reads, { maxAgeMs }) ? found.facts : undefined;
  }

  private async read(
    key: string,
    tenantId: string,
    state: AcceptedSale,
    maxAgeMs: number,
  ): Promise<CommonFacts | undefined> {
    const reads = new Set<Loaded<unknown>>();
    const lookup = lookupIn(this.claims, 'none', { maxAgeMs, reads });
    const customerId = await this.matching.knownCustomer(tenantId, state, lookup);
    if (customerId === undefined) return undefined;
    const place = await this.facts.placeOf(tenantId, state, lookup);
    const facts = { customerId, merchant: await this.merchantOf(tenantId, customerId, lookup.freshness), place };
    this.remembered.set(key, { facts, reads: [...reads] });
    return facts;
  }
}
