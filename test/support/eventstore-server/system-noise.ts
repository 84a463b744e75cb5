import { randomUUID } from 'node:crypto';
import type { EventToAppend } from '../../../src/ports/event-store.js';
import { wrapBytes } from './event-codec.js';
import type { History } from './history.js';
import type { ServerLog } from './server-log.js';

/**
 * Appends events that EventStoreDB writes itself, alternating between node statistics and links written by its system
 * projections.
 */
export async function appendNoise(store: ServerLog, count: number): Promise<void> {
  for (let n = 0; n < count; n += 1) {
    const link = n % 2 === 1;
    const stream = link ? '$ce-noise' : '$stats-127.0.0.1:2113';
    await store.append({ stream, expected: 'any', events: [link ? linkEvent(n) : statistics(n)] });
  }
}

const statistics = (n: number): EventToAppend => ({
  id: randomUUID(),
  type: '$statsCollected',
  data: { 'proc-cpu': n },
  metadata: {},
});

/** Creates a link, which is not JSON. It contains the revision and the stream of another event. */
const linkEvent = (n: number): EventToAppend => ({
  id: randomUUID(),
  type: '$>',
  data: wrapBytes(Buffer.from(`${n}@noise-source`), 'application/octet-stream'),
  metadata: {},
});

const STATISTICS_EVERY_MS = 30_000;

const systemEvent = (type: string, data: object): EventToAppend => ({ id: randomUUID(), type, data, metadata: {} });

/** Initial contents of a new EventStoreDB: its epoch, its users, and its scavenge index. */
const FIRST: readonly (readonly [stream: string, ...events: readonly (readonly [type: string, data: object])[]])[] = [
  ['$epoch-information', ['$EpochInformation', { epochNumber: 0 }]],
  ['$user-admin', ['$UserCreated', { loginName: 'admin', groups: ['$admins'] }]],
  ['$users', ['$User', { loginName: 'admin' }], ['$User', { loginName: 'ops' }]],
  ['$user-ops', ['$UserCreated', { loginName: 'ops', groups: ['$ops'] }]],
  ['$scavenges', ['$scavengeIndexInitialized', {}]],
];

/** Writes the server's system events: initial events in a new history, and periodic node statistics. */
export class SystemEvents {
  readonly #store: ServerLog;
  readonly #timer: NodeJS.Timeout;
  #writing: Promise<unknown> = Promise.resolve();

  private constructor(store: ServerLog) {
    this.#store = store;
    this.#timer = setInterval(() => {
      this.#writing = appendNoise(this.#store, 1).catch(() => undefined);
    }, STATISTICS_EVERY_MS).unref();
  }

  static async start({ store, log }: History): Promise<SystemEvents> {
    if (log.last() < 0)
      for (const [stream, ...events] of FIRST)
        await store.append({ stream, expected: 'any', events: events.map((event) => systemEvent(...event)) });
    return new SystemEvents(store);
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#writing;
  }
}
