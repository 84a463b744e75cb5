import type { EventFilter, Position, RecordedEvent } from '../../ports/event-store.js';
import { passes, type SerializedEvent } from '../event-store.input.js';
import type { ScannedPage, Span } from './event-store.query.js';

/** Maximum number of kept events, and maximum total length of their data and metadata. */
const MAX_RECENT_EVENTS = 2_000;
const MAX_RECENT_CHARACTERS = 4 * 1024 * 1024;

/**
 * An event as it was appended. Its data and metadata are parsed only when they are read, because consumers in the
 * writing thread need few of them.
 */
class RecentEvent implements RecordedEvent {
  readonly id: string;
  readonly type: string;
  readonly #texts: SerializedEvent;
  #data: object | undefined;
  #metadata: object | undefined;

  constructor(
    readonly position: Position,
    readonly stream: string,
    readonly revision: number,
    texts: SerializedEvent,
    readonly recordedAtMs: number,
  ) {
    this.id = texts.id;
    this.type = texts.type;
    this.#texts = texts;
  }

  get data(): object {
    return (this.#data ??= JSON.parse(this.#texts.data) as object);
  }

  get metadata(): object {
    return (this.#metadata ??= JSON.parse(this.#texts.metadata) as object);
  }

  get storedText(): readonly [string, string] {
    return [this.#texts.data, this.#texts.metadata];
  }

  get characters(): number {
    return this.#texts.data.length + this.#texts.metadata.length;
  }
}

/**
 * The latest appended events that no subscription has received yet. A subscription in the writing thread receives them
 * without reading and unpacking their records. If there are too many events, all of them are dropped, and subscriptions
 * read them from the file. Their positions have no gaps. They include the events of the current transaction, so the
 * caller must not request positions beyond the last commit.
 */
export class RecentEvents {
  private events: RecentEvent[] = [];
  private characters = 0;

  add(position: Position, stream: string, revision: number, texts: SerializedEvent, recordedAtMs: number): void {
    if (this.events.length >= MAX_RECENT_EVENTS || this.characters > MAX_RECENT_CHARACTERS)
      this.remove(this.events.length);
    const event = new RecentEvent(position, stream, revision, texts, recordedAtMs);
    this.events.push(event);
    this.characters += event.characters;
  }

  /** Removes the events of a transaction that was rolled back. */
  removeAfter(position: Position): void {
    this.events = this.events.filter((event) => event.position <= position);
    this.characters = charactersOf(this.events);
  }

  /**
   * Returns the first matching events of the span and removes all events up to the last position read. Other
   * subscriptions then read these events from the file. Returns undefined if the span's first event is not kept.
   */
  take({ low, high }: Span, filter: EventFilter | undefined, maxCount: number): ScannedPage | undefined {
    const first = this.events[0]?.position ?? Infinity;
    if (low < first) return undefined;
    const isWanted = passes(filter);
    const events: RecentEvent[] = [];
    let at = low - first;
    for (; at <= high - first && events.length < maxCount; at += 1) {
      const event = this.events[at] as RecentEvent;
      if (isWanted(event)) events.push(event);
    }
    this.remove(at);
    return { events, reached: first + at - 1, characters: charactersOf(events) };
  }

  private remove(count: number): void {
    const isAll = count === this.events.length;
    this.characters -= isAll ? this.characters : charactersOf(this.events.slice(0, count));
    this.events = isAll ? [] : this.events.slice(count);
  }
}

const charactersOf = (events: readonly RecentEvent[]): number =>
  events.reduce((sum, { characters }) => sum + characters, 0);
