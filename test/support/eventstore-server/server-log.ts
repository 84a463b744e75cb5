import { randomUUID } from 'node:crypto';
import type { DatabaseSyncInstance, StatementSyncInstance } from '@photostructure/sqlite';
import { type DirectoryLock, lockDirectory } from '../../../src/adapters/embedded/event-store.lock.js';
import {
  checksum,
  COLUMNS,
  type EventRow,
  toRecordedEvent,
} from '../../../src/adapters/embedded/event-store.record.js';
import { openHistory } from '../../../src/adapters/embedded/event-store.schema.js';
import { assertName, type SerializedEvent, serializeAppend } from '../../../src/adapters/event-store.input.js';
import {
  type Append,
  type Appended,
  BEFORE_ALL,
  EventStoreUnavailable,
  type Position,
  type StreamRead,
  type StreamSlice,
  StreamTombstoned,
  WrongExpectedRevision,
} from '../../../src/ports/event-store.js';
import type { Clock } from '../../../src/ports/time.js';
import { decideAppend, refusal } from './append-decision.js';
import { RecentIds } from './recent-ids.js';
import {
  type Expectation,
  FOR_EVER,
  isSoftlyDeleted,
  METADATA_EVENT,
  metadataStreamOf,
  type StreamHead,
  StreamHeads,
  TOMBSTONE_EVENT,
} from './stream-rules.js';

export type ServerLogOptions = { readonly directory: string; readonly clock: Clock };

/** An append with one of EventStoreDB's expectations. */
export type ExpectingAppend = Omit<Append, 'expected'> & { readonly expected: Expectation };

type Step = {
  readonly run: (nowMs: number) => Appended;
  readonly resolve: (appended: Appended) => void;
  readonly reject: (error: Error) => void;
};

const DEFAULT_MAX_COUNT = 4_096;

/**
 * Writes the embedded engine's file according to EventStoreDB's rules. Supports all expectations, stream deletion, and
 * metadata that hides events. Requests made in one event-loop turn share a transaction. Recognizes a repeated append
 * with `any` among the newest 1,000 events in its stream.
 */
export class ServerLog {
  readonly #db: DatabaseSyncInstance;
  readonly #lock: DirectoryLock;
  readonly #clock: Clock;
  readonly #heads: StreamHeads;
  readonly #ids: RecentIds;
  readonly #insert: StatementSyncInstance;
  readonly #newest: StatementSyncInstance;
  readonly #positionAt: StatementSyncInstance;
  readonly #forwards: StatementSyncInstance;
  readonly #backwards: StatementSyncInstance;
  readonly #onCommit: (last: Position) => void;
  #last: Position;
  #waiting: Step[] = [];
  #closed = false;

  constructor({ directory, clock }: ServerLogOptions, onCommit: (last: Position) => void) {
    this.#lock = lockDirectory(directory);
    this.#db = openHistory(directory);
    this.#db.exec('PRAGMA wal_autocheckpoint = 1000');
    this.#clock = clock;
    this.#onCommit = onCommit;
    this.#heads = new StreamHeads(this.#db);
    this.#ids = new RecentIds(this.#db);
    const prepare = (sql: string): StatementSyncInstance => {
      const statement = this.#db.prepare(sql);
      statement.setReturnArrays(true);
      return statement;
    };
    const ofStream = `SELECT ${COLUMNS} FROM events WHERE stream = ? AND revision BETWEEN ? AND ? AND recorded_at_ms >= ?`;
    this.#insert = prepare(`INSERT INTO events (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`);
    this.#newest = prepare(`SELECT ${COLUMNS} FROM events WHERE stream = ? ORDER BY revision DESC LIMIT 1`);
    this.#positionAt = prepare('SELECT position FROM events WHERE stream = ? AND revision = ?');
    this.#forwards = prepare(`${ofStream} ORDER BY revision LIMIT ?`);
    this.#backwards = prepare(`${ofStream} ORDER BY revision DESC LIMIT ?`);
    this.#last = this.#lastStored();
  }

  /** @throws WrongExpectedRevision, StreamTombstoned, EventTooLarge, EventStoreUnavailable; RangeError, TypeError */
  async append({ stream, expected, events }: ExpectingAppend): Promise<Appended> {
    const serialized = serializeAppend({ stream, expected: 'no_stream', events }).events;
    return this.#enqueue((nowMs) => this.#append(stream, expected, serialized, nowMs));
  }

  /**
   * Soft-deletes a stream by writing metadata that hides all of its events. Idempotent. Rejects a stream that was never
   * written.
   */
  async deleteStream(stream: string, expected: Expectation): Promise<void> {
    assertName('stream name', stream);
    await this.#enqueue((nowMs) => {
      const head = this.#checked(stream, expected);
      if (head.revision < 0) throw refusal(stream, expected, 'no_stream');
      if (!isSoftlyDeleted(head)) this.#writeMetadata(stream, { ...this.#metadataOf(stream), $tb: FOR_EVER }, nowMs);
      return this.#endOf(stream, head);
    });
  }

  /** Permanently deletes a stream: reads and appends then fail with StreamTombstoned. */
  async tombstoneStream(stream: string, expected: Expectation): Promise<void> {
    assertName('stream name', stream);
    await this.#enqueue((nowMs) => {
      const head = { ...this.#checked(stream, expected), revision: FOR_EVER - 1 };
      const tombstone = { id: randomUUID(), type: TOMBSTONE_EVENT, data: '{}', metadata: '{}' };
      const written = this.#write(stream, head, [tombstone], nowMs);
      this.#heads.forget(stream);
      return written;
    });
  }

  /** @throws StreamTombstoned */
  readStream(stream: string, { from, direction, maxCount = DEFAULT_MAX_COUNT }: StreamRead = {}): StreamSlice {
    const head = this.#heads.find(stream);
    const { revision, rules } = head;
    if (head.tombstoned) throw new StreamTombstoned(stream);
    if (revision < 0 || isSoftlyDeleted(head)) return { exists: false, revision, events: [] };
    const { truncateBefore = 0, maxCount: kept = Infinity, maxAgeMs = Infinity } = rules ?? {};
    const first = Math.max(truncateBefore, revision - kept + 1, 0);
    const sinceMs = Math.max(0, this.#clock.nowMs() - maxAgeMs);
    const rows =
      direction === 'backwards'
        ? this.#backwards.all(stream, first, Math.min(from ?? revision, revision), sinceMs, maxCount)
        : this.#forwards.all(stream, Math.max(first, from ?? 0), revision, sinceMs, maxCount);
    return { exists: true, revision, events: (rows as EventRow[]).map(toRecordedEvent) };
  }

  /** Stores all pending requests before it closes the file. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#commit();
    this.#db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    this.#db.close();
    this.#lock.release();
  }

  #enqueue(run: Step['run']): Promise<Appended> {
    return new Promise((resolve, reject) => {
      if (this.#closed) throw new EventStoreUnavailable('The event store is closed');
      if (this.#waiting.length === 0)
        setImmediate(() => {
          this.#commit();
        });
      this.#waiting.push({ run, resolve, reject });
    });
  }

  #commit(): void {
    const steps = this.#waiting;
    if (steps.length === 0) return;
    this.#waiting = [];
    const before = this.#last;
    const answers: (() => void)[] = [];
    try {
      this.#db.exec('BEGIN IMMEDIATE');
      for (const step of steps) answers.push(this.#carryOut(step));
      this.#db.exec('COMMIT');
    } catch (cause) {
      if (this.#db.isTransaction) this.#db.exec('ROLLBACK');
      this.#heads.clear();
      this.#ids.clear();
      this.#last = before;
      for (const { reject } of steps) reject(new EventStoreUnavailable('The append could not be stored', cause));
      return;
    }
    if (this.#last > before) this.#onCommit(this.#last);
    for (const answer of answers) answer();
  }

  #carryOut({ run, resolve, reject }: Step): () => void {
    try {
      const appended = run(this.#clock.nowMs());
      return () => {
        resolve(appended);
      };
    } catch (error) {
      if (!(error instanceof WrongExpectedRevision || error instanceof StreamTombstoned)) throw error;
      return () => {
        reject(error);
      };
    }
  }

  #append(stream: string, expected: Expectation, events: readonly SerializedEvent[], nowMs: number): Appended {
    const head = this.#heads.find(stream);
    const decision = decideAppend({ stream, expected, events }, head, this.#ids);
    if (decision.kind === 'repeated')
      return { revision: decision.revision, position: this.#positionOf(stream, decision.revision) };
    if (events.length === 0) return this.#endOf(stream, head);
    if (!isSoftlyDeleted(head)) return this.#write(stream, head, events, nowMs);
    // Events appended before the deletion stay hidden. Newly appended events are visible.
    this.#writeMetadata(stream, { ...this.#metadataOf(stream), $tb: head.revision + 1 }, nowMs);
    return this.#write(stream, this.#heads.find(stream), events, nowMs);
  }

  #checked(stream: string, expected: Expectation): StreamHead {
    const head = this.#heads.find(stream);
    decideAppend({ stream, expected, events: [] }, head, this.#ids);
    return head;
  }

  #write(stream: string, head: StreamHead, events: readonly SerializedEvent[], nowMs: number): Appended {
    for (const event of events) {
      const position = this.#last + 1;
      const revision = head.revision + 1;
      const { id, type, data, metadata } = event;
      const crc = checksum(position, stream, revision, event, nowMs);
      this.#insert.run(position, stream, revision, id, type, data, metadata, nowMs, crc);
      this.#ids.note(stream, id, revision);
      this.#last = position;
      head.revision = revision;
    }
    if (stream.startsWith('$$')) this.#heads.forget(stream.slice(2));
    return { revision: head.revision, position: this.#last };
  }

  #writeMetadata(stream: string, metadata: object, nowMs: number): void {
    const event = { id: randomUUID(), type: METADATA_EVENT, data: JSON.stringify(metadata), metadata: '{}' };
    const metadataStream = metadataStreamOf(stream);
    this.#write(metadataStream, this.#heads.find(metadataStream), [event], nowMs);
  }

  #metadataOf(stream: string): object {
    const row = this.#newest.get(metadataStreamOf(stream)) as EventRow | undefined;
    return row ? toRecordedEvent(row).data : {};
  }

  #endOf(stream: string, { revision }: StreamHead): Appended {
    return { revision, position: revision < 0 ? BEFORE_ALL : this.#positionOf(stream, revision) };
  }

  #positionOf(stream: string, revision: number): Position {
    return (this.#positionAt.get(stream, revision) as [Position])[0];
  }

  #lastStored(): Position {
    const { last } = this.#db.prepare('SELECT max(position) AS last FROM events').get() as { last: Position | null };
    return last ?? BEFORE_ALL;
  }
}
