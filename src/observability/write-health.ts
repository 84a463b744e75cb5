import { EventStoreUnavailable, type EventStore } from '../ports/event-store.js';
import type { Logger } from '../ports/log.js';
import type { Clock, Ids } from '../ports/time.js';
import type { AppendFailure } from './engine-metrics.js';

/** The probe's stream. It belongs to no aggregate, so that no projection, policy or list includes it. */
const STREAM = 'kontor-writes';
/** Makes the probe as large as a typical append, so that if the probe succeeds, other appends are likely to succeed. */
const PADDING = ' '.repeat(16 * 1_024);
const PROBE_EVERY_MS = 1_000;

/**
 * Failures of the store itself. Conflicts and refusals affect only a single append. Other errors are bugs in the
 * caller.
 */
const FAULTS: Partial<Record<AppendFailure, string>> = {
  unavailable: 'the event store does not accept appends',
  unknown_outcome: 'no response in time',
};

/** Reports whether appends succeed, judging by this process's last append. */
export class WriteHealth {
  private failure: { readonly reason: string; readonly since: string } | undefined;
  private probing: Promise<void> | undefined;
  private probedAtMs = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {}

  /** Reason why the last append failed; undefined if it succeeded. Contains no addresses, secrets or tenant data. */
  get fault(): string | undefined {
    return this.failure?.reason;
  }

  appended(): void {
    if (!this.failure) return;
    this.failure = undefined;
    this.logger.info({}, 'appends succeed again; the event store is back');
  }

  appendFailed(kind: AppendFailure, error: unknown): void {
    const fault = FAULTS[kind];
    if (fault === undefined) return;
    const reason = (error instanceof EventStoreUnavailable ? error.reason : undefined) ?? fault;
    if (this.failure?.reason !== reason) this.logger.error({ err: error }, `appends fail: ${reason}`);
    this.failure = { reason, since: this.failure?.since ?? new Date(this.clock.nowMs()).toISOString() };
  }

  /**
   * After a failed append, attempts a test append at most once a second, so that the service recovers even without
   * client writes. A successful test append remains in the history as `WritesResumed`. Never rejects.
   */
  probe(events: Pick<EventStore, 'readStream' | 'append'>, ids: Ids): Promise<void> {
    const nowMs = this.clock.monotonicMs();
    if (this.probing) return this.probing;
    if (!this.failure || nowMs - this.probedAtMs < PROBE_EVERY_MS) return Promise.resolve();
    this.probedAtMs = nowMs;
    const data = { ...this.failure, padding: PADDING };
    const event = { id: ids.next(), type: 'WritesResumed', data, metadata: {} };
    this.probing = events
      .readStream(STREAM, { direction: 'backwards', maxCount: 1 })
      .then(({ revision }) =>
        events.append({ stream: STREAM, expected: revision < 0 ? 'no_stream' : revision, events: [event] }),
      )
      .then(
        () => undefined,
        () => undefined,
      )
      .finally(() => (this.probing = undefined));
    return this.probing;
  }
}
