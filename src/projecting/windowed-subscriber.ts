import { setMaxListeners } from 'node:events';
import { BEFORE_ALL, type EventFilter, type EventReader, type RecordedEvent } from '../ports/event-store.js';
import { sleepUntilNext, type Clock } from '../ports/time.js';
import type { EventCatalogue, Recorded } from '../eventsourcing/event-catalogue.js';
import { KeyedQueue } from '../eventsourcing/keyed-queue.js';
import { retryForever } from '../eventsourcing/retry-forever.js';
import type { QueueMeter } from '../observability/queue-meters.js';
import type { Logger } from '../ports/log.js';
import type { Checkpoints } from './checkpoints.js';
import { Complaints } from './complaints.js';
import type { LedPortion } from './range-leadership.js';
import { narrowedTo, rangeOfStream } from '../eventsourcing/ranges.js';

/** Filter, handler and error policy of a subscriber. */
export type WindowedOptions = {
  readonly name: string;
  readonly filter: EventFilter;
  /**
   * Handles one event. Events in one stream are handled in order, and events in different streams concurrently. A
   * long-running handler throws the signal's reason when the subscriber stops, and its event then remains open.
   */
  readonly handle: (event: Recorded, stopping: AbortSignal) => Promise<void>;
  /** Whether an event needs no handling. Such an event counts as handled. */
  readonly isSettled?: (event: RecordedEvent) => boolean;
  /** Returns a second stream in which the event must also be handled in order. */
  readonly alsoIn?: (event: RecordedEvent) => string | undefined;
  /** Whether a retry may succeed, for example because an engine is down. The event is then retried indefinitely. */
  readonly isTransient: (error: unknown, event: RecordedEvent) => boolean;
  /** Durably parks an event that cannot be handled, so that the checkpoint may pass it. */
  readonly park: (event: RecordedEvent, error: unknown) => Promise<void>;
  readonly maxInFlight?: number;
  /** Portion of the history to handle. Default: the whole history. */
  readonly portion?: LedPortion;
  /** Whether an event concerns every portion. */
  readonly isControl?: (event: RecordedEvent) => boolean;
  /** Counts in-flight events, handled events and failures. */
  readonly meter?: QueueMeter;
  /** Delays the next event until the promise, if any, resolves. A subscriber that stops does not wait for it. */
  readonly pace?: (event: RecordedEvent) => Promise<void> | undefined;
};

/** The error for which an event is parked. */
type Failure = { readonly error: unknown };

const MAX_PAUSE_MS = 2_000;
const CHECKPOINT_EVERY_MS = 200;
/** Interval between checkpoints of a divided history, while events keep arriving and for events in other portions. */
const BUSY_CHECKPOINT_EVERY_MS = 1_000;
const FRESH_EVERY_MS = 50;

/**
 * Handles each event in a subscription at least once, with many events in flight. The checkpoint never passes an event
 * that is neither handled nor parked, so a crash causes at most the in-flight events to be repeated.
 */
export class WindowedSubscriber {
  private readonly stopping = new AbortController();
  private readonly queue = new KeyedQueue();
  /** Open events in delivery order, each with the position that the store reported before delivering it. */
  private readonly open = new Map<number, number>();
  private delivered = -1;
  private saved = -1;
  private savedAtMs = Number.NEGATIVE_INFINITY;
  /** Whether the last attempt to save the checkpoint failed. */
  private isFailing = false;
  /** Highest position of a handled event. */
  private handledTo = -1;
  /** The delivered position when a checkpoint was last considered. */
  private deliveredBefore = -1;
  private room: (() => void) | undefined;
  /** Ends the delay of the next event. */
  private hurry: (() => void) | undefined;
  /** Positions that the portion's ranges had reached at the start. Events up to these positions are skipped. */
  private ahead: ReadonlyMap<number, number> = new Map();
  private running: Promise<void> | undefined;
  private readonly complaints: Complaints;

  constructor(
    private readonly store: EventReader,
    private readonly catalogue: EventCatalogue,
    private readonly checkpoints: Checkpoints,
    private readonly clock: Clock,
    private readonly logger: Logger,
    private readonly options: WindowedOptions,
  ) {
    this.complaints = new Complaints(clock);
  }

  get name(): string {
    return this.options.name;
  }

  /**
   * Every event up to and including this position has been handled or parked. This is always a position that the store
   * has reported, because other positions may not exist.
   */
  get position(): number {
    const first = this.open.values().next();
    return first.done ? this.delivered : first.value;
  }

  get inFlight(): number {
    return this.open.size;
  }

  async start(): Promise<void> {
    // Every event that is waiting for a retry adds an abort listener, up to `maxInFlight` in total.
    setMaxListeners(0, this.stopping.signal);
    this.delivered = this.saved = await this.loadPosition();
    this.options.meter?.begin(this.delivered);
    this.running = Promise.all([this.consume(), this.keepCheckpoint()]).then(() => undefined);
  }

  private async loadPosition(): Promise<number> {
    const ranges = this.options.portion?.ranges;
    if (!ranges) return this.checkpoints.load(this.name);
    const positions = await this.checkpoints.loadRanges(this.name, ranges);
    this.ahead = new Map(ranges.map((range, at) => [range, positions[at] ?? BEFORE_ALL]));
    return Math.min(...positions);
  }

  /** Whether this subscriber must handle an event and has not already done so. */
  private isMeant(event: RecordedEvent): boolean {
    const { portion, isControl } = this.options;
    if (!portion?.ranges || isControl?.(event)) return true;
    const ahead = this.ahead.get(rangeOfStream(event.stream));
    return ahead !== undefined && event.position > ahead;
  }

  /** Waits for in-flight events, abandons those that are waiting for a retry, and saves the checkpoint. */
  async stop(): Promise<void> {
    this.stopping.abort();
    this.room?.();
    this.hurry?.();
    await this.running;
    this.options.meter?.end();
    await this.save();
  }

  private get filter(): EventFilter {
    const { filter, portion } = this.options;
    return { ...filter, ...narrowedTo(portion?.ranges) };
  }

  private async consume(): Promise<void> {
    const { signal } = this.stopping;
    const attempt = async (gotOn: () => void): Promise<void> => {
      const subscription = { after: this.delivered, filter: this.filter, signal };
      for await (const batch of this.store.subscribeToAll(subscription)) {
        // The queue must not be reported as empty until the whole batch is in flight.
        if (batch.events.length > 0) this.options.meter?.markUnknown();
        const open = batch.events.filter((event) => this.isMeant(event) && !this.options.isSettled?.(event));
        if (!(await this.begin(open))) return;
        this.delivered = Math.max(this.delivered, batch.position);
        this.options.meter?.handled(batch.events.length - open.length, this.position, this.open.size);
        this.options.meter?.reached(this.position, batch.caughtUp);
        gotOn();
      }
      if (!this.isStopping()) throw new Error('the subscription ended');
    };
    const complain = (error: unknown): void => {
      this.logger.error({ err: error, subscriber: this.name }, 'the subscription failed; reopening it');
    };
    await retryForever(this.clock, signal, attempt, complain, { failed: () => this.options.meter?.markUnknown() });
    await this.queue.idle();
  }

  /** Starts handling each event when there is room for it and it is due. Returns false when the subscriber stops. */
  private async begin(events: readonly RecordedEvent[]): Promise<boolean> {
    for (const event of events) {
      // Awaits only if necessary, because every event passes through this loop.
      if (!this.hasRoom()) await this.roomFor(this.stopping.signal);
      if (this.isStopping()) return false;
      const delay = this.options.pace?.(event);
      if (delay) await this.waitFor(delay);
      if (this.isStopping()) return false;
      this.take(event);
    }
    return !this.isStopping();
  }

  /** Waits until a delay passes or the subscriber stops. @throws the delay's error */
  private async waitFor(delay: Promise<void>): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.hurry = resolve;
      delay.then(resolve, reject);
    });
  }

  private take(event: RecordedEvent): void {
    const { position, stream } = event;
    const also = this.options.alsoIn?.(event);
    this.open.set(position, this.delivered);
    this.delivered = position;
    this.options.meter?.took(this.open.size);
    void this.queue
      .run(stream, () => this.handle(event), also)
      .then((done) => {
        if (done) this.close(position);
      });
  }

  private close(position: number): void {
    this.open.delete(position);
    this.handledTo = Math.max(this.handledTo, position);
    this.options.meter?.handled(1, this.position, this.open.size);
    this.room?.();
  }

  /** Returns false if the event remains open because the subscriber is stopping. */
  private async handle(event: RecordedEvent): Promise<boolean> {
    const { signal } = this.stopping;
    let failure: Failure | undefined;
    for (let attempt = 0; !signal.aborted; attempt += 1) {
      try {
        if (this.options.portion && !(await this.becomesFresh())) return false;
        await this.act(event, failure);
        return true;
      } catch (error) {
        if (error === signal.reason) return false;
        this.options.meter?.failed();
        failure ??= this.permanent(error, event);
        if (!failure || attempt > 0) {
          this.complain(error, event);
          await this.clock.sleep(Math.min(MAX_PAUSE_MS, 50 * 2 ** attempt) * (0.5 + Math.random() / 2), signal);
        }
      }
    }
    return false;
  }

  private complain(error: unknown, { position }: RecordedEvent): void {
    if (!this.complaints.isDue(error)) return;
    this.logger.warn({ err: error, subscriber: this.name, position }, 'retrying an event');
  }

  private permanent(error: unknown, event: RecordedEvent): Failure | undefined {
    return this.options.isTransient(error, event) ? undefined : { error };
  }

  /**
   * A leader whose process was suspended may have been replaced, so it continues only after its next successful
   * heartbeat. Returns false when the subscriber stops.
   */
  private async becomesFresh(): Promise<boolean> {
    const { portion } = this.options;
    const { signal } = this.stopping;
    while (portion?.isFresh() === false && !signal.aborted) await this.clock.sleep(FRESH_EVERY_MS, signal);
    return !signal.aborted;
  }

  /** Handles an event, or parks it if it could not be handled. @throws errors from decoding the event */
  private act(event: RecordedEvent, failure: Failure | undefined): Promise<void> {
    if (failure) return this.options.park(event, failure.error);
    return this.options.handle(this.catalogue.decode(event), this.stopping.signal);
  }

  private hasRoom(): boolean {
    return this.open.size < (this.options.maxInFlight ?? 128);
  }

  /** Waits for room for one more event, or until the subscriber stops. */
  private async roomFor(signal: AbortSignal): Promise<void> {
    while (!this.hasRoom() && !signal.aborted) await new Promise<void>((resolve) => (this.room = resolve));
  }

  private async keepCheckpoint(): Promise<void> {
    while (!this.stopping.signal.aborted) {
      await sleepUntilNext(this.clock, CHECKPOINT_EVERY_MS, this.stopping.signal);
      if (this.isCheckpointDue()) await this.save();
    }
  }

  private isStopping(): boolean {
    return this.stopping.signal.aborted;
  }

  private isCheckpointDue(): boolean {
    const isQuiet = this.deliveredBefore === this.delivered;
    this.deliveredBefore = this.delivered;
    const ageMs = this.clock.monotonicMs() - this.savedAtMs;
    return !this.options.portion || ageMs >= BUSY_CHECKPOINT_EVERY_MS || (isQuiet && this.handledTo > this.saved);
  }

  private async save(): Promise<void> {
    const { position } = this;
    if (position === this.saved) return;
    try {
      await this.checkpoints.save(this.name, position, this.options.portion);
      this.saved = position;
      this.savedAtMs = this.clock.monotonicMs();
      this.isFailing = false;
    } catch (error) {
      // Saving is attempted every second, so only the first failure is logged.
      if (!this.isFailing)
        this.logger.warn({ err: error, subscriber: this.name }, 'the checkpoint could not be saved; retrying');
      this.isFailing = true;
    }
  }
}
