import {
  type AllStreamResolvedEvent,
  BACKWARDS,
  END,
  FORWARDS,
  type Position as LogPosition,
  type ReadAllOptions,
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
  InvalidPosition,
  type Position,
  type RecordedEvent,
  type StreamRead,
  type StreamSlice,
} from '../../ports/event-store.js';
import type { Logger } from '../../ports/log.js';
import type { Clock } from '../../ports/time.js';
import { backoffMs } from '../backoff.js';
import { assertPosition, assertRevision, countOf } from '../event-store.input.js';
import { linkedSignal } from '../waiting.js';
import { withoutCancelling } from './event-store.client.js';
import type { Connection } from './event-store.connection.js';
import { type Doing, isRefusedRead, isTransient, toReadError } from './event-store.errors.js';
import { type Matches, matcherOf, positionOf, toRecordedEvent } from './event-store.record.js';

/** Maximum page size. It is large because this process filters the events. */
const PAGE_EVENTS = 500;
const FIRST_PAGE_EVENTS = 8;
const PAGE_GROWTH = 4;
const ATTEMPTS = 3;
const DIRECTIONS = { forwards: FORWARDS, backwards: BACKWARDS } as const;
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 500;

export type AllEvent = NonNullable<AllStreamResolvedEvent['event']>;

/** Returns the log position of a record. Commit and prepare positions are equal, because no transactions are used. */
export const logPosition = (position: Position): LogPosition => ({
  commit: BigInt(position),
  prepare: BigInt(position),
});

/** Reads events. Every read has a maximum count, and a timeout that restarts with every event. */
export class Reader {
  private hasToldInvalid = false;

  constructor(
    private readonly connection: Connection,
    private readonly clock: Clock,
    private readonly logger: Logger,
    private readonly timeoutMs: number,
  ) {}

  async readStream(stream: string, read: StreamRead = {}): Promise<StreamSlice> {
    const { direction = 'forwards' } = read;
    const where = {
      fromRevision: revisionOf(read),
      direction: DIRECTIONS[direction],
      maxCount: countOf(read.maxCount),
      requiresLeader: true,
    };
    const missing: string[] = [];
    const note = (): void => void missing.push(stream);
    try {
      const resolved = await this.collect('read streams', () =>
        withoutCancelling(this.connection.client.readStream(stream, where), note),
      );
      if (missing.length > 0) return { exists: false, revision: -1, events: [] };
      const events: RecordedEvent[] = [];
      for (const { event } of resolved) if (event) events.push(toRecordedEvent(event));
      const last = direction === 'forwards' ? events.at(-1) : events[0];
      return { exists: true, revision: last?.revision ?? -1, events };
    } catch (error) {
      throw toReadError(error, stream);
    }
  }

  async readAll({ direction = 'forwards', from, filter, maxCount }: AllRead = {}): Promise<RecordedEvent[]> {
    const count = countOf(maxCount);
    assertPosition(from);
    const matches = matcherOf(filter);
    const events: RecordedEvent[] = [];
    // Usually, the filter discards few events, so the first page is small. Each event costs tens of microseconds.
    let least = filter ? FIRST_PAGE_EVENTS : 1;
    let after = from;
    for (;;) {
      const size = Math.min(Math.max(count - events.length + 1, least), PAGE_EVENTS);
      least *= PAGE_GROWTH;
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
   * Returns the events of the global history after (or before) a position, including system events. The page has at
   * most `size` events, and at least one if any remain. `end`: no more events remain.
   */
  async page(direction: Direction, after: Position | undefined, size: number): Promise<Page> {
    const { nothing, inclusive, fromPosition } = startOf(direction, after);
    if (nothing) return { events: [], last: BEFORE_ALL, end: true };
    const maxCount = inclusive ? size + 1 : size;
    const resolved = await this.collectAll({ fromPosition, maxCount, direction: DIRECTIONS[direction] }).catch(
      async (error: unknown) => {
        if (after !== undefined && isRefusedRead(error)) await this.assertPosition(after);
        throw toReadError(error);
      },
    );
    const events: AllEvent[] = [];
    for (const { event } of resolved) if (event && positionOf(event) !== after) events.push(event);
    const last = events.at(-1);
    return { events, last: last ? positionOf(last) : (after ?? BEFORE_ALL), end: resolved.length < maxCount };
  }

  /** @throws InvalidPosition if the record at `position` is unreadable although it has already been delivered */
  async assertPosition(position: Position): Promise<void> {
    if (position <= BEFORE_ALL) return;
    await this.collectAll({ fromPosition: logPosition(position), maxCount: 1, direction: FORWARDS }).catch(
      (error: unknown) => {
        if (!isRefusedRead(error)) throw toReadError(error);
        this.tellInvalid(position);
        throw new InvalidPosition(position);
      },
    );
  }

  /**
   * Scans about `limit` events after `after`, up to and including `upTo`. Returns the last position scanned without a
   * match, and the position of the first match.
   */
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

  private collectAll(where: ReadAllOptions): Promise<AllStreamResolvedEvent[]> {
    return this.collect('read $all', () => this.connection.client.readAll({ ...where, requiresLeader: true }));
  }

  /** Logs the invalid position once, because every subscriber encounters it on every retry. */
  private tellInvalid(position: Position): void {
    if (this.hasToldInvalid) return;
    this.hasToldInvalid = true;
    const reason =
      'EVENTSTORE_URL refers to a different event store than the one from which the read models and checkpoints were ' +
      'built, or to one that was restored from an older backup';
    this.logger.error({ position, reason }, 'A position does not belong to this event store');
  }

  /**
   * Reads a stream of results to its end. Retries if the connection breaks or the leader changes.
   * @throws EventStoreUnavailable or an error of the client
   */
  private async collect<T>(doing: Doing, open: () => StreamingRead<T>): Promise<T[]> {
    this.connection.assertOpen();
    const { diagnosis } = this.connection;
    for (let attempt = 1; ; attempt += 1) {
      try {
        await this.connection.ready();
        const items = await this.drain(open());
        diagnosis.noteDone(doing);
        return items;
      } catch (error) {
        diagnosis.noteFailed(doing, error);
        if (!isTransient(error) || attempt === ATTEMPTS) throw error;
        await this.clock.sleep(backoffMs(attempt, FIRST_PAUSE_MS, LONGEST_PAUSE_MS), this.connection.released);
      }
    }
  }

  private async drain<T>(stream: StreamingRead<T>): Promise<T[]> {
    const items: T[] = [];
    const waiting = linkedSignal(this.connection.released);
    let ended = false;
    // The client's reads have no deadline. Without a listener, an error after the end would terminate the process.
    stream.on('error', () => undefined);
    void this.whileAlive(() => items.length, waiting.signal).then(() => {
      if (!ended) stream.destroy(new EventStoreUnavailable('The event store does not respond'));
    });
    try {
      for await (const item of stream) items.push(item);
      return items;
    } catch (error) {
      // Not awaited: `cancel` waits for the call to start, which never happens if the start has failed.
      stream.cancel().catch(() => undefined);
      throw error;
    } finally {
      ended = true;
      waiting.end();
    }
  }

  /** Resolves when nothing has arrived within the timeout, or when the signal aborts. */
  private async whileAlive(arrived: () => number, signal: AbortSignal): Promise<void> {
    for (let before = -1; before < arrived() && !signal.aborted;) {
      before = arrived();
      await this.clock.sleep(this.timeoutMs, signal);
    }
  }
}

export type Page = { readonly events: readonly AllEvent[]; readonly last: Position; readonly end: boolean };
export type Search = { readonly reached: Position; readonly found?: Position };

/** Start of a read. EventStoreDB includes the event at the start position when it reads forwards. */
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
