import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DatabaseSyncInstance, StatementSyncInstance } from '@photostructure/sqlite';
import type { MessageSource, Published } from '../../ports/broker.js';
import { identityOf, isDamage, moveAside } from './read-store.damage.js';
import { isBusy, openDatabase, useWriteAheadLog } from './sqlite.js';

const FILE = 'broker.sqlite';
const SCHEMA_VERSION = 1;
/**
 * Timeout for opening the file. If two threads create it at the same time, SQLite lets only one of them enable the
 * write-ahead log. The other thread then fails immediately and retries until the timeout expires.
 */
const LOCKED_WAIT_MS = 5_000;
const PAUSE_MS = 20;
/**
 * Maximum number of rows to remove at a time. Removing this many takes only a few milliseconds. Each transaction adds
 * fewer rows, so an oversized log shrinks.
 */
const MAX_DROPPED = 2_000;

/** A message in its stored form. */
export type StorableMessage = {
  readonly id: string;
  readonly subject: string;
  readonly headers: string;
  readonly payload: Buffer;
};

/**
 * The broker's database file. It stores references to published events, and messages that cannot be derived from an
 * event, in a single sequence.
 */
export class BrokerLog {
  private readonly insert: StatementSyncInstance;
  private readonly refer: StatementSyncInstance;
  private readonly sequenceOf: StatementSyncInstance;
  private readonly referenceTo: StatementSyncInstance;
  private readonly lastSequence: StatementSyncInstance;
  private readonly dropOldest: readonly StatementSyncInstance[];
  /** Last assigned sequence number. Other connections may assign further numbers before the next transaction. */
  private last = 0;
  private holdsMessages = false;

  private constructor(
    private readonly db: DatabaseSyncInstance,
    private readonly keptMessages: number,
  ) {
    this.insert = db.prepare(
      'INSERT INTO messages (sequence, id, subject, stored_at_ms, headers, payload) VALUES (?, ?, ?, ?, ?, ?)',
    );
    // A different event at the same position means that the history was replaced.
    this.refer = db.prepare(
      `INSERT INTO published (sequence, position, messages, event_id) VALUES (?, ?, ?, ?) ON CONFLICT (position)
         DO UPDATE SET sequence = excluded.sequence, messages = excluded.messages, event_id = excluded.event_id
         WHERE event_id <> excluded.event_id`,
    );
    this.sequenceOf = db.prepare('SELECT sequence FROM messages WHERE id = ?');
    this.referenceTo = db.prepare('SELECT sequence FROM published WHERE position = ?');
    this.lastSequence = db.prepare(
      `SELECT (SELECT max(sequence) FROM messages) AS message, (SELECT max(sequence) FROM published) AS event`,
    );
    this.dropOldest = ['messages', 'published'].map((table) =>
      db.prepare(
        `DELETE FROM ${table} WHERE sequence IN
           (SELECT sequence FROM ${table} WHERE sequence <= ? ORDER BY sequence LIMIT ${MAX_DROPPED})`,
      ),
    );
  }

  /**
   * Opens the file, creating it and its tables if necessary. Moves a damaged file aside. It records only what has been
   * published, so its loss must not stop the service.
   * @throws Error if the file cannot be opened or remains locked
   */
  static async open(directory: string, keptMessages: number, onDamaged: () => void): Promise<BrokerLog> {
    const untilMs = performance.now() + LOCKED_WAIT_MS;
    for (;;) {
      const inode = identityOf(directory, FILE);
      try {
        return new BrokerLog(openNow(directory), keptMessages);
      } catch (error) {
        // Another thread may already have moved the damaged file aside.
        if (isDamage(error) && identityOf(directory, FILE) === inode) {
          moveAside(directory, FILE);
          onDamaged();
        } else if (!(isBusy(error) || isDamage(error)) || performance.now() > untilMs) throw error;
      }
      await sleep(PAUSE_MS);
    }
  }

  /**
   * Stores either all or none of the messages that `work` adds. Returns only after COMMIT, which flushes the
   * write-ahead log.
   */
  transaction<T>(work: () => T): T {
    this.db.exec('BEGIN IMMEDIATE');
    try {
      const { message, event } = this.lastSequence.get() as { message: number | null; event: number | null };
      this.last = Math.max(message ?? 0, event ?? 0);
      this.holdsMessages = message !== null;
      const done = work();
      for (const drop of this.dropOldest) drop.run(this.last - this.keptMessages);
      this.db.exec('COMMIT');
      return done;
    } catch (error) {
      // After some failures, such as a full disk, SQLite has already rolled back the transaction.
      if (this.db.isTransaction) this.db.exec('ROLLBACK');
      throw error;
    }
  }

  /** Adds a message unless its id is already known. */
  add({ id, subject, headers, payload }: StorableMessage, nowMs: number): Published {
    const known = this.find(id);
    if (known !== undefined) return { sequence: known, duplicate: true };
    this.last += 1;
    this.holdsMessages = true;
    this.insert.run(this.last, id, subject, nowMs, headers, payload);
    return { sequence: this.last, duplicate: false };
  }

  /**
   * Adds an event with the given number of messages unless the event is already known. Each message has its own
   * sequence number.
   */
  addEvent({ position, eventId }: MessageSource, messages: number): Published[] {
    const duplicate = this.refer.run(this.last + messages, position, messages, eventId).changes === 0;
    if (!duplicate) this.last += messages;
    const last = duplicate ? (this.referenceTo.get(position) as { sequence: number }).sequence : this.last;
    return Array.from({ length: messages }, (_, at) => ({ sequence: last - messages + 1 + at, duplicate }));
  }

  /** Whether the log contains any messages. If it contains none, message ids need not be looked up. */
  get hasMessages(): boolean {
    return this.holdsMessages;
  }

  /** Returns the sequence number of the stored message with this id; undefined if there is none. */
  find(id: string): number | undefined {
    if (!this.holdsMessages) return undefined;
    return (this.sequenceOf.get(id) as { sequence: number } | undefined)?.sequence;
  }

  version(): string {
    return (this.db.prepare('SELECT sqlite_version() AS version').get() as { version: string }).version;
  }

  close(): void {
    this.db.close();
  }
}

function openNow(directory: string): DatabaseSyncInstance {
  mkdirSync(directory, { recursive: true });
  const file = join(directory, FILE);
  return openDatabase(file, { timeout: 250 }, (db) => {
    useWriteAheadLog(db, file);
    db.exec('PRAGMA synchronous = FULL; PRAGMA journal_size_limit = 67108864');
    createTables(db);
  });
}

function createTables(db: DatabaseSyncInstance): void {
  const { user_version: version } = db.prepare('PRAGMA user_version').get() as { user_version: number };
  if (version > SCHEMA_VERSION)
    throw new Error(
      `broker.sqlite has schema version ${version}, but this version of Kontor supports ${SCHEMA_VERSION}. ` +
        'Use a newer version of Kontor.',
    );
  if (db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'published'").get()) return;
  // The payload is the last column, so that browsing by subject does not read its overflow pages. It is a BLOB, because
  // the binding truncates text at NUL. Earlier releases, which store every message, ignore `published`, so the schema
  // version is unchanged. The sequence number in `published` is that of the event's last message.
  db.exec(`BEGIN IMMEDIATE;
    CREATE TABLE IF NOT EXISTS messages (
      sequence INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, subject TEXT NOT NULL,
      stored_at_ms INTEGER NOT NULL, headers TEXT NOT NULL, payload BLOB NOT NULL) STRICT;
    CREATE TABLE IF NOT EXISTS published (
      sequence INTEGER PRIMARY KEY, position INTEGER NOT NULL UNIQUE, messages INTEGER NOT NULL,
      event_id TEXT NOT NULL) STRICT;
    PRAGMA user_version = ${SCHEMA_VERSION};
    COMMIT`);
}
