import type { TransactionRecord } from '../../src/queries/transaction.queries.js';
import { eventually } from './eventually.js';
import { DATES, type EntryStep, type Spoil, type Step, type StepOf } from './bookkeeping-steps.js';
import { everyPage } from './list-pages.js';
import {
  entryOf,
  fault,
  invalidAt,
  mirrorOf,
  inactiveDefault,
  missing,
  NaiveBooks,
  told,
  type Fault,
  type NaiveAccount,
  type NaiveBranch,
  type NaiveCategory,
  type NaiveCustomer,
  type NaiveEntry,
  type NaivePosting,
  type NaiveSale,
} from './naive-books.js';
import { amountText, minorUnits, pricedLine, unit, wholePrice, type Currency } from './naive-money.js';
import type { Reply } from './reply.js';
import type { Books, TestService } from './service.js';

/** Maps each currency to a time zone with a constant offset. */
const ZONES: Readonly<Record<Currency, { readonly timeZone: string; readonly hours: number }>> = {
  EUR: { timeZone: 'America/Bogota', hours: -5 },
  JPY: { timeZone: 'Asia/Tokyo', hours: 9 },
  KWD: { timeZone: 'Asia/Kuwait', hours: 3 },
};
const HOUR_MS = 3_600_000;
const HEALED_MS = 10_000;
const MOST_DISCOUNT = unit(14);
const NOBODY = '01900000-0000-7000-8000-000000000000';
/**
 * Dates of sales must be between 1900 and 2999. The test excludes dates before 2000, when time zone offsets were
 * different.
 */
const SALE_DATES = DATES.filter((date) => date > '2000' && date < '2900');
const BAD_AMOUNTS = [
  ...['0', '0.00', '-5', '1e3', '01', '1.2345', '1000000000000000', '', 'abc', '5,00', '+5', '0x10', 'Infinity'],
  ...[0, -1, 1.23456, 1e15, 1e21, null, true],
];
const BAD_DATES = ['2026-02-30', '1899-12-31', 'tomorrow', '2026-1-1', '2026-01-01T00:00:00Z', '', null, 20260101];
const PARTIES = ['customerId', 'accountId', 'counterAccountId', 'expenseItemId', 'direction'] as const;
type Party = (typeof PARTIES)[number];
/** Types of the accounts that can receive and pay money. */
const MONEY: readonly string[] = ['CASH', 'BANK', 'POS', 'CREDIT_CARD', 'OTHER'];
const METHOD_TYPES = { CASH: 'CASH', CARD: 'POS', BANK: 'BANK' } as const;

/** The party fields that each transaction type requires. */
const NEEDS: Readonly<Record<EntryStep['type'], (step: EntryStep) => readonly Party[]>> = {
  COLLECTION: () => ['customerId', 'accountId'],
  PAYMENT: ({ payee }) => ['accountId', payee],
  TRANSFER: () => ['accountId', 'counterAccountId'],
  ADJUSTMENT: ({ subject }) => [subject, 'direction'],
  OPENING_BALANCE: ({ subject }) => [subject, 'direction'],
};

type EntryBody = Readonly<Record<string, unknown>> & Partial<Record<Party, string | null>>;
/** A payment for a sale. `account` is undefined if no active account can receive the payment. */
type Target = { readonly account: string | undefined; readonly amount: bigint };
/** A sale that waits for its inactive branch and is valid otherwise. */
type Waiting = {
  readonly sale: NaiveSale;
  readonly saleId: string;
  readonly targets: () => readonly Target[];
  readonly entries: (customerId: string, targets: readonly Target[]) => readonly NaiveEntry[];
};
type Pushed = Readonly<Record<string, unknown>> & { readonly externalId: string };

/**
 * Keeps a tenant's books over HTTP and in an independent model. After every request, the service and the model must
 * agree on the response and on all transactions.
 */
export class Bookkeeper {
  /** Log of requests and responses, for debugging. */
  readonly log: string[] = [];
  private made = 0;
  private readonly waiting: Waiting[] = [];

  private constructor(
    readonly service: TestService,
    readonly books: Books,
    readonly model: NaiveBooks,
  ) {}

  static async open(service: TestService, currency: Currency): Promise<Bookkeeper> {
    const books = await service.openBooks({ currency, timeZone: ZONES[currency].timeZone });
    const keeper = new Bookkeeper(service, books, new NaiveBooks(currency));
    await keeper.learn();
    return keeper;
  }

  get token(): string {
    return this.books.tenant.token;
  }

  async take(step: Step): Promise<void> {
    switch (step.kind) {
      case 'customer':
        return this.createCustomer(step);
      case 'account':
        return this.createAccount(step);
      case 'entry':
        await this.record(step.entry, step.spoil, step.spoilBy);
        return;
      case 'mistake':
        return this.mistake(step);
      case 'sale':
        return this.sell(step.isAtShut ? { ...step, branch: this.model.branches.indexOf(this.shut) } : step);
      case 'return':
        return this.takeBack(step);
      case 'cancellation':
        return this.undoSale(step);
      case 'open or shut branch':
        return this.openOrShut();
      case 'cancel':
        return this.cancel(pick(this.seen, step.entry), step.on);
      case 'journal':
        return this.journal(step);
      case 'correct':
        return this.correct(step);
      case 'categorize':
        return this.categorize(step);
      case 'change customer':
        return this.changeCustomer(step);
      case 'change account':
        return this.changeAccount(step);
      case 'delete customer':
        return this.deleteCustomer(step);
      case 'delete account':
        return this.deleteAccount(step);
      case 'audit':
        return;
    }
  }

  /** Compares all transactions, newest first, with the model. Adds new ids to the model. */
  async compare(): Promise<TransactionRecord[]> {
    const records = await everyPage<TransactionRecord>(this.service, this.token, '/api/transactions');
    const known = new Set(this.model.entries.map(({ id }) => id));
    const unknown = records.filter(({ id }) => !known.has(id)).toReversed();
    // Processes transactions in order of creation, so that the model knows an original before its reversal.
    for (const record of unknown.toSorted((a, b) => Date.parse(a.createdAt) - Date.parse(b.createdAt))) {
      const line = this.lineOf(record);
      const entry = this.model.entries.find((one) => one.id === null && this.toldAs(one, record) === line);
      if (entry) entry.id = record.id;
      else this.differ(`A transaction that should not be there: ${line}`);
    }
    this.takeOver(records);
    const lines = (all: readonly (readonly [string | null, string])[]): string[] =>
      all.map(([id, line]) => `${id ?? 'missing'} ${line}`).toSorted();
    expect(lines(records.map((record) => [record.id, this.lineOf(record)]))).toEqual(
      lines(this.model.entries.map((entry) => [entry.id, this.model.told(entry)])),
    );
    return records;
  }

  /**
   * Returns the model's facts of an entry. The model has no rules, so it accepts a category that a rule has assigned
   * unless a user has chosen a category.
   */
  private toldAs(entry: NaiveEntry, { categorizedBy, categoryId }: TransactionRecord): string {
    const isByRule = categorizedBy !== null && entry.categoryId === null;
    return this.model.told(isByRule ? { ...entry, categoryId } : entry);
  }

  private takeOver(records: readonly TransactionRecord[]): void {
    const byId = new Map(this.model.entries.map((entry) => [entry.id, entry]));
    for (const { id, categorizedBy, categoryId } of records) {
      const entry = byId.get(id);
      if (entry && categorizedBy !== null) entry.categoryId ??= categoryId;
    }
  }

  private get seen(): readonly NaiveEntry[] {
    return this.model.entries.filter(({ id }) => id !== null);
  }

  private differ(what: string): void {
    const waiting = this.model.entries.filter(({ id }) => id === null).map((entry) => this.model.told(entry));
    expect([what, waiting]).toEqual([]);
  }

  private lineOf(record: TransactionRecord): string {
    const { date, type, documentEffect, direction, customerId, accountId, counterAccountId, expenseItemId } = record;
    const { branchId, categoryId, systemGenerated, externalId, isCancelled, reversalOf } = record;
    const postings = record.postings.filter(({ amount }) => minorUnits(amount, this.model.digits) !== 0n);
    const texts = systemGenerated || reversalOf !== null ? [] : [record.description, record.reference];
    return told([
      [date, type, documentEffect, direction, record.amount, record.currency],
      [customerId, accountId, counterAccountId, expenseItemId, branchId, categoryId],
      [systemGenerated, externalId, isCancelled, reversalOf],
      texts,
      postings.map((posting) => `${posting.accountId} ${posting.amount}`).toSorted(),
    ]);
  }

  /** Loads the initial records of a new tenant and creates categories and branches. */
  private async learn(): Promise<void> {
    const { model } = this;
    type Account = NaiveAccount & { readonly isDefault: boolean };
    for (const account of await everyPage<Account>(this.service, this.token, '/api/accounts')) {
      const { id, type, code, isSystem, name, isActive, isDefault } = account;
      if (type === 'CUSTOMER') continue;
      model.accounts.push({ id, type, code, isSystem, name, isActive, isDeleted: false });
      if (isDefault) model.defaults.set(type, id);
    }
    await this.learnCustomers();
    for (const [direction, isArchived] of [['BOTH'], ['IN'], ['OUT'], ['BOTH', true]] as const) {
      const name = `Category ${direction} ${isArchived ?? false}`;
      const { id } = await this.service.post('/api/transaction-categories', { name, direction }, this.token);
      if (isArchived) await this.service.call('DELETE', `/api/transaction-categories/${id}`, { token: this.token });
      model.categories.push({ id, direction, isArchived: isArchived ?? false });
    }
    for (const [code, isActive] of [
      ['SIDE', true],
      ['SHOP', true],
      ['SHUT', false],
    ] as const) {
      const { id } = await this.service.post('/api/branches', { code, name: code, isActive }, this.token);
      model.branches.push({ id, code, isActive });
    }
  }

  /** Adds new customers to the model. */
  private async learnCustomers(): Promise<void> {
    type Customer = Omit<NaiveCustomer, 'isActive' | 'isDeleted'> & { readonly status: string };
    const path = '/api/customers?status=ALL';
    for (const customer of (await everyPage<Customer>(this.service, this.token, path)).toReversed()) {
      const { id, code, name, status, isDefault, branchId } = customer;
      if (this.model.customers.some((known) => known.id === id)) continue;
      this.model.customers.push({
        id,
        code,
        name,
        isActive: status === 'ACTIVE',
        isDefault,
        branchId,
        isDeleted: false,
      });
    }
  }

  private fresh(prefix: string): string {
    this.made += 1;
    return `${prefix}-${this.made}`;
  }

  /**
   * Sends a request, which must succeed if and only if `faults` is empty. Returns the response if the request
   * succeeded.
   */
  private async send(
    method: 'POST' | 'PATCH' | 'DELETE',
    path: string,
    body: object | undefined,
    faults: readonly Fault[],
    success = 201,
  ): Promise<Reply | undefined> {
    const reply = await this.service.call(method, path, { token: this.token, ...(body && { body }) });
    this.judge(`${method} ${path} ${JSON.stringify(body ?? null)}`, reply, faults, success);
    return faults.length === 0 ? reply : undefined;
  }

  private judge(request: string, reply: Reply, faults: readonly Fault[], success: number): void {
    this.log.push(`${request} → ${reply.told}`);
    if (faults.length === 0) {
      expect([request, reply.told]).toEqual([request, String(success)]);
      return;
    }
    const paths = reply.told.split(' ').slice(2);
    const isMeant = faults.some(
      ({ status, code, path }) =>
        reply.status === status && reply.problem.code === code && (path === undefined || paths.includes(path)),
    );
    expect([request, reply.told, isMeant ? [] : faults]).toEqual([request, reply.told, []]);
  }

  private cut(amount: bigint): bigint {
    const most = 15 + this.model.digits;
    const text = String(amount).slice(0, most);
    return BigInt(text);
  }

  /** Returns the amount as a JSON number if the number is exact, and otherwise as text. */
  private written(minor: bigint, asNumber: boolean): string | number {
    const text = this.model.text(minor);
    const isExact = text.replace('.', '').replace(/^0+/, '').length <= 15;
    return asNumber && isExact ? Number(text) : text;
  }

  private branchOf(choice: number | null) {
    return choice === null ? undefined : pick(this.model.branches, choice);
  }

  private branchFaults(choice: number | null): Fault[] {
    return this.branchOf(choice)?.isActive === false ? [fault(409, 'BRANCH_INACTIVE')] : [];
  }

  // ── Customers and accounts ──

  private async createCustomer({ opening, isActive, asAccount }: StepOf<'customer'>): Promise<void> {
    const name = this.fresh('Customer');
    const code = name.toUpperCase();
    if (asAccount) {
      const body = { type: 'customer', name, code, isActive };
      const made = await this.send('POST', '/api/accounts', body, []);
      this.addCustomer(made?.id ?? '', name, code, isActive);
      return;
    }
    const amount = opening && this.cut(opening.amount);
    const openingBalance = opening && amount && { ...opening, amount: this.model.text(amount) };
    const status = isActive ? 'ACTIVE' : 'PASSIVE';
    const body = { name, code, status, ...(openingBalance && { openingBalance }) };
    const faults = openingBalance && !isActive ? [fault(409, 'CUSTOMER_PASSIVE')] : [];
    const made = await this.send('POST', '/api/customers', body, faults);
    if (!made) return;
    const { id } = made;
    this.addCustomer(id, name, code, isActive);
    if (!opening || !amount) return;
    const { date, direction } = opening;
    const balancing = this.model.system('Opening');
    const [debit, credit] = direction === 'OUT' ? [id, balancing] : [balancing, id];
    const facts = { date, amount, type: 'OPENING_BALANCE', direction, customerId: id, systemGenerated: true };
    this.model.entries.push(entryOf(facts, debit, [[credit, amount]]));
  }

  private addCustomer(id: string, name: string, code: string, isActive: boolean): void {
    this.model.customers.push({ id, name, code, isActive, isDefault: false, isDeleted: false, branchId: null });
  }

  private async createAccount({ type, isActive, isDefault }: StepOf<'account'>): Promise<void> {
    const name = this.fresh('Account');
    const body = { type: type.toLowerCase(), name, code: name.toUpperCase(), isActive, isDefault };
    const made = await this.send('POST', '/api/accounts', body, isDefault && !isActive ? [inactiveDefault()] : []);
    if (!made) return;
    const { id } = made;
    this.model.accounts.push({ id, type, code: body.code, isSystem: false, name, isActive, isDeleted: false });
    if (isDefault) this.model.defaults.set(type, id);
  }

  private async changeCustomer({ customer, isActive, rename, asAccount }: StepOf<'change customer'>): Promise<void> {
    const known = pick(this.model.customers, customer);
    const name = rename ? this.fresh('Renamed') : undefined;
    const isRefused = known.isDefault && isActive === false;
    const faults = known.isDeleted ? [missing()] : isRefused ? [fault(409, 'DEFAULT_CUSTOMER')] : [];
    const status = isActive === null ? {} : { status: isActive ? 'ACTIVE' : 'PASSIVE' };
    const flag = isActive === null ? {} : { isActive };
    const body = { ...(name !== undefined && { name }), ...(asAccount ? flag : status) };
    const path = `/api/${asAccount ? 'accounts' : 'customers'}/${known.id}`;
    if (!(await this.send('PATCH', path, body, faults))) return;
    known.name = name ?? known.name;
    known.isActive = isActive ?? known.isActive;
  }

  private async changeAccount({ account, isActive, isDefault, rename }: StepOf<'change account'>): Promise<void> {
    const { defaults, accounts } = this.model;
    const known = pick(accounts, account);
    const name = rename ? this.fresh('Renamed') : undefined;
    const isKept = isActive === false && defaults.get(known.type) === known.id;
    const faults = known.isDeleted
      ? [missing()]
      : [
          ...(known.isSystem && isActive === false ? [fault(409, 'SYSTEM_ACCOUNT')] : []),
          ...(isKept ? [fault(409, 'DEFAULT_ACCOUNT')] : []),
          ...(isDefault === true && !(isActive ?? known.isActive) ? [inactiveDefault()] : []),
        ];
    // The test does not rename system accounts, because the model identifies them by name.
    const isRenamed = name !== undefined && !known.isSystem;
    const body = {
      ...(isRenamed && { name }),
      ...(isActive !== null && { isActive }),
      ...(isDefault !== null && { isDefault }),
    };
    if (!(await this.send('PATCH', `/api/accounts/${known.id}`, body, faults))) return;
    if (isRenamed) known.name = name;
    known.isActive = isActive ?? known.isActive;
    if (isDefault === true) defaults.set(known.type, known.id);
    if (isDefault === false && defaults.get(known.type) === known.id) defaults.delete(known.type);
  }

  private async deleteCustomer({ customer, asAccount }: StepOf<'delete customer'>): Promise<void> {
    const known = pick(this.model.customers, customer);
    const faults: Fault[] = known.isDeleted
      ? [missing()]
      : [
          ...(known.isDefault ? [fault(409, 'DEFAULT_CUSTOMER')] : []),
          ...(this.model.isPostedTo(known.id) ? [fault(409, 'CUSTOMER_HAS_TRANSACTIONS')] : []),
        ];
    const path = `/api/${asAccount ? 'accounts' : 'customers'}/${known.id}`;
    if (await this.send('DELETE', path, undefined, faults)) known.isDeleted = true;
  }

  private async deleteAccount({ account }: StepOf<'delete account'>): Promise<void> {
    const { defaults, accounts } = this.model;
    const known = pick(accounts, account);
    const faults: Fault[] = known.isDeleted
      ? [missing()]
      : [
          ...(known.isSystem ? [fault(409, 'SYSTEM_ACCOUNT')] : []),
          ...(defaults.get(known.type) === known.id ? [fault(409, 'DEFAULT_ACCOUNT')] : []),
          ...(this.model.isPostedTo(known.id) ? [fault(409, 'ACCOUNT_HAS_TRANSACTIONS')] : []),
        ];
    if (await this.send('DELETE', `/api/accounts/${known.id}`, undefined, faults)) known.isDeleted = true;
  }

  // ── Manually recorded transactions ──

  /** Records a transaction. Returns its entry, or undefined if the transaction was rejected as expected. */
  private async record(step: EntryStep, spoil: Spoil | null, spoilBy: number): Promise<NaiveEntry | undefined> {
    const { body, faults: own, entry: expected } = this.requested(step);
    const spoilt = spoil === null ? undefined : this.spoiled(spoil, body, step, spoilBy);
    const faults = [...own, ...(spoilt?.faults ?? [])];
    const reply = await this.send('POST', '/api/transactions', spoilt?.body ?? body, faults);
    if (!reply) return undefined;
    const entry = { ...expected, id: reply.id };
    this.model.entries.push(entry);
    return entry;
  }

  /**
   * Returns the request that a step makes, with the faults for which the service must reject it. If there are no
   * faults, the service records `entry`.
   */
  private requested(step: EntryStep): { body: EntryBody; faults: readonly Fault[]; entry: NaiveEntry } {
    const amount = this.cut(step.amount);
    const parties = this.partiesOf(step);
    const body: EntryBody = {
      type: step.type,
      date: step.date,
      amount: this.written(amount, step.asNumber),
      ...(step.nulls && Object.fromEntries(PARTIES.map((party) => [party, null]))),
      ...parties,
      ...(step.branch !== null && { branchId: this.branchOf(step.branch)?.id }),
      ...(step.category !== null && { categoryId: pick(this.model.categories, step.category).id }),
      ...(step.asNumber && { currency: this.model.currency }),
      ...(step.description !== null && { description: ` ${step.description} ` }),
      ...(step.reference !== null && { reference: step.reference }),
    };
    const faults = [...this.partyFaults(step, parties), ...this.extrasFaults(step)];
    return { body, faults, entry: this.entryFor(step, parties, amount) };
  }

  /** Records a journal entry. If there is no surplus, the last line balances the others. */
  private async journal({ lines, balancing, surplus, date, category, description }: StepOf<'journal'>): Promise<void> {
    const { model } = this;
    const posted = lines.map(({ choice, isCustomer, amount }): NaivePosting => {
      return [pick<{ readonly id: string }>(isCustomer ? model.customers : model.accounts, choice).id, amount];
    });
    const sum = posted.reduce((total, [, amount]) => total + amount, 0n);
    const last = -sum + (surplus ?? 0n);
    const postings: NaivePosting[] = [...posted, [pick(model.accounts, balancing).id, last]];
    const lineOf = ([accountId, minor]: NaivePosting) => ({
      accountId,
      ...(minor < 0n ? { credit: model.text(-minor) } : { debit: model.text(minor) }),
    });
    const chosen = category === null ? undefined : pick(model.categories, category);
    const texts = description === null ? {} : { description };
    const body = {
      ...{ type: 'JOURNAL', date, lines: postings.map(lineOf) },
      ...texts,
      ...(chosen && { categoryId: chosen.id }),
    };
    const customers = new Set(postings.map(([id]) => id).filter((id) => model.customers.some((one) => one.id === id)));
    const faults = [
      ...(last === 0n ? [invalidAt(`lines[${lines.length}].debit`)] : []),
      ...(surplus === null ? [] : [fault(400, 'UNBALANCED', 'lines')]),
      ...this.lineFaults(postings),
      ...(chosen?.isArchived === true ? [fault(409, 'CATEGORY_ARCHIVED')] : []),
    ];
    const reply = await this.send('POST', '/api/transactions', body, faults);
    if (!reply) return;
    const amount = postings.reduce((total, [, minor]) => (minor > 0n ? total + minor : total), 0n);
    const customerId = customers.size === 1 ? ([...customers][0] ?? null) : null;
    const facts = {
      id: reply.id,
      type: 'JOURNAL',
      date,
      amount,
      customerId,
      categoryId: chosen?.id ?? null,
      description,
    };
    model.entries.push({ ...entryOf(facts, '', []), postings });
  }

  private lineFaults(postings: readonly NaivePosting[]): Fault[] {
    const ids = postings.map(([id]) => id);
    const own = ids.flatMap((id): Fault[] => {
      const account = this.model.account(id);
      const customer = this.model.customer(id);
      if (!account && !customer) return [missing(`lines[${ids.indexOf(id)}].accountId`)];
      if (account?.isActive === false) return [fault(409, 'ACCOUNT_INACTIVE')];
      return customer?.isActive === false ? [fault(409, 'CUSTOMER_PASSIVE')] : [];
    });
    return new Set(ids).size === 1 ? [...own, fault(409, 'SAME_ACCOUNT')] : own;
  }

  private partiesOf(step: EntryStep): Partial<Record<Party, string>> {
    const { accounts, customers } = this.model;
    const usual = accounts.filter(({ isActive, isDeleted }) => isActive && !isDeleted);
    // Every tenth choice may be a closed or deleted account.
    const from = (choice: number, list: readonly NaiveAccount[]): string =>
      pick(choice % 10 === 0 ? accounts : list, choice).id;
    const typed = (...types: string[]): NaiveAccount[] => {
      const fitting = usual.filter(({ type }) => types.includes(type));
      return fitting.length > 0 ? fitting : usual;
    };
    const isPayment = step.type === 'PAYMENT';
    const all: Record<Party, () => string> = {
      customerId: () => pick(customers, step.customer).id,
      accountId: () => from(step.account, ['COLLECTION', 'PAYMENT'].includes(step.type) ? typed(...MONEY) : usual),
      counterAccountId: () => from(step.counter, isPayment ? typed('SUPPLIER', 'EMPLOYEE') : usual),
      expenseItemId: () => from(step.counter, typed('EXPENSE')),
      direction: () => step.direction,
    };
    return Object.fromEntries(NEEDS[step.type](step).map((party) => [party, all[party]()]));
  }

  private partyFaults(step: EntryStep, parties: Partial<Record<Party, string>>): Fault[] {
    const faults: Fault[] = [];
    const { customerId, accountId, counterAccountId } = parties;
    const other = counterAccountId ?? this.balancingOf(step.type);
    if (accountId !== undefined && accountId === other) faults.push(fault(409, 'SAME_ACCOUNT'));
    if (customerId !== undefined) {
      const customer = this.model.customer(customerId);
      if (!customer) faults.push(missing('customerId'));
      else if (!customer.isActive) faults.push(fault(409, 'CUSTOMER_PASSIVE'));
    }
    for (const party of ['accountId', 'counterAccountId', 'expenseItemId'] as const) {
      const id = parties[party];
      if (id === undefined) continue;
      const account = this.model.account(id);
      if (!account) faults.push(missing(party));
      else {
        if (!account.isActive) faults.push(fault(409, 'ACCOUNT_INACTIVE'));
        if (!takes(step.type, party, account.type)) faults.push(invalidAt(party));
      }
    }
    return faults;
  }

  private extrasFaults({ branch, category, type, direction }: EntryStep): Fault[] {
    const faults = this.branchFaults(branch);
    if (category === null) return faults;
    const way = type === 'COLLECTION' ? 'IN' : type === 'PAYMENT' ? 'OUT' : type === 'TRANSFER' ? null : direction;
    return [...faults, ...categoryFaults(pick(this.model.categories, category), way)];
  }

  private spoiled(
    spoil: Spoil,
    legal: EntryBody,
    step: EntryStep,
    by: number,
  ): { readonly body: object; readonly faults: readonly Fault[] } {
    const needed = NEEDS[step.type](step);
    const others = PARTIES.filter((party) => !needed.includes(party));
    switch (spoil) {
      case 'lacks': {
        const party = pick(needed, by);
        return { body: { ...legal, [party]: by % 2 === 0 ? null : undefined }, faults: [invalidAt(party)] };
      }
      case 'extra': {
        const party = pick(others, by);
        const value =
          party === 'direction' ? 'IN' : party === 'customerId' ? pick(this.model.customers, by).id : NOBODY;
        // If two parties are mutually exclusive, the error may refer to either of them.
        return { body: { ...legal, [party]: value }, faults: [party, ...needed].map(invalidAt) };
      }
      case 'amount':
        return { body: { ...legal, amount: pick(BAD_AMOUNTS, by) }, faults: [invalidAt('amount')] };
      case 'date':
        return { body: { ...legal, date: pick(BAD_DATES, by) }, faults: [invalidAt('date')] };
      case 'unknown':
      case 'malformed': {
        const party = pick([...needed.filter((one) => one !== 'direction'), 'branchId', 'categoryId'], by);
        const id = spoil === 'unknown' ? NOBODY : pick(["'; --", 'null', '%00', '../..', 'ı'.repeat(100)], by);
        return { body: { ...legal, [party]: id }, faults: [missing(party)] };
      }
      case 'currency': {
        const currency = pick(['USD', 'GBP'], by);
        return { body: { ...legal, currency }, faults: [fault(400, 'CURRENCY_MISMATCH', 'currency')] };
      }
      case 'field': {
        const field = pick(['postings', 'id', 'systemGenerated', 'saleId', 'documentEffect'], by);
        return { body: { ...legal, [field]: [] }, faults: [invalidAt(field)] };
      }
    }
  }

  /** Returns the entry that a step records, with the postings that its transaction type requires. */
  private entryFor(step: EntryStep, parties: Partial<Record<Party, string>>, amount: bigint): NaiveEntry {
    const { customerId = null, accountId = null, counterAccountId = null, expenseItemId = null } = parties;
    const { type, date } = step;
    const branchId = this.branchOf(step.branch)?.id ?? null;
    const categoryId = step.category === null ? null : pick(this.model.categories, step.category).id;
    const named = { customerId, accountId, counterAccountId, expenseItemId };
    const { description, reference } = step;
    const facts = { type, date, amount, branchId, categoryId, description, reference, ...named };
    const posted = (direction: string | null, debit: string | null, credit: string | null): NaiveEntry =>
      entryOf({ ...facts, direction }, debit ?? '', [[credit ?? '', amount]]);
    if (type === 'COLLECTION') return posted('IN', accountId, customerId);
    if (type === 'PAYMENT') return posted('OUT', customerId ?? counterAccountId ?? expenseItemId, accountId);
    if (type === 'TRANSFER') return posted(null, counterAccountId, accountId);
    const balancing = this.balancingOf(type) ?? '';
    const { direction } = step;
    const isDebited = customerId === null ? direction === 'IN' : direction === 'OUT';
    const subject = customerId ?? accountId;
    return isDebited ? posted(direction, subject, balancing) : posted(direction, balancing, subject);
  }

  private balancingOf(type: EntryStep['type']): string | undefined {
    if (type === 'ADJUSTMENT') return this.model.system('Adjustments');
    return type === 'OPENING_BALANCE' ? this.model.system('Opening') : undefined;
  }

  /** Records and cancels a transaction. Afterwards, every balance must be the same as before. */
  private async mistake({ entry }: StepOf<'mistake'>): Promise<void> {
    const before = await this.balances();
    const made = await this.record(entry, null, 0);
    if (!made) return;
    expect(await this.balances()).not.toEqual(before);
    // A learned rule may have assigned a category, which the reversal inherits.
    await this.compare();
    await this.cancel(made);
    expect(await this.balances()).toEqual(before);
  }

  private async balances(): Promise<Record<string, unknown>> {
    type Account = { readonly id: string; readonly balance: unknown };
    const accounts = await everyPage<Account>(this.service, this.token, '/api/accounts');
    return Object.fromEntries(accounts.map(({ id, balance }) => [id, balance]));
  }

  /** Cancels a transaction as a user. */
  private async cancel(entry: NaiveEntry | undefined, on: string | null = null): Promise<void> {
    if (!entry) return;
    const path = `/api/transactions/${entry.id ?? ''}/cancel`;
    const today = this.today();
    const body = { reason: 'A mistake', ...(on !== null && { date: on }) };
    if (!(await this.send('POST', path, body, this.cancelFaults(entry, on)))) return;
    this.model.entries.push(mirrorOf(entry, { date: on ?? (await this.reversalDate(entry, today)) }));
  }

  private cancelFaults(entry: NaiveEntry, on: string | null): Fault[] {
    // Only the cancellation or return of a sale can undo that sale's transactions.
    const isOfSale = entry.externalId !== null;
    return [
      ...(isOfSale ? [fault(409, 'SYSTEM_GENERATED')] : []),
      ...(entry.original === null ? [] : [fault(409, 'IS_REVERSAL')]),
      ...(entry.isCancelled ? [fault(409, 'ALREADY_CANCELLED')] : []),
      ...(on !== null && on < entry.date ? [invalidAt('date')] : []),
    ];
  }

  /** Returns the later of the current date and the date of the original. */
  private async reversalDate({ date }: NaiveEntry, today: string): Promise<string> {
    // The date may change between the request and the comparison.
    const wasMidnight = today !== this.today();
    const dates = wasMidnight ? (await this.newest()).map((one) => one.date) : [];
    const now = dates.includes(this.today()) ? this.today() : today;
    return now < date ? date : now;
  }

  /**
   * Corrects a transaction. The service reverses its effect on the balances, and applies the effect of its replacement.
   */
  private async correct({ entry: which, on, by }: StepOf<'correct'>): Promise<void> {
    const entry = pick(this.seen, which) as NaiveEntry | undefined;
    if (!entry) return;
    const { body: replacement, faults, entry: expected } = this.requested(by);
    const inside = faults.map((one) => ({
      ...one,
      ...(one.path !== undefined && { path: `replacement.${one.path}` }),
    }));
    const today = this.today();
    const path = `/api/transactions/${entry.id ?? ''}/correct`;
    const body = { reason: 'Corrected', replacement, ...(on !== null && { date: on }) };
    const reply = await this.send('POST', path, body, [...this.cancelFaults(entry, on), ...inside]);
    if (!reply) return;
    this.model.entries.push(mirrorOf(entry, { date: on ?? (await this.reversalDate(entry, today)) }));
    this.model.entries.push({ ...expected, id: reply.id });
    const links = async (id: string | null): Promise<TransactionRecord> =>
      (await this.service.get(`/api/transactions/${id ?? ''}`, this.token)).data as TransactionRecord;
    expect((await links(entry.id)).correctedBy).toBe(reply.id);
    expect((await links(reply.id)).correctionOf).toBe(entry.id);
  }

  private async newest(): Promise<readonly TransactionRecord[]> {
    return (await everyPage<TransactionRecord>(this.service, this.token, '/api/transactions')).filter(
      ({ id }) => !this.model.entries.some((entry) => entry.id === id),
    );
  }

  private today(): string {
    return this.localDate(this.service.clock.nowMs());
  }

  private localDate(ms: number): string {
    return new Date(ms + ZONES[this.model.currency].hours * HOUR_MS).toISOString().slice(0, 10);
  }

  /** Chooses a category as a user. This changes only the category. Repeating the choice has no effect. */
  private async categorize({ entry: which, category }: StepOf<'categorize'>): Promise<void> {
    const having = this.seen.filter(({ categoryId }) => categoryId !== null);
    // Half of the steps replace or remove an existing category.
    const from = which % 2 === 0 && having.length > 0 ? having : this.seen;
    const entry = pick(from, which) as NaiveEntry | undefined;
    if (!entry) return;
    const chosen = category === null ? null : pick(this.model.categories, category);
    const faults =
      chosen === null ? [] : categoryFaults(chosen, entry.type === 'JOURNAL' ? chosen.direction : entry.direction);
    const body = { categoryId: chosen?.id ?? null };
    const path = `/api/transactions/${entry.id ?? ''}/category`;
    const first = await this.send('PATCH', path, body, faults, 200);
    if (!first) return;
    entry.categoryId = body.categoryId;
    const again = await this.send('PATCH', path, body, [], 200);
    const revisionOf = (reply: Reply | undefined): unknown => (reply?.data as { revision?: number }).revision;
    expect(revisionOf(again)).toBe(revisionOf(first));
    const { data } = await this.service.get(`/api/transactions/${entry.id ?? ''}`, this.token);
    expect(data).toMatchObject({ ...body, categorizedBy: null });
  }

  // ── Partner intake ──

  private occurred(date: string, hour: number): { occurredAt: string; date: string } {
    const day = pick(SALE_DATES, DATES.indexOf(date));
    const occurredAt = `${day}T${String(hour).padStart(2, '0')}:30:00.000Z`;
    return { occurredAt, date: this.localDate(Date.parse(occurredAt)) };
  }

  /**
   * Pushes a sale. Expects the service to book it or, if `rejections` is not empty, to reject it with one of these
   * codes. The test either abandons a rejected sale or keeps it until its cause is removed.
   */
  private async push(
    body: Pushed,
    faults: readonly Fault[],
    rejections: readonly string[],
    wait?: (saleId: string) => void,
  ): Promise<boolean> {
    const reply = await this.service.postSale(this.books.partner, body);
    this.judge(`sale ${JSON.stringify(body)}`, reply, faults, 202);
    if (faults.length > 0) return false;
    const { status, rejection } = await this.service.settled(this.books.partner, body.externalId);
    await this.service.quiet();
    const outcome = rejection?.code ?? status;
    this.log.push(outcome);
    const expected = rejections.length === 0 ? ['BOOKED'] : rejections;
    expect([body, expected]).toEqual([body, expect.arrayContaining([outcome])]);
    const { saleId } = reply.body as { saleId: string };
    if (wait && rejections.length === 1 && outcome === 'BRANCH_UNKNOWN') wait(saleId);
    else if (rejection) await this.giveUp(saleId);
    return rejections.length === 0;
  }

  /** Toggles whether the SHUT branch is active. When the branch becomes active, the service books the waiting sales. */
  private async openOrShut(): Promise<void> {
    const branch = this.shut;
    branch.isActive = !branch.isActive;
    await this.send('PATCH', `/api/branches/${branch.id}`, { isActive: branch.isActive }, [], 200);
    if (!branch.isActive) return;
    const booked: NaiveSale[] = [];
    for (const { sale, saleId, targets: targetsOf, entries } of this.waiting.splice(0)) {
      const targets = targetsOf();
      const expected = targets.some(({ account }) => account === undefined) ? 'ACCOUNT_UNKNOWN' : 'BOOKED';
      await eventually(async () => (await this.outcomeOf(sale)) === expected, HEALED_MS).catch(() => undefined);
      expect([sale.externalId, await this.outcomeOf(sale)]).toEqual([sale.externalId, expected]);
      await this.service.quiet();
      if (expected === 'BOOKED') {
        sale.customerId = this.model.customers.find(({ isDefault }) => isDefault)?.id ?? '';
        sale.entries = entries(sale.customerId, targets);
        sale.isBooked = true;
        booked.push(sale);
      } else await this.giveUp(saleId);
    }
    // The service may book several sales at the same time, in any order.
    if (booked.length === 0) return;
    const records = await everyPage<TransactionRecord>(this.service, this.token, '/api/transactions');
    const timeOf = (one: NaiveSale): string =>
      records.find(({ externalId }) => externalId === one.externalId)?.createdAt ?? '';
    for (const sale of booked.toSorted((a, b) => (timeOf(a) < timeOf(b) ? -1 : 1)))
      this.model.entries.push(...sale.entries);
  }

  private get shut(): NaiveBranch {
    return this.model.branches.find(({ code }) => code === 'SHUT') ?? pick(this.model.branches, 0);
  }

  private async outcomeOf({ externalId }: NaiveSale): Promise<string> {
    const { status, rejection } = await this.service.saleStatus(this.books.partner, externalId);
    return rejection?.code ?? status;
  }

  /**
   * Discards a rejected document's dead letter, because the model does not book the document after the cause is
   * removed.
   */
  private async giveUp(saleId: string): Promise<void> {
    const token = await this.service.operator();
    const id = await this.service.letterOf('SALE', saleId);
    const discard = { token, body: { reason: 'Not part of this bookkeeping.' } };
    const { told } = await this.service.call('POST', `/api/platform/dead-letters/${id}/discard`, discard);
    expect(told).toBe('201');
  }

  private paymentsOf(payments: StepOf<'sale'>['payments']) {
    const { accounts, defaults } = this.model;
    const coded = (choice: number): NaiveAccount => pick(accounts, choice);
    const sent = payments.map(({ method, amount, account }) => ({
      method,
      amount: this.model.text(this.cut(amount)),
      ...(account !== null && { accountCode: coded(account).code.toLowerCase() }),
    }));
    const named = payments.map(({ account }) => (account === null ? undefined : coded(account).id));
    const targetsNow = (): Target[] =>
      payments.map(({ method, amount }, at) => {
        const found = this.model.account(named[at] ?? defaults.get(METHOD_TYPES[method]) ?? null);
        return { account: found?.isActive === true ? found.id : undefined, amount: this.cut(amount) };
      });
    const targets = targetsNow();
    const rejections = targets.some(({ account }) => account === undefined) ? ['ACCOUNT_UNKNOWN'] : [];
    return { sent, targets, targetsNow, rejections };
  }

  private documentRejections(branch: number | null): string[] {
    return this.branchOf(branch)?.isActive === false ? ['BRANCH_UNKNOWN'] : [];
  }

  private async sell(step: StepOf<'sale'>): Promise<void> {
    const { digits, links, sales } = this.model;
    const externalId = this.fresh('sale');
    const { occurredAt, date } = this.occurred(step.date, step.hour);
    const lines = step.lines.map((line, index) => ({
      description: `Goods ${index}`,
      quantity: line.quantity,
      unitPrice: line.unitPrice,
      discount: discountOf(line, step.isOverdiscounted && index === 0),
      taxRate: line.taxRate,
    }));
    const priced = lines.map((line) => pricedLine(line, digits));
    const [net, gross] = [sumOf(priced.map((one) => one?.net)), sumOf(priced.map((one) => one?.gross))];
    const faults = [
      ...priced.flatMap((one, index) => (one ? [] : [invalidAt(`lines[${index}].discount`)])),
      ...(gross >= unit(15 + digits) ? [invalidAt('lines')] : []),
    ];
    const { sent, targets, targetsNow, rejections: unpaid } = this.paymentsOf(step.payments);
    const early = [...unpaid, ...this.documentRejections(step.branch)];
    // The service looks up or creates the customer only after it has found all other records to which the sale refers.
    const wanted = this.wantedCustomer(early.length > 0 ? { ...step, customer: 'none' } : step);
    const isPassive = wanted.known?.isActive === false;
    const rejections = [...early, ...(isPassive ? ['CUSTOMER_PASSIVE'] : [])];
    const body = {
      externalId,
      occurredAt,
      currency: this.model.currency,
      lines,
      payments: sent,
      ...(wanted.sent && { customer: wanted.sent }),
      ...(step.branch !== null && { branchCode: this.branchOf(step.branch)?.code.toLowerCase() }),
      ...(step.saysTotal && faults.length === 0 && { total: this.model.text(gross) }),
    };
    const branchId = this.branchOf(step.branch)?.id ?? null;
    const entriesFor = (customerId: string, paid: readonly Target[]): NaiveEntry[] => {
      const shared = { date, externalId, sale: externalId, branchId, customerId, systemGenerated: true };
      const credits: NaivePosting[] = [
        [this.model.system('Sales'), net],
        [this.model.system('Tax'), gross - net],
      ];
      const invoice = { ...shared, documentEffect: 'INVOICE', direction: 'OUT', amount: gross };
      return [
        entryOf(invoice, customerId, credits),
        ...paid.map(({ account = '', amount }) =>
          entryOf({ ...shared, type: 'COLLECTION', direction: 'IN', amount, accountId: account }, account, [
            [customerId, amount],
          ]),
        ),
      ];
    };
    const state = { returned: 0n, returnedNet: 0n, returns: 0, isCancelled: false, customerId: '', entries: [] };
    const sale: NaiveSale = { externalId, isBooked: false, net, gross, branchId, ...state };
    sale.isBooked = await this.push(body, faults, rejections, (saleId) => {
      this.waiting.push({ sale, saleId, targets: targetsNow, entries: entriesFor });
    });
    if (faults.length > 0) return;
    if (!wanted.known) await this.learnCustomers();
    const known = wanted.known ?? this.model.customers.at(-1);
    sale.customerId = known?.id ?? '';
    if (wanted.sent?.externalId !== undefined) links.set(wanted.sent.externalId, sale.customerId);
    if (sale.isBooked) sale.entries = entriesFor(sale.customerId, targets);
    this.model.entries.push(...sale.entries);
    sales.push(sale);
  }

  private wantedCustomer({ customer, choice }: Pick<StepOf<'sale'>, 'customer' | 'choice'>): {
    readonly sent?: { readonly name: string; readonly code?: string; readonly externalId?: string };
    readonly known: NaiveCustomer | undefined;
  } {
    const { customers, links } = this.model;
    if (customer === 'none') return { known: customers.find(({ isDefault }) => isDefault) };
    const name = this.fresh('Partner');
    const { code } = pick(customers, choice);
    const isMeant = (one: NaiveCustomer): boolean => one.code.toUpperCase() === code.toUpperCase();
    const coded = customers.find((one) => isMeant(one) && !one.isDeleted);
    const externalId = `p-${choice % 4}`;
    const linked = this.model.customer(links.get(externalId) ?? null);
    if (customer === 'code') return { sent: { name, code: code.toLowerCase() }, known: coded };
    if (customer === 'link') return { sent: { name, externalId }, known: linked };
    return { sent: { name, externalId, code }, known: linked ?? coded };
  }

  private async takeBack(step: StepOf<'return'>): Promise<void> {
    const sale = pick(this.model.sales, step.sale) as NaiveBooks['sales'][number] | undefined;
    if (!sale) return;
    const { digits } = this.model;
    const externalId = this.fresh('return');
    const { occurredAt, date } = this.occurred(step.date, step.hour);
    const unitPrice = this.model.text((sale.gross * step.share) / 100n);
    const line = { quantity: '1', unitPrice, discount: '0', taxRate: step.taxRate };
    const priced = pricedLine(line, digits) ?? { net: 0n, gross: 0n };
    const faults =
      priced.gross >= unit(15 + digits) || unitPrice.replace(/\..*/, '').length > 15
        ? [invalidAt('lines'), invalidAt('lines[0].unitPrice')]
        : [];
    const { sent, targets, rejections: unpaid } = this.paymentsOf(step.payments);
    if (faults.length === 0 && sumOf(targets.map(({ amount }) => amount)) > priced.gross)
      faults.push(fault(400, 'PAYMENTS_EXCEED_TOTAL', 'payments'));
    const isTooMuch =
      sale.returnedNet + priced.net > sale.net ||
      sale.returned - sale.returnedNet + priced.gross - priced.net > sale.gross - sale.net;
    const customer = this.model.customer(sale.customerId);
    const rejections = [
      ...unpaid,
      ...this.documentRejections(step.branch),
      ...(sale.isBooked ? [] : ['RELATED_SALE_UNKNOWN']),
      ...(sale.isBooked && sale.isCancelled ? ['ALREADY_CANCELLED'] : []),
      ...(sale.isBooked && date < (sale.entries[0]?.date ?? '') ? ['RETURN_BEFORE_SALE'] : []),
      ...(sale.isBooked && isTooMuch ? ['RETURN_EXCEEDS_SALE'] : []),
      ...(sale.isBooked && customer?.isActive === false ? ['CUSTOMER_PASSIVE'] : []),
    ];
    const body = {
      externalId,
      type: 'RETURN',
      relatedExternalId: sale.externalId,
      occurredAt,
      currency: this.model.currency,
      lines: [{ description: 'Back', ...line }],
      payments: sent,
      ...(step.branch !== null && { branchCode: this.branchOf(step.branch)?.code }),
    };
    if (!(await this.push(body, faults, rejections))) return;
    sale.returned += priced.gross;
    sale.returnedNet += priced.net;
    sale.returns += 1;
    const { customerId } = sale;
    const branchId = this.branchOf(step.branch)?.id ?? null;
    const shared = { date, externalId, sale: sale.externalId, branchId, customerId, systemGenerated: true };
    const [sales, tax] = [this.model.system('Sales'), this.model.system('Tax')];
    const document = { ...shared, documentEffect: 'RETURN', direction: 'IN', amount: priced.gross };
    const returned: NaiveEntry = {
      ...entryOf(document, customerId, []),
      postings: [
        [sales, priced.net],
        [tax, priced.gross - priced.net],
        [customerId, -priced.gross],
      ],
    };
    const paid = targets.map(({ account = '', amount }) =>
      entryOf({ ...shared, type: 'PAYMENT', direction: 'OUT', amount, accountId: account }, customerId, [
        [account, amount],
      ]),
    );
    this.model.entries.push(returned, ...paid);
  }

  private async undoSale({ sale: which, date: day, branch }: StepOf<'cancellation'>): Promise<void> {
    const sale = pick(this.model.sales, which) as NaiveBooks['sales'][number] | undefined;
    if (!sale) return;
    const externalId = this.fresh('cancellation');
    const { occurredAt, date: ownDate } = this.occurred(day, 12);
    const [{ date: earliest } = { date: ownDate }] = sale.entries;
    const date = ownDate < earliest ? earliest : ownDate;
    const rejections = [
      ...this.documentRejections(branch),
      ...(sale.isBooked ? [] : ['RELATED_SALE_UNKNOWN']),
      ...(sale.isCancelled ? ['ALREADY_CANCELLED'] : []),
      ...(sale.returns > 0 ? ['RETURN_EXCEEDS_SALE'] : []),
    ];
    const body = {
      externalId,
      type: 'CANCELLATION',
      relatedExternalId: sale.externalId,
      occurredAt,
      currency: this.model.currency,
      ...(branch !== null && { branchCode: this.branchOf(branch)?.code }),
    };
    if (!(await this.push(body, [], rejections))) return;
    sale.isCancelled = true;
    const facts = { date, externalId, systemGenerated: true, branchId: this.branchOf(branch)?.id ?? sale.branchId };
    for (const entry of sale.entries) {
      const documentEffect = entry.documentEffect === null ? null : 'CANCELLATION';
      this.model.entries.push(mirrorOf(entry, { ...facts, documentEffect }));
    }
  }
}

const sumOf = (amounts: readonly (bigint | undefined)[]): bigint =>
  amounts.reduce<bigint>((sum, amount) => sum + (amount ?? 0n), 0n);

/** Returns the discount as an amount: a percentage of the price with six decimal places, or more than the price. */
function discountOf(line: StepOf<'sale'>['lines'][number], isTooMuch: boolean): string {
  const price = wholePrice(line.quantity, line.unitPrice);
  if (isTooMuch) return String(price + 2n);
  const micro = ((price > MOST_DISCOUNT ? MOST_DISCOUNT : price) * unit(6) * line.discount) / 100n;
  return amountText(micro, 6);
}

const categoryFaults = ({ direction, isArchived }: NaiveCategory, way: string | null): Fault[] => {
  if (isArchived) return [fault(409, 'CATEGORY_ARCHIVED')];
  return direction === 'BOTH' || direction === way ? [] : [fault(409, 'CATEGORY_DIRECTION')];
};

const takes = (type: string, party: Party, accountType: string): boolean => {
  if (party === 'expenseItemId') return accountType === 'EXPENSE';
  if (party === 'accountId' && ['COLLECTION', 'PAYMENT'].includes(type)) return MONEY.includes(accountType);
  return type !== 'PAYMENT' || party !== 'counterAccountId' || ['SUPPLIER', 'EMPLOYEE'].includes(accountType);
};

/** Selects a list item by an arbitrary number. Returns undefined for an empty list. */
function pick<T>(from: readonly T[], choice: number): T {
  return from[choice % from.length] as T;
}
