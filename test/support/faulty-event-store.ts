import {
  AppendOutcomeUnknown,
  EventStoreUnavailable,
  type AllRead,
  type AllSubscription,
  type Append,
  type Appended,
  type EventBatch,
  type EventStore,
  type Position,
  type RecordedEvent,
  type StreamRead,
  type StreamSlice,
} from '../../src/ports/event-store.js';
import type { AppendPipeline, Pipelined } from '../../src/ports/append-pipeline.js';
import type { EngineFacts } from '../../src/ports/engine.js';

/** An append paused before it is stored. `reached` resolves when the append arrives. `resume` lets it continue. */
export type Pause = { readonly reached: Promise<void>; readonly resume: () => void };

type Waiting = { readonly concerns: (stream: string) => boolean; readonly act: () => Promise<void> };

/**
 * A real event store behind an unreliable connection. A test can lose responses, delay appends, and make the engine
 * unavailable.
 */
export class FaultyEventStore implements EventStore, Pipelined {
  /** While true, every call is rejected. */
  away = false;
  /** Number of appends before the store becomes permanently unavailable. */
  appendsUntilAway = Number.POSITIVE_INFINITY;
  /** Number of upcoming appends that are stored, but whose responses are lost. */
  answersToLose = 0;
  /** Number of upcoming appends that are lost before they are stored. To the caller, the outcome is unknown. */
  appendsToLose = 0;
  /** Every append received, including lost appends. */
  readonly appends: Append[] = [];
  readonly streamReads: (StreamRead & { readonly stream: string })[] = [];
  /** Start positions of the subscriptions, in the order in which the subscriptions were opened. */
  readonly subscribedAfter: Position[] = [];
  /** Number of open subscriptions. */
  subscriptions = 0;
  /** Number of batches to deliver before a subscription breaks. */
  batchesUntilBreak = Number.POSITIVE_INFINITY;
  /** Number of engine records after the last event that the `nth` subscription has already passed. */
  recordsAtEnd: (nth: number) => number = () => 0;
  private waiting: Waiting[] = [];

  readonly hasLocalReads: boolean;
  /** Undefined, so that every read reaches this store. */
  revisionOf?(stream: string): number | undefined;

  constructor(readonly inner: EventStore & Partial<Pipelined>) {
    this.hasLocalReads = inner.hasLocalReads === true;
  }

  /** Pauses the next append to a stream whose name starts with `prefix`, before it is stored. */
  pauseAppendTo(prefix: string): Pause {
    let resume: () => void = () => undefined;
    const resumed = new Promise<void>((resolve) => (resume = resolve));
    const reached = new Promise<void>((arrived) => {
      this.waiting.push({
        concerns: (stream) => stream.startsWith(prefix),
        act: () => {
          arrived();
          return resumed;
        },
      });
    });
    return { reached, resume };
  }

  /** Runs `act` just before the next append to a stream whose name starts with `prefix` is stored. */
  beforeAppendTo(prefix: string, act: () => Promise<unknown>): void {
    this.waiting.push({
      concerns: (stream) => stream.startsWith(prefix),
      act: async () => {
        await act();
      },
    });
  }

  async append(append: Append): Promise<Appended> {
    const [appended] = await this.appending([append], async () => [await this.inner.append(append)]);
    return appended as Appended;
  }

  appendInOrder(appends: readonly Append[]): Promise<Appended[]> {
    return this.appending(appends, () => this.inner.appendInOrder(appends));
  }

  pipeline(): AppendPipeline {
    const inner = this.inner.pipeline?.();
    if (!inner) throw new Error('The store has no pipelines');
    return {
      append: async (append) => {
        const [appended] = await this.appending([append], async () => [await inner.append(append)]);
        return appended as Appended;
      },
    };
  }

  async readStream(stream: string, read?: StreamRead): Promise<StreamSlice> {
    this.refuseWhileAway();
    this.streamReads.push({ ...read, stream });
    return this.inner.readStream(stream, read);
  }

  async readAll(read?: AllRead): Promise<readonly RecordedEvent[]> {
    this.refuseWhileAway();
    return this.inner.readAll(read);
  }

  async *subscribeToAll(subscription: AllSubscription): AsyncIterable<EventBatch> {
    this.refuseWhileAway();
    const nth = this.subscribedAfter.push(subscription.after);
    this.subscriptions += 1;
    try {
      for await (const batch of this.inner.subscribeToAll(subscription)) {
        this.refuseWhileAway();
        this.batchesUntilBreak -= 1;
        if (this.batchesUntilBreak < 0) {
          this.batchesUntilBreak = Number.POSITIVE_INFINITY;
          throw new EventStoreUnavailable('The subscription broke off');
        }
        yield batch.caughtUp ? { ...batch, position: batch.position + this.recordsAtEnd(nth) } : batch;
      }
    } finally {
      this.subscriptions -= 1;
    }
  }

  async head(): Promise<Position> {
    this.refuseWhileAway();
    return this.inner.head();
  }

  async facts(): Promise<EngineFacts> {
    this.refuseWhileAway();
    return this.inner.facts();
  }

  close(): Promise<void> {
    return this.inner.close();
  }

  private async appending(appends: readonly Append[], store: () => Promise<Appended[]>): Promise<Appended[]> {
    this.appends.push(...appends);
    for (const { stream } of appends) {
      const next = this.waiting.find(({ concerns }) => concerns(stream));
      this.waiting = this.waiting.filter((other) => other !== next);
      await next?.act();
    }
    this.appendsUntilAway -= appends.length;
    this.away ||= this.appendsUntilAway < 0;
    this.refuseWhileAway();
    const stream = appends[0]?.stream ?? '';
    if (this.appendsToLose > 0) {
      this.appendsToLose -= 1;
      throw new AppendOutcomeUnknown(stream, new Error('The line broke before the append'));
    }
    const appended = await store();
    if (this.answersToLose === 0) return appended;
    this.answersToLose -= 1;
    throw new AppendOutcomeUnknown(stream, new Error('The line broke before the answer'));
  }

  private refuseWhileAway(): void {
    if (this.away) throw new EventStoreUnavailable('The event store is unavailable');
  }
}
