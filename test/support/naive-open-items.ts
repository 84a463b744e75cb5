import type { NaiveBooks, NaiveEntry } from './naive-books.js';

/** The unpaid remainder of a document. A negative remainder is a credit. */
export type NaiveItem = { readonly date: string; readonly left: bigint };

/**
 * Returns a customer's open items, determined by a bookkeeper's rules. A sale's collections, returns and cancellations
 * settle that sale. A reversal settles its original. All other credits settle the oldest items.
 */
export function openItemsOf(model: NaiveBooks, customerId: string, asOf = '9999-12-31'): NaiveItem[] {
  const groups = new Map<unknown, NaiveEntry[]>();
  for (const entry of model.entries) {
    const isOwn = entry.postings.some(([id]) => id === customerId);
    if (!isOwn || entry.date > asOf) continue;
    const key = entry.sale ?? entry.original ?? entry;
    groups.set(key, [...(groups.get(key) ?? []), entry]);
  }
  const left = [...groups.values()].flatMap((entries) => leftOf(model, customerId, entries));
  const items = left.filter((item) => item.left > 0n).toSorted((a, b) => (a.date < b.date ? -1 : 1));
  let credit = left.reduce((sum, item) => (item.left < 0n ? sum - item.left : sum), 0n);
  const open = items.map(({ date, left: amount }) => {
    const settled = amount < credit ? amount : credit;
    credit -= settled;
    return { date, left: amount - settled };
  });
  const credits = credit === 0n ? [] : [{ date: '', left: -credit }];
  return [...open.filter((item) => item.left > 0n), ...credits];
}

function leftOf(model: NaiveBooks, customerId: string, entries: readonly NaiveEntry[]): NaiveItem[] {
  const net = (some: readonly NaiveEntry[]): bigint =>
    some.reduce((sum, entry) => {
      const { debit, credit } = model.sidesOf(entry, customerId);
      return sum + debit - credit;
    }, 0n);
  // A partner's document and all of its transactions form one step. Every other transaction is a separate step.
  const steps = new Map<unknown, NaiveEntry[]>();
  for (const entry of entries) {
    const key = entry.externalId ?? entry;
    steps.set(key, [...(steps.get(key) ?? []), entry]);
  }
  const [first = [], ...later] = [...steps.values()];
  const isFirst = first.every(({ original, documentEffect }) => original === null && documentEffect !== 'RETURN');
  const date = first[0]?.date ?? '';
  const isApart = (step: readonly NaiveEntry[]): boolean =>
    !isFirst ||
    (step[0]?.date ?? '') < date ||
    (net(first) === 0n && first[0]?.sale !== null) ||
    (step.some(({ documentEffect }) => documentEffect === 'RETURN') && net(step) > 0n);
  const joined = later.filter((step) => !isApart(step));
  return [
    { date, left: net([...first, ...joined.flat()]) },
    ...later.filter(isApart).map((step) => ({ date: step[0]?.date ?? '', left: net(step) })),
  ];
}
