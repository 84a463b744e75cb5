import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DatabaseSyncInstance } from '@photostructure/sqlite';
import { isBusy, openDatabase, useWriteAheadLog } from './sqlite.js';

const SCHEMA_VERSION = 1;
/** SQLite lets only one of two threads that create the file enable the write-ahead log, and does not wait for it. */
const LOCKED_WAIT_MS = 5_000;
const PAUSE_MS = 20;

/** Opens the broker's file; creates or migrates it if needed. @throws Error if that fails or the file stays locked */
export async function openLog(directory: string): Promise<DatabaseSyncInstance> {
  const untilMs = performance.now() + LOCKED_WAIT_MS;
  for (;;) {
    try {
      return openNow(directory);
    } catch (error) {
      if (!isBusy(error) || performance.now() > untilMs) throw error;
    }
    await sleep(PAUSE_MS);
  }
}

function openNow(directory: string): DatabaseSyncInstance {
  mkdirSync(directory, { recursive: true });
  const file = join(directory, 'broker.sqlite');
  return openDatabase(file, { timeout: 250 }, (db) => {
    useWriteAheadLog(db, file);
    db.exec('PRAGMA synchronous = FULL; PRAGMA journal_size_limit = 67108864');
    migrate(db);
  });
}

function migrate(db: DatabaseSyncInstance): void {
  const { user_version: version } = db.prepare('PRAGMA user_version').get() as { user_version: number };
  if (version > SCHEMA_VERSION) throw new Error(`broker.sqlite has version ${version}, newer than ${SCHEMA_VERSION}`);
  if (version === SCHEMA_VERSION) return;
  // The payload is the last column, so that browsing by subject does not read its overflow pages. It is a BLOB, because
  // the binding truncates text at a NUL.
  db.exec(`BEGIN IMMEDIATE;
    CREATE TABLE IF NOT EXISTS messages (
      sequence INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, subject TEXT NOT NULL,
      stored_at_ms INTEGER NOT NULL, headers TEXT NOT NULL, payload BLOB NOT NULL) STRICT;
    PRAGMA user_version = ${SCHEMA_VERSION};
    COMMIT`);
}
