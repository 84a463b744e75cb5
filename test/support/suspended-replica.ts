// A replica that stops at a certain point in its work, and the traces that it may leave behind when it continues.
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import { SystemClock } from '../../src/adapters/system-time.js';
import { catalogue } from '../../src/app/catalogue.js';
import { openEventReader } from '../../src/app/stores.js';
import type { CloudEvent } from '../../src/integration/contracts-fields.js';
import { BEFORE_ALL } from '../../src/ports/event-store.js';
import { silentLogger } from '../../src/ports/log.js';
import { eventsAfter } from '../../src/eventsourcing/stream-events.js';
import { rangeOf } from '../../src/eventsourcing/ranges.js';
import { ROOT, tenantIdOf, until, type Books, type KontorProcess } from '../e2e/kontor-process.js';
import { isDividedEvenly } from './divided-work.js';
import type { Servers } from './servers.js';
import type { StoredMessage } from './stored-messages.js';

/** A program for KontorProcess. stop-points.mjs describes its settings. */
export const SUSPENDABLE = [
  process.execPath,
  '--import',
  join(ROOT, 'test/support/stop-points.mjs'),
  join(ROOT, 'dist/modules/main.js'),
];
/** The separate modules load more slowly than the bundle. */
export const READY_WITHIN_MS = 60_000;
export const LED_WITHIN_MS = 15_000;
export const EVEN_WITHIN_MS = 30_000;

export const holds = (condition: () => boolean, withinMs: number): Promise<boolean> =>
  until(() => Promise.resolve(condition()), Boolean, withinMs);

/**
 * Whether the replica leads a tenant's policies. After a period without changes, it also leads the tenant's other work.
 */
export const leads = (replica: KontorProcess, books: Books): boolean =>
  replica.ranges()['policies']?.includes(rangeOf(tenantIdOf(books))) ?? false;

/** Returns all checkpoints in MongoDB, by name and part. */
async function checkpointsIn(client: MongoClient): Promise<Map<string, number>> {
  const stored = client
    .db()
    .collection<{ _id: string; position?: number; parts?: Record<string, number> }>('kontor_checkpoints');
  const found = new Map<string, number>();
  for await (const { _id, position, parts = {} } of stored.find())
    for (const [part, value] of Object.entries({ '': position ?? -1, ...parts })) found.set(_id + part, value);
  return found;
}

/**
 * Continues a suspended replica and waits until all replicas lead equal shares again. Returns the number of
 * checkpoints, and the names of those that decreased.
 */
export async function continueAmong(
  suspended: KontorProcess,
  replicas: readonly KontorProcess[],
  servers: Servers,
): Promise<{ readonly checkpoints: number; readonly lowered: readonly string[] }> {
  const client = new MongoClient(servers.mongo.url);
  try {
    const checkpoints = await checkpointsIn(client);
    const lowered = new Set<string>();
    const look = async (): Promise<boolean> => {
      const now = await checkpointsIn(client);
      for (const [name, position] of checkpoints) if ((now.get(name) ?? -1) < position) lowered.add(name);
      return isDividedEvenly(replicas);
    };
    suspended.send('SIGCONT');
    await until(look, Boolean, EVEN_WITHIN_MS);
    return { checkpoints: checkpoints.size, lowered: [...lowered] };
  } finally {
    await client.close();
  }
}

/** Returns the messages that have the same id as an earlier message. */
export const repeatedIn = (messages: readonly StoredMessage[]): string[] =>
  messages
    .filter(({ id }, at) => messages.findIndex((other) => other.id === id) < at)
    .map(({ subject, sequence }) => `${subject} ${sequence}`);

export const eventIn = ({ payload }: StoredMessage): CloudEvent => JSON.parse(payload) as CloudEvent;

/** Returns the messages whose sequence is not greater than that of the preceding message about the same record. */
export function outOfOrder(events: readonly Pick<CloudEvent, 'type' | 'subject' | 'sequence'>[]): string[] {
  const last = new Map<string, number>();
  return events.flatMap(({ subject, type, sequence }) => {
    const isNext = Number(sequence) > (last.get(subject) ?? -1);
    last.set(subject, Number(sequence));
    return isNext ? [] : [`${type} of ${subject}`];
  });
}

/** Returns a tenant's audited events, in order. */
export async function domainEventsOf(tenantId: string, { eventStore }: Servers, directory: string): Promise<string[]> {
  const parts = { clock: new SystemClock(), logger: silentLogger };
  const none = { mongoDbUrl: undefined, natsUrl: undefined, redisUrl: undefined };
  const { events } = await openEventReader({ directory, eventStoreUrl: eventStore.url, ...none }, parts);
  try {
    const found: string[] = [];
    const filter = { on: 'stream', prefixes: catalogue.streamPrefixes } as const;
    for await (const { stream, revision, type } of eventsAfter(events, BEFORE_ALL, filter))
      if (stream.includes(tenantId) && catalogue.types.get(type)?.audit !== null)
        found.push(`${stream} ${revision} ${type}`);
    return found;
  } finally {
    await events.close();
  }
}
