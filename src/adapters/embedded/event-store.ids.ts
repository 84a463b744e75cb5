import type { DatabaseSyncInstance, StatementSyncInstance } from '@photostructure/sqlite';
import { LRUCache } from 'lru-cache';
import type { StoredIds } from './event-store.decision.js';
import { COLUMNS, type EventRow, toRecordedEvent } from './event-store.record.js';

/** How far back a repeat with `any` is recognised, in events of its stream. */
const RECENT_EVENTS = 1_000;
const MAX_WINDOWS = 64;

/**
 * Answers from the stream itself, so that no index of ids is needed. Only `any` has to search: for a stream appended to
 * in that way the ids of its newest events are kept in memory, read once and then kept up with the appends.
 */
export class RecentIds implements StoredIds {
  readonly #row: StatementSyncInstance;
  readonly #newest: StatementSyncInstance;
  readonly #windows = new LRUCache<string, Map<string, number>>({ max: MAX_WINDOWS });

  constructor(db: DatabaseSyncInstance) {
    this.#row = db.prepare(`SELECT ${COLUMNS} FROM events WHERE stream = ? AND revision = ?`);
    this.#row.setReturnArrays(true);
    this.#newest = db.prepare('SELECT id, revision FROM events WHERE stream = ? ORDER BY revision DESC LIMIT ?');
    this.#newest.setReturnArrays(true);
  }

  at(stream: string, revision: number): string | undefined {
    const row = this.#row.get(stream, revision) as EventRow | undefined;
    return row && toRecordedEvent(row).id;
  }

  findRecent(stream: string, id: string): number | undefined {
    const revision = this.#windowOf(stream).get(id);
    return revision !== undefined && this.at(stream, revision) === id ? revision : undefined;
  }

  /** Must be told of every event written, before it is committed. */
  note(stream: string, id: string, revision: number): void {
    if (this.#windows.size === 0) return;
    const window = this.#windows.get(stream);
    if (!window) return;
    remember(window, id, revision);
  }

  /** After a rollback: what was noted may not exist. */
  clear(): void {
    this.#windows.clear();
  }

  #windowOf(stream: string): Map<string, number> {
    let window = this.#windows.get(stream);
    if (!window) {
      const newest = this.#newest.all(stream, RECENT_EVENTS) as [string, number][];
      window = new Map(newest.reverse());
      this.#windows.set(stream, window);
    }
    return window;
  }
}

function remember(window: Map<string, number>, id: string, revision: number): void {
  window.delete(id);
  window.set(id, revision);
  if (window.size <= RECENT_EVENTS) return;
  for (const oldest of window.keys()) {
    window.delete(oldest);
    return;
  }
}
