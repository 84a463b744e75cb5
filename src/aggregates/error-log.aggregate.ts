import { z } from 'zod';
import { domain, technical, type Aggregate, type EventOf } from '../eventsourcing/aggregate.js';
import { conflict, notFound } from '../eventsourcing/domain-error.js';
import { nameUuid } from '../eventsourcing/name-uuid.js';
import { Instant } from './fields.js';

export const ErrorLevel = z.enum(['ERROR', 'WARN', 'INFO']);
export type ErrorLevel = z.output<typeof ErrorLevel>;

/** Maximum number of recent request ids per record. */
export const MAX_REQUEST_IDS = 100;
/** Maximum number of recent tenants, branches and users per record. */
export const MAX_CONCERNED = 20;

const ErrorDetails = z.object({
  /** Identifies the error across processes and releases. */
  fingerprint: z.string(),
  level: ErrorLevel,
  message: z.string(),
  code: z.string().nullable(),
  statusCode: z.int().nullable(),
  method: z.string().nullable(),
  /** The route pattern, not the requested path. */
  route: z.string().nullable(),
  stack: z.string().nullable(),
});
export type ErrorDetails = z.output<typeof ErrorDetails>;

/** Context of the last occurrence of the error. */
const Occasion = z.object({
  requestId: z.string().nullable(),
  path: z.string().nullable(),
  tenantId: z.string().nullable(),
  branchId: z.string().nullable(),
  userId: z.string().nullable(),
});

const concerned = z.array(z.string()).max(MAX_CONCERNED);

/** Occurrences of an error, counted by one process. Lists contain the oldest values first. */
const ErrorOccurred = z.object({
  /** Identifies the report, so that repeated deliveries are ignored. */
  reportId: z.string(),
  count: z.int().min(1),
  firstSeenAt: Instant,
  lastSeenAt: Instant,
  requestIds: z.array(z.string()).max(MAX_REQUEST_IDS),
  tenantIds: concerned,
  branchIds: concerned,
  userIds: concerned,
  latest: Occasion,
  /** Present only in the record's first event. */
  details: z.exactOptional(ErrorDetails),
});
/** Occurrences of one error since the process's last report, without secrets. */
export type ErrorReport = z.output<typeof ErrorOccurred> & { readonly details: ErrorDetails };

export const errorLogEvents = {
  ErrorOccurred: technical(ErrorOccurred),
  ErrorResolved: domain('UPDATE', 'error-log', z.object({ at: Instant })),
  /** Appended when the retention period ends. It hides the record but does not delete the events. */
  ErrorLogExpired: technical(z.object({ at: Instant })),
};
export type ErrorLogEvent = EventOf<typeof errorLogEvents>;

/** `reports` contains the ids of the latest reports. */
type Recorded = { readonly lastSeenAt: string; readonly reports: readonly string[] };
export type ErrorLog =
  { readonly status: 'absent' } | (Recorded & { readonly status: 'unresolved' | 'resolved' | 'expired' });

/**
 * Number of remembered report ids. It exceeds the number of reports that all processes can send while one report is
 * being retried.
 */
const REMEMBERED_REPORTS = 64;

/** All occurrences of one error until it is resolved or expires. Later occurrences start a new record. */
export const errorLog: Aggregate<ErrorLog, ErrorLogEvent> = {
  name: 'error-log',
  events: errorLogEvents,
  initial: { status: 'absent' },
  evolve: (state, event) => {
    if (event.type === 'ErrorOccurred') return counted(state, event.data);
    if (state.status === 'absent') return state;
    switch (event.type) {
      case 'ErrorResolved':
        return { ...state, status: 'resolved' };
      case 'ErrorLogExpired':
        return { ...state, status: 'expired' };
    }
  },
};

function counted(state: ErrorLog, { reportId, lastSeenAt }: z.output<typeof ErrorOccurred>): ErrorLog {
  if (state.status === 'absent') return { status: 'unresolved', lastSeenAt, reports: [reportId] };
  return {
    ...state,
    lastSeenAt: lastSeenAt > state.lastSeenAt ? lastSeenAt : state.lastSeenAt,
    reports: [...state.reports, reportId].slice(-REMEMBERED_REPORTS),
  };
}

// Must never change, because all processes must derive the same record id for an error.
const ERROR_NAMESPACE = '6d3b0f0a-52a5-5c0b-8f5e-9a7c6e1d2b48';

/**
 * Returns the id of the error's n-th record, counted from 0. A record is closed once it has been resolved or has
 * expired.
 */
export const errorLogId = (fingerprint: string, incarnation: number): string =>
  nameUuid(JSON.stringify([fingerprint, incarnation]), ERROR_NAMESPACE);

/** Whether the record is closed. Further reports are added to the error's next record. */
export const isClosed = ({ status }: ErrorLog): boolean => status === 'resolved' || status === 'expired';

export const isReported = (state: ErrorLog, reportId: string): boolean =>
  state.status !== 'absent' && state.reports.includes(reportId);

/** Returns `[]` if the record is closed or already contains the report. */
export function countErrors(state: ErrorLog, { details, ...counts }: ErrorReport): ErrorLogEvent[] {
  if (isClosed(state) || isReported(state, counts.reportId)) return [];
  return [{ type: 'ErrorOccurred', data: state.status === 'absent' ? { ...counts, details } : counts }];
}

/** @throws DomainError not_found; conflict ALREADY_RESOLVED */
export function resolveErrors(state: ErrorLog, _: object, now: Date): ErrorLogEvent[] {
  if (state.status === 'absent' || state.status === 'expired') throw notFound('error log');
  if (state.status === 'resolved') throw conflict('ALREADY_RESOLVED', 'The error is already resolved.');
  return [{ type: 'ErrorResolved', data: { at: now.toISOString() } }];
}

/** A record expires if its last occurrence precedes the cutoff for its status. */
export type Retention = { readonly resolvedBefore: string; readonly unresolvedBefore: string };

/** Returns `[]` if the record is still within its retention period or has already expired. */
export function expireErrors(state: ErrorLog, retention: Retention, now: Date): ErrorLogEvent[] {
  if (state.status === 'absent' || state.status === 'expired') return [];
  const before = state.status === 'resolved' ? retention.resolvedBefore : retention.unresolvedBefore;
  return state.lastSeenAt < before ? [{ type: 'ErrorLogExpired', data: { at: now.toISOString() } }] : [];
}
