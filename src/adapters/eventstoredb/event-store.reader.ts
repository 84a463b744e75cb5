import {
  type AllStreamResolvedEvent,
  BACKWARDS,
  END,
  FORWARDS,
  type Position as LogPosition,
  type ReadPosition,
  type ReadRevision,
  START,
  type StreamingRead,
} from '@eventstore/db-client';
import {
  type AllRead,
  BEFORE_ALL,
  type Direction,
  EventStoreUnavailable,
  type Position,
  type RecordedEvent,
  type StreamRead,
  type StreamSlice,
} from '../../ports/event-store.js';
import type { Clock } from '../../ports/time.js';
import { backoffMs } from '../backoff.js';
import { assertPosition, assertRevision, countOf } from '../event-store.input.js';
import type { Connection } from './event-store.connection.js';
import { isTransient, toReadError, typeOf } from './event-store.errors.js';
import { type Matches, matcherOf, positionOf, toRecordedEvent } from './event-store.record.js';

/** Events of the whole history that are asked for at once: they are filtered here. */
const PAGE_EVENTS = 500;
const ATTEMPTS = 3;
const DIRECTIONS = { forwards: FORWARDS, backwards: BACKWARDS } as const;
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 500;

export type AllEvent = NonNullable<AllStreamResolvedEvent['event']>;

/** Where a record begins: its commit and prepare positions are the same, since nothing is written in transactions. */
export const logPosition = (position: Position): LogPosition => ({
  commit: BigInt(position),
  prepare: BigInt(position),
});

/** The reading half. Every read is bounded: by its count, and by a time-out that begins anew with every event. */
export class Reader {
  readonly #connection: Connection;
  readonly #clock: Clock;
  readonly #timeoutMs: number;

  constructor(connection: Connection, clock: Clock, timeoutMs: number) {
    this.#connection = connection;
    this.#clock = clock;
    this.#timeoutMs = timeoutMs;
  }

  async readStream(stream: string, read: StreamRead = {}): Promise<StreamSlice> {
    const { direction = 'forwards' } = read;
    const where = {
      fromRevision: revisionOf(read),
      direction: DIRECTIONS[direction],
      maxCount: countOf(read.maxCount),
      requiresLeader: true,
    };
    try {
      const resolved = await this.#collect(() => this.#connection.client.readStream(stream, where));
      const events: RecordedEvent[] = [];
      for (const { event } of resolved) if (event) events.push(toRecordedEvent(event));
      const last = direction === 'forwards' ? events.at(-1) : events[0];
      return { exists: true, revision: last?.revision ?? -1, events };
    } catch (error) {
      if (typeOf(error) === 'stream-not-found') return { exists: false, revision: -1, events: [] };
      throw toReadError(error, stream);
    }
  }

  async readAll({ direction = 'forwards', from, filter, maxCount }: AllRead = {}): Promise<RecordedEvent[]> {
    const count = countOf(maxCount);
    assertPosition(from);
    const matches = matcherOf(filter);
    const events: RecordedEvent[] = [];
    // Without a filter hardly anything is read in vain.
    const pageSize = (): number => (filter ? PAGE_EVENTS : Math.min(count - events.length + 1, PAGE_EVENTS));
    let after = from;
    for (;;) {
      const size = pageSize();
      const page = await this.page(direction, after, size);
      for (const event of page.events) {
        if (matches(event.streamId, event.type)) events.push(toRecordedEvent(event));
        if (events.length === count) return events;
      }
      if (page.end) return events;
      after = page.last;
    }
  }

  /**
   * The next events of the whole history, the system's own among them, after (or before) a position: at most `size`,
   * at least one where there are more. `end` says that there are no more.
   */
  async page(direction: Direction, after: Position | undefined, size: number): Promise<Page> {
    const { nothing, inclusive, fromPosition } = startOf(direction, after);
    if (nothing) return { events: [], last: BEFORE_ALL, end: true };
    const maxCount = inclusive ? size + 1 : size;
    const where = { fromPosition, maxCount, direction: DIRECTIONS[direction] };
    const resolved = await this.#collect(() =>
      this.#connection.client.readAll({ ...where, requiresLeader: true }),
    ).catch((error: unknown) => {
      throw toReadError(error);
    });
    const events: AllEvent[] = [];
    for (const { event } of resolved) if (event && positionOf(event) !== after) events.push(event);
    const last = events.at(-1);
    return { events, last: last ? positionOf(last) : (after ?? BEFORE_ALL), end: resolved.length < maxCount };
  }

  /** The positions after `after` up to `upTo`, at most `limit` of them: where the last is, and the first that matches. */
  async search(after: Position, upTo: Position, matches: Matches, limit: number): Promise<Search> {
    let reached = after;
    for (let seen = 0; seen < limit && reached < upTo; seen += PAGE_EVENTS) {
      const page = await this.page('forwards', reached, PAGE_EVENTS);
      for (const event of page.events) {
        const position = positionOf(event);
        if (position > upTo) return { reached };
        if (matches(event.streamId, event.type)) return { reached, found: position };
        reached = position;
      }
      if (page.end) break;
    }
    return { reached };
  }

  /** Reads to the end, again where the connection breaks or the leader changes. @throws errors of the client, too */
  async #collect<T>(open: () => StreamingRead<T>): Promise<T[]> {
    this.#connection.assertOpen();
    for (let attempt = 1; ; attempt += 1) {
      try {
        await this.#connection.ready();
        return await this.#drain(open());
      } catch (error) {
        if (!isTransient(error) || attempt === ATTEMPTS) throw error;
        await this.#clock.sleep(backoffMs(attempt, FIRST_PAUSE_MS, LONGEST_PAUSE_MS), this.#connection.released);
      }
    }
  }

  async #drain<T>(stream: StreamingRead<T>): Promise<T[]> {
    const items: T[] = [];
    const waiting = new AbortController();
    const stop = (): void => {
      waiting.abort();
    };
    this.#connection.released.addEventListener('abort', stop);
    let ended = false;
    // The client's reads have no deadline, and an error that comes after the end would find no listener.
    stream.on('error', () => undefined);
    void this.#whileAlive(() => items.length, waiting.signal).then(() => {
      if (!ended) stream.destroy(new EventStoreUnavailable('The event store does not answer'));
    });
    try {
      for await (const item of stream) items.push(item);
      return items;
    } catch (error) {
      // Not awaited: it waits for the call to be made, which may be what failed to happen.
      stream.cancel().catch(() => undefined);
      throw error;
    } finally {
      ended = true;
      this.#connection.released.removeEventListener('abort', stop);
      stop();
    }
  }

  /** Resolves when nothing has arrived for the time-out, or at the signal. */
  async #whileAlive(arrived: () => number, signal: AbortSignal): Promise<void> {
    for (let before = -1; before < arrived() && !signal.aborted;) {
      before = arrived();
      await this.#clock.sleep(this.#timeoutMs, signal);
    }
  }
}

export type Page = { readonly events: readonly AllEvent[]; readonly last: Position; readonly end: boolean };
export type Search = { readonly reached: Position; readonly found?: Position };

/** Forwards, EventStoreDB gives the event at the position again. */
type Start = { readonly fromPosition: ReadPosition; readonly inclusive?: boolean; readonly nothing?: boolean };

function startOf(direction: Direction, after: Position | undefined): Start {
  const forwards = direction === 'forwards';
  if (after === undefined) return { fromPosition: forwards ? START : END };
  if (after <= BEFORE_ALL) return forwards ? { fromPosition: START } : { fromPosition: START, nothing: true };
  return { fromPosition: logPosition(after), inclusive: forwards };
}

function revisionOf({ from, direction }: StreamRead): ReadRevision {
  assertRevision(from);
  if (from === undefined) return direction === 'backwards' ? END : START;
  return BigInt(from);
}
