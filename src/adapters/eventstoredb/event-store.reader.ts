import type { ReadReq } from '@eventstore/db-client/generated/streams_pb.js';
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
import type { Connection } from './event-store.connection.js';
import { type Doing, isRefusedRead, isTransient, toReadError } from './event-store.errors.js';
import { allRequest, type Range, type ReadCall, startRead, streamRequest } from './event-store.read.js';
import { type Matches, matcherOf, positionOf, toRecordedEvent } from './event-store.record.js';
import type { WireAnswer, WireEvent } from './event-store.wire.js';

/** Maximum page size. It is large, because this process filters the events. */
const PAGE_EVENTS = 500;
const FIRST_PAGE_EVENTS = 8;
const PAGE_GROWTH = 4;
const ATTEMPTS = 3;
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 500;

/** Reads events. Every read operation has a maximum count and a timeout that restarts with every event. */
export class Reader {
  private hasToldInvalid = false;
  /** Pages that are being read for subscriptions, by position and size. */
  private readonly pages = new Map<string, Promise<Page>>();

  constructor(
    private readonly connection: Connection,
    private readonly clock: Clock,
    private readonly logger: Logger,
    private readonly timeoutMs: number,
  ) {}

  async readStream(stream: string, read: StreamRead = {}): Promise<StreamSlice> {
    const { direction = 'forwards', from } = read;
    assertRevision(from);
    const request = streamRequest(stream, from, { direction, maxCount: countOf(read.maxCount) });
    try {
      const answers = await this.collect('read streams', request);
      if (answers.some(({ isStreamMissing }) => isStreamMissing)) return { exists: false, revision: -1, events: [] };
      const events = answers.flatMap(({ item }) => (item?.event ? [toRecordedEvent(item.event)] : []));
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
    // The first page is small, because each event takes tens of microseconds and the filter usually discards few
    // events.
    let least = filter ? FIRST_PAGE_EVENTS : 1;
    let after = from;
    for (;;) {
      const size = Math.min(Math.max(count - events.length + 1, least), PAGE_EVENTS);
      least *= PAGE_GROWTH;
      const page = await this.page(direction, after, size);
      for (const event of page.events) {
        if (matches(event.stream, event.type)) events.push(toRecordedEvent(event));
        if (events.length === count) return events;
      }
      if (page.end) return events;
      after = page.last;
    }
  }

  /**
   * Returns the events of the global history after (or before) a position, including system events. The page has at
   * most `size` events, and at least one if any remain. `end` is true if no more events remain.
   */
  async page(direction: Direction, after: Position | undefined, size: number): Promise<Page> {
    const { from, isInclusive } = startOf(direction, after);
    if (from === undefined) return { events: [], last: BEFORE_ALL, end: true };
    const maxCount = isInclusive ? size + 1 : size;
    const items = await this.readItems(from, { direction, maxCount }).catch(async (error: unknown) => {
      if (after !== undefined && isRefusedRead(error)) await this.assertPosition(after);
      throw toReadError(error);
    });
    const events: WireEvent[] = [];
    for (const { event } of items) if (event && positionOf(event) !== after) events.push(event);
    const last = events.at(-1);
    return { events, last: last ? positionOf(last) : (after ?? BEFORE_ALL), end: items.length < maxCount };
  }

  /**
   * Returns the page after a position. Subscriptions that catch up at the same time share its read. They do not share
   * the last page, because it may lack events that were appended before a later caller asked for it.
   */
  async pageAfter(position: Position, size: number): Promise<Page> {
    const key = `${position}/${size}`;
    const reading = this.pages.get(key);
    if (reading) {
      const shared = await reading.catch(() => undefined);
      if (shared && !shared.end) return shared;
    }
    const page = this.page('forwards', position, size).finally(() => this.pages.delete(key));
    this.pages.set(key, page);
    return page;
  }

  /** @throws InvalidPosition if the record at `position` is unreadable although it has already been delivered */
  async assertPosition(position: Position): Promise<void> {
    if (position <= BEFORE_ALL) return;
    await this.readItems(position, { direction: 'forwards', maxCount: 1 }).catch((error: unknown) => {
      if (!isRefusedRead(error)) throw toReadError(error);
      this.tellInvalid(position);
      throw new InvalidPosition(position);
    });
  }

  /**
   * Scans about `limit` events after `after`, up to and including `upTo`. Returns the last position scanned without a
   * match and, if there is a match, the position of the first one.
   */
  async search(after: Position, upTo: Position, matches: Matches, limit: number): Promise<Search> {
    let reached = after;
    for (let seen = 0; seen < limit && reached < upTo; seen += PAGE_EVENTS) {
      const page = await this.page('forwards', reached, PAGE_EVENTS);
      for (const event of page.events) {
        const position = positionOf(event);
        if (position > upTo) return { reached };
        if (matches(event.stream, event.type)) return { reached, found: position };
        reached = position;
      }
      if (page.end) break;
    }
    return { reached };
  }

  private async readItems(from: Position | 'start' | 'end', range: Range): Promise<Item[]> {
    const request = allRequest(from, range);
    const answers = await this.collect('read $all', request);
    return answers.flatMap(({ item }) => item ?? []);
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
   * Reads all responses to a call. Retries if the connection breaks or the leader changes.
   * @throws EventStoreUnavailable or a gRPC error
   */
  private async collect(doing: Doing, request: ReadReq): Promise<WireAnswer[]> {
    const { connection } = this;
    const { diagnosis } = connection;
    connection.assertOpen();
    for (let attempt = 1; ; attempt += 1) {
      try {
        const answers = await this.drain(startRead(connection, await connection.calling(), request));
        diagnosis.noteDone(doing);
        return answers;
      } catch (error) {
        diagnosis.noteFailed(doing, error);
        if (!isTransient(error) || attempt === ATTEMPTS) throw error;
        await this.clock.sleep(backoffMs(attempt, FIRST_PAUSE_MS, LONGEST_PAUSE_MS), connection.released);
      }
    }
  }

  private async drain(call: ReadCall): Promise<WireAnswer[]> {
    const answers: WireAnswer[] = [];
    const waiting = linkedSignal(this.connection.released);
    try {
      await new Promise<void>((resolve, reject) => {
        call.on('data', (answer: WireAnswer) => answers.push(answer)).on('end', resolve);
        call.on('error', reject);
        // The gRPC calls themselves have no deadline.
        void this.whileAlive(() => answers.length, waiting.signal).then(() => {
          reject(new EventStoreUnavailable('The event store does not respond'));
        });
      });
      return answers;
    } catch (error) {
      call.cancel();
      throw error;
    } finally {
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

type Item = NonNullable<WireAnswer['item']>;
export type Page = { readonly events: readonly WireEvent[]; readonly last: Position; readonly end: boolean };
export type Search = { readonly reached: Position; readonly found?: Position };

/**
 * Start of a read. `from` is undefined if nothing precedes the position. When reading forwards, EventStoreDB includes
 * the event at this position.
 */
type Start = { readonly from?: Position | 'start' | 'end'; readonly isInclusive?: boolean };

function startOf(direction: Direction, after: Position | undefined): Start {
  const isForwards = direction === 'forwards';
  if (after === undefined) return { from: isForwards ? 'start' : 'end' };
  if (after <= BEFORE_ALL) return isForwards ? { from: 'start' } : {};
  return { from: after, isInclusive: isForwards };
}
