import { EmbeddedEventStore } from '../src/adapters/embedded/event-store.js';
import { catalogue } from '../src/catalogue.js';
import type { Recorded } from '../src/platform/event-catalogue.js';
import { nameUuid } from '../src/platform/name-uuid.js';
import type { EventReader, RecordedEvent } from '../src/ports/event-store.js';
import type { Clock } from '../src/ports/time.js';
import { History, type Tenant } from './b6-history.js';

const SPACE = '0199d3a0-0000-7000-8000-00000000be7c';
const AT_ONCE = 2_000;

const idOf = (name: string): string => nameUuid(name, SPACE);

/** A tenant that nobody has made: only the events themselves speak of its accounts, branches and categories. */
const nobody: Tenant = {
  id: '0199d3a0-0000-7000-8000-000000000001',
  accounts: {
    sales: idOf('sales'),
    tax: idOf('tax'),
    adjustments: idOf('adjustments'),
    openingBalances: idOf('opening'),
  },
  money: ['cash', 'bank-1', 'bank-2'].map(idOf),
  expenses: ['rent', 'fuel'].map(idOf),
  branches: ['b-1', 'b-2', 'b-3'].map(idOf),
  categories: ['c-1', 'c-2', 'c-3', 'c-4'].map(idOf),
};

export type Filling = { readonly events: number; readonly seed: number; readonly tenant?: Tenant };

/** Appends so many events of one tenant's ledger and customers to an embedded store; answers how many a second. */
export async function fillHistory(directory: string, filling: Filling, clock: Clock): Promise<number> {
  const { events, seed, tenant = nobody } = filling;
  const store = EmbeddedEventStore.open({ directory, clock });
  const scale = { seed, customers: Math.ceil(events / 10), transactions: events * 2 };
  const startedMs = performance.now();
  let inFlight: Promise<unknown>[] = [];
  let count = 0;
  for (const { stream, id, type, data, metadata } of new History(tenant, scale, 0).events()) {
    inFlight.push(store.append({ stream, expected: 'any', events: [{ id, type, data, metadata }] }));
    count += 1;
    if (inFlight.length === AT_ONCE) {
      await Promise.all(inFlight);
      inFlight = [];
    }
    if (count === events) break;
  }
  await Promise.all(inFlight);
  await store.close();
  return Math.round(count / ((performance.now() - startedMs) / 1_000));
}

/** Everything of the service's own streams up to a position, in batches, each with the position that it ends at. */
export async function readHistory(
  events: EventReader,
  { upTo, batch = 200 }: { readonly upTo: number; readonly batch?: number },
  each: (events: readonly RecordedEvent[], position: number) => Promise<void> | void,
): Promise<void> {
  const filter = { on: 'stream', prefixes: catalogue.streamPrefixes } as const;
  for await (const { events: some, position, caughtUp } of events.subscribeToAll({
    ...{ after: -1, filter, maxBatchSize: batch },
  })) {
    const due = some.filter((event) => event.position <= upTo);
    await each(due, Math.min(position, upTo));
    if (position >= upTo || caughtUp) break;
  }
}

export const decoded = (events: readonly RecordedEvent[]): Recorded[] => events.map((event) => catalogue.decode(event));
