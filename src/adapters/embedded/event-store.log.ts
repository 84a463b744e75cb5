import { randomUUID } from 'node:crypto';
import type { DatabaseSyncInstance, StatementSyncInstance } from '@photostructure/sqlite';
import {
  type Appended,
  BEFORE_ALL,
  type ExpectedRevision,
  type Position,
  WrongExpectedRevision,
} from '../../ports/event-store.js';
import type { SerializedAppend, SerializedEvent } from '../event-store.input.js';
import { decideAppend } from './event-store.decision.js';
import {
  type CachedHeads,
  FOR_EVER,
  isSoftlyDeleted,
  METADATA_EVENT,
  metadataStreamOf,
  type StreamHead,
  TOMBSTONE_EVENT,
} from './event-store.heads.js';
import { RecentIds } from './event-store.ids.js';
import { checksum, COLUMNS, type EventRow, toRecordedEvent } from './event-store.record.js';

/** The end of the history: of everything, and of the events that are not the system's own. */
export type LogEnd = { readonly last: Position; readonly lastOfService: Position };

/**
 * What a transaction on the history can do. The first write begins one; `commit` makes all since then durable at once,
 * `rollback` undoes it. Everything here is synchronous: nobody sees the heads of an uncommitted append.
 */
export class EventLog {
  readonly #db: DatabaseSyncInstance;
  readonly #heads: CachedHeads;
  readonly #ids: RecentIds;
  readonly #insert: StatementSyncInstance;
  readonly #begin: StatementSyncInstance;
  readonly #commit: StatementSyncInstance;
  readonly #newest: StatementSyncInstance;
  readonly #positionAt: StatementSyncInstance;
  #committed: LogEnd;
  #last: Position;
  #lastOfService: Position;
  #inTransaction = false;

  constructor(db: DatabaseSyncInstance, heads: CachedHeads, end: LogEnd) {
    this.#db = db;
    this.#heads = heads;
    this.#ids = new RecentIds(db);
    this.#insert = db.prepare(`INSERT INTO events (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`);
    this.#begin = db.prepare('BEGIN IMMEDIATE');
    this.#commit = db.prepare('COMMIT');
    this.#newest = db.prepare(`SELECT ${COLUMNS} FROM events WHERE stream = ? ORDER BY revision DESC LIMIT 1`);
    this.#newest.setReturnArrays(true);
    this.#positionAt = db.prepare('SELECT position FROM events WHERE stream = ? AND revision = ?');
    this.#committed = end;
    this.#last = end.last;
    this.#lastOfService = end.lastOfService;
  }

  /** As committed. */
  get end(): LogEnd {
    return this.#committed;
  }

  /** @throws WrongExpectedRevision, StreamTombstoned, CorruptEvent: then nothing was written */
  append(append: SerializedAppend, nowMs: number): Appended {
    const { stream, events } = append;
    const head = this.#heads.find(stream);
    const decision = decideAppend(append, head, this.#ids);
    if (decision.kind === 'repeated')
      return { revision: decision.revision, position: this.#positionOf(stream, decision.revision) };
    if (events.length === 0) return this.#endOf(stream, head);
    if (!isSoftlyDeleted(head)) return this.#write(stream, head, events, nowMs);
    // What came before the deletion stays hidden; what is appended now is seen.
    this.#writeMetadata(stream, { ...this.#metadataOf(stream), $tb: head.revision + 1 }, nowMs);
    return this.#write(stream, this.#heads.find(stream), events, nowMs);
  }

  /** As EventStoreDB: by metadata that hides everything. Deleting again changes nothing; a stream never written is refused. */
  deleteSoftly(stream: string, expected: ExpectedRevision, nowMs: number): Appended {
    const head = this.#heads.find(stream);
    decideAppend({ stream, expected, events: [], bytes: 0 }, head, this.#ids);
    if (head.revision < 0) throw new WrongExpectedRevision(stream, expected, 'no_stream');
    if (!isSoftlyDeleted(head)) this.#writeMetadata(stream, { ...this.#metadataOf(stream), $tb: FOR_EVER }, nowMs);
    return this.#endOf(stream, head);
  }

  deleteForEver(stream: string, expected: ExpectedRevision, nowMs: number): Appended {
    const head = this.#heads.find(stream);
    decideAppend({ stream, expected, events: [], bytes: 0 }, head, this.#ids);
    const tombstone = { id: randomUUID(), type: TOMBSTONE_EVENT, data: '{}', metadata: '{}' };
    const written = this.#write(stream, { ...head, revision: FOR_EVER - 1 }, [tombstone], nowMs);
    this.#heads.forget(stream);
    return written;
  }

  /** True where something was written. @throws whatever SQLite refuses with: then `rollback` */
  commit(): boolean {
    if (!this.#inTransaction) return false;
    this.#commit.run();
    this.#inTransaction = false;
    this.#committed = { last: this.#last, lastOfService: this.#lastOfService };
    return true;
  }

  rollback(): void {
    this.#inTransaction = false;
    this.#heads.clear();
    this.#ids.clear();
    this.#last = this.#committed.last;
    this.#lastOfService = this.#committed.lastOfService;
    // SQLite has rolled back by itself after some errors, a full disk among them.
    if (this.#db.isTransaction) this.#db.exec('ROLLBACK');
  }

  #write(stream: string, head: StreamHead, events: readonly SerializedEvent[], nowMs: number): Appended {
    if (!this.#inTransaction) {
      this.#begin.run();
      this.#inTransaction = true;
    }
    const ofSystem = stream.startsWith('$');
    for (const event of events) {
      const position = this.#last + 1;
      const revision = head.revision + 1;
      const { id, type, data, metadata } = event;
      const crc = checksum(position, stream, revision, event, nowMs);
      this.#insert.run(position, stream, revision, id, type, data, metadata, nowMs, crc);
      this.#ids.note(stream, id, revision);
      this.#last = position;
      if (!ofSystem && !type.startsWith('$')) this.#lastOfService = position;
      head.revision = revision;
    }
    if (ofSystem && stream.startsWith('$$')) this.#heads.forget(stream.slice(2));
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
    const { position } = this.#positionAt.get(stream, revision) as { position: Position };
    return position;
  }
}
