import { BEFORE_ALL, type EventReader, type Position } from '../ports/event-store.js';
import type { Logger } from '../ports/log.js';
import type { Clock } from '../ports/time.js';
import type { EventCatalogue } from './event-catalogue.js';
import type { RecordReader } from './record-reader.js';
import { retryForever } from './retry-forever.js';
import { isDivided, narrowedTo } from './ranges.js';
import { lastEvents, lastOwnEvent, ownStreams } from './stream-events.js';

/**
 * Interval between checks of the end of the history while cached states are in use. IDLE_LOOK_EVERY_MS applies
 * otherwise.
 */
const LOOK_EVERY_MS = 200;
const IDLE_LOOK_EVERY_MS = 400;
/** Number of events read by a check. */
const LOOK_EVENTS = 4;
/** Maximum number of unconfirmed checks. */
const MAX_LOOKS = 20;

type Parts = {
  readonly events: Pick<EventReader, 'readAll' | 'subscribeToAll'>;
  readonly reader: RecordReader;
  readonly catalogue: EventCatalogue;
  readonly clock: Clock;
  readonly logger: Logger;
};

/** A check of the end of the history. `last`: the position to reach, once it is known. */
type Look = { readonly atMs: number; last: Position };

/**
 * Applies the live events of the history to the cached states of a `RecordReader`, so that recent states need not be
 * read. A follower is necessary only if other processes write to the history. While the subscription lags or is broken,
 * states become too old and are read again.
 *
 * A check finds the last event in the history. Once that event has been applied, the cached states include every event
 * that existed at the time of the check. Checks do not wait for each other, because responses and events reach a busy
 * process late.
 *
 * Sales are not followed, because a replica receives only those of its ranges. A sale's state is therefore only as
 * recent as the last read of its stream.
 */
export class RecordFollower {
  private readonly stopping = new AbortController();
  private running: Promise<unknown> = Promise.resolve();
  /** Unconfirmed checks, oldest first. */
  private looks: Look[] = [];

  constructor(private readonly parts: Parts) {}

  start(): void {
    const { clock, logger } = this.parts;
    const { signal } = this.stopping;
    const complain = (error: unknown): void => {
      logger.warn({ err: error }, 'cached record states could not be updated from the history; retrying');
    };
    const follow = retryForever(clock, signal, (gotOn) => this.follow(gotOn), complain);
    this.running = Promise.all([follow, this.keepLooking()]);
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }

  private async follow(gotOn: () => void): Promise<void> {
    const { events, reader, catalogue } = this.parts;
    const { signal } = this.stopping;
    const after = await lastOwnEvent(events, catalogue);
    reader.follow(after);
    this.confirm();
    const filter = { ...ownStreams(catalogue), ...narrowedTo([]) };
    for await (const batch of events.subscribeToAll({ after, filter, signal })) {
      reader.apply(batch.events, batch.position);
      this.confirm();
      gotOn();
    }
  }

  private async keepLooking(): Promise<void> {
    const { reader, clock } = this.parts;
    const { signal } = this.stopping;
    while (!signal.aborted) {
      if (this.looks.length < MAX_LOOKS) void this.look(clock.monotonicMs());
      await clock.sleep(reader.wasUsedWithin(IDLE_LOOK_EVERY_MS) ? LOOK_EVERY_MS : IDLE_LOOK_EVERY_MS, signal);
    }
  }

  private async look(atMs: number): Promise<void> {
    const look: Look = { atMs, last: Number.POSITIVE_INFINITY };
    this.looks.push(look);
    try {
      look.last = await this.lastFollowed();
      this.confirm();
    } catch {
      this.looks = this.looks.filter((other) => other !== look);
    }
  }

  /**
   * Returns the position that the cached states must reach in order to include the last followed event; BEFORE_ALL if
   * they already include it. If the last events in the history are all sales, returns the position of the last of
   * these.
   */
  private async lastFollowed(): Promise<Position> {
    const { events, catalogue, reader } = this.parts;
    const last = await lastEvents(events, catalogue, LOOK_EVENTS);
    const missing = last.filter(({ position }) => position > reader.position);
    const found = missing.find(({ stream }) => !isDivided(stream));
    const isFurther = missing.length === LOOK_EVENTS;
    return (found ?? (isFurther ? missing[0] : undefined))?.position ?? BEFORE_ALL;
  }

  private confirm(): void {
    const { reader } = this.parts;
    const at = this.looks.findLastIndex(({ last }) => last <= reader.position);
    const found = this.looks[at];
    if (!found) return;
    reader.confirm(found.atMs);
    this.looks.splice(0, at + 1);
  }
}
