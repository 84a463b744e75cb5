import { setImmediate as nextTurn } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { currencyDigits } from '../aggregates/money.js';
import { presentTenant, tenant } from '../aggregates/tenant.aggregate.js';
import { calendarDate } from '../eventsourcing/calendar.js';
import { readModelBehind } from '../eventsourcing/domain-error.js';
import { RecordReader } from '../eventsourcing/record-reader.js';
import { PLATFORM_TENANT } from '../eventsourcing/stream-name.js';
import { type Scope, tenantScope } from '../ports/read-store.js';
import { CLOCK, type Clock } from '../ports/time.js';
import { eachSum, ledgerEntries, type LedgerEntryView } from '../projections/ledger-entry.projection.js';
import { balances, lastDayOf, quarterOf } from '../projections/balance.projection.js';
import { accountDays, type AccountDayView } from '../projections/ledger.projection.js';
import { MinorSum, minorOf } from './minor-sum.js';
import { CaughtUp } from './caught-up.js';
import { ReadModels, type Rows } from './query.js';

/** The books of a tenant: in their current state or, if `knownAt` is set, as of that instant. */
export type BooksOf = { readonly tenantId: string; readonly knownAt?: string | undefined };

/** Sums of an account's postings in one part of a report. */
export type AccountSums = { readonly debit: MinorSum; readonly credit: MinorSum };
export type SumsByAccount = Map<string, AccountSums>;

export const sumsOf = (sums: SumsByAccount, accountId: string): AccountSums => {
  const known = sums.get(accountId);
  if (known) return known;
  const made = { debit: new MinorSum(), credit: new MinorSum() };
  sums.set(accountId, made);
  return made;
};

/** Returns debits minus credits. */
export const netOf = ({ debit, credit }: AccountSums): bigint => debit.value - credit.value;
export const totalOf = (sums: SumsByAccount, side: keyof AccountSums): bigint =>
  [...sums.values()].reduce((total, one) => total + one[side].value, 0n);
export const hasEqualSides = (sums: SumsByAccount): boolean => totalOf(sums, 'debit') === totalOf(sums, 'credit');

/** Tenant data that every report needs. `today` is the date of `knownAt` if that instant is in the past. */
export type Currency = { readonly currency: string; readonly digits: number; readonly today: string };

/** The sums of one account on one date. Amounts are in minor units; see MinorSum. */
export type DaySums = {
  readonly accountId: string;
  readonly date: string;
  readonly debit: number | bigint | string;
  readonly credit: number | bigint | string;
};
export type Dates = { readonly from?: string | undefined; readonly to?: string | undefined };

const WAIT_MS = 5_000;
const MAX_READS = 6;
const BETWEEN_READS_MS = 50;

/** Reads postings for reports. */
@Injectable()
export class LedgerSums {
  constructor(
    @Inject(ReadModels) private readonly models: ReadModels,
    @Inject(CaughtUp) private readonly caughtUp: CaughtUp,
    @Inject(RecordReader) private readonly reader: RecordReader,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async currencyOf({ tenantId, knownAt }: BooksOf): Promise<Currency> {
    const { currency, timeZone } = presentTenant((await this.reader.read(tenant, PLATFORM_TENANT, tenantId)).state);
    const nowMs = this.clock.nowMs();
    const atMs = knownAt === undefined ? nowMs : Math.min(nowMs, Date.parse(knownAt));
    return { currency, digits: currencyDigits(currency), today: calendarDate(atMs, timeZone) };
  }

  /**
   * Calls `take` with the postings on these dates, by account and day. Reads the maintained totals or, for books as of
   * an instant, the entries.
   */
  async eachDay(books: BooksOf, dates: Dates, digits: number, take: (sums: DaySums) => void): Promise<void> {
    if (books.knownAt !== undefined) {
      await this.eachEntry(books, ([, , , days]) => {
        eachSum(days, (accountId, date, debit, credit) => {
          if (isWithin(date, dates)) take({ accountId, date, debit, credit });
        });
      });
      return;
    }
    const scope = tenantScope(books.tenantId);
    for await (const part of this.models.parts(accountDays, scope, { between: { date: dates } }))
      for (const { accountId, date, debit, credit } of part)
        take({ accountId, date, debit: minorOf(debit, digits), credit: minorOf(credit, digits) });
  }

  /**
   * Like `eachDay` for dates up to `to`, but for reports that distinguish only between dates before `from` and later
   * dates. The sums of a whole quarter have the date of its first day. Reads individual days only in the quarters that
   * contain `from` or `to`.
   */
  async eachSpan(books: BooksOf, { from, to }: Dates, digits: number, take: (sums: DaySums) => void): Promise<void> {
    if (books.knownAt !== undefined) return this.eachDay(books, { to }, digits, take);
    const divided = dividedBy({ from, to });
    for await (const part of this.models.parts(balances, tenantScope(books.tenantId)))
      for (const { accountId, quarters } of part)
        for (const [quarter, debit, credit] of quarters) {
          const date = `${quarter}-01`;
          if (!divided.has(quarter) && isWithin(date, { to })) take({ accountId, date, debit, credit });
        }
    for (const quarter of divided) {
      const last = lastDayOf(quarter);
      await this.eachDay(books, { from: `${quarter}-01`, to: to !== undefined && to < last ? to : last }, digits, take);
    }
  }

  /** Like `eachDay`, but only for the given accounts. */
  async eachDayOf(
    books: BooksOf,
    accountIds: ReadonlySet<string>,
    dates: Dates,
    digits: number,
    take: (sums: DaySums) => void,
  ): Promise<void> {
    if (books.knownAt !== undefined) {
      await this.eachDay(books, dates, digits, (sums) => {
        if (accountIds.has(sums.accountId)) take(sums);
      });
      return;
    }
    for (const accountId of accountIds) {
      for await (const part of this.daysOf(books, accountId, dates))
        for (const { date, debit, credit } of part)
          take({ accountId, date, debit: minorOf(debit, digits), credit: minorOf(credit, digits) });
      await nextTurn();
    }
  }

  /** Returns the days of one account in the current books. */
  async *daysOf({ tenantId }: BooksOf, accountId: string, dates: Dates): Rows<AccountDayView> {
    yield* this.models.parts(accountDays, tenantScope(tenantId), { where: { accountId }, between: { date: dates } });
  }

  /** Calls `take` with each account's sums over all dates. */
  async eachBalance(books: BooksOf, digits: number, take: (sums: Omit<DaySums, 'date'>) => void): Promise<void> {
    if (books.knownAt !== undefined) return this.eachDay(books, {}, digits, take);
    for await (const part of this.models.parts(balances, tenantScope(books.tenantId)))
      for (const { accountId, debit, credit } of part)
        take({ accountId, debit: minorOf(debit, digits), credit: minorOf(credit, digits) });
  }

  /** Calls `take` with the entries recorded up to and including the instant. */
  async eachEntry(books: BooksOf, take: (entry: LedgerEntryView) => void): Promise<void> {
    for await (const part of this.entries(books)) for (const entry of part) take(entry);
  }

  /** Calls `take` with the entries that change customers' balances, newest first. */
  async eachOwing(books: BooksOf, take: (entry: LedgerEntryView) => void): Promise<void> {
    for await (const part of this.entries(books, true))
      for (const entry of part) {
        if (entry[1] === '') return;
        take(entry);
      }
  }

  private async *entries({ tenantId, knownAt }: BooksOf, reverse = false): Rows<LedgerEntryView> {
    await this.whenKnown({ tenantId, knownAt }, ledgerEntries);
    const untilMs = knownAt === undefined ? Infinity : Date.parse(knownAt);
    for await (const part of this.models.parts(ledgerEntries, tenantScope(tenantId), { reverse }))
      yield knownAt === undefined ? part : part.filter(([atMs]) => atMs <= untilMs);
  }

  /** For the books as of an instant, waits until the model contains all events recorded so far. */
  async whenKnown({ knownAt }: BooksOf, model: { readonly name: string }): Promise<void> {
    if (knownAt !== undefined) await this.caughtUp.withHead(model, WAIT_MS);
  }

  /**
   * Repeats the read until total debits equal total credits. Totals are read in batches, so the result may contain only
   * one side of a transaction written between two read operations.
   * @throws DomainError unavailable READ_MODEL_BEHIND if the tenant's books change faster than they can be read
   */
  async balanced<T>(read: () => Promise<T>, isBalanced: (found: T) => boolean): Promise<T> {
    for (let reads = 1; reads <= MAX_READS; reads += 1) {
      const found = await read();
      if (isBalanced(found)) return found;
      await this.clock.sleep(BETWEEN_READS_MS);
    }
    throw readModelBehind();
  }
}

export const isWithin = (date: string, { from, to }: Dates): boolean =>
  (from === undefined || date >= from) && (to === undefined || date <= to);

/** Returns the quarters that `from` or `to` divides into days inside and outside the period. */
function dividedBy({ from, to }: Dates): ReadonlySet<string> {
  const divided = new Set<string>();
  if (from !== undefined && from !== `${quarterOf(from)}-01`) divided.add(quarterOf(from));
  if (to !== undefined && to !== lastDayOf(quarterOf(to))) divided.add(quarterOf(to));
  return divided;
}

/** Returns the scope of the tenant's documents. */
export const scopeOf = ({ tenantId }: BooksOf): Scope => tenantScope(tenantId);
