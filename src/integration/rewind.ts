import type { ForwarderEvent, RewindStart } from '../aggregates/forwarder.aggregate.js';
import type { EventCatalogue, Recorded } from '../platform/event-catalogue.js';
import { BrokerUnavailable, type Broker } from '../ports/broker.js';
import { BEFORE_ALL, type EventReader, type RecordedEvent } from '../ports/event-store.js';
import { KeyedQueue } from '../platform/keyed-queue.js';
import { publish } from './publishing.js';
import { alsoAbout, publicEventTypes } from './translations.js';

type Rewind = Recorded<Extract<ForwarderEvent, { type: 'ForwarderRewindRequested' }>>;

type Parts = {
  readonly events: EventReader;
  readonly broker: Broker;
  readonly catalogue: EventCatalogue;
  readonly park: (event: RecordedEvent, error: unknown, rewindId: string) => Promise<void>;
};

const PAGE = 500;
const filter = { on: 'type', prefixes: publicEventTypes } as const;

/**
 * Publishes again what was public from the start of a rewind up to the rewind itself, in the order of each record. When
 * it fails half-way it goes on where it was, as long as this process lives; another begins anew, and what the broker has
 * stored already is dropped there by its id within the duplicate window.
 */
export class Rewinds {
  /** How far each rewind that is under way has come. */
  private readonly reached = new Map<string, number>();

  constructor(private readonly parts: Parts) {}

  /** @throws BrokerUnavailable, EventStoreUnavailable, what parking throws: to be tried again; the reason of `stopping` */
  async carryOut(rewind: Rewind, stopping: AbortSignal): Promise<void> {
    let from = this.reached.get(rewind.id) ?? (await this.before(rewind.data.from));
    for (;;) {
      const page = await this.parts.events.readAll({ from, filter, maxCount: PAGE });
      const due = page.filter(({ position }) => position < rewind.position);
      await this.publishAll(rewind, due, stopping);
      const last = due.at(-1);
      if (last) this.reached.set(rewind.id, (from = last.position));
      if (due.length < PAGE) break;
    }
    this.reached.delete(rewind.id);
  }

  /** A position that the store told, before the first event that is due. */
  private async before(start: RewindStart): Promise<number> {
    if (!('position' in start)) return BEFORE_ALL;
    const [previous] = await this.parts.events.readAll({ from: start.position, direction: 'backwards', maxCount: 1 });
    return previous?.position ?? BEFORE_ALL;
  }

  /** Where one fails nothing more is begun: what comes after it must not overtake it, and waits for the next try. */
  private async publishAll(rewind: Rewind, events: readonly RecordedEvent[], stopping: AbortSignal): Promise<void> {
    const { from } = rewind.data;
    const isDue = (event: Recorded) => !('instant' in from) || event.metadata.timestamp >= from.instant;
    const failures: unknown[] = [];
    const queue = new KeyedQueue();
    const publish = async (event: RecordedEvent): Promise<void> => {
      if (stopping.aborted || failures.length > 0) return;
      await this.publishOne(rewind, event, isDue).catch((error: unknown) => failures.push(error));
    };
    await Promise.all(events.map((event) => queue.run(event.stream, () => publish(event), alsoAbout(event))));
    stopping.throwIfAborted();
    if (failures.length > 0) throw failures[0];
  }

  private async publishOne(rewind: Rewind, event: RecordedEvent, isDue: (event: Recorded) => boolean): Promise<void> {
    try {
      const decoded = this.parts.catalogue.decode(event);
      if (isDue(decoded)) await publish(this.parts.broker, decoded, { by: `rewind.${rewind.id}` });
    } catch (error) {
      if (error instanceof BrokerUnavailable) throw error;
      await this.parts.park(event, error, rewind.id);
    }
  }
}
