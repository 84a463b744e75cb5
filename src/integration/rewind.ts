import { rewindMarks, type RewindStart } from '../aggregates/forwarder.aggregate.js';
import type { EventCatalogue, Recorded } from '../eventsourcing/event-catalogue.js';
import { KeyedQueue } from '../eventsourcing/keyed-queue.js';
import type { Marks } from '../projecting/marks.js';
import { BrokerUnavailable, type Broker } from '../ports/broker.js';
import { BEFORE_ALL, type EventReader, type Position, type RecordedEvent } from '../ports/event-store.js';
import { positionBefore } from '../eventsourcing/stream-events.js';
import { publish } from './publishing.js';
import { alsoAbout, publicEventTypes } from './translations.js';

/** The range to publish again. `id`: id of the event that requested it. */
export type DueRewind = { readonly id: string; readonly from: RewindStart; readonly upTo: Position };

type Parts = {
  readonly events: Pick<EventReader, 'readAll'>;
  readonly broker: Broker;
  readonly catalogue: EventCatalogue;
  readonly marks: Marks;
  /** Waits until live messages leave room for repeats. */
  readonly turn: (signal: AbortSignal) => Promise<void>;
  readonly park: (event: RecordedEvent, error: unknown, rewindId: string) => Promise<void>;
};

/** Small, because a live message may have to wait for the repeats in flight. */
const AT_ONCE = 32;
const SAVED_EVERY = 320;
const PAGE = 320;
const filter = { on: 'type', prefixes: publicEventTypes } as const;

/**
 * Publishes the public events of a rewind's range again, in order for each record, a few at a time. Resumes from its
 * marks; messages repeated after a crash have the same ids.
 */
export class Rewinds {
  constructor(private readonly parts: Parts) {}

  /**
   * Returns the number of published events. Calls `gotOn` after each group of them.
   * @throws BrokerUnavailable, EventStoreUnavailable, ReadStoreUnavailable or errors of `park`, all of which the caller
   * retries; the signal's reason
   */
  async carryOut(rewind: DueRewind, signal: AbortSignal, gotOn: () => void): Promise<number> {
    const { events, marks, turn } = this.parts;
    const names = rewindMarks(rewind.id);
    let published = Math.max(0, await marks.load(names.published));
    let from = Math.max(await marks.load(names.position), await this.before(rewind.from));
    for (let unsaved = 0; ;) {
      const page = await events.readAll({ from, filter, maxCount: PAGE });
      const due = page.filter(({ position }) => position <= rewind.upTo);
      for (let first = 0; first < due.length; first += AT_ONCE) {
        const some = due.slice(first, first + AT_ONCE);
        await turn(signal);
        published += await this.publishAll(rewind, some, signal);
        from = some.at(-1)?.position ?? from;
        gotOn();
        unsaved += some.length;
        if (unsaved < SAVED_EVERY) continue;
        await marks.save({ [names.position]: from, [names.published]: published });
        unsaved = 0;
      }
      if (due.length < PAGE) return published;
    }
  }

  private before(from: RewindStart): Promise<Position> {
    return 'position' in from ? positionBefore(this.parts.events, from.position) : Promise.resolve(BEFORE_ALL);
  }

  /** Starts no further event after a failure, because later events must not overtake it. The retry publishes them. */
  private async publishAll(rewind: DueRewind, events: readonly RecordedEvent[], signal: AbortSignal): Promise<number> {
    const failures: unknown[] = [];
    let published = 0;
    const queue = new KeyedQueue();
    const publish = async (event: RecordedEvent): Promise<void> => {
      if (signal.aborted || failures.length > 0) return;
      await this.publishOne(rewind, event).then(
        (isPublished) => (published += Number(isPublished)),
        (error: unknown) => failures.push(error),
      );
    };
    await Promise.all(events.map((event) => queue.run(event.stream, () => publish(event), alsoAbout(event))));
    signal.throwIfAborted();
    if (failures.length > 0) throw failures[0];
    return published;
  }

  private async publishOne({ id, from }: DueRewind, event: RecordedEvent): Promise<boolean> {
    const isDue = ({ metadata }: Recorded) => !('instant' in from) || metadata.timestamp >= from.instant;
    try {
      const decoded = this.parts.catalogue.decode(event);
      if (!isDue(decoded)) return false;
      await publish(this.parts.broker, decoded, { by: `rewind.${id}` });
      return true;
    } catch (error) {
      if (error instanceof BrokerUnavailable) throw error;
      await this.parts.park(event, error, id);
      return false;
    }
  }
}
