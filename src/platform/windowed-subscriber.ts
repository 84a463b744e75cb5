import { setMaxListeners } from 'node:events';
import type { EventBatch, EventFilter, EventReader, RecordedEvent } from '../ports/event-store.js';
import type { Clock } from '../ports/time.js';
import type { EventCatalogue, Recorded } from './event-catalogue.js';
import { KeyedQueue } from './keyed-queue.js';
import type { QueueMeter } from './queue-meters.js';
import type { Logger } from '../ports/log.js';

/** Where a subscriber keeps its checkpoint. */
export interface Checkpoints {
  load(name: string): Promise<number>;
  save(name: string, position: number): Promise<void>;
}

/** What a subscriber wants, does with it, and does with what fails. */
export type WindowedOptions = {
  readonly name: string;
  readonly filter: EventFilter;
  /**
   * Events of one stream are handled one after another, those of different streams side by side. What takes long throws
   * the signal's reason when the subscriber stops: the event then stays open.
   */
  readonly handle: (event: Recorded, stopping: AbortSignal) => Promise<void>;
  /** Another stream whose order the event keeps as well. */
  readonly alsoIn?: (event: RecordedEvent) => string | undefined;
  /** Whether the fault may pass by itself (the engine is away): then the event is tried again for ever. */
  readonly isTransient: (error: unknown, event: RecordedEvent) => boolean;
  /** Keeps an event that cannot be handled, durably, so that the checkpoint may pass it. */
  readonly park: (event: RecordedEvent, error: unknown) => Promise<void>;
  readonly maxInFlight?: number;
  /** Told of what is in hand, done and failed. */
  readonly meter?: QueueMeter;
  /** Waits until the next event may be handled, where other work in the thread comes first. */
  readonly pace?: (event: RecordedEvent) => Promise<void>;
};

const MAX_PAUSE_MS = 5_000;
const CHECKPOINT_EVERY_MS = 200;

/**
 * At-least-once handling of a subscription with many events in flight. The checkpoint never passes an event that is
 * neither handled nor parked, so a crash repeats the window at most.
 */
export class WindowedSubscriber {
  private readonly stopping = new AbortController();
  private readonly queue = new KeyedQueue();
  /** What is not done yet, in the order of delivery: its position, and the one before it that the store told. */
  private readonly open = new Map<number, number>();
  private delivered = -1;
  private saved = -1;
  private room: (() => void) | undefined;
  private running: Promise<void> | undefined;

  constructor(
    private readonly store: EventReader,
    private readonly catalogue: EventCatalogue,
    private readonly checkpoints: Checkpoints,
    private readonly clock: Clock,
    private readonly logger: Logger,
    private readonly options: WindowedOptions,
  ) {}

  get name(): string {
    return this.options.name;
  }

  /** Everything up to and including this position is done. Always one that the store told: others may not exist. */
  get position(): number {
    const first = this.open.values().next();
    return first.done ? this.delivered : first.value;
  }

  get inFlight(): number {
    return this.open.size;
  }

  async start(): Promise<void> {
    // Every event that waits for its next try listens for the end: as many as are in flight.
    setMaxListeners(0, this.stopping.signal);
    this.delivered = this.saved = await this.checkpoints.load(this.name);
    this.options.meter?.begin(this.delivered);
    this.running = Promise.all([this.consume(), this.keepCheckpoint()]).then(() => undefined);
  }

  /** Lets what is in flight end (transient faults are given up) and saves the checkpoint. */
  async stop(): Promise<void> {
    this.stopping.abort();
    this.room?.();
    await this.running;
    this.options.meter?.end();
    await this.save();
  }

  private async consume(): Promise<void> {
    const { signal } = this.stopping;
    const handling = new Set<Promise<void>>();
    for (let pauseMs = 100; !signal.aborted; pauseMs = Math.min(MAX_PAUSE_MS, pauseMs * 2)) {
      try {
        const subscription = { after: this.delivered, filter: this.options.filter, signal };
        for await (const batch of this.store.subscribeToAll(subscription)) {
          this.noteArrived(batch);
          for (const event of batch.events) {
            if (!(await this.roomFor(signal))) break;
            await this.options.pace?.(event);
            const work: Promise<void> = this.take(event).finally(() => handling.delete(work));
            handling.add(work);
          }
          if (this.isStopping()) break;
          this.noteDelivered(batch);
          pauseMs = 100;
        }
      } catch (error) {
        this.logger.error({ err: error, subscriber: this.name }, 'subscription broke; it is opened again');
        this.options.meter?.lostSight();
      }
      await this.clock.sleep(pauseMs, signal);
    }
    await Promise.all(handling);
  }

  /** Until all of the batch is in hand, nobody may think that nothing is outstanding. */
  private noteArrived({ events }: EventBatch): void {
    if (events.length > 0) this.options.meter?.lostSight();
  }

  private noteDelivered({ position, caughtUp }: EventBatch): void {
    this.delivered = Math.max(this.delivered, position);
    this.options.meter?.reached(this.position, caughtUp);
  }

  private async take(event: RecordedEvent): Promise<void> {
    this.open.set(event.position, this.delivered);
    this.delivered = event.position;
    this.options.meter?.took(this.open.size);
    const done = await this.queue.run(event.stream, () => this.handle(event), this.options.alsoIn?.(event));
    if (!done) return;
    this.open.delete(event.position);
    this.options.meter?.handled(1, this.position, this.open.size);
    this.room?.();
  }

  /** False when it was given up because the subscriber stops: the event stays open. */
  private async handle(event: RecordedEvent): Promise<boolean> {
    const { signal } = this.stopping;
    let failure: { error: unknown } | undefined;
    for (let attempt = 0; !signal.aborted; attempt += 1) {
      try {
        if (failure) await this.options.park(event, failure.error);
        else await this.options.handle(this.catalogue.decode(event), signal);
        return true;
      } catch (error) {
        if (error === signal.reason) return false;
        this.options.meter?.failed();
        if (!failure && !this.options.isTransient(error, event)) failure = { error };
        if (!failure || attempt > 0) {
          this.logger.warn({ err: error, subscriber: this.name, position: event.position }, 'event is tried again');
          await this.clock.sleep(Math.min(MAX_PAUSE_MS, 50 * 2 ** attempt) * (0.5 + Math.random() / 2), signal);
        }
      }
    }
    return false;
  }

  /** Waits until one more may be in flight; false when the subscriber stops. */
  private async roomFor(signal: AbortSignal): Promise<boolean> {
    while (this.open.size >= (this.options.maxInFlight ?? 128) && !signal.aborted)
      await new Promise<void>((resolve) => (this.room = resolve));
    return !signal.aborted;
  }

  private async keepCheckpoint(): Promise<void> {
    while (!this.stopping.signal.aborted) {
      await this.clock.sleep(CHECKPOINT_EVERY_MS, this.stopping.signal);
      await this.save();
    }
  }

  private isStopping(): boolean {
    return this.stopping.signal.aborted;
  }

  private async save(): Promise<void> {
    const { position } = this;
    if (position === this.saved) return;
    try {
      await this.checkpoints.save(this.name, position);
      this.saved = position;
    } catch (error) {
      this.logger.warn({ err: error, subscriber: this.name }, 'checkpoint could not be saved; it is tried again');
    }
  }
}
