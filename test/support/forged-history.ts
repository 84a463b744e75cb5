import { DatabaseSync } from '@photostructure/sqlite';
import { historyFile } from '../../src/adapters/embedded/event-store.schema.js';
import { unpack } from '../../src/adapters/embedded/packed-json.reader.js';
import { checksum, COLUMNS, type EventRow } from '../../src/adapters/embedded/event-store.record.js';

/** The fields of an event that a forger with access to the files can change. */
export type ForgedEvent = {
  stream: string;
  revision: number;
  id: string;
  type: string;
  data: string;
  metadata: string;
  recordedAtMs: number;
};

/**
 * Rewrites a history that no process has open. `forge` returns the new events. The new history has no gaps in positions
 * or revisions, and its checksums match. As in files of release 0.1.0, its events are not packed.
 */
export function forgeHistory(directory: string, forge: (events: ForgedEvent[]) => ForgedEvent[]): void {
  const db = new DatabaseSync(historyFile(directory));
  try {
    const rows = db.prepare(`SELECT ${COLUMNS} FROM events ORDER BY position`, { returnArrays: true }).all();
    const events = (rows as unknown as EventRow[]).map(
      ([, stream, revision, id, type, data, metadata, recordedAtMs]) => ({
        ...{ stream, revision, id, type, data: unpack(data), metadata: unpack(metadata), recordedAtMs },
      }),
    );
    const first = (rows as unknown as EventRow[])[0]?.[0] ?? 0;
    const insert = db.prepare(`INSERT INTO events (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`);
    db.exec('BEGIN; DELETE FROM events');
    const revisions = new Map<string, number>();
    for (const [at, event] of forge(events).entries()) {
      const { stream, id, type, data, metadata, recordedAtMs } = event;
      const revision = (revisions.get(stream) ?? -1) + 1;
      revisions.set(stream, revision);
      const crc = checksum(first + at, stream, revision, event, recordedAtMs);
      insert.run(first + at, stream, revision, id, type, data, metadata, recordedAtMs, crc);
    }
    db.exec('COMMIT');
  } finally {
    db.close();
  }
}
