import fc from 'fast-check';
import { fromMinor, toMinor } from '../../src/aggregates/money.js';
import type { Recorded } from '../../src/eventsourcing/event-catalogue.js';
import { entriesOf, type LedgerEvent, ledgerSources } from '../../src/projections/ledger-events.js';
import { accountDayProjection, type AccountDayView } from '../../src/projections/ledger.projection.js';
import { anyHistory } from './arbitrary-history.js';

const KINDS: Readonly<Record<string, string>> = { SaleBooked: 'SALE', ReturnBooked: 'RETURN' };
const plus = (a: string, b: string): string => fromMinor(toMinor(a, 2) + toMinor(b, 2), 2);
const absolute = (amount: string): string => amount.replace('-', '');

/** Returns the net and tax amounts that an event adds to its Sales and tax accounts, by account and key. */
function taxedBy(event: LedgerEvent): [accountId: string, key: string, net: string, tax: string][] {
  if (event.type !== 'SaleBooked' && event.type !== 'ReturnBooked' && event.type !== 'SaleCancelled') return [];
  const { transactions, taxes } = event.data;
  const documents = transactions.filter(({ documentEffect }) => documentEffect !== null);
  const kind = KINDS[event.type] ?? 'CANCELLATION';
  const unrated = documents.map(({ postings: [, net, tax] }) => ({
    ...{ rate: null, net: absolute(net?.amount ?? '0'), tax: absolute(tax?.amount ?? '0') },
  }));
  const accounts = new Set(documents.flatMap(({ postings }) => postings.slice(1).map(({ accountId }) => accountId)));
  return [...accounts].flatMap((accountId) =>
    (taxes ?? unrated).map(({ rate, net, tax }): [string, string, string, string] => [
      accountId,
      rate === null ? kind : `${kind} ${rate}`,
      net,
      tax,
    ]),
  );
}

/** Calculates the totals of each account and date directly from the postings. */
function reference(events: readonly LedgerEvent[]): Map<string, AccountDayView> {
  const days = new Map<string, AccountDayView>();
  for (const event of events) {
    const touched = new Set<string>();
    for (const { currency, date, postings } of entriesOf(event))
      for (const { accountId, amount } of postings) {
        const id = `${accountId}@${date}`;
        const { debit, credit, ...rest } = days.get(id) ?? { accountId, date, currency, debit: '0', credit: '0' };
        const isDebit = toMinor(amount, 2) > 0n;
        const sums = {
          debit: plus(debit, isDebit ? amount : '0'),
          credit: plus(credit, isDebit ? '0' : absolute(amount)),
        };
        days.set(id, { ...rest, ...sums });
        touched.add(id);
      }
    for (const [accountId, key, net, tax] of taxedBy(event))
      for (const id of touched) {
        const day = days.get(id) as AccountDayView;
        if (day.accountId !== accountId) continue;
        const [netBefore, taxBefore] = day.taxed?.[key] ?? ['0', '0'];
        days.set(id, { ...day, taxed: { ...day.taxed, [key]: [plus(netBefore, net), plus(taxBefore, tax)] } });
      }
  }
  return days;
}

test('The days of an account contain the totals of its postings and of its documents (property)', () => {
  const isLedger = ({ entity }: Recorded): boolean => (ledgerSources as readonly string[]).includes(entity);
  let taxed = 0;
  fc.assert(
    fc.property(anyHistory, (history) => {
      const events = history.filter(isLedger) as Recorded<LedgerEvent>[];
      const days = new Map<string, AccountDayView | undefined>();
      for (const event of events)
        for (const id of accountDayProjection.documents(event))
          days.set(id, accountDayProjection.evolve(days.get(id), event, id));
      for (const day of days.values()) taxed += day?.taxed ? 1 : 0;
      expect(Object.fromEntries(days)).toEqual(Object.fromEntries(reference(events)));
    }),
    { numRuns: 200 },
  );
  expect(taxed).toBeGreaterThan(20);
});
