import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { EventStoreInUse } from '../../ports/event-store.js';
import { isBusy } from './sqlite.js';

export type DirectoryLock = { release(): void };

/**
 * Prevents a second process from writing to a data directory. An open exclusive transaction on an empty SQLite file
 * holds an operating system lock on every platform. The operating system releases the lock when the process ends, even
 * after `kill -9`. The lock does not prevent other processes from reading the history. `history.pid` only tells
 * operators which process holds the lock.
 * @throws EventStoreInUse, which names the file and the process that holds the lock
 */
export function lockDirectory(directory: string): DirectoryLock {
  mkdirSync(directory, { recursive: true });
  const file = join(directory, 'history.lock');
  const holder = join(directory, 'history.pid');
  const db = new DatabaseSync(file, { timeout: 0 });
  try {
    db.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
  } catch (error) {
    db.close();
    if (!isBusy(error)) throw error;
    const message = `${file} is locked: ${nameOf(holder)} already writes to the event history in ${directory}`;
    throw new EventStoreInUse(message, { cause: error });
  }
  writeFileSync(holder, `${process.pid}\n`);
  return {
    release: () => {
      rmSync(holder, { force: true });
      db.close();
    },
  };
}

function nameOf(holder: string): string {
  try {
    return `process ${readFileSync(holder, 'utf8').trim()}`;
  } catch {
    return 'another process';
  }
}
