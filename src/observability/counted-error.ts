import {
  MAX_CONCERNED,
  MAX_REQUEST_IDS,
  type ErrorLevel,
  type ErrorReport,
} from '../aggregates/error-log.aggregate.js';
import type { Redact } from '../security/redaction.js';

/** One occurrence of an error. Strings are length-limited but not redacted. Unknown fields are absent. */
export type NotedError = {
  /** Identifies an error across processes. Occurrences of the same error have the same fingerprint. */
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

/** An error that has not occurred for this long is removed from memory. Its record remains. */
const REST_MS = 5 * 60_000;
const MIN_SPACING_MS = 1_000;
const EARLY_SPACING_MS = 30_000;
const LATE_PART = 20;
const LATE_SPACING_MS = 5 * 60_000;

/**
 * Returns the interval between two reports on an error, given the error's age. The interval equals the age, but is at
 * least one second and at most 30 seconds. After ten minutes, it is a twentieth of the age, but at most five minutes.
 * An error that lasts a day therefore causes about 300 appends, while the record of a recent error is only seconds out
 * of date.
 */
export const spacingAfter = (ageMs: number): number =>
  Math.max(MIN_SPACING_MS, Math.min(ageMs, EARLY_SPACING_MS), Math.min(ageMs / LATE_PART, LATE_SPACING_MS));

/**
 * Returns the initial counts of occurrences since the last report. Sets contain the most recent values, newest last.
 */
const nothing = () => ({
  count: 0,
  firstSeenAtMs: Number.POSITIVE_INFINITY,
  lastSeenAtMs: Number.NEGATIVE_INFINITY,
  requestIds: new Set<string>(),
  tenantIds: new Set<string>(),
  branchIds: new Set<string>(),
  userIds: new Set<string>(),
});

function remember(values: Set<string>, value: string | undefined, max: number): void {
  if (value === undefined) return;
  values.delete(value);
  values.add(value);
  const [oldest] = values;
  if (values.size > max && oldest !== undefined) values.delete(oldest);
}

/** The occurrences of one error in this process. */
export class CountedError {
  private pending = nothing();
  private latest: NotedError;
  private restsSinceMs: number;
  private dueAtMs = Number.NEGATIVE_INFINITY;
  /** The current report. It may not have been recorded yet. The next report covers later occurrences. */
  private underWay: ErrorReport | undefined;

  /** `nowMs` and `beganAtMs` are monotonic and used for decisions. Reports contain wall-clock times. */
  constructor(
    readonly first: NotedError,
    private readonly beganAtMs: number,
  ) {
    this.latest = first;
    this.restsSinceMs = beganAtMs;
  }

  get isDirty(): boolean {
    return this.pending.count > 0 || this.underWay !== undefined;
  }

  isDue(nowMs: number): boolean {
    return this.underWay !== undefined || (this.pending.count > 0 && nowMs >= this.dueAtMs);
  }

  isResting(nowMs: number): boolean {
    return !this.isDirty && nowMs - this.restsSinceMs >= REST_MS;
  }

  add(noted: NotedError, wallMs: number, nowMs: number): void {
    const { pending } = this;
    pending.count += 1;
    // The wall clock may have been set back.
    pending.firstSeenAtMs = Math.min(pending.firstSeenAtMs, wallMs);
    pending.lastSeenAtMs = Math.max(pending.lastSeenAtMs, wallMs);
    remember(pending.requestIds, noted.requestId, MAX_REQUEST_IDS);
    remember(pending.tenantIds, noted.tenantId, MAX_CONCERNED);
    remember(pending.branchIds, noted.branchId, MAX_CONCERNED);
    remember(pending.userIds, noted.userId, MAX_CONCERNED);
    this.latest = noted;
    this.restsSinceMs = nowMs;
  }

  /** Returns the report to record, which remains the same until it is settled. */
  report(nowMs: number, nextId: () => string, redact: Redact): ErrorReport {
    if (this.underWay) return this.underWay;
    this.dueAtMs = nowMs + spacingAfter(nowMs - this.beganAtMs);
    const fit = (text: string | null | undefined, maxLength = MAX_NAME_LENGTH): string | null =>
      text === undefined || text === null ? null : redact(text, maxLength, { lines: maxLength === MAX_STACK_LENGTH });
    const { fingerprint, level, message, code, statusCode = null, method, route, stack } = this.first;
    const { requestId, path, tenantId, branchId, userId } = this.latest;
    const { count, firstSeenAtMs, lastSeenAtMs, requestIds, tenantIds, branchIds, userIds } = this.pending;
    this.underWay = {
      reportId: nextId(),
      count,
      firstSeenAt: new Date(firstSeenAtMs).toISOString(),
      lastSeenAt: new Date(lastSeenAtMs).toISOString(),
      requestIds: [...requestIds],
      tenantIds: [...tenantIds],
      branchIds: [...branchIds],
      userIds: [...userIds],
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
    this.pending = nothing();
    return this.underWay;
  }

  /** Ends the current report, which has either been recorded or failed permanently. */
  settle(): void {
    this.underWay = undefined;
  }
}
