import type { EventReader, Position, RecordedEvent } from '../ports/event-store.js';
import type { Logger } from '../ports/log.js';
import type { Clock } from '../ports/time.js';
import type { EventCatalogue, Recorded } from './event-catalogue.js';

/** An event made ready to be sent, once for all who watch. */
export type Frame = { readonly position: Position; readonly bytes: Buffer };

/** What a feed shows, and within which limits. */
export type FeedOptions = {
  readonly name: string;
  /** Beginnings of the names of the streams that are followed. */
  readonly prefixes: readonly string[];
  /** What is sent of an event; undefined where nothing is. */
  readonly frameOf: (event: Recorded) => Buffer | undefined;
  /** Called for each event, in order, before its frame can be had. */
  readonly onEvent: (event: Recorded) => void;
  /** Called when there is more to be had. */
  readonly onAdvance: () => void;
  /** How many frames are kept for those who are a little behind. Default 1,024. */
  readonly capacity?: number;
};

const RETRY_MS = 500;
const PAGE = 200;

/**
 * One subscription for any number of watchers: the latest frames are kept in memory, the older ones are read from the
 * store by whoever is behind them. It keeps no watchers and no queues of theirs, only frames.
 */
export class LiveFeed {
  private readonly stopping = new AbortController();
  private frames: Frame[] = [];
  /** All frames above this position, and up to `position`, are kept. */
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

  /** Everything up to and including this position was delivered. */
  get position(): Position {
    return this.current;
  }

  /** Follows what comes after the position. */
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

  /** Resolves when everything up to the position was delivered, or the feed is stopped. */
  reached(position: Position): Promise<void> {
    if (this.current >= position || this.stopping.signal.aborted) return Promise.resolve();
    return new Promise((resolve) => this.waiting.push({ position, resolve }));
  }

  /** The kept frames after a position, in order; undefined where some of them are not kept any more. */
  after(position: Position): readonly Frame[] | undefined {
    if (position < this.keptAbove) return undefined;
    const first = this.frames.findLastIndex((frame) => frame.position <= position) + 1;
    return first === 0 ? this.frames : this.frames.slice(first);
  }

  /**
   * Reads what is not kept any more, after a position, page by page as it is asked for, until `after` has the rest.
   * `position`: everything up to it is in the pages so far. The signal must abort before the feed is stopped.
   * @throws what reading the event store throws
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
        this.logger.error({ err: error, feed: this.options.name }, 'the live feed broke off; it goes on');
      }
      await this.clock.sleep(RETRY_MS, signal);
    }
  }

  /** Undefined for an event that a newer version of the service has written: it has nothing for watchers here. */
  private decode(event: RecordedEvent): Recorded | undefined {
    try {
      return this.catalogue.decode(event);
    } catch (error) {
      this.logger.warn({ err: error, feed: this.options.name, position: event.position }, 'an event is left out');
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
