import type { DatabaseSyncInstance, StatementSyncInstance } from '@photostructure/sqlite';
import { LRUCache } from 'lru-cache';
import { atMost } from '../../ports/entry-limit.js';
import {
  type Appended,
  BEFORE_ALL,
  CorruptEvent,
  type Position,
  WrongExpectedRevision,
} from '../../ports/event-store.js';
import type { SerializedAppend } from '../event-store.input.js';
import { pack } from './packed-json.js';
import { RecentEvents } from './event-store.recent.js';
import { checksum, COLUMNS, type EventRow, toRecordedEvent } from './event-store.record.js';
import { isNotUnique } from './sqlite.js';

/** Maximum number of cached revisions. A full cache takes about 10 MB. */
const CACHED_REVISIONS = 50_000;

/**
 * Appends to the history. The first write starts a transaction. `commit` makes all writes in the transaction durable at
 * once, and `rollback` undoes them. All operations are synchronous, so no reader sees the revisions of uncommitted
 * appends.
 */
export class EventLog {
  /** Last revisions of recently used streams. Valid only in the writing process. */
  private readonly revisions = new LRUCache<string, number>(atMost(CACHED_REVISIONS));
  readonly recent = new RecentEvents();
  private readonly insert: StatementSyncInstance;
  private readonly begin: StatementSyncInstance;
  private readonly commitStatement: StatementSyncInstance;
  private readonly rowAt: StatementSyncInstance;
  private committed: Position;
  private written: Position;
  private inTransaction = false;

  constructor(
    private readonly db: DatabaseSyncInstance,
    last: Position,
    private readonly readRevision: (stream: string) => number,
  ) {
    this.insert = db.prepare(`INSERT INTO events (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`);
    this.begin = db.prepare('BEGIN IMMEDIATE');
    this.commitStatement = db.prepare('COMMIT');
    this.rowAt = db.prepare(`SELECT ${COLUMNS} FROM events WHERE stream = ? AND revision = ?`);
    this.rowAt.setReturnArrays(true);
    this.committed = last;
    this.written = last;
  }

  /** Position of the last committed event. */
  get last(): Position {
    return this.committed;
  }

  /** Returns a stream's last revision, or −1 if the stream was never written to. */
  revisionOf(stream: string): number {
    const cached = this.revisions.get(stream);
    if (cached !== undefined) return cached;
    const revision = this.readRevision(stream);
    this.revisions.set(stream, revision);
    return revision;
  }

  /** @throws WrongExpectedRevision or CorruptEvent, in which case nothing was written */
  append(append: SerializedAppend, nowMs: number): Appended {
    const { stream, expected, events } = append;
    const isNew = expected === 'no_stream' && events.length > 0 && !this.revisions.has(stream);
    const appended = isNew ? this.writeNew(append, nowMs) : undefined;
    if (appended) return appended;
    const revision = this.revisionOf(stream);
    const after = expected === 'no_stream' ? -1 : expected;
    if (after !== revision) return this.repeated(append, after, revision);
    if (events.length > 0) return this.write(append, revision, nowMs);
    return { revision, position: revision < 0 ? BEFORE_ALL : this.eventAt(stream, revision).position };
  }

  /** Returns true if anything was written. @throws any SQLite error, after which the caller must call `rollback` */
  commit(): boolean {
    if (!this.inTransaction) return false;
    this.commitStatement.run();
    this.inTransaction = false;
    this.committed = this.written;
    return true;
  }

  rollback(): void {
    this.inTransaction = false;
    this.revisions.clear();
    this.written = this.committed;
    this.recent.removeAfter(this.committed);
    // After some errors, such as a full disk, SQLite has already rolled back the transaction.
    if (this.db.isTransaction) this.db.exec('ROLLBACK');
  }

  /**
   * Detects duplicate appends as EventStoreDB does (IndexWriter.CheckCommit): a duplicate has the same event ids at the
   * revisions that the first attempt assigned. An append is rejected if only some of its events are stored.
   */
  private repeated({ stream, expected, events }: SerializedAppend, after: number, revision: number): Appended {
    const last = after + events.length;
    if (last > after && last <= revision && events.every(({ id }, n) => this.eventAt(stream, after + 1 + n).id === id))
      return { revision: last, position: this.eventAt(stream, last).position };
    throw new WrongExpectedRevision(stream, expected, revision < 0 ? 'no_stream' : revision);
  }

  /** Creates a stream without reading its revision first. Returns undefined if the stream already exists. */
  private writeNew(append: SerializedAppend, nowMs: number): Appended | undefined {
    const { written } = this;
    try {
      return this.write(append, -1, nowMs);
    } catch (error) {
      // The stream and revision already exist. A duplicate position causes an error with a different code.
      if (this.written === written && isNotUnique(error)) return undefined;
      throw error;
    }
  }

  private write({ stream, events }: SerializedAppend, after: number, nowMs: number): Appended {
    if (!this.inTransaction) {
      this.begin.run();
      this.inTransaction = true;
    }
    let revision = after;
    for (const event of events) {
      const position = this.written + 1;
      revision += 1;
      const { id, type } = event;
      const [data, metadata] = [pack(event.data), pack(event.metadata)];
      const crc = checksum(position, stream, revision, { id, type, data, metadata }, nowMs);
      // Unlike `run`, the binding's `get` creates no object with the number of changes.
      this.insert.get(position, stream, revision, id, type, data, metadata, nowMs, crc);
      this.written = position;
      this.recent.add(position, stream, revision, event, nowMs);
    }
    this.revisions.set(stream, revision);
    return { revision, position: this.written };
  }

  private eventAt(stream: string, revision: number): { readonly id: string; readonly position: Position } {
    const row = this.rowAt.get(stream, revision) as EventRow | undefined;
    if (!row) throw new CorruptEvent(BEFORE_ALL);
    return toRecordedEvent(row);
  }
}
