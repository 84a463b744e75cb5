import { Inject, Injectable } from '@nestjs/common';
import { ACCOUNT_DEFAULTS_ID, accountDefaults } from '../aggregates/account-defaults.aggregate.js';
import { account } from '../aggregates/account.aggregate.js';
import { branch, branchCodeClaim } from '../aggregates/branch.aggregate.js';
import { accountCodeClaim } from '../aggregates/code-claims.js';
import { causes, NotYetBookable } from '../aggregates/rejection-causes.js';
import type { SalePayment } from '../aggregates/sale-events.js';
import type { BookingAccounts } from '../aggregates/sale-booking.js';
import type { AcceptedSale } from '../aggregates/sale.aggregate.js';
import { firstOpenDate } from '../aggregates/tenant-periods.js';
import { presentTenant, tenant } from '../aggregates/tenant.aggregate.js';
import type { Claim } from '../eventsourcing/aggregate.js';
import { calendarDate } from '../eventsourcing/calendar.js';
import { Claims } from '../eventsourcing/claims.js';
import { RecordReader, type Freshness } from '../eventsourcing/record-reader.js';
import { parseStreamName, PLATFORM_TENANT } from '../eventsourcing/stream-name.js';

/** The tenant's branch, calendar and accounts for booking a document. */
export type SalePlace = {
  readonly branchId: string | null;
  readonly timeZone: string;
  readonly closedThrough: string | null;
  readonly accounts: BookingAccounts;
};

export type SaleDates = {
  /** Calendar date of `occurredAt` in the tenant's time zone or, if its period is closed, the first open day. */
  readonly date: string;
  /** The calendar date of `occurredAt`. Present only if its period is closed. */
  readonly documentDate?: string;
};
export type SaleFacts = SalePlace & SaleDates;

export function datesOf(place: SalePlace, occurredAt: string): SaleDates {
  const documentDate = calendarDate(Date.parse(occurredAt), place.timeZone);
  const date = firstOpenDate(place, documentDate);
  return date === documentDate ? { date } : { date, documentDate };
}

/** Method of looking up a sale's facts: in current states or, without waiting, in states of limited age. */
export type Lookup = {
  readonly freshness: Freshness;
  /** Returns the id of the entity's record that holds the claimed value; undefined if none does. */
  readonly holderOf: (claim: Claim, entity: string) => Promise<string | undefined>;
};

/** Creates a lookup that waits for pending claims (`settled`) or throws if a claim is pending (`none`). */
export const lookupIn = (claims: Claims, wait: 'settled' | 'none', freshness: Freshness = {}): Lookup => ({
  freshness,
  holderOf: async (claim, entity) => {
    const holder = parseStreamName((await claims.holder(claim, wait, freshness)) ?? '');
    return holder?.entity === entity ? holder.id : undefined;
  },
});

const ACCOUNT_TYPE = { CASH: 'CASH', CARD: 'POS', BANK: 'BANK' } as const;

/** Resolves a partner's branch and account codes by their claims, because claims are always current. */
@Injectable()
export class SaleFactsReader {
  constructor(
    @Inject(RecordReader) private readonly reader: RecordReader,
    @Inject(Claims) private readonly claims: Claims,
  ) {}

  /** @throws NotYetBookable BRANCH_UNKNOWN, ACCOUNT_UNKNOWN; errors from the lookup */
  async factsOf(tenantId: string, state: AcceptedSale): Promise<SaleFacts> {
    const place = await this.placeOf(tenantId, state, lookupIn(this.claims, 'settled'));
    return { ...place, ...datesOf(place, state.occurredAt) };
  }

  /** @throws NotYetBookable BRANCH_UNKNOWN, ACCOUNT_UNKNOWN; errors from the lookup */
  async placeOf(
    tenantId: string,
    { branchCode, payments }: Pick<AcceptedSale, 'branchCode' | 'payments'>,
    lookup: Lookup,
  ): Promise<SalePlace> {
    const branchId = await this.branchOf(tenantId, branchCode, lookup);
    const { state } = await this.reader.read(tenant, PLATFORM_TENANT, tenantId, lookup.freshness);
    const { timeZone, closedThrough, seeds } = presentTenant(state);
    const byPayment = await this.accountsOf(tenantId, payments, lookup);
    return {
      branchId,
      timeZone,
      closedThrough,
      accounts: { sales: seeds.accounts.sales, tax: seeds.accounts.tax, byPayment },
    };
  }

  private async branchOf(tenantId: string, code: string | null, lookup: Lookup): Promise<string | null> {
    if (code === null) return null;
    const value = code.toUpperCase();
    const id = await lookup.holderOf(branchCodeClaim(tenantId, value), branch.name);
    if (id === undefined)
      throw branchUnknown(`The branch ${value} does not exist. Create it, or correct branchCode.`, value);
    const { state } = await this.reader.read(branch, tenantId, id, lookup.freshness);
    if (state.status !== 'active')
      throw branchUnknown(`The branch ${value} is inactive. Activate it, or correct branchCode.`, value);
    return id;
  }

  /**
   * Returns the account of each payment: the account with the payment's code or, without a code, the default account of
   * the payment method. Equal payments are looked up once, so that a concurrent change to a default cannot split them
   * between two accounts.
   */
  private async accountsOf(
    tenantId: string,
    payments: readonly SalePayment[],
    lookup: Lookup,
  ): Promise<readonly string[]> {
    const known = new Map<string, string>();
    const found: string[] = [];
    for (const { accountCode, method } of payments) {
      const key = accountCode === null ? method : `code ${accountCode}`;
      const lookUp = () =>
        accountCode === null
          ? this.defaultOf(tenantId, method, lookup)
          : this.codedAccount(tenantId, accountCode, lookup);
      const id = known.get(key) ?? (await lookUp());
      known.set(key, id);
      found.push(id);
    }
    return found;
  }

  private async defaultOf(tenantId: string, method: SalePayment['method'], lookup: Lookup): Promise<string> {
    const type = ACCOUNT_TYPE[method];
    const { state } = await this.reader.read(accountDefaults, tenantId, ACCOUNT_DEFAULTS_ID, lookup.freshness);
    const id = state.byType[type];
    if (id !== undefined && (await this.isOpen(tenantId, id, lookup))) return id;
    throw accountUnknown(
      `There is no active default account of type ${type}. Choose one, or specify accountCode.`,
      causes.defaultAccount(type),
    );
  }

  private async codedAccount(tenantId: string, code: string, lookup: Lookup): Promise<string> {
    const id = await lookup.holderOf(accountCodeClaim(tenantId, code), account.name);
    const cause = causes.account(code);
    if (id === undefined)
      throw accountUnknown(
        `The account ${code} does not exist, or belongs to a customer. Create it, or correct accountCode.`,
        cause,
      );
    if (!(await this.isOpen(tenantId, id, lookup)))
      throw accountUnknown(`The account ${code} is inactive. Activate it, or correct accountCode.`, cause);
    return id;
  }

  private async isOpen(tenantId: string, id: string, { freshness }: Lookup): Promise<boolean> {
    const { state } = await this.reader.read(account, tenantId, id, freshness);
    return state.status === 'present' && state.isActive;
  }
}

const branchUnknown = (message: string, code: string) =>
  new NotYetBookable('BRANCH_UNKNOWN', message, causes.branch(code));
const accountUnknown = (message: string, awaits: string) => new NotYetBookable('ACCOUNT_UNKNOWN', message, awaits);
