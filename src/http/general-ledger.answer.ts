import { fromMinor, toMinor } from '../aggregates/money.js';
import { beancountOf } from '../queries/beancount.js';
import {
  type GeneralLedger,
  type GeneralLedgerOptions,
  type GeneralLedgerRow,
  rowsOf,
} from '../queries/general-ledger.query.js';
import { answer, type Answer } from './answer.js';
import { begun, csvStream } from './csv.js';

const COLUMNS: readonly (keyof GeneralLedgerRow)[] = [
  ...(['date', 'transactionId', 'type', 'documentEffect', 'accountId', 'code', 'name', 'debit', 'credit'] as const),
  ...(['description', 'reference', 'externalId', 'reversalOf', 'recordedAt', 'lineDescription'] as const),
];

async function* rowParts(ledger: GeneralLedger, accountId: string | undefined): AsyncGenerator<GeneralLedgerRow[]> {
  for await (const part of ledger.parts()) yield part.flatMap((one) => rowsOf(one, ledger, accountId));
}

/** Yields the JSON envelope in parts while reading the postings. */
async function* envelope(ledger: GeneralLedger, options: GeneralLedgerOptions): AsyncGenerator<string> {
  const { from = null, to = null } = options;
  const { currency, digits } = ledger;
  const head = JSON.stringify({ from, to, currency });
  yield `{"statusCode":200,"data":${head.slice(0, -1)},"rows":[`;
  const total = { debit: 0n, credit: 0n };
  let separator = '';
  for await (const rows of rowParts(ledger, options.accountId)) {
    for (const { debit, credit } of rows) {
      total.debit += toMinor(debit, digits);
      total.credit += toMinor(credit, digits);
    }
    if (rows.length > 0) yield separator + rows.map((row) => JSON.stringify(row)).join(',');
    if (rows.length > 0) separator = ',';
  }
  const totals = { totalDebit: fromMinor(total.debit, digits), totalCredit: fromMinor(total.credit, digits) };
  yield `],${JSON.stringify(totals).slice(1)}}`;
}

/** Reads the first batch of postings before the response begins (see `begun`). */
async function begunLedger(ledger: GeneralLedger): Promise<GeneralLedger> {
  const parts = await begun(ledger.parts());
  return { ...ledger, parts: () => parts };
}

export const ledgerJson = async (ledger: GeneralLedger, options: GeneralLedgerOptions): Promise<Answer> =>
  answer(envelope(await begunLedger(ledger), options), { type: 'application/json; charset=utf-8' });

export const ledgerTable = async (ledger: GeneralLedger, options: GeneralLedgerOptions): Promise<Answer> =>
  csvStream(rowParts(await begunLedger(ledger), options.accountId), COLUMNS, 'general-ledger.csv');

export const ledgerBeancount = async (ledger: GeneralLedger, options: GeneralLedgerOptions): Promise<Answer> =>
  answer(beancountOf(await begunLedger(ledger), options), {
    type: 'text/plain; charset=utf-8',
    headers: { 'content-disposition': 'attachment; filename="general-ledger.beancount"' },
  });
