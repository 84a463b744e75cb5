import { fromMinor, toMinor } from '../aggregates/money.js';
import { beancountOf } from '../queries/beancount.js';
import {
  type GeneralLedger,
  type GeneralLedgerOptions,
  type GeneralLedgerRow,
  rowsOf,
} from '../queries/general-ledger.query.js';
import { answer, type Answer } from './answer.js';
import { csvStream } from './csv.js';

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

export const ledgerJson = (ledger: GeneralLedger, options: GeneralLedgerOptions): Answer =>
  answer(envelope(ledger, options), { type: 'application/json; charset=utf-8' });

export const ledgerTable = (ledger: GeneralLedger, options: GeneralLedgerOptions): Answer =>
  csvStream(rowParts(ledger, options.accountId), COLUMNS, 'general-ledger.csv');

export const ledgerBeancount = (ledger: GeneralLedger, options: GeneralLedgerOptions): Answer =>
  answer(beancountOf(ledger, options), {
    type: 'text/plain; charset=utf-8',
    headers: { 'content-disposition': 'attachment; filename="general-ledger.beancount"' },
  });
