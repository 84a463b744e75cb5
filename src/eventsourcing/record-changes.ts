import { LRUCache } from 'lru-cache';
import { atMost } from '../ports/entry-limit.js';
import { BEFORE_ALL, type Position } from '../ports/event-store.js';
import { streamName } from './stream-name.js';

const MAX_KINDS = 10_000;

/**
 * Tracks the last change to each kind of record in each tenant. It shows whether results computed from such records are
 * still valid, without a comparison with a read model. Has no information before `begin`.
 */
export class RecordChanges {
  private readonly latest: LRUCache<string, Position>;
  /** Kinds without a known change have not changed after this position. */
  private floor: Position = Number.POSITIVE_INFINITY;

  constructor(maxKinds = MAX_KINDS) {
    this.latest = new LRUCache({
      ...atMost(maxKinds),
      dispose: (position, _, reason) => {
        if (reason === 'evict') this.floor = Math.max(this.floor, position);
      },
    });
  }

  /** Discards all information. Every change after this position will be recorded. */
  begin(after: Position): void {
    this.latest.clear();
    this.floor = after;
  }

  note(stream: string, position: Position): void {
    if (this.floor === Number.POSITIVE_INFINITY) return;
    const kind = stream.slice(0, stream.indexOf('_') + 1);
    if (position > (this.latest.get(kind) ?? BEFORE_ALL)) this.latest.set(kind, position);
  }

  /**
   * Returns a position after which no record of this kind is known to have changed. The position may be later than the
   * last change.
   */
  lastOf(entity: string, tenantId: string): Position {
    return this.latest.get(streamName(entity, tenantId, '')) ?? this.floor;
  }
}
