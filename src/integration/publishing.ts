import { type RewindFilter, rewindMarks, type RewindStart } from '../aggregates/forwarder.aggregate.js';
import { type EventCatalogue, NewerEvent, type Recorded } from '../eventsourcing/event-catalogue.js';
import { KeyedQueue } from '../eventsourcing/keyed-queue.js';
import { positionBefore } from '../eventsourcing/stream-events.js';
import { type Broker, BrokerUnavailable, type Published } from '../ports/broker.js';
import { BEFORE_ALL, type EventReader, type Position, type RecordedEvent } from '../ports/event-store.js';
import { compileGlob } from '../ports/glob-pattern.js';
import type { Logger } from '../ports/log.js';
import type { Clock } from '../ports/time.js';
import type { Marks } from '../projecting/marks.js';
import type { LedPortion } from '../projecting/range-leadership.js';
import type { CloudEvent } from './contracts-fields.js';
import { type Again, messagesOf } from './event-messages.js';
import { alsoAbout, publicEventTypes } from './translations.js';

/**
 * Resolves to one result for each of the event's messages once the broker has acknowledged all of them. Throws at once
 * if the event cannot be translated.
 * @throws BrokerRefused, BrokerUnavailable
 */
export function publish(broker: Broker, event: Recorded, again?: Again): Promise<Published[]> {
  const source = again ? undefined : { eventId: event.id, position: event.position };
  return broker.publishInOrder(messagesOf(event, again), source);
}

/**
 * Half of the broker's two-minute duplicate window. The broker always drops a repeat that follows the first attempt
 * within this time.
 */
const SURELY_DROPPED_MS = 60_000;
/**
 * Maximum age of a recent event. For an older event, the mark is saved before the event is published. For a recent
 * event, the mark is saved shortly afterwards.
 */
const YOUNG_MS = 5_000;
const SAVE_EVERY_MS = 1_000;
/**
 * Maximum time span of the events that a leader may have published beyond its saved mark. A leader stops when it cannot
 * write for 5 s, and abandons an in-flight message after 10 s.
 */
const UNRECORDED_MS = 30_000;
const LATE = { by: 'retry' } as const;

/** Positions that earlier leaders may have handed to the broker, according to their saved marks. */
export type HandedBefore = {
  /** The highest position that may have been handed to the broker. */
  readonly upTo: number;
  /** Whether events shortly after `upTo` may also have been handed to the broker. */
  readonly mayBeMore: boolean;
};

type Attempt = { readonly sinceMs: number; readonly isLate: boolean };
type Parts = {
  readonly broker: Broker;
  readonly marks: Marks;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly portion?: LedPortion | undefined;
};

/** Name of the mark for the highest position that may have been handed to the broker. */
export const handedOf = (forwarder: string): string => `${forwarder}~handed`;

/**
 * Publishes events. Marks an event as a repeat if the broker may have stored it in an earlier attempt but may no longer
 * recognize its id. Saves the highest position handed to the broker, so that the next leader can also recognize
 * repeats.
 */
export class Attempts {
  /** Attempts that the broker may have stored but has not acknowledged, by position. */
  private readonly open = new Map<number, Attempt>();
  private highest: number;
  private saved: number;
  private savedAtMs = Number.NEGATIVE_INFINITY;
  private saving: Promise<void> | undefined;
  private unrecordedUntilMs: number | undefined;

  constructor(
    private readonly parts: Parts,
    private readonly mark: string,
    private readonly before: HandedBefore,
  ) {
    this.highest = this.saved = before.upTo;
  }

  /** @throws errors from publishing, and errors from saving the mark, in which case nothing was published */
  async publish(event: Recorded): Promise<void> {
    const { broker, clock } = this.parts;
    const { position } = event;
    const recordedAtMs = Date.parse(event.metadata.timestamp);
    const ageMs = clock.nowMs() - recordedAtMs;
    const isLate = this.isLate(position, recordedAtMs, ageMs);
    if (ageMs > YOUNG_MS) await this.reserve(position);
    this.requireFresh();
    const sinceMs = clock.monotonicMs();
    try {
      await publish(broker, event, isLate ? LATE : undefined);
      this.open.delete(position);
    } catch (error) {
      if (!(error instanceof BrokerUnavailable)) this.open.delete(position);
      else if (error.mayBeStored && !this.open.has(position)) this.open.set(position, { sinceMs, isLate });
      if (!(error instanceof BrokerUnavailable) || !error.mayBeStored) throw error;
      this.handed(position);
      throw error;
    }
    this.handed(position);
  }

  /** @throws BrokerUnavailable if this process was suspended, for example while it saved the mark */
  private requireFresh(): void {
    if (this.parts.portion?.isFresh() === false)
      throw new BrokerUnavailable('The heartbeat is out of date.', undefined, false);
  }

  private isLate(position: number, recordedAtMs: number, ageMs: number): boolean {
    const attempt = this.open.get(position);
    if (attempt) return attempt.isLate || this.parts.clock.monotonicMs() - attempt.sinceMs > SURELY_DROPPED_MS;
    return this.mayBeHanded(position, recordedAtMs) && ageMs > SURELY_DROPPED_MS;
  }

  /** Whether an earlier leader may have handed the event to the broker. */
  private mayBeHanded(position: number, recordedAtMs: number): boolean {
    if (position <= this.before.upTo) return true;
    if (!this.before.mayBeMore) return false;
    this.unrecordedUntilMs ??= recordedAtMs + UNRECORDED_MS;
    return recordedAtMs <= this.unrecordedUntilMs;
  }

  /** Resolves when the saved mark covers the position. */
  private async reserve(position: number): Promise<void> {
    this.highest = Math.max(this.highest, position);
    while (this.saved < position) await (this.saving ?? this.save());
  }

  private handed(position: number): void {
    this.highest = Math.max(this.highest, position);
    if (this.highest === this.saved || this.saving) return;
    if (this.parts.clock.monotonicMs() - this.savedAtMs < SAVE_EVERY_MS) return;
    this.save().catch((error: unknown) => {
      this.parts.logger.warn({ err: error }, 'the published position could not be saved; retrying');
    });
  }

  /** All waiting callers share one write. */
  private save(): Promise<void> {
    const { highest } = this;
    this.savedAtMs = this.parts.clock.monotonicMs();
    this.saving = this.parts.marks
      .save({ [this.mark]: highest })
      .then(() => {
        this.saved = highest;
      })
      .finally(() => {
        this.saving = undefined;
      });
    return this.saving;
  }
}

/** The range to republish. `id`: id of the event that requested the rewind. */
export type DueRewind = RewindFilter & {
  readonly id: string;
  readonly from: RewindStart;
  readonly upTo: Position;
};

type RewindParts = {
  readonly events: Pick<EventReader, 'readAll'>;
  readonly broker: Broker;
  readonly catalogue: EventCatalogue;
  readonly marks: Marks;
  /** Waits until the number of live messages in flight permits another repeat. */
  readonly turn: (signal: AbortSignal) => Promise<void>;
  readonly park: (event: RecordedEvent, error: unknown, rewindId: string) => Promise<void>;
};

/** Maximum number of repeats in flight. The limit is low, because a live message may have to wait for these repeats. */
const AT_ONCE = 32;
const PAGE = 320;
const filter = { on: 'type', prefixes: publicEventTypes } as const;

/** Whether an event's stream indicates that the event may have messages for the rewind's tenant. */
const mayBeOf = ({ tenantId }: RewindFilter, { stream }: RecordedEvent): boolean =>
  tenantId === undefined || stream.includes(tenantId);

function wantedBy({ tenantId, types }: RewindFilter): (event: CloudEvent) => boolean {
  const globs = types?.map((type) => compileGlob(type));
  return ({ tenantid, type }) =>
    (tenantId === undefined || tenantid === tenantId) && (globs?.some((matches) => matches(type)) ?? true);
}

/**
 * Republishes the public events in a rewind's range, in order for each record, with only a few in flight at a time.
 * Resumes from the rewind's marks. Messages that are repeated after a crash have the same ids.
 */
export class Rewinds {
  constructor(private readonly parts: RewindParts) {}

  /**
   * Returns the number of published events. Calls `gotOn` after each group of events.
   * @throws BrokerUnavailable, EventStoreUnavailable, ReadStoreUnavailable, NewerEvent or errors from `park`, all of which the
   * caller retries; the signal's reason
   */
  async carryOut(rewind: DueRewind, signal: AbortSignal, gotOn: () => void): Promise<number> {
    const { events, marks, turn } = this.parts;
    const names = rewindMarks(rewind.id);
    const again = { by: `rewind.${rewind.id}`, wants: wantedBy(rewind) };
    let published = Math.max(0, await marks.load(names.published));
    let from = Math.max(await marks.load(names.position), await this.before(rewind.from));
    for (;;) {
      const page = await events.readAll({ from, filter, maxCount: PAGE });
      const due = page.filter(({ position }) => position <= rewind.upTo);
      const wanted = due.filter((event) => mayBeOf(rewind, event));
      for (let first = 0; first < wanted.length; first += AT_ONCE) {
        await turn(signal);
        published += await this.publishAll(rewind, wanted.slice(first, first + AT_ONCE), again, signal);
        gotOn();
      }
      from = due.at(-1)?.position ?? from;
      if (due.length < PAGE) return published;
      await turn(signal);
      await marks.save({ [names.position]: from, [names.published]: published });
    }
  }

  private before(from: RewindStart): Promise<Position> {
    return 'position' in from ? positionBefore(this.parts.events, from.position) : Promise.resolve(BEFORE_ALL);
  }

  /**
   * After a failure, publishes no further events, because they must not overtake the failed event. The retry publishes
   * them.
   */
  private async publishAll(
    rewind: DueRewind,
    events: readonly RecordedEvent[],
    again: Again,
    signal: AbortSignal,
  ): Promise<number> {
    const failures: unknown[] = [];
    let published = 0;
    const queue = new KeyedQueue();
    const publish = async (event: RecordedEvent): Promise<void> => {
      if (signal.aborted || failures.length > 0) return;
      await this.publishOne(rewind, event, again).then(
        (isPublished) => (published += Number(isPublished)),
        (error: unknown) => failures.push(error),
      );
    };
    await Promise.all(events.map((event) => queue.run(event.stream, () => publish(event), alsoAbout(event))));
    signal.throwIfAborted();
    if (failures.length > 0) throw failures[0];
    return published;
  }

  private async publishOne({ id, from }: DueRewind, event: RecordedEvent, again: Again): Promise<boolean> {
    const isDue = ({ metadata }: Recorded) => !('instant' in from) || metadata.timestamp >= from.instant;
    try {
      const decoded = this.parts.catalogue.decode(event);
      if (!isDue(decoded)) return false;
      return (await publish(this.parts.broker, decoded, again)).length > 0;
    } catch (error) {
      if (error instanceof BrokerUnavailable || error instanceof NewerEvent) throw error;
      await this.parts.park(event, error, id);
      return false;
    }
  }
}
