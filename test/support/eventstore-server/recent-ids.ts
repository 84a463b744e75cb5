import type { DatabaseSyncInstance, StatementSyncInstance } from '@photostructure/sqlite';
import { LRUCache } from 'lru-cache';
import { COLUMNS, type EventRow, toRecordedEvent } from '../../../src/adapters/embedded/event-store.record.js';
import type { StoredIds } from './append-decision.js';

/** Number of a stream's newest events that are searched for a repeat of an append with `any`. */
const RECENT_EVENTS = 1_000;
const MAX_WINDOWS = 64;

/**
 * Looks up ids in the stream itself, so that no index of ids is required. Only appends with `any` require a search. For
 * their streams, caches the ids of the newest events.
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

  /** Must be called for every event that is written, before the event is committed. */
  note(stream: string, id: string, revision: number): void {
    if (this.#windows.size === 0) return;
    const window = this.#windows.get(stream);
    if (!window) return;
    remember(window, id, revision);
  }

  /** Must be called after a rollback, because some of the noted events were not stored. */
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
