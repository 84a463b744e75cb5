import { z } from 'zod';
import { domain, technical, type Aggregate, type EventOf } from '../platform/aggregate.js';
import { conflict, notFound } from '../platform/domain-error.js';
import { nameUuid } from '../platform/name-uuid.js';
import { Instant } from './fields.js';

export const ErrorLevel = z.enum(['ERROR', 'WARN', 'INFO']);
export type ErrorLevel = z.output<typeof ErrorLevel>;

/** Requests that a record names: the latest. */
export const MAX_REQUEST_IDS = 100;
/** Tenants, branches and users that a record names: the latest of each. */
export const MAX_CONCERNED = 20;

const ErrorDetails = z.object({
  /** Alike for what counts as the same error, in every process and release. */
  fingerprint: z.string(),
  level: ErrorLevel,
  message: z.string(),
  code: z.string().nullable(),
  statusCode: z.int().nullable(),
  method: z.string().nullable(),
  /** The pattern of the address. */
  route: z.string().nullable(),
  stack: z.string().nullable(),
});
export type ErrorDetails = z.output<typeof ErrorDetails>;

/** Where it happened last, as far as that is known. */
const Occasion = z.object({
  requestId: z.string().nullable(),
  path: z.string().nullable(),
  tenantId: z.string().nullable(),
  branchId: z.string().nullable(),
  userId: z.string().nullable(),
});

const concerned = z.array(z.string()).max(MAX_CONCERNED);

/** So many more of the same error, as one process has counted them; oldest first in the lists. */
const ErrorOccurred = z.object({
  /** Names this count, so that one that is sent twice counts once. */
  reportId: z.string(),
  count: z.int().min(1),
  firstSeenAt: Instant,
  lastSeenAt: Instant,
  requestIds: z.array(z.string()).max(MAX_REQUEST_IDS),
  tenantIds: concerned,
  branchIds: concerned,
  userIds: concerned,
  latest: Occasion,
  /** In the record's first event. */
  details: z.exactOptional(ErrorDetails),
});
export type NewErrors = z.output<typeof ErrorOccurred> & { readonly details: ErrorDetails };

export const errorLogEvents = {
  ErrorOccurred: technical(ErrorOccurred),
  ErrorResolved: domain('UPDATE', 'error-log', z.object({ at: Instant })),
  /** Nobody needs it any more: it is hidden, not gone. */
  ErrorLogExpired: technical(z.object({ at: Instant })),
};
export type ErrorLogEvent = EventOf<typeof errorLogEvents>;

/** `reports`: ids of the latest counts. */
type Recorded = { readonly lastSeenAt: string; readonly reports: readonly string[] };
export type ErrorLog =
  { readonly status: 'absent' } | (Recorded & { readonly status: 'unresolved' | 'resolved' | 'expired' });

/** More than processes could report between a report's first try and its last. */
const REMEMBERED_REPORTS = 64;

/** All occurrences of one error until somebody resolved it; those that come later are another record. */
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

// Fixed for ever: all processes count the same error on the same record.
const ERROR_NAMESPACE = '6d3b0f0a-52a5-5c0b-8f5e-9a7c6e1d2b48';

/** The record of an error's n-th life, counted from 0: it ends when the record is resolved or expired. */
export const errorLogId = (fingerprint: string, incarnation: number): string =>
  nameUuid(JSON.stringify([fingerprint, incarnation]), ERROR_NAMESPACE);

/** Whether the record takes no more: the same error belongs to the next one. */
export const isClosed = ({ status }: ErrorLog): boolean => status === 'resolved' || status === 'expired';

export const isReported = (state: ErrorLog, reportId: string): boolean =>
  state.status !== 'absent' && state.reports.includes(reportId);

/** Nothing where the record has this count already, or is closed. */
export function countErrors(state: ErrorLog, { details, ...counts }: NewErrors): ErrorLogEvent[] {
  if (isClosed(state) || isReported(state, counts.reportId)) return [];
  return [{ type: 'ErrorOccurred', data: state.status === 'absent' ? { ...counts, details } : counts }];
}

/** @throws DomainError not_found; conflict ALREADY_RESOLVED */
export function resolveErrors(state: ErrorLog, _: object, now: Date): ErrorLogEvent[] {
  if (state.status === 'absent' || state.status === 'expired') throw notFound('error log');
  if (state.status === 'resolved') throw conflict('ALREADY_RESOLVED', 'The error is resolved already.');
  return [{ type: 'ErrorResolved', data: { at: now.toISOString() } }];
}

/** Records seen last before these instants are no longer needed. */
export type Retention = { readonly resolvedBefore: string; readonly unresolvedBefore: string };

/** Nothing where the record is to be kept, or hidden already. */
export function expireErrors(state: ErrorLog, retention: Retention, now: Date): ErrorLogEvent[] {
  if (state.status === 'absent' || state.status === 'expired') return [];
  const before = state.status === 'resolved' ? retention.resolvedBefore : retention.unresolvedBefore;
  return state.lastSeenAt < before ? [{ type: 'ErrorLogExpired', data: { at: now.toISOString() } }] : [];
}
