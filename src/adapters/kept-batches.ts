import type { EventBatch, Position, RecordedEvent } from '../ports/event-store.js';

/**
 * Limits on the events kept for consumers that are slightly behind. A consumer that is further behind reads separately.
 */
const MOST_EVENTS = 500;
const MOST_CHARACTERS = 8 * 1024 * 1024;

/** The latest non-empty batches of a subscription, in order. They contain all events that were read after `after`. */
export class KeptBatches {
  private batches: EventBatch[] = [];
  private events = 0;
  private characters = 0;
  private from: Position = 0;

  constructor(private readonly mostEvents = MOST_EVENTS) {}

  get after(): Position {
    return this.from;
  }

  /** Maximum size of a batch. Two batches of this size can be kept at the same time. */
  get batchSize(): number {
    return Math.max(1, Math.floor(this.mostEvents * 0.4));
  }

  /** Whether another batch might evict events after the position. */
  isFullFor(position: Position): boolean {
    const unread = this.batches.slice(this.firstAfter(position)).reduce((sum, { events }) => sum + events.length, 0);
    return unread + this.batchSize > this.mostEvents;
  }

  /** Removes all batches and starts again after a position. */
  begin(after: Position): void {
    this.batches = [];
    this.events = this.characters = 0;
    this.from = after;
  }

  /** Adds a batch. May remove earlier ones. `received` contains the position that each consumer has reached. */
  add(batch: EventBatch, received: readonly Position[]): void {
    this.release(Math.min(...received));
    this.batches.push(batch);
    this.events += batch.events.length;
    this.characters += charactersOf(batch);
    if (this.isFull(1)) this.evict();
  }

  eventsAfter(position: Position, most: number, isWanted: (event: RecordedEvent) => boolean): RecordedEvent[] {
    const events: RecordedEvent[] = [];
    for (const batch of this.batches.slice(this.firstAfter(position)))
      for (const event of batch.events)
        if (event.position > position && events.length < most && isWanted(event)) events.push(event);
    return events;
  }

  /**
   * Returns the index of the first batch beyond a position. Searches from the end, because most consumers are near it.
   */
  private firstAfter(position: Position): number {
    return this.batches.findLastIndex((batch) => batch.position <= position) + 1;
  }

  /**
   * Releases the batches that all consumers have received. Freeing events early makes garbage collection cheaper.
   */
  private release(received: Position): void {
    this.remove(this.firstAfter(received));
  }

  private isFull(share: number): boolean {
    return this.events > this.mostEvents * share || this.characters > MOST_CHARACTERS * share;
  }

  /** Evicts about half of the batches, so that the array is rarely shifted. */
  private evict(): void {
    while (this.isFull(0.5) && this.batches.length > 0) this.remove(1);
  }

  private remove(count: number): void {
    for (const batch of this.batches.splice(0, count)) {
      this.events -= batch.events.length;
      this.characters -= charactersOf(batch);
      this.from = batch.position;
    }
  }
}

const charactersOf = ({ characters, events }: EventBatch): number => characters ?? JSON.stringify(events).length;
