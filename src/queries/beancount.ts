import { fromMinor, toMinor } from '../aggregates/money.js';
import type { TransactionView } from '../projections/ledger.projection.js';
import { CLASS_OF, type NamedAccount } from './account-names.js';
import type { Dates } from './ledger-sums.js';
import type { GeneralLedger, NamedTransaction } from './general-ledger.query.js';

const LABEL: Readonly<Record<NamedAccount['type'], string>> = {
  CUSTOMER: 'Customers',
  CASH: 'Cash',
  BANK: 'Bank',
  POS: 'Card-terminals',
  OTHER: 'Other',
  SUPPLIER: 'Suppliers',
  EMPLOYEE: 'Employees',
  CREDIT_CARD: 'Credit-cards',
  TAX: 'Tax',
  EQUITY: 'Equity',
  INCOME: 'Income',
  EXPENSE: 'Expenses',
};

/** A component of an account's name: letters, digits and hyphens, beginning with a capital letter or a digit. */
const componentOf = (text: string): string => {
  const plain = text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^A-Za-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '');
  return plain === '' ? 'X' : plain.slice(0, 1).toUpperCase() + plain.slice(1);
};

/** A different name for each account: its class, type and code, and its id where that is ambiguous. */
class AccountLabels {
  private readonly labels = new Map<string, string>();
  private readonly taken = new Set<string>();

  has({ accountId }: NamedAccount): boolean {
    return this.labels.has(accountId);
  }

  of({ accountId, type, code, name }: NamedAccount): string {
    const known = this.labels.get(accountId);
    if (known !== undefined) return known;
    const short = `${CLASS_OF[type]}:${LABEL[type]}:${componentOf(code ?? name)}`;
    const label = this.taken.has(short) ? `${short}-${accountId}` : short;
    this.taken.add(label);
    this.labels.set(accountId, label);
    return label;
  }
}

/** A balance is asserted at the start of the next day, and beancount knows no later date. */
const LAST_DATE = '9999-12-31';

/** A string on one line. */
const quoted = (text: string): string =>
  `"${text.replace(/\s+/g, ' ').replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;

/**
 * The ledger as a file of beancount: accounts, the balances before the period as one transaction, every transaction, and
 * assertions of all balances before and after the period. With `accountId`, the transactions of that account, and the
 * assertions for it alone.
 */
export async function* beancountOf(
  ledger: GeneralLedger,
  { from, to, accountId }: Dates & { readonly accountId?: string | undefined },
): AsyncGenerator<string> {
  const { currency, digits } = ledger;
  const labels = new AccountLabels();
  const balances = new Map<string, bigint>();
  const openings = await ledger.openings();
  const amountOf = (minor: bigint): string => `${fromMinor(minor, digits)} ${currency}`;
  const asserted = (date: string): string =>
    openings
      .filter(({ account }) => accountId === undefined || account.accountId === accountId)
      .map(({ account }) => {
        return `${date} balance ${labels.of(account)} ${amountOf(balances.get(account.accountId) ?? 0n)}\n`;
      })
      .join('');
  yield `option "title" "General ledger"\noption "operating_currency" "${currency}"\n`;
  let last = '';
  const head = (first: string): string => {
    const opened = from === undefined ? first : dayAfter(from, -1);
    const opens = openings.map(({ account }) => openOf(account, opened, labels, currency));
    if (from === undefined) return opens.join('');
    const before = openings.filter(({ opening }) => opening !== 0n);
    for (const { account, opening } of before) balances.set(account.accountId, opening);
    const lines = before.map(({ account, opening }) => `  ${labels.of(account)} ${amountOf(opening)}\n`);
    const brought = lines.length === 0 ? '' : `\n${opened} * "Balances brought forward"\n${lines.join('')}`;
    return `${opens.join('')}${brought}\n${asserted(from)}`;
  };
  for await (const part of ledger.parts()) {
    if (last === '' && part[0]) yield head(part[0].transaction.date);
    yield part.map((one) => directiveOf(one, labels, { currency, balances, digits })).join('');
    last = part.at(-1)?.transaction.date ?? last;
  }
  if (last === '' && from !== undefined) yield head(from);
  const end = to ?? (last === '' ? from : last);
  if (end !== undefined && end < LAST_DATE && (last !== '' || from !== undefined)) yield `\n${asserted(dayAfter(end, 1))}`;
}

type Context = { readonly currency: string; readonly balances: Map<string, bigint>; readonly digits: number };

function directiveOf(
  { transaction, accounts }: NamedTransaction,
  labels: AccountLabels,
  { currency, balances, digits }: Context,
): string {
  const { id, date, type, documentEffect, description, reference, externalId, postings } = transaction;
  // An account whose first posting was recorded after the accounts were read.
  const late = [...accounts.values()].filter((account) => !labels.has(account) && isPosted(account, transaction));
  const opens = late.map((account) => `\n${openOf(account, date, labels, currency)}`);
  const lines = postings.map(({ accountId, amount }) => {
    balances.set(accountId, (balances.get(accountId) ?? 0n) + toMinor(amount, digits));
    const account = accounts.get(accountId) ?? { accountId, code: null, name: '', type: 'OTHER' };
    return `  ${labels.of(account)} ${amount} ${currency}\n`;
  });
  const facts = { id, reference, external: externalId };
  const metadata = Object.entries(facts).flatMap(([key, value]) =>
    value === null ? [] : [`  ${key}: ${quoted(value)}\n`],
  );
  const narration = quoted(description ?? documentEffect ?? type ?? '');
  return `${opens.join('')}\n${date} * ${narration}\n${metadata.join('')}${lines.join('')}`;
}

const isPosted = ({ accountId }: NamedAccount, { postings }: TransactionView): boolean =>
  postings.some((posting) => posting.accountId === accountId);

const openOf = (account: NamedAccount, date: string, labels: AccountLabels, currency: string): string =>
  `${date} open ${labels.of(account)} ${currency}\n  name: ${quoted(account.name)}\n  id: "${account.accountId}"\n`;

function dayAfter(date: string, days: number): string {
  const day = new Date(`${date}T00:00:00Z`);
  day.setUTCDate(day.getUTCDate() + days);
  return day.toISOString().slice(0, 10);
}
