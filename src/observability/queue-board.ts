import type { Cache } from '../ports/cache.js';
import type { Logger } from '../ports/log.js';
import type { Clock } from '../ports/time.js';
import { withTimeout } from '../eventsourcing/with-timeout.js';
import { ALL_RANGES, RANGES } from '../eventsourcing/ranges.js';
import { QueueHistory, type QueueSample, type SampleStore } from './queue-history.js';
import type { QueueKind, QueueReading } from './queue-meters.js';

/** A queue's state, as displayed to operators. Null means unknown. */
export type QueueState = Pick<
  QueueReading,
  'name' | 'kind' | 'inFlight' | 'failures' | 'perMinute' | 'lastProcessedAt'
> & {
  readonly position: number | null;
  /** Position of the service's last event; the same for all queues. */
  readonly head: number | null;
  /**
   * 0 if the queue has no outstanding events, otherwise head − position. With the embedded engine, the difference is an
   * upper bound on the number of outstanding events. With EventStoreDB, the difference is a number of bytes in the
   * server's log. If the queue's leader does not report, the value is an upper bound.
   */
  readonly lag: number | null;
};

export type BoardParts = {
  /** All queues of the service, including those led by other processes. */
  readonly queues: readonly { readonly name: string; readonly kind: QueueKind }[];
  /** Readings of this process's queues. */
  readonly readings: () => readonly QueueReading[];
  /** Returns a projection's position as known to this process or, for any other queue, its checkpoint. */
  readonly positionOf: (name: string, kind: QueueKind) => Promise<number>;
  readonly head: () => Promise<number>;
  /** Cache in which replicas share their readings; undefined if they share none. */
  readonly shared: Cache | undefined;
  readonly samples: SampleStore;
  readonly clock: Clock;
  readonly logger: Logger;
};

const SHARE_EVERY_MS = 2_000;
/**
 * Lifetime of shared readings. It covers several sharing intervals, but is short enough for the readings to be
 * displayed as current.
 */
const SHARED_FOR_MS = 10_000;
const DIVIDED_KINDS: readonly QueueKind[] = ['projection', 'policy', 'forwarder'];
const ANSWER_WITHIN_MS = 2_000;

type Found = { readonly name: string; readonly kind: QueueKind; readonly reading: QueueReading | undefined };
const NOT_REPORTED = { isIdle: false, inFlight: 0, failures: 0, perMinute: 0, lastProcessedAt: null };

/**
 * Returns the cache key for shared readings. A replica that leads ranges shares the readings of all queues of the same
 * kind under the first range that it leads. Every other queue has a separate key.
 */
const keyOf = ({ name, kind, ranges }: Pick<QueueReading, 'name' | 'kind' | 'ranges'>): string =>
  ranges ? `queues:${kind}#${String(ranges[0] ?? 0)}` : `queues:${name}`;

/**
 * Provides the state of all the service's queues in any process. A queue's leader reports the state directly or through
 * the shared cache. Without such a report, only the queue's checkpoint is known.
 */
export class QueueBoard {
  private readonly stopping = new AbortController();
  private running: Promise<void> = Promise.resolve();
  private readonly past: QueueHistory;

  constructor(private readonly parts: BoardParts) {
    const { samples: store, clock, logger } = parts;
    this.past = new QueueHistory({ list: () => this.list(), store, clock, logger });
  }

  /** Starts keeping samples and, if replicas share a cache, sharing this process's readings. */
  start(): void {
    const { shared } = this.parts;
    this.past.start();
    if (shared) this.running = this.share(shared);
  }

  /** Returns samples of the last 24 hours, oldest first. */
  history(): readonly QueueSample[] {
    return this.past.list();
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await Promise.all([this.running, this.past.stop()]);
  }

  /** Returns all queues in their declared order. Never rejects, and resolves within seconds. */
  async list(): Promise<QueueState[]> {
    const { queues, shared } = this.parts;
    const here = this.parts.readings();
    const parts = shared ? await this.sharedParts(shared, here) : [];
    const readingOf = async (name: string) => {
      const known = newest([...here, ...parts].filter((reading) => reading.name === name));
      return known.length > 0 ? combined(known) : shared && (await this.inTime(() => read(shared, name)))?.[0];
    };
    const [head, ...states] = await Promise.all([
      this.inTime(() => this.parts.head()),
      ...queues.map(async ({ name, kind }) => ({ name, kind, reading: await readingOf(name) })),
    ]);
    return Promise.all(states.map((state) => this.stateOf(state, head)));
  }

  /** Returns other replicas' readings for the ranges that this process does not lead. */
  private async sharedParts(cache: Cache, here: readonly QueueReading[]): Promise<readonly QueueReading[]> {
    const own = new Set(here.map(keyOf));
    const keys = DIVIDED_KINDS.flatMap((kind) => ALL_RANGES.map((range) => keyOf({ name: '', kind, ranges: [range] })));
    const found = await Promise.all(
      keys.filter((key) => !own.has(key)).map((key) => this.inTime(() => readKey(cache, key))),
    );
    return found.flatMap((readings) => readings ?? []);
  }

  private async stateOf(queue: Found, head: number | undefined): Promise<QueueState> {
    const position = await this.positionOf(queue);
    const { isIdle, inFlight, failures, perMinute, lastProcessedAt } = queue.reading ?? NOT_REPORTED;
    const lag = position === undefined || head === undefined ? null : lagOf({ position, isIdle }, head);
    const figures = { inFlight, failures, perMinute, lastProcessedAt };
    return { name: queue.name, kind: queue.kind, position: position ?? null, head: head ?? null, lag, ...figures };
  }

  /**
   * Returns the position of a queue. Readings from the worker thread are up to a second old, and a projection's
   * progress since then must not count as lag.
   */
  private async positionOf({ name, kind, reading }: Found): Promise<number | undefined> {
    const isWhole = !reading?.ranges || reading.ranges.length >= RANGES;
    if (reading && kind !== 'projection' && isWhole) return reading.position;
    const known = await this.inTime(() => this.parts.positionOf(name, kind));
    if (!reading) return known;
    // Ranges without a reading may be further behind than ranges with one.
    return isWhole ? Math.max(reading.position, known ?? -1) : (known ?? reading.position);
  }

  private inTime<T>(work: () => Promise<T>): Promise<T | undefined> {
    return withTimeout(this.parts.clock, ANSWER_WITHIN_MS, work);
  }

  private async share(cache: Cache): Promise<void> {
    const { clock, logger } = this.parts;
    let before: readonly string[] = [];
    while (!this.stopping.signal.aborted) {
      const readings = new Map<string, QueueReading[]>();
      for (const reading of this.parts.readings()) {
        const key = keyOf(reading);
        readings.set(key, [...(readings.get(key) ?? []), reading]);
      }
      try {
        await Promise.all([...readings].map(([key, some]) => cache.set(key, JSON.stringify(some), SHARED_FOR_MS)));
        // When this process's ranges change, its previous readings are cleared. Otherwise, they would be counted twice.
        const outdated = before.filter((key) => key.includes('#') && !readings.has(key));
        await Promise.all(outdated.map((key) => cache.set(key, '[]', 1)));
        before = [...readings.keys()];
      } catch (error) {
        logger.warn({ err: error }, 'the state of the queues could not be shared with other replicas');
      }
      await clock.sleep(SHARE_EVERY_MS, this.stopping.signal);
    }
  }
}

const read = (cache: Cache, name: string): Promise<readonly QueueReading[]> => readKey(cache, `queues:${name}`);

async function readKey(cache: Cache, key: string): Promise<readonly QueueReading[]> {
  const text = await cache.get(key);
  return text === undefined ? [] : [JSON.parse(text) as QueueReading | QueueReading[]].flat();
}

/**
 * Returns the newest reading of each range. After a replica is killed, its last readings remain in the cache for some
 * seconds, although other replicas have taken over its ranges.
 */
function newest(readings: readonly QueueReading[]): readonly QueueReading[] {
  const covered = new Set<number>();
  const kept: QueueReading[] = [];
  for (const reading of readings.toSorted((a, b) => (b.readAtMs ?? 0) - (a.readAtMs ?? 0))) {
    const ranges = reading.ranges?.filter((range) => !covered.has(range));
    if (ranges?.length === 0) continue;
    for (const range of ranges ?? []) covered.add(range);
    kept.push(ranges ? { ...reading, ranges } : reading);
  }
  return kept;
}

/** Combines the readings from all replicas that work on a queue. */
function combined(readings: readonly QueueReading[]): QueueReading {
  const [first] = readings as [QueueReading];
  if (readings.length === 1) return first;
  const sum = (of: (reading: QueueReading) => number): number => readings.reduce((all, one) => all + of(one), 0);
  const times = readings.flatMap(({ lastProcessedAt }) => lastProcessedAt ?? []).toSorted();
  return {
    ...{ name: first.name, kind: first.kind },
    position: Math.min(...readings.map(({ position }) => position)),
    isIdle: readings.every(({ isIdle }) => isIdle),
    inFlight: sum(({ inFlight }) => inFlight),
    handled: sum(({ handled }) => handled),
    failures: sum(({ failures }) => failures),
    perMinute: sum(({ perMinute }) => perMinute),
    lastProcessedAt: times.at(-1) ?? null,
    ranges: readings.flatMap(({ ranges = [] }) => [...ranges]),
  };
}

/**
 * Returns the lag behind a head, in positions. The result is never negative, although the head may have been read
 * before the position. With EventStoreDB, a checkpoint may also be beyond the service's last event.
 */
export const lagOf = ({ position, isIdle }: Pick<QueueReading, 'position' | 'isIdle'>, head: number): number =>
  isIdle ? 0 : Math.max(0, head - position);
