import type { DatabaseSyncInstance, StatementSyncInstance } from '@photostructure/sqlite';
import { LRUCache } from 'lru-cache';
import { COLUMNS, type EventRow, toRecordedEvent } from '../../../src/adapters/embedded/event-store.record.js';
import type { ExpectedRevision, Position } from '../../../src/ports/event-store.js';

/** Expectations that EventStoreDB supports. The service uses only those that the port defines. */
export type Expectation = ExpectedRevision | 'any' | 'stream_exists';

/** Revision of a tombstone record, and the `$tb` value of a soft-deleted stream. */
export const FOR_EVER = Number.MAX_SAFE_INTEGER;
export const METADATA_EVENT = '$metadata';
export const TOMBSTONE_EVENT = '$streamDeleted';

export const metadataStreamOf = (stream: string): string => `$$${stream}`;

/** Rules in a stream's metadata that hide events. */
export type StreamRules = {
  readonly truncateBefore: number;
  readonly maxCount: number | undefined;
  readonly maxAgeMs: number | undefined;
};

/** The end of a stream. `revision` is -1 if the stream was never written. */
export type StreamHead = {
  revision: number;
  readonly tombstoned: boolean;
  readonly rules: StreamRules | undefined;
};

export const isSoftlyDeleted = ({ rules }: StreamHead): boolean => rules?.truncateBefore === FOR_EVER;

const MAX_CACHED = 50_000;

/** Cache of stream heads. Only the connection that writes may rely on the cache. */
export class StreamHeads {
  readonly #head: StatementSyncInstance;
  readonly #row: StatementSyncInstance;
  readonly #cached = new LRUCache<string, StreamHead>({ max: MAX_CACHED });

  constructor(db: DatabaseSyncInstance) {
    this.#head = db.prepare(`
      SELECT (SELECT max(revision) FROM events WHERE stream = ?1),
             (SELECT position FROM events WHERE stream = ?2 ORDER BY revision DESC LIMIT 1)`);
    this.#head.setReturnArrays(true);
    this.#row = db.prepare(`SELECT ${COLUMNS} FROM events WHERE position = ?`);
    this.#row.setReturnArrays(true);
  }

  find(stream: string): StreamHead {
    const cached = this.#cached.get(stream);
    if (cached) return cached;
    const [revision, metadata] = this.#head.get(stream, metadataStreamOf(stream)) as [number | null, number | null];
    const head = {
      revision: revision ?? -1,
      tombstoned: revision === FOR_EVER,
      rules: metadata === null ? undefined : this.#rulesAt(metadata),
    };
    this.#cached.set(stream, head);
    return head;
  }

  forget(stream: string): void {
    this.#cached.delete(stream);
  }

  clear(): void {
    this.#cached.clear();
  }

  #rulesAt(position: Position): StreamRules | undefined {
    const { type, data } = toRecordedEvent(this.#row.get(position) as EventRow);
    return type === METADATA_EVENT ? toRules(data as Record<string, unknown>) : undefined;
  }
}

/** Ignores values other than non-negative numbers, as EventStoreDB does. */
function toRules(metadata: Record<string, unknown>): StreamRules {
  const number = (key: string): number | undefined => {
    const value = metadata[key];
    return typeof value === 'number' && value >= 0 ? value : undefined;
  };
  const maxAgeSeconds = number('$maxAge');
  return {
    truncateBefore: Math.min(number('$tb') ?? 0, FOR_EVER),
    maxCount: number('$maxCount'),
    maxAgeMs: maxAgeSeconds === undefined ? undefined : maxAgeSeconds * 1000,
  };
}
