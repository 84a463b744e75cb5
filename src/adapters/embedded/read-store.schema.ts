import { join } from 'node:path';
import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';
import { FILE, identityOf, removeFile } from './read-store.damage.js';

/**
 * The file's `user_version`. Since version 4, documents may be packed. The table definitions are the same as in version
 * 3.
 */
export const SCHEMA_VERSION = 4;
const OLDEST_USABLE = 3;

export const catalog = `
  CREATE TABLE IF NOT EXISTS kontor_scopes (number INTEGER PRIMARY KEY, scope TEXT NOT NULL UNIQUE) STRICT;
  CREATE TABLE IF NOT EXISTS kontor_tables (
    name TEXT PRIMARY KEY, declaration TEXT NOT NULL, indexed INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS kontor_counts (
    name TEXT NOT NULL, scope INTEGER NOT NULL, count INTEGER NOT NULL, last INTEGER NOT NULL, changes INTEGER NOT NULL,
    PRIMARY KEY (name, scope)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS kontor_checkpoints (key TEXT PRIMARY KEY, position INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS kontor_generations (
    model TEXT NOT NULL, version INTEGER NOT NULL, generation INTEGER NOT NULL, PRIMARY KEY (model, version)
  ) STRICT, WITHOUT ROWID;
  PRAGMA user_version = ${SCHEMA_VERSION};`;

export class OtherSchema extends Error {
  constructor(version: number) {
    super(`models.sqlite has schema version ${version}, but this version of Kontor uses ${SCHEMA_VERSION}`);
  }
}

type Checkpoint = readonly [key: string, position: number];

/**
 * Removes a file whose schema is too old for this release. Returns the checkpoints to carry over. Returns none if some
 * of the file's checkpoints belong to another history, because the data that distinguishes the histories is lost with
 * the file.
 */
export function replaceOlder(directory: string, kept: readonly string[]): readonly Checkpoint[] {
  if (identityOf(directory) === undefined) return [];
  let former: Checkpoint[];
  try {
    const db = new DatabaseSync(join(directory, FILE));
    try {
      const version = versionOf(db);
      if (version === 0 || version >= OLDEST_USABLE) return [];
      former = db.prepare('SELECT key, position FROM kontor_checkpoints', { returnArrays: true }).all() as Checkpoint[];
    } finally {
      db.close();
    }
  } catch {
    // Any fault in the file will cause an error when it is opened for writing.
    return [];
  }
  removeFile(directory);
  const isOfAnother = (key: string): boolean => kept.some((own) => key !== own && key.endsWith(own));
  return former.some(([key]) => isOfAnother(key)) ? [] : former.filter(([key]) => kept.includes(key));
}

const versionOf = (db: DatabaseSyncInstance): number =>
  Number((db.prepare('PRAGMA user_version', { returnArrays: true }).get() as number[])[0]);

/** Rejects files whose version this release cannot read. A new file has version 0. */
export function refuseOther(db: DatabaseSyncInstance): void {
  const version = versionOf(db);
  if (version !== 0 && (version < OLDEST_USABLE || version > SCHEMA_VERSION)) throw new OtherSchema(version);
}
