import type { DatabaseSyncInstance, StatementSyncInstance } from '@photostructure/sqlite';
import { LRUCache } from 'lru-cache';
import type { Position } from '../../ports/event-store.js';
import { COLUMNS, type EventRow, toRecordedEvent } from './event-store.record.js';

/** Revision of the record that ends a stream for ever, and `$tb` of a softly deleted stream. */
export const FOR_EVER = Number.MAX_SAFE_INTEGER;
export const METADATA_EVENT = '$metadata';
export const TOMBSTONE_EVENT = '$streamDeleted';

export const metadataStreamOf = (stream: string): string => `$$${stream}`;

/** What a stream's metadata hides of it. */
export type StreamRules = {
  readonly truncateBefore: number;
  readonly maxCount: number | undefined;
  readonly maxAgeMs: number | undefined;
};

/** Where a stream ends. `revision` is -1 where it was never written. */
export type StreamHead = {
  revision: number;
  readonly tombstoned: boolean;
  readonly rules: StreamRules | undefined;
};

export interface StreamHeads {
  /** @throws CorruptEvent where the stream's metadata is damaged */
  find(stream: string): StreamHead;
}

export const isSoftlyDeleted = ({ rules }: StreamHead): boolean => rules?.truncateBefore === FOR_EVER;

/** Heads as the file has them now. */
export class StoredHeads implements StreamHeads {
  readonly #head: StatementSyncInstance;
  readonly #row: StatementSyncInstance;

  constructor(db: DatabaseSyncInstance) {
    // One call answers both: the newest revision of the stream and, from the same index, its newest metadata. Joins
    // would cost twice as much.
    this.#head = db.prepare(`
      SELECT (SELECT max(revision) FROM events WHERE stream = ?1),
             (SELECT position FROM events WHERE stream = ?2 ORDER BY revision DESC LIMIT 1)`);
    this.#head.setReturnArrays(true);
    this.#row = db.prepare(`SELECT ${COLUMNS} FROM events WHERE position = ?`);
    this.#row.setReturnArrays(true);
  }

  find(stream: string): StreamHead {
    const [revision, metadata] = this.#head.get(stream, metadataStreamOf(stream)) as [number | null, number | null];
    return {
      revision: revision ?? -1,
      tombstoned: revision === FOR_EVER,
      rules: metadata === null ? undefined : this.#rulesAt(metadata),
    };
  }

  #rulesAt(position: Position): StreamRules | undefined {
    const { type, data } = toRecordedEvent(this.#row.get(position) as EventRow);
    return type === METADATA_EVENT ? toRules(data as Record<string, unknown>) : undefined;
  }
}

/** A value that is not a number from 0 is no rule, as in EventStoreDB. */
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

/** Heads of the streams last used. Only the process that writes may trust it. */
export class CachedHeads implements StreamHeads {
  readonly #stored: StoredHeads;
  readonly #heads: LRUCache<string, StreamHead>;

  constructor(db: DatabaseSyncInstance, maxStreams: number) {
    this.#stored = new StoredHeads(db);
    this.#heads = new LRUCache({ max: maxStreams });
  }

  find(stream: string): StreamHead {
    const cached = this.#heads.get(stream);
    if (cached) return cached;
    const head = this.#stored.find(stream);
    this.#heads.set(stream, head);
    return head;
  }

  forget(stream: string): void {
    this.#heads.delete(stream);
  }

  clear(): void {
    this.#heads.clear();
  }
}
