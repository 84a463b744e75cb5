import type { EventReader } from '../ports/event-store.js';
import type { Logger } from '../ports/log.js';
import type { Clock } from '../ports/time.js';
import type { EventCatalogue } from './event-catalogue.js';
import type { RecordReader } from './record-reader.js';
import { retryForever } from './retry-forever.js';
import { lastOwnEvent, ownStreams } from './stream-events.js';

/** Interval at which the end of the history is compared with the applied position. */
const CONFIRM_EVERY_MS = 400;
/** Maximum time to wait for events that have been committed. */
const ARRIVAL_MS = 1_000;
const WAIT_MS = 20;

type Parts = {
  readonly events: Pick<EventReader, 'readAll' | 'subscribeToAll'>;
  readonly reader: RecordReader;
  readonly catalogue: EventCatalogue;
  readonly clock: Clock;
  readonly logger: Logger;
};

/**
 * Applies the live events of the history to the cached states of a `RecordReader`, so that recent states need not be
 * read. This is necessary only if other processes write to the history. While the subscription lags or is broken,
 * states become too old and are read again.
 */
export class RecordFollower {
  private readonly stopping = new AbortController();
  private running: Promise<unknown> = Promise.resolve();

  constructor(private readonly parts: Parts) {}

  start(): void {
    const { clock, logger } = this.parts;
    const { signal } = this.stopping;
    const complain = (error: unknown): void => {
      logger.warn({ err: error }, 'cached record states could not be updated from the history; retrying');
    };
    const follow = retryForever(clock, signal, (gotOn) => this.follow(gotOn), complain);
    this.running = Promise.all([follow, this.confirm()]);
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
    const filter = ownStreams(catalogue);
    for await (const batch of events.subscribeToAll({ after, filter, signal })) {
      reader.apply(batch.events, batch.position);
      gotOn();
    }
  }

  private async confirm(): Promise<void> {
    const { events, reader, catalogue, clock } = this.parts;
    const { signal } = this.stopping;
    while (!signal.aborted) {
      const atMs = clock.monotonicMs();
      const last = await lastOwnEvent(events, catalogue).catch(() => Number.POSITIVE_INFINITY);
      // Recently committed events may not have arrived yet. A busy process receives them late.
      for (let left = ARRIVAL_MS; reader.position < last && left > 0; left -= WAIT_MS)
        await clock.sleep(WAIT_MS, signal);
      if (reader.position >= last) reader.confirm(atMs);
      await clock.sleep(atMs + CONFIRM_EVERY_MS - clock.monotonicMs(), signal);
    }
  }
}
