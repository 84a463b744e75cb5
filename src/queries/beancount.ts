import { fromMinor, toMinor } from '../aggregates/money.js';
import { CLASS_OF, type NamedAccount } from './account-names.js';
import type { GeneralLedger, GeneralLedgerOptions, NamedTransaction } from './general-ledger.query.js';

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

/** Returns a component of an account's name: letters, digits and hyphens, starting with a capital letter or a digit. */
const componentOf = (text: string): string => {
  const plain = text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^A-Za-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '');
  return plain === '' ? 'X' : plain.slice(0, 1).toUpperCase() + plain.slice(1);
};

/**
 * Gives each account a unique name: its class, type and code, followed by its id if the name would otherwise be
 * ambiguous.
 */
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

/**
 * The latest date that Beancount supports. A closing balance is asserted at the start of the following day, so none can
 * be asserted for this date.
 */
const LAST_DATE = '9999-12-31';

/** Returns a quoted string, with its text on one line. */
const quoted = (text: string): string =>
  `"${text.replace(/\s+/g, ' ').replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;

/**
 * Writes the ledger as a Beancount file. The file contains the accounts, one transaction with the balances before the
 * period, and every transaction in the period. It also asserts all balances before and after the period. With
 * `accountId`, it contains only the transactions and assertions for that account.
 */
export async function* beancountOf(ledger: GeneralLedger, options: GeneralLedgerOptions): AsyncGenerator<string> {
  const { from, to } = options;
  const file = new LedgerFile(ledger, await ledger.openings(), options.accountId);
  yield `option "title" "General ledger"\noption "operating_currency" "${ledger.currency}"\n`;
  if (from !== undefined) yield file.brought(from);
  let last = from;
  let isOpen = from !== undefined;
  for await (const part of ledger.parts()) {
    const [first] = part;
    if (!first) continue;
    if (!isOpen) yield file.opened(first.transaction.date);
    isOpen = true;
    yield part.map((one) => file.directiveOf(one)).join('');
    last = part.at(-1)?.transaction.date ?? last;
  }
  const end = to ?? last;
  if (isOpen && end !== undefined) yield file.closed(end);
}

/** Writes the directives of one file and maintains the running balances. */
class LedgerFile {
  private readonly labels = new AccountLabels();
  private readonly balances = new Map<string, bigint>();

  constructor(
    private readonly ledger: GeneralLedger,
    private readonly openings: Awaited<ReturnType<GeneralLedger['openings']>>,
    private readonly accountId: string | undefined,
  ) {}

  opened(date: string): string {
    return this.openings.map(({ account }) => this.openOf(account, date)).join('');
  }

  /** Returns the accounts, and their balances before a period. */
  brought(from: string): string {
    const date = dayAfter(from, -1);
    const balances = this.openings.filter(({ opening }) => opening !== 0n);
    for (const { account, opening } of balances) this.balances.set(account.accountId, opening);
    const lines = balances.map(({ account, opening }) => `  ${this.labels.of(account)} ${this.amountOf(opening)}\n`);
    const transaction = lines.length === 0 ? '' : `\n${date} * "Balances brought forward"\n${lines.join('')}`;
    return `${this.opened(date)}${transaction}\n${this.asserted(from)}`;
  }

  /** Returns balance assertions for the start of a date. */
  asserted(date: string): string {
    const wanted = this.openings.filter(({ account: { accountId } }) => (this.accountId ?? accountId) === accountId);
    return wanted
      .map(({ account }) => {
        const balance = this.amountOf(this.balances.get(account.accountId) ?? 0n);
        return `${date} balance ${this.labels.of(account)} ${balance}\n`;
      })
      .join('');
  }

  /** Returns balance assertions for the end of a date. */
  closed(date: string): string {
    return date < LAST_DATE ? `\n${this.asserted(dayAfter(date, 1))}` : '';
  }

  directiveOf({ transaction, accounts }: NamedTransaction): string {
    const { id, date, type, documentEffect, description, reference, externalId, postings } = transaction;
    const opens: string[] = [];
    const lines = postings.map(({ accountId, amount, description: note }) => {
      this.balances.set(accountId, (this.balances.get(accountId) ?? 0n) + toMinor(amount, this.ledger.digits));
      const account = accounts.get(accountId) ?? { accountId, code: null, name: '', type: 'OTHER' };
      // The first posting to this account was recorded after the accounts had been read.
      if (!this.labels.has(account)) opens.push(`\n${this.openOf(account, date)}`);
      const noted = note === undefined ? '' : `    description: ${quoted(note)}\n`;
      return `  ${this.labels.of(account)} ${amount} ${this.ledger.currency}\n${noted}`;
    });
    const metadata = Object.entries({ id, reference, external: externalId }).flatMap(([key, value]) =>
      value === null ? [] : [`  ${key}: ${quoted(value)}\n`],
    );
    const narration = quoted(description ?? documentEffect ?? type ?? '');
    return `${opens.join('')}\n${date} * ${narration}\n${metadata.join('')}${lines.join('')}`;
  }

  private openOf(account: NamedAccount, date: string): string {
    const { accountId, name } = account;
    const directive = `${date} open ${this.labels.of(account)} ${this.ledger.currency}`;
    return `${directive}\n  name: ${quoted(name)}\n  id: "${accountId}"\n`;
  }

  private amountOf(minor: bigint): string {
    return `${fromMinor(minor, this.ledger.digits)} ${this.ledger.currency}`;
  }
}

function dayAfter(date: string, days: number): string {
  const day = new Date(`${date}T00:00:00Z`);
  day.setUTCDate(day.getUTCDate() + days);
  return day.toISOString().slice(0, 10);
}
