import { BEFORE_ALL, type Position } from '../../ports/event-store.js';
import { isSystem, positionOf } from './event-store.record.js';
import type { Reader } from './event-store.reader.js';

const FIRST_PAGE = 8;
const LARGEST_PAGE = 512;

/**
 * Determines the position of the service's last event. EventStoreDB cannot report this position, because its log also
 * contains system events. Each read goes backwards from the end of the log and skips system events. It goes no further
 * back than the newest record seen by the previous read.
 */
export class Head {
  private latest: Position = BEFORE_ALL;
  /** Position of the newest record of any kind that a read has seen. */
  private seen: Position = BEFORE_ALL;

  constructor(private readonly reader: Reader) {}

  /** Last known position, available without a round trip. */
  get known(): Position {
    return this.latest;
  }

  /** Records that the service has an event at `position`. */
  note(position: Position): void {
    if (position > this.latest) this.latest = position;
  }

  /** @throws EventStoreUnavailable */
  async read(): Promise<Position> {
    let newest = BEFORE_ALL;
    let before: Position | undefined;
    for (let size = FIRST_PAGE; ; size = Math.min(size * 4, LARGEST_PAGE)) {
      const { events, last, end } = await this.reader.page('backwards', before, size);
      for (const event of events) {
        const position = positionOf(event);
        newest = Math.max(newest, position);
        if (position > this.seen && isSystem(event.stream, event.type)) continue;
        if (position > this.seen) this.note(position);
        return this.settle(newest);
      }
      if (end) return this.settle(newest);
      before = last;
    }
  }

  private settle(newest: Position): Position {
    this.seen = Math.max(this.seen, newest);
    return this.latest;
  }
}
