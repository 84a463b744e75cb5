import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSyncInstance } from '@photostructure/sqlite';
import { EventStoreUnavailable } from '../../ports/event-store.js';
import { openDatabase, useWriteAheadLog } from './sqlite.js';

/** Since version 2, data and metadata may be packed. The table definitions are the same as in version 1. */
export const SCHEMA_VERSION = 2;
/**
 * Lock timeout. Another program, such as an SQLite shell, may lock the file briefly. A longer timeout would block the
 * event loop for too long.
 */
const BUSY_TIMEOUT_MS = 50;

const schema = `
  CREATE TABLE events (
    position       INTEGER PRIMARY KEY,
    stream         TEXT    NOT NULL,
    revision       INTEGER NOT NULL,
    id             TEXT    NOT NULL,
    type           TEXT    NOT NULL,
    data           TEXT    NOT NULL,
    metadata       TEXT    NOT NULL,
    recorded_at_ms INTEGER NOT NULL,
    crc            INTEGER NOT NULL,
    UNIQUE (stream, revision)
  ) STRICT;
  PRAGMA user_version = ${SCHEMA_VERSION};
`;

export const historyFile = (directory: string): string => join(directory, 'history.sqlite');

/** Opens the history, creating the directory and file if necessary. The caller must hold the directory's lock. */
export function openHistory(directory: string): DatabaseSyncInstance {
  mkdirSync(directory, { recursive: true });
  const file = historyFile(directory);
  return openDatabase(file, { timeout: BUSY_TIMEOUT_MS }, (db) => {
    // The schema is created in one transaction, so that a crash leaves either the complete schema or nothing.
    if (versionOf(db) === 0) db.exec(`BEGIN IMMEDIATE; ${schema} COMMIT;`);
    assertKnownVersion(db, directory);
    identify(db);
    useWriteAheadLog(db, file);
    // `Checkpointer` runs checkpoints outside commits. The write-ahead log is not truncated, because flushing a file
    // after overwriting it is faster than after extending it.
    db.exec(`
      PRAGMA synchronous = FULL;
      PRAGMA wal_autocheckpoint = 0;
      PRAGMA journal_size_limit = 16777216;
      PRAGMA cache_size = -16000;
      PRAGMA cell_size_check = ON;
    `);
    if (versionOf(db) < SCHEMA_VERSION) db.exec(`PRAGMA user_version = ${SCHEMA_VERSION}`);
  });
}

/**
 * Opens a read-only connection, which can be used while another connection writes.
 * @throws EventStoreUnavailable if there is no history yet
 */
export function openHistoryForReading(directory: string): DatabaseSyncInstance {
  const file = historyFile(directory);
  if (!existsSync(file)) throw new EventStoreUnavailable(`There is no event history at ${file}`);
  return openDatabase(file, { readOnly: true, timeout: BUSY_TIMEOUT_MS }, (db) => {
    assertKnownVersion(db, directory);
    db.exec('PRAGMA cache_size = -8000; PRAGMA cell_size_check = ON');
  });
}

/** The history's id. Earlier releases ignore this table, so the schema version is unchanged. */
const identity = `
  CREATE TABLE kontor_history (one INTEGER PRIMARY KEY CHECK (one = 1), id TEXT NOT NULL) STRICT;
`;

function identify(db: DatabaseSyncInstance): void {
  if (db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'kontor_history'").get()) return;
  db.exec(`BEGIN IMMEDIATE; ${identity} INSERT INTO kontor_history VALUES (1, '${randomUUID()}'); COMMIT;`);
}

function versionOf(db: DatabaseSyncInstance): number {
  const { user_version } = db.prepare('PRAGMA user_version').get() as { user_version: number };
  return user_version;
}

function assertKnownVersion(db: DatabaseSyncInstance, directory: string): void {
  const version = versionOf(db);
  if (version < 1 || version > SCHEMA_VERSION)
    throw new Error(
      `${historyFile(directory)} has schema version ${version}, but this version of Kontor supports ` +
        `${SCHEMA_VERSION}. Use a newer version of Kontor.`,
    );
}
