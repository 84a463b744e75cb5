import type { Cache } from '../ports/cache.js';
import type { Logger } from '../ports/log.js';
import type { Clock } from '../ports/time.js';
import { inTime } from './in-time.js';
import type { QueueKind, QueueReading } from './queue-meters.js';

/** A queue as operators see it. Null is what nobody could tell. */
export type QueueState = {
  readonly name: string;
  readonly kind: QueueKind;
  readonly position: number | null;
  /** Of the service's last event; the same for all queues. */
  readonly head: number | null;
  /**
   * 0 where nothing that concerns the queue is outstanding, else head − position: on the embedded engine at most so many
   * events, on EventStoreDB bytes of its log. At most that where the queue's leader could not be asked.
   */
  readonly lag: number | null;
  readonly inFlight: number;
  readonly failures: number;
  readonly perMinute: number;
  readonly lastProcessedAt: string | null;
};

/** What the board looks at and writes to. */
export type BoardParts = {
  /** Every queue of the service, whoever works on it. */
  readonly queues: readonly { readonly name: string; readonly kind: QueueKind }[];
  /** Of the queues of this process. */
  readonly readings: () => readonly QueueReading[];
  /** How far a queue is known to be by its checkpoint. */
  readonly positionOf: (name: string, kind: QueueKind) => Promise<number>;
  readonly head: () => Promise<number>;
  /** Where replicas leave word for each other; undefined where they share no cache. */
  readonly shared: Cache | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
};

const SHARE_EVERY_MS = 2_000;
/** Longer than several rounds, shorter than anybody would take for the present. */
const SHARED_FOR_MS = 10_000;
const ANSWER_WITHIN_MS = 2_000;

const keyOf = (name: string): string => `queues:${name}`;

/**
 * How all queues of the service are doing, whichever process is asked: a queue's leader tells by itself, or through the
 * shared cache; of a queue whose leader cannot be asked its checkpoint is known, and no rate.
 */
export class QueueBoard {
  private readonly stopping = new AbortController();
  private running: Promise<void> = Promise.resolve();

  constructor(private readonly parts: BoardParts) {}

  /** Begins to tell others of this process's queues, where there is a way to. */
  start(): void {
    if (this.parts.shared) this.running = this.share(this.parts.shared);
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }

  /** Of the queues that this process works on. */
  readings(): readonly QueueReading[] {
    return this.parts.readings();
  }

  /** All queues, in the order in which they were named. Never fails, and answers within some seconds. */
  async list(): Promise<QueueState[]> {
    const { queues, shared } = this.parts;
    const here = new Map(this.parts.readings().map((reading) => [reading.name, reading]));
    const [head, ...readings] = await Promise.all([
      this.inTime(() => this.parts.head()),
      ...queues.map(({ name }) => here.get(name) ?? (shared && this.inTime(() => read(shared, name)))),
    ]);
    return Promise.all(
      queues.map(async ({ name, kind }, index) => {
        const reading = readings[index];
        if (reading) return stateOf(reading, head);
        return unled(name, kind, await this.inTime(() => this.parts.positionOf(name, kind)), head);
      }),
    );
  }

  private inTime<T>(work: () => Promise<T>): Promise<T | undefined> {
    return inTime(this.parts.clock, ANSWER_WITHIN_MS, work);
  }

  private async share(cache: Cache): Promise<void> {
    const { clock, logger } = this.parts;
    while (!this.stopping.signal.aborted) {
      try {
        const readings = this.parts.readings();
        await Promise.all(
          readings.map((reading) => cache.set(keyOf(reading.name), JSON.stringify(reading), SHARED_FOR_MS)),
        );
      } catch (error) {
        logger.warn({ err: error }, 'others could not be told of the queues');
      }
      await clock.sleep(SHARE_EVERY_MS, this.stopping.signal);
    }
  }
}

async function read(cache: Cache, name: string): Promise<QueueReading | undefined> {
  const text = await cache.get(keyOf(name));
  return text === undefined ? undefined : (JSON.parse(text) as QueueReading);
}

/** How far a queue is behind a head, in positions. */
export const lagOf = ({ position, isIdle }: Pick<QueueReading, 'position' | 'isIdle'>, head: number): number =>
  isIdle ? 0 : Math.max(0, head - position);

function stateOf(reading: QueueReading, head: number | undefined): QueueState {
  const { name, kind, position, inFlight, failures, perMinute, lastProcessedAt } = reading;
  const lag = head === undefined ? null : lagOf(reading, head);
  return { name, kind, position, head: head ?? null, lag, inFlight, failures, perMinute, lastProcessedAt };
}

function unled(name: string, kind: QueueKind, position: number | undefined, head: number | undefined): QueueState {
  const lag = position === undefined || head === undefined ? null : lagOf({ position, isIdle: false }, head);
  const unknown = { inFlight: 0, failures: 0, perMinute: 0, lastProcessedAt: null };
  return { name, kind, position: position ?? null, head: head ?? null, lag, ...unknown };
}
