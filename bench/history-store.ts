import { existsSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { EmbeddedEventStore } from '../src/adapters/embedded/event-store.js';
import { catalogue } from '../src/app/catalogue.js';
import type { Recorded } from '../src/eventsourcing/event-catalogue.js';
import { nameUuid } from '../src/eventsourcing/name-uuid.js';
import type { Append, EventReader, RecordedEvent } from '../src/ports/event-store.js';
import type { Clock } from '../src/ports/time.js';
import { RevisionCount } from '../test/support/append-next.js';
import { History, type Tenant } from './b6-history.js';
import { folder, options } from './options.js';

const SPACE = '0199d3a0-0000-7000-8000-00000000be7c';
const AT_ONCE = 2_000;

const idOf = (name: string): string => nameUuid(name, SPACE);

/** The tenant whose events `historyAlone` contains. */
export const TENANT_ALONE = '0199d3a0-0000-7000-8000-000000000001';
/** A fictitious tenant. Its accounts, branches and categories occur only in the events. */
const nobody: Tenant = {
  id: TENANT_ALONE,
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

/** Appends all events to an embedded store, with many concurrent appends. */
export async function appendAll(directory: string, appends: Iterable<Append>, clock: Clock): Promise<void> {
  const store = EmbeddedEventStore.open({ directory, clock });
  let inFlight: Promise<unknown>[] = [];
  for (const append of appends) {
    inFlight.push(store.append(append));
    if (inFlight.length === AT_ONCE) {
      await Promise.all(inFlight);
      inFlight = [];
    }
  }
  await Promise.all(inFlight);
  await store.close();
}

function* appendsOf({ events, seed, tenant = nobody }: Filling): Generator<Append> {
  const scale = { seed, customers: Math.ceil(events / 10), transactions: events * 2 };
  const revisions = new RevisionCount();
  let left = events;
  for (const { stream, id, type, data, metadata } of new History(tenant, scale, 0).events()) {
    yield revisions.next({ stream, events: [{ id, type, data, metadata }] });
    left -= 1;
    if (left === 0) return;
  }
}

/** Appends one tenant's ledger and customer events to an embedded store. Returns the number of events per second. */
export async function fillHistory(directory: string, filling: Filling, clock: Clock): Promise<number> {
  const startedMs = performance.now();
  await appendAll(directory, appendsOf(filling), clock);
  return Math.round(filling.events / ((performance.now() - startedMs) / 1_000));
}

/** Folder that contains only a history of this many events. If the folder exists, the history is complete. */
export async function historyAlone(events: number, clock: Clock): Promise<string> {
  const directory = join(folder, `history-alone-${events}`);
  if (existsSync(directory)) return directory;
  const unfinished = `${directory}.part`;
  await rm(unfinished, { recursive: true, force: true });
  await fillHistory(unfinished, { events, seed: options.seed }, clock);
  await rename(unfinished, directory);
  return directory;
}

/** Reads the service's own streams in batches, up to a position. Each batch contains its end position. */
export async function readHistory(
  events: EventReader,
  {
    upTo,
    batch = 200,
    textOnly = false,
  }: { readonly upTo: number; readonly batch?: number; readonly textOnly?: boolean },
  each: (events: readonly RecordedEvent[], position: number) => Promise<void> | void,
): Promise<void> {
  const filter = { on: 'stream', prefixes: catalogue.streamPrefixes } as const;
  for await (const { events: some, position, caughtUp } of events.subscribeToAll({
    ...{ after: -1, filter, maxBatchSize: batch, textOnly },
  })) {
    const due = some.filter((event) => event.position <= upTo);
    await each(due, Math.min(position, upTo));
    if (position >= upTo || caughtUp) break;
  }
}

export const decoded = (events: readonly RecordedEvent[]): Recorded[] => events.map((event) => catalogue.decode(event));
