import type { ErrorLevel, ErrorReport } from '../aggregates/error-log.aggregate.js';
import { DomainError } from '../eventsourcing/domain-error.js';
import { AppendOutcomeUnknown, EventStoreUnavailable } from '../ports/event-store.js';
import type { Logger } from '../ports/log.js';
import type { Clock, Ids } from '../ports/time.js';
import type { Redact } from '../security/redaction.js';
import { CountedError, type NotedError } from './counted-error.js';

export type CollectorOptions = {
  readonly clock: Clock;
  readonly ids: Ids;
  /** Logs the collector's own warnings. Must not pass errors to this collector. */
  readonly logger: Logger;
  readonly redact: Redact;
};

/** Appends a report's counts to the error's record. Must be idempotent for the same report. */
export type Recording = (report: ErrorReport) => Promise<void>;

/** Maximum number of distinct errors per level, so that rejected requests cannot displace defects. */
const CAPACITY: Readonly<Record<ErrorLevel, number>> = { ERROR: 300, WARN: 150, INFO: 50 };
const FLUSH_EVERY_MS = 1_000;
const MAX_PAUSE_MS = 10_000;
const COMPLAIN_EVERY_MS = 60_000;
/** Maximum duration of `close`, which must not delay the shutdown. */
const CLOSE_WITHIN_MS = 2_000;

/**
 * Counts this process's errors until they are recorded. `note` takes microseconds and never waits or throws.
 * - Memory is limited to 500 distinct errors. Further errors are counted as "other errors" of their level until space
 *   is freed by removing errors that have not occurred for five minutes.
 * - Appends are limited to one per second for each error, and become rarer the longer the error persists (see
 * CountedError).
 *
 * While the event store is unavailable, all counts are retained. If the process is killed, unrecorded counts are lost.
 */
export class ErrorCollector {
  private readonly counted = new Map<string, CountedError>();
  private readonly kinds: Record<ErrorLevel, number> = { ERROR: 0, WARN: 0, INFO: 0 };
  private readonly ending = new AbortController();
  private recording: Recording | undefined;
  private running: Promise<void> = Promise.resolve();
  private pauseMs = 0;
  private complainedAtMs = Number.NEGATIVE_INFINITY;

  constructor(private readonly options: CollectorOptions) {}

  readonly note = (noted: NotedError): void => {
    const { clock } = this.options;
    this.entryFor(noted).add(noted, clock.nowMs(), clock.monotonicMs());
  };

  /** Starts recording. Must be called once. */
  attach(recording: Recording): void {
    this.recording = recording;
    this.running = this.keepFlushing();
  }

  /** Records the remaining counts, but stops after two seconds. Nothing is recorded afterwards. */
  async close(): Promise<void> {
    this.ending.abort();
    const done = new AbortController();
    const last = this.running.then(() => this.flush(true));
    await Promise.race([last, this.options.clock.sleep(CLOSE_WITHIN_MS, done.signal)]);
    done.abort();
    this.recording = undefined;
  }

  private entryFor(noted: NotedError): CountedError {
    const known = this.counted.get(noted.fingerprint);
    if (known) return known;
    const { level } = noted;
    const isFull = this.kinds[level] >= CAPACITY[level];
    if (!isFull) this.kinds[level] += 1;
    const first = isFull ? othersOf(level) : noted;
    const entry = this.counted.get(first.fingerprint) ?? new CountedError(first, this.options.clock.monotonicMs());
    this.counted.set(first.fingerprint, entry);
    return entry;
  }

  private async keepFlushing(): Promise<void> {
    const { signal } = this.ending;
    for (;;) {
      await this.options.clock.sleep(Math.max(FLUSH_EVERY_MS, this.pauseMs), signal);
      if (signal.aborted) return;
      await this.flush(false);
    }
  }

  /** Records one report at a time, so that a large number of errors cannot overload the event store. */
  private async flush(isLast: boolean): Promise<void> {
    for (const [fingerprint, entry] of [...this.counted]) {
      const nowMs = this.options.clock.monotonicMs();
      const { level } = entry.first;
      if (entry.isResting(nowMs)) {
        this.counted.delete(fingerprint);
        if (fingerprint !== othersOf(level).fingerprint) this.kinds[level] -= 1;
      } else if ((isLast && entry.isDirty) || entry.isDue(nowMs)) if (!(await this.record(entry))) return;
    }
    this.pauseMs = 0;
  }

  /** Returns false if the event store is unavailable, in which case other reports would also fail. */
  private async record(entry: CountedError): Promise<boolean> {
    const { clock, ids, redact } = this.options;
    try {
      await this.recording?.(entry.report(clock.monotonicMs(), () => ids.next(), redact));
      entry.settle();
      return true;
    } catch (error) {
      this.complain(error);
      if (error instanceof EventStoreUnavailable || error instanceof AppendOutcomeUnknown) {
        this.pauseMs = Math.min(MAX_PAUSE_MS, Math.max(FLUSH_EVERY_MS, this.pauseMs * 2));
        return false;
      }
      const isContended = error instanceof DomainError && error.kind === 'unavailable';
      // A contended append is retried with the next flush. All other errors are permanent.
      if (!isContended) entry.settle();
      return true;
    }
  }

  private complain(error: unknown): void {
    const { clock, logger } = this.options;
    const nowMs = clock.monotonicMs();
    if (nowMs - this.complainedAtMs < COMPLAIN_EVERY_MS) return;
    this.complainedAtMs = nowMs;
    logger.warn({ err: error }, 'errors could not be recorded in the error log; retrying');
  }
}

const othersOf = (level: ErrorLevel): NotedError => ({
  fingerprint: `other-${level}`,
  level,
  message: 'Other errors. There were too many distinct errors to count each one.',
  code: 'OTHER_ERRORS',
});
