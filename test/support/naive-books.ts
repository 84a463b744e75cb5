import { amountText, DIGITS, type Currency } from './naive-money.js';

/** Expected error response: the status, the code and, if there is one, the invalid field. */
export type Fault = { readonly status: number; readonly code: string; readonly path?: string };
export const fault = (status: number, code: string, path?: string): Fault => ({
  status,
  code,
  ...(path !== undefined && { path }),
});
export const invalidAt = (path: string): Fault => fault(400, 'VALIDATION_FAILED', path);
export const missing = (path?: string): Fault => fault(404, 'NOT_FOUND', path);
/** Returns the expected response to a request to make an inactive account the default for its type. */
export const inactiveDefault = (): Fault => fault(409, 'ACCOUNT_INACTIVE');

export type NaiveCustomer = {
  readonly id: string;
  readonly isDefault: boolean;
  code: string;
  name: string;
  isActive: boolean;
  isDeleted: boolean;
  branchId: string | null;
};
export type NaiveAccount = {
  readonly id: string;
  readonly type: string;
  readonly code: string;
  readonly isSystem: boolean;
  name: string;
  isActive: boolean;
  isDeleted: boolean;
};
export type NaiveCategory = { readonly id: string; readonly direction: string; readonly isArchived: boolean };
export type NaiveBranch = { readonly id: string; readonly code: string; isActive: boolean };

export type NaivePosting = readonly [accountId: string, amount: bigint];
/** The facts that the API specifies for a transaction. */
export type NaiveEntry = {
  /** Id that the service assigned. Null until the model has learned it. */
  id: string | null;
  readonly date: string;
  readonly type: string | null;
  readonly documentEffect: string | null;
  readonly direction: string | null;
  readonly amount: bigint;
  readonly customerId: string | null;
  readonly accountId: string | null;
  readonly counterAccountId: string | null;
  readonly expenseItemId: string | null;
  readonly branchId: string | null;
  readonly systemGenerated: boolean;
  readonly externalId: string | null;
  readonly description: string | null;
  readonly reference: string | null;
  categoryId: string | null;
  readonly original: NaiveEntry | null;
  /**
   * `externalId` of the sale to which a document and its payments belong. For a return, the `externalId` of the related
   * sale.
   */
  readonly sale: string | null;
  isCancelled: boolean;
  readonly postings: readonly NaivePosting[];
};

export type NaiveSale = {
  readonly externalId: string;
  isBooked: boolean;
  readonly net: bigint;
  readonly gross: bigint;
  entries: readonly NaiveEntry[];
  customerId: string;
  readonly branchId: string | null;
  returned: bigint;
  returnedNet: bigint;
  returns: number;
  isCancelled: boolean;
};

const plainEntry = {
  id: null,
  type: null,
  documentEffect: null,
  direction: null,
  customerId: null,
  accountId: null,
  counterAccountId: null,
  expenseItemId: null,
  branchId: null,
  systemGenerated: false,
  externalId: null,
  description: null,
  reference: null,
  categoryId: null,
  original: null,
  sale: null,
  isCancelled: false,
} as const;

export const entryOf = (
  facts: Partial<NaiveEntry> & Pick<NaiveEntry, 'date' | 'amount'>,
  debit: string,
  credits: readonly NaivePosting[],
): NaiveEntry => {
  const total = credits.reduce((sum, [, amount]) => sum + amount, 0n);
  return {
    ...plainEntry,
    ...facts,
    postings: [[debit, total], ...credits.map(([id, amount]) => [id, -amount] as const)],
  };
};

const opposite = (direction: string | null): string | null =>
  direction === null ? null : direction === 'IN' ? 'OUT' : 'IN';

/** Creates the reversal of an entry and marks the original as cancelled. */
export function mirrorOf(original: NaiveEntry, facts: Partial<NaiveEntry> & Pick<NaiveEntry, 'date'>): NaiveEntry {
  original.isCancelled = true;
  return {
    ...original,
    id: null,
    isCancelled: false,
    systemGenerated: false,
    ...facts,
    original,
    direction: opposite(original.direction),
    postings: original.postings.map(([id, amount]) => [id, -amount]),
  };
}

export type Sides = { readonly debit: bigint; readonly credit: bigint };
const nothing: Sides = { debit: 0n, credit: 0n };

/** Returns the comparable facts of a transaction as text. */
export const told = (facts: readonly unknown[]): string =>
  JSON.stringify(facts, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value));

/**
 * A tenant's books in the simplest form: a list of entries from which it calculates all sums. Shares no code with the
 * service.
 */
export class NaiveBooks {
  readonly customers: NaiveCustomer[] = [];
  readonly accounts: NaiveAccount[] = [];
  readonly categories: NaiveCategory[] = [];
  readonly branches: NaiveBranch[] = [];
  readonly sales: NaiveSale[] = [];
  /** Entries in order of creation. */
  readonly entries: NaiveEntry[] = [];
  /** The default account of each account type that has one. */
  readonly defaults = new Map<string, string>();
  /** Customers by the partner's customer ids. */
  readonly links = new Map<string, string>();

  constructor(readonly currency: Currency) {}

  get digits(): number {
    return DIGITS[this.currency];
  }

  text(minor: bigint): string {
    return amountText(minor, this.digits);
  }

  system(name: string): string {
    const found = this.accounts.find((account) => account.isSystem && account.name.startsWith(name));
    if (!found) throw new Error(`No account ${name}`);
    return found.id;
  }

  customer(id: string | null): NaiveCustomer | undefined {
    return this.customers.find((one) => one.id === id && !one.isDeleted);
  }

  account(id: string | null): NaiveAccount | undefined {
    return this.accounts.find((one) => one.id === id && !one.isDeleted);
  }

  isPostedTo(accountId: string): boolean {
    return this.entries.some(({ postings }) => postings.some(([id]) => id === accountId));
  }

  /** Returns the amounts that one transaction debits and credits to an account. */
  sidesOf({ postings }: NaiveEntry, accountId: string): Sides {
    const own = postings.filter(([id]) => id === accountId).map(([, amount]) => amount);
    return own.reduce<Sides>(
      ({ debit, credit }, amount) =>
        amount > 0n ? { debit: debit + amount, credit } : { debit, credit: credit - amount },
      nothing,
    );
  }

  /**
   * Returns the total debits and credits of an account, up to and including a date. By default, includes all
   * transactions.
   */
  sums(accountId: string, until = '9999-12-31'): Sides {
    return this.entries
      .filter(({ date }) => date <= until)
      .map((entry) => this.sidesOf(entry, accountId))
      .reduce((sum, { debit, credit }) => ({ debit: sum.debit + debit, credit: sum.credit + credit }), nothing);
  }

  balance(accountId: string, until?: string): bigint {
    const { debit, credit } = this.sums(accountId, until);
    return debit - credit;
  }

  /** Returns the transactions that post to an account, oldest first. */
  entriesOn(accountId: string): NaiveEntry[] {
    const own = this.entries.filter(({ postings }) => postings.some(([id]) => id === accountId));
    return own.toSorted((a, b) => (a.date < b.date ? -1 : a.date > b.date ? 1 : 0));
  }

  /** Returns all facts of an entry except its id, as text. */
  told(entry: NaiveEntry): string {
    const { date, type, documentEffect, direction, customerId, accountId, counterAccountId, expenseItemId } = entry;
    const { branchId, categoryId, systemGenerated, externalId, original, isCancelled, postings } = entry;
    // The specification does not define the text that the service generates.
    const texts = systemGenerated || original ? [] : [entry.description, entry.reference];
    const shown = postings.filter(([, amount]) => amount !== 0n).map(([id, amount]) => `${id} ${this.text(amount)}`);
    return told([
      [date, type, documentEffect, direction, this.text(entry.amount), this.currency],
      [customerId, accountId, counterAccountId, expenseItemId, branchId, categoryId],
      [systemGenerated, externalId, isCancelled, original?.id ?? null],
      texts,
      shown.toSorted(),
    ]);
  }
}
