import type { Logger } from '../ports/log.js';
import { AppendOutcomeUnknown, EventStoreUnavailable } from '../ports/event-store.js';
import type { Clock, Ids } from '../ports/time.js';
import { DomainError } from './domain-error.js';
import { CountedError, type ErrorReport, type Level, type NotedError } from './counted-error.js';
import type { Redact } from './redaction.js';

/** How much the collector keeps, and for how long. */
export type CollectorOptions = {
  readonly clock: Clock;
  readonly ids: Ids;
  /** Where it complains; nothing that it notes itself. */
  readonly logger: Logger;
  readonly redact: Redact;
};

/** Appends a report's counts to its record. Must not append those of one report twice. */
export type Recording = (report: ErrorReport) => Promise<void>;

/** Kinds of errors told apart at a time. What many strangers can cause takes no room from what is wrong here. */
const CAPACITY: Readonly<Record<Level, number>> = { ERROR: 300, WARN: 150, INFO: 50 };
const FLUSH_EVERY_MS = 1_000;
const MAX_PAUSE_MS = 10_000;
const COMPLAIN_EVERY_MS = 60_000;
/** A part of the time that a process has for its end. */
const CLOSE_WITHIN_MS = 2_000;

const isTransient = (error: unknown): boolean =>
  error instanceof EventStoreUnavailable || error instanceof AppendOutcomeUnknown || isContended(error);
const isContended = (error: unknown): boolean => error instanceof DomainError && error.kind === 'unavailable';

/**
 * What goes wrong in this process, counted by kind until it can be recorded. Noting costs some microseconds and never
 * waits or throws. Memory is bounded: 500 kinds are told apart, and those beyond count as "other errors" of their level
 * until the others have rested for five minutes. Appends are bounded, too: at most one a second for a kind, and ever fewer
 * for one that goes on and on (see CountedError). While the event store is away all is kept. A process that is killed
 * loses what it has not recorded yet.
 */
export class ErrorCollector {
  private readonly counted = new Map<string, CountedError>();
  private readonly kinds: Record<Level, number> = { ERROR: 0, WARN: 0, INFO: 0 };
  private readonly ending = new AbortController();
  private recording: Recording | undefined;
  private running: Promise<void> = Promise.resolve();
  private pauseMs = 0;
  private complainedAtMs = Number.NEGATIVE_INFINITY;

  constructor(private readonly options: CollectorOptions) {}

  /** Never throws, never waits. */
  note(noted: NotedError): void {
    const { clock } = this.options;
    this.entryFor(noted).add(noted, clock.nowMs(), clock.monotonicMs());
  }

  /** Begins to record what was noted and is noted from now on. To be called once. */
  attach(recording: Recording): void {
    this.recording = recording;
    this.running = this.flushAgainAndAgain();
  }

  /** Records what is left, as far as two seconds allow. Nothing is recorded afterwards. */
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
    if (this.kinds[level] < CAPACITY[level]) {
      this.kinds[level] += 1;
      return this.enter(noted);
    }
    const others = othersOf(level);
    return this.counted.get(others.fingerprint) ?? this.enter(others);
  }

  private enter(noted: NotedError): CountedError {
    const entry = new CountedError(noted, this.options.clock.monotonicMs());
    this.counted.set(noted.fingerprint, entry);
    return entry;
  }

  private async flushAgainAndAgain(): Promise<void> {
    const { clock } = this.options;
    for (;;) {
      await clock.sleep(Math.max(FLUSH_EVERY_MS, this.pauseMs), this.ending.signal);
      if (this.ending.signal.aborted) return;
      await this.flush(false);
    }
  }

  /** One after another: recording errors must not load the event store. */
  private async flush(isLast: boolean): Promise<void> {
    for (const entry of [...this.counted.values()]) {
      const nowMs = this.options.clock.monotonicMs();
      if (entry.isResting(nowMs)) this.forget(entry);
      else if ((isLast && entry.isDirty) || entry.isDue(nowMs)) if (!(await this.record(entry))) return;
    }
    this.pauseMs = 0;
  }

  private forget(entry: CountedError): void {
    this.counted.delete(entry.fingerprint);
    if (entry.fingerprint !== othersOf(entry.level).fingerprint) this.kinds[entry.level] -= 1;
  }

  /** False where the event store is away: the others would fail, too. */
  private async record(entry: CountedError): Promise<boolean> {
    const { clock, ids, redact } = this.options;
    try {
      await this.recording?.(entry.report(clock.monotonicMs(), () => ids.next(), redact));
    } catch (error) {
      this.complain(error);
      // What can't be recorded for another reason never could.
      if (!isTransient(error)) entry.settle();
      if (!isTransient(error) || isContended(error)) return true;
      this.pauseMs = Math.min(MAX_PAUSE_MS, Math.max(FLUSH_EVERY_MS, this.pauseMs * 2));
      return false;
    }
    entry.settle();
    return true;
  }

  private complain(error: unknown): void {
    const { clock, logger } = this.options;
    const nowMs = clock.monotonicMs();
    if (nowMs - this.complainedAtMs < COMPLAIN_EVERY_MS) return;
    this.complainedAtMs = nowMs;
    logger.warn({ err: error }, 'errors cannot be recorded in the error log');
  }
}

const othersOf = (level: Level): NotedError => ({
  fingerprint: `other-${level}`,
  level,
  message: 'Other errors: more kinds at once than are told apart.',
  code: 'OTHER_ERRORS',
});
