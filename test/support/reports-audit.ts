import type { Ageing } from '../../src/queries/ageing.query.js';
import type { BalanceSheet } from '../../src/queries/balance-sheet.query.js';
import type { GeneralLedgerRow } from '../../src/queries/general-ledger.query.js';
import type { OpenItems } from '../../src/queries/open-items.query.js';
import type { ProfitAndLoss } from '../../src/queries/profit-and-loss.query.js';
import type { TaxReport } from '../../src/queries/tax-report.query.js';
import type { TrialBalance } from '../../src/queries/trial-balance.query.js';
import type { Bookkeeper } from './bookkeeper.js';
import { csvTable } from './csv-table.js';
import { minorUnits } from './naive-money.js';
import { openItemsOf } from './naive-open-items.js';

type Ledger = { readonly rows: readonly GeneralLedgerRow[]; readonly totalDebit: string; readonly totalCredit: string };

/** An account's type determines its place in the reports. */
const ASSETS = ['CUSTOMER', 'CASH', 'BANK', 'POS', 'OTHER'];
const LIABILITIES = ['SUPPLIER', 'EMPLOYEE', 'CREDIT_CARD', 'TAX'];

const FIRST = '0001-01-01';
const LAST = '9999-12-31';
/** Maximum number of months or quarters in a report. */
const MAX_PERIODS = 1_200;

/** Compares every financial report with sums over the model's postings. */
export class ReportsAudit {
  constructor(
    private readonly keeper: Bookkeeper,
    /** Dates used as reporting dates, and as the first and last dates of reporting periods. */
    private readonly dates: readonly string[],
  ) {}

  async all(): Promise<void> {
    for (const date of [undefined, ...this.dates]) {
      await this.balanceSheet(date);
      await this.openItems(date);
    }
    for (const from of [undefined, ...this.dates])
      for (const to of [undefined, ...this.dates]) {
        if (from !== undefined && to !== undefined && from > to) continue;
        await this.trialBalance(from, to);
        await this.profitAndLoss(from, to);
        await this.tax(from, to);
      }
    const [from, to] = [this.dates[0], this.dates.at(-1)];
    await this.ledger();
    await this.ledger(from, to);
    for (const { id } of this.accounts) await this.ledger(undefined, to, id);
  }

  private get accounts(): readonly { readonly id: string; readonly type: string }[] {
    const { accounts, customers } = this.keeper.model;
    return [...accounts, ...customers.map(({ id }) => ({ id, type: 'CUSTOMER' }))];
  }

  private typed(...types: string[]): string[] {
    return this.accounts.filter(({ type }) => types.includes(type)).map(({ id }) => id);
  }

  private minor(text: string): bigint {
    return minorUnits(text, this.keeper.model.digits);
  }

  private async read<T>(path: string): Promise<T> {
    const reply = await this.keeper.service.get(path, this.keeper.token);
    expect([path, reply.told]).toEqual([path, '200']);
    return reply.data as T;
  }

  /** Debits and credits of an account between two dates, both inclusive. */
  private between(accountId: string, from = FIRST, to = LAST) {
    const { model } = this.keeper;
    const own = model.entries.filter(({ date }) => date >= from && date <= to);
    const sides = own.map((entry) => model.sidesOf(entry, accountId));
    const debit = sides.reduce((sum, one) => sum + one.debit, 0n);
    const credit = sides.reduce((sum, one) => sum + one.credit, 0n);
    return { debit, credit, net: debit - credit };
  }

  private before(accountId: string, date: string | undefined): bigint {
    if (date === undefined) return 0n;
    const { model } = this.keeper;
    const own = model.entries.filter((entry) => entry.date < date).map((entry) => model.sidesOf(entry, accountId));
    return own.reduce((sum, { debit, credit }) => sum + debit - credit, 0n);
  }

  private total(ids: readonly string[], from?: string, to?: string): bigint {
    return ids.reduce((sum, id) => sum + this.between(id, from, to).net, 0n);
  }

  private async trialBalance(from?: string, to?: string): Promise<void> {
    if (from === undefined && to === undefined) return;
    const { model } = this.keeper;
    const path = `/api/reports/trial-balance?zero=false${between(from, to)}`;
    const { rows, totalDebit, totalCredit } = await this.read<TrialBalance>(path);
    const shown = rows.map(({ accountId, opening, debit, credit, closing }) =>
      [accountId, opening, debit, credit, closing].join(' '),
    );
    const expected = this.accounts.flatMap(({ id }) => {
      const opening = this.before(id, from);
      const { debit, credit } = this.between(id, from, to);
      if (opening === 0n && debit === 0n && credit === 0n) return [];
      return [[id, ...[opening, debit, credit, opening + debit - credit].map((one) => model.text(one))].join(' ')];
    });
    expect([path, shown.toSorted()]).toEqual([path, expected.toSorted()]);
    const sum = this.accounts.reduce((all, { id }) => all + this.between(id, from, to).debit, 0n);
    expect([path, totalDebit, totalCredit]).toEqual([path, model.text(sum), model.text(sum)]);
  }

  private async profitAndLoss(from?: string, to?: string): Promise<void> {
    const { model } = this.keeper;
    for (const by of ['none', 'month', 'quarter'] as const) {
      // Skips open-ended periods, because their number of months or quarters depends on the postings.
      if (by !== 'none' && (from === undefined || to === undefined)) continue;
      const path = `/api/reports/profit-and-loss?by=${by}${between(from, to)}`;
      if (by !== 'none' && periodsIn(by, from, to) > MAX_PERIODS) {
        const { told } = await this.keeper.service.get(path, this.keeper.token);
        expect([path, told]).toEqual([path, '400 VALIDATION_FAILED by']);
        continue;
      }
      const { sections, result, results, periods } = await this.read<ProfitAndLoss>(path);
      for (const [name, sign] of [
        ['Income', -1n],
        ['Expenses', 1n],
      ] as const) {
        const ids = this.typed(name === 'Income' ? 'INCOME' : 'EXPENSE');
        const section = sections.find((one) => one.name === name);
        expect([path, section?.total]).toEqual([path, model.text(sign * this.total(ids, from, to))]);
        for (const [at, period] of periods.entries()) {
          const own = sign * this.total(ids, period.from ?? undefined, period.to ?? undefined);
          expect([path, section?.totals[at]]).toEqual([path, model.text(own)]);
        }
        for (const { accountId, amount } of section?.rows ?? [])
          expect([path, amount]).toEqual([path, model.text(sign * this.between(accountId, from, to).net)]);
      }
      const expected = -this.total(this.typed('INCOME', 'EXPENSE'), from, to);
      expect([path, result]).toEqual([path, model.text(expected)]);
      expect(results.reduce((sum, one) => sum + this.minor(one), 0n)).toBe(expected);
    }
  }

  private async balanceSheet(asOf?: string): Promise<void> {
    const { model } = this.keeper;
    const path = `/api/reports/balance-sheet${asOf === undefined ? '' : `?asOf=${asOf}`}`;
    const { sections, totalAssets, totalLiabilitiesAndEquity } = await this.read<BalanceSheet>(path);
    expect([path, totalAssets]).toEqual([path, totalLiabilitiesAndEquity]);
    const [assets, liabilities, equity] = sections;
    const results = this.typed('INCOME', 'EXPENSE', 'EQUITY');
    expect([path, sections.map(({ name }) => name)]).toEqual([path, ['Assets', 'Liabilities', 'Equity']]);
    expect([path, assets?.total, liabilities?.total, equity?.total]).toEqual([
      path,
      model.text(this.total(this.typed(...ASSETS), undefined, asOf)),
      model.text(-this.total(this.typed(...LIABILITIES), undefined, asOf)),
      model.text(-this.total(results, undefined, asOf)),
    ]);
    for (const { rows, total } of sections)
      expect([path, rows.reduce((sum, { amount }) => sum + this.minor(amount), 0n)]).toEqual([path, this.minor(total)]);
    const ofYear = equity?.rows.find(({ name }) => name === 'Result for the year')?.amount ?? model.text(0n);
    if (asOf === undefined) return;
    const expected = -this.total(this.typed('INCOME', 'EXPENSE'), `${asOf.slice(0, 4)}-01-01`, asOf);
    expect([path, ofYear]).toEqual([path, model.text(expected)]);
  }

  private async openItems(asOf?: string): Promise<void> {
    const { model } = this.keeper;
    const query = asOf === undefined ? '' : `?asOf=${asOf}`;
    const ageing = await this.read<Ageing>(`/api/reports/ageing${query}`);
    const rows = new Map(ageing.rows.map((row) => [row.customerId, row]));
    for (const { id, isDeleted } of model.customers) {
      const balance = model.balance(id, asOf);
      const expected = openItemsOf(model, id, asOf);
      const row = rows.get(id);
      expect([id, asOf, row?.total ?? model.text(0n)]).toEqual([id, asOf, model.text(balance)]);
      if (asOf !== undefined)
        expect([id, asOf, row ? agesOf(row) : NONE]).toEqual([id, asOf, this.aged(expected, asOf)]);
      if (isDeleted) continue;
      const items = await this.read<OpenItems>(`/api/customers/${id}/open-items${query}`);
      expect([id, asOf, items.total]).toEqual([id, asOf, model.text(balance)]);
      const shown = items.items.map(({ date, open }) => `${date ?? ''} ${open}`);
      const told = expected.map(({ date, left }) => `${date} ${model.text(left)}`);
      expect([id, asOf, shown.toSorted()]).toEqual([id, asOf, told.toSorted()]);
    }
  }

  private aged(items: ReturnType<typeof openItemsOf>, asOf: string): string[] {
    const sums = [0n, 0n, 0n, 0n, 0n];
    for (const { date, left } of items) {
      const days = date === '' ? 0 : (Date.parse(asOf) - Date.parse(date)) / 86_400_000;
      const at = days <= 0 ? 0 : days <= 30 ? 1 : days <= 60 ? 2 : days <= 90 ? 3 : 4;
      sums[at] = (sums[at] ?? 0n) + left;
    }
    return sums.every((sum) => sum === 0n) ? NONE : sums.map((sum) => this.keeper.model.text(sum));
  }

  private async tax(from?: string, to?: string): Promise<void> {
    const { model } = this.keeper;
    const path = `/api/reports/tax?${between(from, to).slice(1)}`;
    const { rows, totals, reconciliation } = await this.read<TaxReport>(path);
    const [sales, tax] = [model.system('Sales'), model.system('Tax')];
    const documents = model.entries.filter(({ date }) => date >= (from ?? FIRST) && date <= (to ?? LAST));
    const effect = (name: string, account: string, sign: bigint): string => {
      const own = documents.filter(({ documentEffect }) => documentEffect === name);
      const sides = own.map((entry) => model.sidesOf(entry, account));
      return model.text(sign * sides.reduce((sum, { debit, credit }) => sum + credit - debit, 0n));
    };
    for (const [kind, name, sign] of [
      ['sales', 'INVOICE', 1n],
      ['returns', 'RETURN', -1n],
      ['cancellations', 'CANCELLATION', -1n],
    ] as const) {
      const expected = { net: effect(name, sales, sign), tax: effect(name, tax, sign) };
      expect([path, kind, totals[kind]]).toEqual([path, kind, expected]);
      for (const part of ['net', 'tax'] as const) {
        const sum = rows.reduce((all, row) => all + this.minor(row[kind][part]), 0n);
        expect([path, kind, part, sum]).toEqual([path, kind, part, this.minor(totals[kind][part])]);
      }
    }
    expect(rows.every(({ rate }) => rate !== null)).toBe(true);
    const ids = this.typed('TAX');
    const { opening, closing, documents: own, other } = reconciliation;
    const brought = ids.reduce((sum, id) => sum - this.before(id, from), 0n);
    expect([path, opening]).toEqual([path, model.text(brought)]);
    expect([path, closing]).toEqual([path, model.text(-this.total(ids, undefined, to))]);
    expect([path, own]).toEqual([path, totals.tax]);
    expect(this.minor(opening) + this.minor(own) + this.minor(other)).toBe(this.minor(closing));
  }

  private async ledger(from?: string, to?: string, accountId?: string): Promise<void> {
    const { model, service, token } = this.keeper;
    const account = accountId === undefined ? '' : `&accountId=${accountId}`;
    const path = `/api/reports/general-ledger?${`${between(from, to)}${account}`.slice(1)}`;
    const { rows, totalDebit, totalCredit } = await this.read<Ledger>(path);
    const expected = model.entries
      .filter(({ date }) => date >= (from ?? FIRST) && date <= (to ?? LAST))
      .flatMap(({ id, postings }) => postings.map(([on, amount]) => ({ id, on, amount })))
      .filter(({ on, amount }) => amount !== 0n && (accountId === undefined || on === accountId))
      .map(({ id, on, amount }) => `${id ?? ''} ${on} ${model.text(amount)}`);
    const shown = rows.map((row) => ({ ...row, amount: this.minor(row.debit) - this.minor(row.credit) }));
    const lines = shown
      .filter(({ amount }) => amount !== 0n)
      .map((row) => `${row.transactionId} ${row.accountId} ${model.text(row.amount)}`);
    expect([path, lines.toSorted()]).toEqual([path, expected.toSorted()]);
    expect(rows.map(({ date }) => date)).toEqual(rows.map(({ date }) => date).toSorted());
    for (const [side, total] of [
      ['debit', totalDebit],
      ['credit', totalCredit],
    ] as const)
      expect([path, side, rows.reduce((sum, row) => sum + this.minor(row[side]), 0n)]).toEqual([
        path,
        side,
        this.minor(total),
      ]);
    const table = csvTable((await service.get(path, token, { accept: 'text/csv' })).text);
    expect(table.map((row) => [row['transactionId'], row['accountId'], row['debit'], row['credit']])).toEqual(
      rows.map((row) => [row.transactionId, row.accountId, row.debit, row.credit]),
    );
  }
}

const NONE: string[] = [];
const agesOf = ({ current, d30, d60, d90, older }: Ageing['rows'][number]): string[] => [current, d30, d60, d90, older];

const periodsIn = (by: 'month' | 'quarter', from = FIRST, to = LAST): number => {
  const months = by === 'month' ? 1 : 3;
  const at = (date: string): number =>
    Math.floor((Number(date.slice(0, 4)) * 12 + Number(date.slice(5, 7)) - 1) / months);
  return at(to) - at(from) + 1;
};

const between = (from: string | undefined, to: string | undefined): string =>
  `${from === undefined ? '' : `&from=${from}`}${to === undefined ? '' : `&to=${to}`}`;
