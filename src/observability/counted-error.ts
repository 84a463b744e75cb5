import {
  MAX_CONCERNED,
  MAX_REQUEST_IDS,
  type ErrorLevel,
  type ErrorReport,
} from '../aggregates/error-log.aggregate.js';
import type { Redact } from '../security/redaction.js';

/** One occurrence of an error. Texts are bounded but not redacted; unknown members are absent. */
export type NotedError = {
  /** Identifies an error across processes: equal for occurrences of the same error. */
  readonly fingerprint: string;
  readonly level: ErrorLevel;
  readonly message: string;
  readonly code?: string | null | undefined;
  readonly statusCode?: number | undefined;
  readonly method?: string | undefined;
  /** Route pattern, not the requested path. */
  readonly route?: string | undefined;
  readonly path?: string | undefined;
  readonly stack?: string | null | undefined;
  readonly requestId?: string | undefined;
  readonly tenantId?: string | undefined;
  readonly branchId?: string | undefined;
  readonly userId?: string | undefined;
};

const MAX_MESSAGE_LENGTH = 1_000;
const MAX_STACK_LENGTH = 4_000;
const MAX_PATH_LENGTH = 300;
const MAX_NAME_LENGTH = 128;

/** An error without an occurrence for this time is dropped from memory; its record remains. */
const REST_MS = 5 * 60_000;
const MIN_SPACING_MS = 1_000;
const EARLY_SPACING_MS = 30_000;
const LATE_PART = 20;
const LATE_SPACING_MS = 5 * 60_000;

/**
 * Interval between two reports of an error of the given age: equal to the age, up to 30 seconds; after ten minutes a
 * twentieth of the age, up to five minutes. An error that lasts a day thus costs about 300 appends, while the record of
 * a recent one is seconds old.
 */
export const spacingAfter = (ageMs: number): number =>
  Math.max(MIN_SPACING_MS, Math.min(ageMs, EARLY_SPACING_MS), Math.min(ageMs / LATE_PART, LATE_SPACING_MS));

/** The most recent distinct values, newest last. */
class Latest {
  private readonly seen = new Set<string>();
  constructor(private readonly max: number) {}

  add(value: string | undefined): void {
    if (value === undefined) return;
    this.seen.delete(value);
    this.seen.add(value);
    const [oldest] = this.seen;
    if (this.seen.size > this.max && oldest !== undefined) this.seen.delete(oldest);
  }

  /** Returns and removes all values. */
  take(): string[] {
    const taken = [...this.seen];
    this.seen.clear();
    return taken;
  }
}

/** The occurrences of one error in this process. */
export class CountedError {
  private count = 0;
  private firstSeenAtMs = Number.POSITIVE_INFINITY;
  private lastSeenAtMs = Number.NEGATIVE_INFINITY;
  private readonly requestIds = new Latest(MAX_REQUEST_IDS);
  private readonly tenantIds = new Latest(MAX_CONCERNED);
  private readonly branchIds = new Latest(MAX_CONCERNED);
  private readonly userIds = new Latest(MAX_CONCERNED);
  private latest: NotedError;
  private restsSinceMs: number;
  private dueAtMs = Number.NEGATIVE_INFINITY;
  /** Report that is not yet known to be recorded. Later occurrences belong to the next report. */
  private underWay: ErrorReport | undefined;

  /** `nowMs` and `beganAtMs` are monotonic and used for decisions; reports contain wall-clock times. */
  constructor(
    readonly first: NotedError,
    private readonly beganAtMs: number,
  ) {
    this.latest = first;
    this.restsSinceMs = beganAtMs;
  }

  get isDirty(): boolean {
    return this.count > 0 || this.underWay !== undefined;
  }

  isDue(nowMs: number): boolean {
    return this.underWay !== undefined || (this.count > 0 && nowMs >= this.dueAtMs);
  }

  isResting(nowMs: number): boolean {
    return !this.isDirty && nowMs - this.restsSinceMs >= REST_MS;
  }

  add(noted: NotedError, wallMs: number, nowMs: number): void {
    this.count += 1;
    // The wall clock may go back.
    this.firstSeenAtMs = Math.min(this.firstSeenAtMs, wallMs);
    this.lastSeenAtMs = Math.max(this.lastSeenAtMs, wallMs);
    this.requestIds.add(noted.requestId);
    this.tenantIds.add(noted.tenantId);
    this.branchIds.add(noted.branchId);
    this.userIds.add(noted.userId);
    this.latest = noted;
    this.restsSinceMs = nowMs;
  }

  /** The report to record. Returns the same report until it is settled. */
  report(nowMs: number, nextId: () => string, redact: Redact): ErrorReport {
    if (this.underWay) return this.underWay;
    this.dueAtMs = nowMs + spacingAfter(nowMs - this.beganAtMs);
    const fit = (text: string | null | undefined, maxLength = MAX_NAME_LENGTH): string | null =>
      text === undefined || text === null ? null : redact(text, maxLength, { lines: maxLength === MAX_STACK_LENGTH });
    const { fingerprint, level, message, code, statusCode = null, method, route, stack } = this.first;
    const { requestId, path, tenantId, branchId, userId } = this.latest;
    this.underWay = {
      reportId: nextId(),
      count: this.count,
      firstSeenAt: new Date(this.firstSeenAtMs).toISOString(),
      lastSeenAt: new Date(this.lastSeenAtMs).toISOString(),
      requestIds: this.requestIds.take(),
      tenantIds: this.tenantIds.take(),
      branchIds: this.branchIds.take(),
      userIds: this.userIds.take(),
      latest: {
        requestId: fit(requestId),
        path: fit(path, MAX_PATH_LENGTH),
        tenantId: fit(tenantId),
        branchId: fit(branchId),
        userId: fit(userId),
      },
      details: {
        ...{ fingerprint, level, statusCode },
        message: redact(message, MAX_MESSAGE_LENGTH),
        code: fit(code),
        method: fit(method),
        route: fit(route, MAX_PATH_LENGTH),
        stack: fit(stack, MAX_STACK_LENGTH),
      },
    };
    this.count = 0;
    this.firstSeenAtMs = Number.POSITIVE_INFINITY;
    this.lastSeenAtMs = Number.NEGATIVE_INFINITY;
    return this.underWay;
  }

  /** The current report was recorded, or failed permanently. */
  settle(): void {
    this.underWay = undefined;
  }
}
