import type { Recorded } from '../eventsourcing/event-catalogue.js';
import type { Marks } from '../projecting/marks.js';
import { BrokerUnavailable, type Broker } from '../ports/broker.js';
import type { Logger } from '../ports/log.js';
import type { Clock } from '../ports/time.js';
import { publish } from './publishing.js';

/** Half of the broker's duplicate window of two minutes: within it, a repeat is certainly dropped. */
const SURELY_DROPPED_MS = 60_000;
/** The mark is saved before an older event is published, and shortly after a younger one. */
const YOUNG_MS = 5_000;
const SAVE_EVERY_MS = 1_000;
/**
 * Time span of the events that a leader may have published beyond its saved mark. A leader stops when it cannot write
 * for 5 s, and gives up a message in flight after 10 s.
 */
const UNRECORDED_MS = 30_000;
const LATE = { by: 'retry' } as const;

/** What earlier leaders may have handed to the broker, as far as they saved it. */
export type HandedBefore = {
  /** The highest position that may have been handed to the broker. */
  readonly upTo: number;
  /** Whether events shortly after `upTo` may have been handed over as well. */
  readonly mayBeMore: boolean;
};

type Attempt = { readonly sinceMs: number; readonly isLate: boolean };
type Parts = { readonly broker: Broker; readonly marks: Marks; readonly clock: Clock; readonly logger: Logger };

/** Name of the mark for the highest position that may have been handed to the broker. */
export const handedOf = (forwarder: string): string => `${forwarder}~handed`;

/**
 * Publishes events. Marks an event as a repeat if the broker may have stored it in an earlier attempt and may no longer
 * remember its id. Saves the highest position handed over, so that the next leader can do the same.
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

  /** @throws errors of publishing; errors of saving the mark, in which case nothing was published */
  async publish(event: Recorded): Promise<void> {
    const { broker, clock } = this.parts;
    const { position } = event;
    const isLate = this.isLate(event);
    if (this.ageOf(event) > YOUNG_MS) await this.reserve(position);
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

  private isLate(event: Recorded): boolean {
    const attempt = this.open.get(event.position);
    if (attempt) return attempt.isLate || this.parts.clock.monotonicMs() - attempt.sinceMs > SURELY_DROPPED_MS;
    return this.mayBeHanded(event) && this.ageOf(event) > SURELY_DROPPED_MS;
  }

  /** Whether an earlier leader may have handed the event to the broker. */
  private mayBeHanded(event: Recorded): boolean {
    if (event.position <= this.before.upTo) return true;
    if (!this.before.mayBeMore) return false;
    const recordedAtMs = Date.parse(event.metadata.timestamp);
    this.unrecordedUntilMs ??= recordedAtMs + UNRECORDED_MS;
    return recordedAtMs <= this.unrecordedUntilMs;
  }

  private ageOf({ metadata }: Recorded): number {
    return this.parts.clock.nowMs() - Date.parse(metadata.timestamp);
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
      this.parts.logger.warn({ err: error }, 'what was handed to the broker could not be recorded; it is tried again');
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
