import type { EventReader, Position, RecordedEvent } from '../ports/event-store.js';
import type { Logger } from '../ports/log.js';
import type { Clock } from '../ports/time.js';
import type { EventCatalogue, Recorded } from '../eventsourcing/event-catalogue.js';

/** A serialized event, shared by all watchers. */
export type Frame = { readonly position: Position; readonly bytes: Buffer };

/** A feed's content and limits. */
export type FeedOptions = {
  readonly name: string;
  /** Name prefixes of the followed streams. */
  readonly prefixes: readonly string[];
  /** Returns the bytes to send for an event, or undefined to send nothing. */
  readonly frameOf: (event: Recorded) => Buffer | undefined;
  /** Called for each event, in order, before its frame is available. */
  readonly onEvent: (event: Recorded) => void;
  /** Called when new frames may be available. */
  readonly onAdvance: () => void;
  /** Number of frames kept in memory for watchers that lag slightly. Default: 1,024. */
  readonly capacity?: number;
};

const RETRY_MS = 500;
const PAGE = 200;

/**
 * Serves any number of watchers from one subscription. The latest frames remain in memory. Lagging watchers read older
 * frames from the store. The feed stores frames, but no watchers or queues.
 */
export class LiveFeed {
  private readonly stopping = new AbortController();
  private frames: Frame[] = [];
  /** All frames after this position and up to `position`, inclusive, are in memory. */
  private keptAbove: Position = -1;
  private current: Position = -1;
  private running: Promise<void> = Promise.resolve();
  private waiting: { readonly position: Position; readonly resolve: () => void }[] = [];

  constructor(
    private readonly events: EventReader,
    private readonly catalogue: EventCatalogue,
    private readonly clock: Clock,
    private readonly logger: Logger,
    private readonly options: FeedOptions,
  ) {}

  /** Every event up to and including this position has been delivered. */
  get position(): Position {
    return this.current;
  }

  /** Starts following the history after the position. */
  start(after: Position): void {
    this.current = this.keptAbove = after;
    this.running = this.follow();
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.running;
    for (const { resolve } of this.waiting) resolve();
    this.waiting = [];
  }

  /** Resolves once every event up to and including the position has been delivered, or once the feed is stopped. */
  reached(position: Position): Promise<void> {
    if (this.current >= position || this.stopping.signal.aborted) return Promise.resolve();
    return new Promise((resolve) => this.waiting.push({ position, resolve }));
  }

  /** Returns the frames after a position from memory, in order; undefined if some of them have been evicted. */
  after(position: Position): readonly Frame[] | undefined {
    if (position < this.keptAbove) return undefined;
    const first = this.frames.findLastIndex((frame) => frame.position <= position) + 1;
    return first === 0 ? this.frames : this.frames.slice(first);
  }

  /**
   * Reads evicted frames after a position, one page per request, until `after` can return the rest. `position` is the
   * end of the pages read so far. The signal must abort before the feed is stopped.
   * @throws errors from the event store
   */
  async *missed(
    from: Position,
    signal: AbortSignal,
  ): AsyncIterable<{ readonly frames: readonly Frame[]; readonly position: Position }> {
    for await (const batch of this.events.subscribeToAll({ after: from, ...this.filter(), signal })) {
      const frames = batch.events.flatMap((event) => {
        const known = this.decode(event);
        const bytes = known && this.options.frameOf(known);
        return bytes ? [{ position: event.position, bytes }] : [];
      });
      yield { frames, position: batch.position };
      if (batch.position >= this.keptAbove) return;
    }
  }

  private filter() {
    return { filter: { on: 'stream', prefixes: this.options.prefixes }, maxBatchSize: PAGE } as const;
  }

  private async follow(): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      try {
        for await (const batch of this.events.subscribeToAll({ after: this.current, ...this.filter(), signal })) {
          for (const event of batch.events) this.take(event);
          this.advance(batch.position);
        }
      } catch (error) {
        this.logger.error({ err: error, feed: this.options.name }, 'the live feed was interrupted; retrying');
      }
      await this.clock.sleep(RETRY_MS, signal);
    }
  }

  /** Returns undefined for an event from a newer release, because this release cannot create its frame. */
  private decode(event: RecordedEvent): Recorded | undefined {
    try {
      return this.catalogue.decode(event);
    } catch (error) {
      this.logger.warn(
        { err: error, feed: this.options.name, position: event.position },
        'skipping an event that cannot be decoded',
      );
      return undefined;
    }
  }

  private take(recorded: RecordedEvent): void {
    const event = this.decode(recorded);
    if (!event) return;
    this.options.onEvent(event);
    const bytes = this.options.frameOf(event);
    if (bytes) this.frames.push({ position: event.position, bytes });
    this.current = event.position;
  }

  private advance(position: Position): void {
    this.current = Math.max(this.current, position);
    const { capacity = 1_024 } = this.options;
    if (this.frames.length > capacity) {
      const dropped = this.frames.length - capacity;
      this.keptAbove = this.frames[dropped - 1]?.position ?? this.keptAbove;
      this.frames = this.frames.slice(dropped);
    }
    const reached = this.waiting.filter((waiter) => waiter.position <= this.current);
    this.waiting = this.waiting.filter((waiter) => waiter.position > this.current);
    for (const { resolve } of reached) resolve();
    this.options.onAdvance();
  }
}
