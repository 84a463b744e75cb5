import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';
import { EventStoreUnavailable } from '../../ports/event-store.js';

const SCHEMA_VERSION = 1;
/** Another program may hold the file for a moment (an operator's SQLite shell); longer would block the event loop. */
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

/** Creates the directory and the file where they are missing. The caller holds the directory's lock. */
export function openHistory(directory: string): DatabaseSyncInstance {
  mkdirSync(directory, { recursive: true });
  const db = new DatabaseSync(historyFile(directory), { timeout: BUSY_TIMEOUT_MS });
  try {
    if (versionOf(db) === 0) create(db);
    assertKnownVersion(db, directory);
    const { journal_mode } = db.prepare('PRAGMA journal_mode = WAL').get() as { journal_mode: string };
    if (journal_mode !== 'wal') throw new Error(`${historyFile(directory)}: the file system does not support WAL mode`);
    // Checkpoints are taken by Checkpointer, away from commits; the WAL keeps its size, since overwriting
    // is flushed faster than growing.
    db.exec(`
      PRAGMA synchronous = FULL;
      PRAGMA wal_autocheckpoint = 0;
      PRAGMA journal_size_limit = 67108864;
      PRAGMA cache_size = -16000;
      PRAGMA cell_size_check = ON;
    `);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/** A connection that only reads, beside the writer. @throws EventStoreUnavailable where there is no history yet */
export function openHistoryForReading(directory: string): DatabaseSyncInstance {
  const file = historyFile(directory);
  if (!existsSync(file)) throw new EventStoreUnavailable(`There is no event history at ${file}`);
  const db = new DatabaseSync(file, { readOnly: true, timeout: BUSY_TIMEOUT_MS });
  try {
    assertKnownVersion(db, directory);
    db.exec('PRAGMA cache_size = -8000; PRAGMA cell_size_check = ON');
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

function create(db: DatabaseSyncInstance): void {
  // In one transaction: a crash leaves either no schema or all of it.
  db.exec(`BEGIN IMMEDIATE; ${schema} COMMIT;`);
}

function versionOf(db: DatabaseSyncInstance): number {
  const { user_version } = db.prepare('PRAGMA user_version').get() as { user_version: number };
  return user_version;
}

function assertKnownVersion(db: DatabaseSyncInstance, directory: string): void {
  const version = versionOf(db);
  if (version !== SCHEMA_VERSION)
    throw new Error(
      `${historyFile(directory)} has schema version ${version}, this program knows ${SCHEMA_VERSION}: ` +
        'it was written by a newer Kontor',
    );
}
