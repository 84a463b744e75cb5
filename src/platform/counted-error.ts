import type { Redact } from './redaction.js';

/** How grave an error is, as the error log shows it. */
export type Level = 'ERROR' | 'WARN' | 'INFO';

/** Something that went wrong, once or `count` times. Texts need not be redacted, only bounded; what is unknown is left out. */
export type NotedError = {
  /** Alike for what counts as the same error, in every process. */
  readonly fingerprint: string;
  readonly level: Level;
  readonly message: string;
  readonly code?: string | null | undefined;
  readonly statusCode?: number | undefined;
  readonly method?: string | undefined;
  /** The pattern of the address, and the address. */
  readonly route?: string | undefined;
  readonly path?: string | undefined;
  readonly stack?: string | null | undefined;
  readonly requestId?: string | undefined;
  readonly tenantId?: string | undefined;
  readonly branchId?: string | undefined;
  readonly userId?: string | undefined;
};

/** What a process has counted of one error since its last report. Redacted and bounded; oldest first in the lists. */
export type ErrorReport = {
  readonly reportId: string;
  readonly count: number;
  readonly firstSeenAt: string;
  readonly lastSeenAt: string;
  readonly requestIds: string[];
  readonly tenantIds: string[];
  readonly branchIds: string[];
  readonly userIds: string[];
  readonly latest: {
    readonly requestId: string | null;
    readonly path: string | null;
    readonly tenantId: string | null;
    readonly branchId: string | null;
    readonly userId: string | null;
  };
  readonly details: {
    readonly fingerprint: string;
    readonly level: Level;
    readonly message: string;
    readonly code: string | null;
    readonly statusCode: number | null;
    readonly method: string | null;
    readonly route: string | null;
    readonly stack: string | null;
  };
};

const MAX_REQUEST_IDS = 100;
const MAX_CONCERNED = 20;
const MAX_MESSAGE_LENGTH = 1_000;
const MAX_STACK_LENGTH = 4_000;
const MAX_PATH_LENGTH = 300;
const MAX_NAME_LENGTH = 128;

/** An error that has rested for so long is forgotten here; its record stays. */
const REST_MS = 5 * 60_000;
const MIN_SPACING_MS = 1_000;
const EARLY_SPACING_MS = 30_000;
const LATE_PART = 20;
const LATE_SPACING_MS = 5 * 60_000;

/**
 * How long a report waits after the one before, when the error has gone on for `ageMs`: as long as that, up to half a
 * minute; after ten minutes a twentieth of it, up to five minutes. So an error that goes on for a day costs some 300
 * appends, and what is shown of a short one is seconds old.
 */
export const spacingAfter = (ageMs: number): number =>
  Math.max(MIN_SPACING_MS, Math.min(ageMs, EARLY_SPACING_MS), Math.min(ageMs / LATE_PART, LATE_SPACING_MS));

/** The last few of what was seen, each once, the latest last. */
class Latest {
  private readonly seen = new Set<string>();
  constructor(private readonly max: number) {}

  add(value: string | undefined): void {
    if (value === undefined) return;
    this.seen.delete(value);
    this.seen.add(value);
    if (this.seen.size <= this.max) return;
    for (const oldest of this.seen) {
      this.seen.delete(oldest);
      break;
    }
  }

  /** All of it, which is forgotten. */
  take(): string[] {
    const taken = [...this.seen];
    this.seen.clear();
    return taken;
  }
}

/** The occurrences of one error in this process. */
export class CountedError {
  private count = 0;
  private firstSeenAtMs = 0;
  private lastSeenAtMs = 0;
  private readonly requestIds = new Latest(MAX_REQUEST_IDS);
  private readonly tenantIds = new Latest(MAX_CONCERNED);
  private readonly branchIds = new Latest(MAX_CONCERNED);
  private readonly userIds = new Latest(MAX_CONCERNED);
  private latest: NotedError;
  private restsSinceMs: number;
  private dueAtMs = Number.NEGATIVE_INFINITY;
  /** Handed out, and not known to be recorded: what comes meanwhile is for the next. */
  private underWay: ErrorReport | undefined;

  /** `beganAtMs` and all times of decisions are monotonic; those that are shown come from the wall clock. */
  constructor(
    private readonly first: NotedError,
    private readonly beganAtMs: number,
  ) {
    this.latest = first;
    this.restsSinceMs = beganAtMs;
  }

  get fingerprint(): string {
    return this.first.fingerprint;
  }

  get level(): Level {
    return this.first.level;
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
    if (this.count === 0) this.firstSeenAtMs = wallMs;
    this.count += 1;
    // The wall clock may go back.
    this.firstSeenAtMs = Math.min(this.firstSeenAtMs, wallMs);
    this.lastSeenAtMs = this.count === 1 ? wallMs : Math.max(this.lastSeenAtMs, wallMs);
    this.requestIds.add(noted.requestId);
    this.tenantIds.add(noted.tenantId);
    this.branchIds.add(noted.branchId);
    this.userIds.add(noted.userId);
    this.latest = noted;
    this.restsSinceMs = nowMs;
  }

  /** What is to be recorded; the same again until it is settled. */
  report(nowMs: number, nextId: () => string, redact: Redact): ErrorReport {
    if (this.underWay) return this.underWay;
    this.dueAtMs = nowMs + spacingAfter(nowMs - this.beganAtMs);
    const short = (text: string | null | undefined): string | null =>
      text === undefined || text === null ? null : redact(text, MAX_NAME_LENGTH);
    const { message, code, statusCode = null, method, route, stack } = this.first;
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
        requestId: short(requestId),
        path: path === undefined ? null : redact(path, MAX_PATH_LENGTH),
        tenantId: short(tenantId),
        branchId: short(branchId),
        userId: short(userId),
      },
      details: {
        fingerprint: this.first.fingerprint,
        level: this.first.level,
        message: redact(message, MAX_MESSAGE_LENGTH),
        code: short(code),
        statusCode,
        method: short(method),
        route: route === undefined ? null : redact(route, MAX_PATH_LENGTH),
        stack: stack === undefined || stack === null ? null : redact(stack, MAX_STACK_LENGTH, { lines: true }),
      },
    };
    this.count = 0;
    return this.underWay;
  }

  /** The report that is under way is recorded, or never will be. */
  settle(): void {
    this.underWay = undefined;
  }
}
