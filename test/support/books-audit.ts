import type { AccountRecord, CustomerRecord } from '../../src/queries/account.queries.js';
import type { Statement } from '../../src/queries/statement.query.js';
import type { TrialBalance } from '../../src/queries/trial-balance.query.js';
import type { TransactionRecord } from '../../src/queries/transaction.queries.js';
import type { Bookkeeper } from './bookkeeper.js';
import { csvTable } from './csv-table.js';
import { everyPage } from './list-pages.js';
import { minorUnits } from './naive-money.js';
import type { NaiveEntry } from './naive-books.js';

const AMOUNT_FIELDS = ['amount', 'debit', 'credit', 'balance', 'opening', 'closing', 'totalDebit', 'totalCredit'];

const STATEMENT_COLUMNS =
  'transactionId date type documentEffect description reference counterparty reversalOf reason debit credit balance lineDescription'.split(
    ' ',
  );

export const dayBefore = (date: string): string =>
  new Date(Date.parse(`${date}T12:00:00Z`) - 86_400_000).toISOString().slice(0, 10);

/** Compares the complete contents of a tenant's books with the model. Amounts must match exactly. */
export class BooksAudit {
  private readonly dates: readonly string[];
  /** The model's entries, by the ids that the service assigned. */
  private readonly entries: ReadonlyMap<string, NaiveEntry>;

  constructor(
    private readonly keeper: Bookkeeper,
    /** All transactions, newest first. */
    private readonly records: readonly TransactionRecord[],
  ) {
    this.dates = [...new Set(records.map(({ date }) => date))].toSorted();
    this.entries = new Map(keeper.model.entries.map((entry) => [entry.id ?? '', entry]));
  }

  async all(): Promise<void> {
    this.transactions();
    this.order();
    const accounts = await this.accounts();
    await this.customers(accounts);
    await this.trialBalances(accounts);
    for (const account of accounts) await this.statements(account);
    for (const account of accounts.filter(({ isDefault, name }) => isDefault || name === 'Sales'))
      await this.tables(account);
    await this.deleted();
  }

  private minor(text: unknown): bigint {
    if (typeof text !== 'string') throw new Error(`An amount is no text: ${JSON.stringify(text)}`);
    return minorUnits(text, this.keeper.model.digits);
  }

  /** Checks that every amount in a response has the currency's number of decimal places. */
  private checked<T>(answer: T): T {
    if (Array.isArray(answer)) for (const one of answer) this.checked<unknown>(one);
    else if (typeof answer === 'object' && answer !== null)
      for (const [name, value] of Object.entries(answer)) {
        if (AMOUNT_FIELDS.includes(name) && typeof value !== 'object') this.minor(value);
        else this.checked<unknown>(value);
      }
    return answer;
  }

  private async read<T>(path: string): Promise<T> {
    const reply = await this.keeper.service.get(path, this.keeper.token);
    expect([path, reply.told]).toEqual([path, '200']);
    return this.checked(reply.data as T);
  }

  private async list<T>(path: string): Promise<T[]> {
    return this.checked(await everyPage<T>(this.keeper.service, this.keeper.token, path));
  }

  /** Checks that each transaction is balanced, and that each reversal mirrors the one transaction that it cancels. */
  private transactions(): void {
    this.checked(this.records);
    const byId = new Map(this.records.map((record) => [record.id, record]));
    const text = ({ postings }: TransactionRecord, sign: bigint): string[] =>
      postings.map(({ accountId, amount }) => `${accountId} ${sign * this.minor(amount)}`).toSorted();
    for (const record of this.records) {
      expect(record.currency).toBe(this.keeper.model.currency);
      const sum = record.postings.reduce((total, { amount }) => total + this.minor(amount), 0n);
      expect([record.id, sum]).toEqual([record.id, 0n]);
      const reversals = this.records.filter(({ reversalOf }) => reversalOf === record.id);
      expect([record.id, reversals.length]).toEqual([record.id, record.isCancelled ? 1 : 0]);
      if (record.reversalOf === null) continue;
      const original = byId.get(record.reversalOf);
      expect(text(record, 1n)).toEqual(original && text(original, -1n));
    }
  }

  /**
   * Checks that transactions are listed newest first, by date and then by creation. If different requests created two
   * transactions in the same millisecond, either may come first.
   */
  private order(): void {
    const places = new Map(this.keeper.model.entries.map((entry, index) => [entry.id, index]));
    for (const [index, newer] of this.records.entries()) {
      const older = this.records[index + 1];
      if (!older) break;
      const isTie = newer.createdAt === older.createdAt && (newer.saleId === null || newer.saleId !== older.saleId);
      const isOrdered =
        newer.date > older.date ||
        (newer.date === older.date && (isTie || (places.get(newer.id) ?? 0) > (places.get(older.id) ?? 0)));
      expect([newer.id, older.id, isOrdered]).toEqual([newer.id, older.id, true]);
      if (newer.date === older.date) expect(newer.createdAt >= older.createdAt).toBe(true);
    }
  }

  private async accounts(): Promise<AccountRecord[]> {
    const { model } = this.keeper;
    const accounts = await this.list<AccountRecord>('/api/accounts');
    const shown = accounts.map(({ id, type, name, isActive, isDefault, balance }) =>
      [id, type, name, isActive, isDefault, balance.amount, balance.currency].join(' '),
    );
    const { currency } = model;
    const own = model.accounts.filter(({ isDeleted }) => !isDeleted);
    const expected = [
      ...own.map(({ id, type, name, isActive }) => {
        const isDefault = model.defaults.get(type) === id;
        return [id, type, name, isActive, isDefault, model.text(model.balance(id)), currency].join(' ');
      }),
      ...model.customers
        .filter(({ isDeleted }) => !isDeleted)
        .map(({ id, name, isActive, isDefault }) =>
          [id, 'CUSTOMER', name, isActive, isDefault, model.text(model.balance(id)), currency].join(' '),
        ),
    ];
    expect(shown.toSorted()).toEqual(expected.toSorted());
    for (const { id, balance } of accounts)
      expect((await this.read<AccountRecord>(`/api/accounts/${id}`)).balance).toEqual(balance);
    return accounts;
  }

  /**
   * Checks that each customer's balance equals the sum of the customer's postings, and the balance of the customer's
   * account.
   */
  private async customers(accounts: readonly AccountRecord[]): Promise<void> {
    const byId = new Map(accounts.map((account) => [account.id, account]));
    const customers = await this.list<CustomerRecord>('/api/customers?status=ALL');
    expect(customers).toHaveLength(this.keeper.model.customers.filter(({ isDeleted }) => !isDeleted).length);
    for (const { id, accountId, balance } of customers) {
      expect([accountId, balance]).toEqual([id, byId.get(id)?.balance]);
      expect((await this.read<CustomerRecord>(`/api/customers/${id}`)).balance).toEqual(balance);
      const own = await this.list<TransactionRecord>(`/api/customers/${id}/transactions`);
      expect(own).toEqual(this.records.filter(({ postings }) => postings.some(({ accountId }) => accountId === id)));
      const postings = own.flatMap((transaction) => transaction.postings).filter((one) => one.accountId === id);
      const sum = postings.reduce((total, { amount }) => total + this.minor(amount), 0n);
      expect([id, this.minor(balance.amount)]).toEqual([id, sum]);
    }
  }

  private async trialBalances(accounts: readonly AccountRecord[]): Promise<void> {
    const { model } = this.keeper;
    const byId = new Map(accounts.map((account) => [account.id, account]));
    const first = this.dates[0];
    const asked = [undefined, ...(first === undefined ? [] : [dayBefore(first)]), ...this.dates, '2028-01-01'];
    for (const asOf of asked.filter((date) => date === undefined || date >= '1900-01-01')) {
      const path = `/api/reports/trial-balance${asOf === undefined ? '' : `?asOf=${asOf}`}`;
      const { rows, totalDebit, totalCredit, ...rest } = await this.read<TrialBalance>(path);
      expect(rest).toEqual({ asOf: asOf ?? null, currency: model.currency });
      expect([path, totalDebit]).toEqual([path, totalCredit]);
      expect([path, this.minor(totalDebit)]).toEqual([
        path,
        rows.reduce((sum, row) => sum + this.minor(row.debit), 0n),
      ]);
      expect(new Set(rows.map(({ accountId }) => accountId)).size).toBe(rows.length);
      const isEmpty = (debit: bigint, credit: bigint): boolean => debit === 0n && credit === 0n;
      const shown = rows
        .filter(({ debit, credit }) => !isEmpty(this.minor(debit), this.minor(credit)))
        .map(({ accountId, code, name, type, debit, credit, balance }) =>
          [accountId, code, name, type, debit, credit, balance].join(' '),
        );
      const expected = [...model.accounts, ...model.customers].flatMap(({ id }) => {
        const { debit, credit } = model.sums(id, asOf);
        if (isEmpty(debit, credit)) return [];
        const { code = '', name, type } = byId.get(id) ?? {};
        return [[id, code, name, type, ...[debit, credit, debit - credit].map((sum) => model.text(sum))].join(' ')];
      });
      expect([path, shown.toSorted()]).toEqual([path, expected.toSorted()]);
    }
  }

  /** Checks the full statement of an account, and statements of consecutive periods. */
  private async statements({ id, balance }: AccountRecord): Promise<void> {
    const whole = await this.statement(id);
    expect([whole.opening, whole.closing]).toEqual([this.keeper.model.text(0n), balance.amount]);
    const middle = this.dates[Math.floor(this.dates.length / 2)];
    if (middle === undefined || middle <= '1900-01-01') return;
    const last = this.dates.at(-1) ?? middle;
    const before = await this.statement(id, undefined, dayBefore(middle));
    const within = await this.statement(id, middle, dayBefore(last) < middle ? middle : dayBefore(last));
    const next = dayBefore(last) < middle ? undefined : last;
    expect([before.opening, within.opening]).toEqual([whole.opening, before.closing]);
    const parts = [before, within];
    if (next !== undefined) {
      const after = await this.statement(id, next);
      expect([after.opening, after.closing]).toEqual([within.closing, whole.closing]);
      parts.push(after);
    } else expect(within.closing).toBe(whole.closing);
    expect(parts.flatMap(({ lines }) => lines)).toEqual(whole.lines);
  }

  private async statement(id: string, begin?: string, end?: string): Promise<Statement> {
    const { model } = this.keeper;
    const bounds = [...(begin ? [`beginDate=${begin}`] : []), ...(end ? [`endDate=${end}`] : [])];
    const path = `/api/accounts/${id}/statement?${bounds.join('&')}`;
    const statement = await this.read<Statement>(path);
    const { opening, lines, closing, account, beginDate, endDate } = statement;
    expect([path, account.id, beginDate, endDate]).toEqual([path, id, begin ?? null, end ?? null]);
    const from = begin === undefined ? 0n : model.balance(id, dayBefore(begin));
    expect([path, this.minor(opening)]).toEqual([path, from]);
    let balance = from;
    // The statement may omit a document with a zero amount.
    const isShown = (debit: bigint, credit: bigint): boolean => debit !== 0n || credit !== 0n;
    const expected = this.records.toReversed().flatMap((record) => {
      const entry = this.entries.get(record.id);
      const isWithin = record.date >= (begin ?? '') && record.date <= (end ?? '9999-12-31');
      if (!entry || !isWithin) return [];
      const { debit, credit } = model.sidesOf(entry, id);
      balance += debit - credit;
      const { id: transactionId, date, type, documentEffect, description, reference, reversalOf, reason } = record;
      const facts = { transactionId, date, type, documentEffect, description, reference, reversalOf, reason };
      const texts = { debit: model.text(debit), credit: model.text(credit), balance: model.text(balance) };
      const own = record.postings.filter(({ accountId }) => accountId === id);
      const descriptions = new Set(own.flatMap(({ description }) => description ?? []));
      const lineDescription = [...descriptions].join('; ') || null;
      return isShown(debit, credit) ? [{ ...facts, ...texts, lineDescription }] : [];
    });
    const shown = lines
      .filter(({ debit, credit }) => isShown(this.minor(debit), this.minor(credit)))
      .map(({ counterparty: _, ...line }) => line);
    for (const { transactionId, counterparty } of lines) {
      const { customerId, customerName } = this.records.find((record) => record.id === transactionId) ?? {};
      if (customerId && customerId !== id) expect([path, counterparty]).toEqual([path, customerName]);
    }
    expect([path, shown, this.minor(closing)]).toEqual([path, expected, balance]);
    return statement;
  }

  /** Checks that a CSV file has the same content as the JSON response. */
  private async tables({ id }: AccountRecord): Promise<void> {
    const statement = `/api/accounts/${id}/statement`;
    const { opening, lines, closing } = await this.read<Statement>(statement);
    const ends = [
      { description: 'Opening balance', balance: opening },
      { description: 'Closing balance', balance: closing },
    ].map((end) => ({ ...Object.fromEntries(STATEMENT_COLUMNS.map((name) => [name, null])), ...end }));
    const { rows } = await this.read<TrialBalance>('/api/reports/trial-balance');
    for (const [path, expected] of [
      [statement, [ends[0], ...lines, ends[1]]],
      ['/api/reports/trial-balance', rows],
    ] as const) {
      const { text } = await this.keeper.service.get(path, this.keeper.token, { accept: 'text/csv' });
      const texts = expected.map((row) =>
        Object.fromEntries(Object.entries(row ?? {}).map(([name, value]) => [name, value ?? ''])),
      );
      expect([path, csvTable(text)]).toEqual([path, texts]);
    }
  }

  /** Checks that deleted records are inaccessible. */
  private async deleted(): Promise<void> {
    const { service, token, model } = this.keeper;
    for (const { id } of [...model.accounts, ...model.customers].filter(({ isDeleted }) => isDeleted))
      for (const path of [`/api/accounts/${id}`, `/api/customers/${id}`, `/api/accounts/${id}/statement`])
        expect([path, (await service.get(path, token)).status]).toEqual([path, 404]);
  }
}
