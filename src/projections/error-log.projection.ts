import {
  MAX_CONCERNED,
  MAX_REQUEST_IDS,
  type ErrorLogEvent,
  type ErrorReport,
} from '../aggregates/error-log.aggregate.js';
import type { Recorded } from '../eventsourcing/event-catalogue.js';
import { ofRecord, type Projection } from '../projecting/projection.js';
import { PLATFORM, type ReadModel } from '../ports/read-store.js';

/**
 * An error as displayed to operators: its details, its last occurrence, and the totals of its reports. Lists are in
 * chronological order.
 */
export type ErrorLogView = Omit<ErrorReport['details'], 'fingerprint'> &
  ErrorReport['latest'] &
  Omit<ErrorReport, 'reportId' | 'latest' | 'details'> & {
    readonly id: string;
    readonly resolved: boolean;
    readonly resolvedAt: string | null;
    /** The operator who resolved the error. */
    readonly resolvedBy: string | null;
    readonly createdAt: string;
    readonly updatedAt: string;
    readonly revision: number;
  };

export const errorLogs: ReadModel<ErrorLogView> = {
  name: 'error_logs',
  version: 2,
  fields: {
    lastSeenAt: { type: 'text', of: ({ lastSeenAt }) => lastSeenAt },
    firstSeenAt: { type: 'text', of: ({ firstSeenAt }) => firstSeenAt },
    level: { type: 'text', of: ({ level }) => level },
    statusCode: { type: 'integer', of: ({ statusCode }) => statusCode },
    resolved: { type: 'boolean', of: ({ resolved }) => resolved },
    tenantId: { type: 'text', of: ({ tenantIds }) => tenantIds },
    branchId: { type: 'text', of: ({ branchIds }) => branchIds },
    userId: { type: 'text', of: ({ userIds }) => userIds },
  },
  filters: ['level', 'statusCode', 'resolved', 'tenantId', 'branchId', 'userId'],
  order: { fields: ['lastSeenAt'], direction: 'descending' },
  search: {
    message: ({ message }) => message,
    code: ({ code }) => code,
    path: ({ path }) => path,
    requestIds: ({ requestIds }) => requestIds.join(' '),
  },
};

export const errorLogProjection: Projection<ErrorLogView, ErrorLogEvent> = {
  model: errorLogs,
  sources: ['error-log'],
  documents: ofRecord,
  scope: () => PLATFORM,
  evolve: (view, event) => {
    switch (event.type) {
      case 'ErrorOccurred': {
        const before = view ?? begun(event);
        return before && counted(before, event);
      }
      case 'ErrorResolved': {
        const { operatorId, system } = event.metadata;
        const resolvedBy = operatorId ?? system ?? null;
        const { at } = event.data;
        return view && { ...view, resolved: true, resolvedAt: at, resolvedBy, updatedAt: at, revision: event.revision };
      }
      case 'ErrorLogExpired':
        return undefined;
    }
  },
};

type Occurred = Recorded<Extract<ErrorLogEvent, { type: 'ErrorOccurred' }>>;

/** Creates a record without counting its first report. */
function begun({ recordId, data, metadata, revision }: Occurred): ErrorLogView | undefined {
  if (!data.details) return undefined;
  const { fingerprint: _, ...details } = data.details;
  return {
    id: recordId,
    ...details,
    ...data.latest,
    count: 0,
    firstSeenAt: data.firstSeenAt,
    lastSeenAt: data.lastSeenAt,
    resolved: false,
    resolvedAt: null,
    resolvedBy: null,
    createdAt: metadata.timestamp,
    updatedAt: metadata.timestamp,
    revision,
    requestIds: [],
    tenantIds: [],
    branchIds: [],
    userIds: [],
  };
}

/**
 * Adds a report. Reports may arrive out of order, because a process may report occurrences that are older than those
 * already reported by another process.
 */
function counted(view: ErrorLogView, { data, metadata, revision }: Occurred): ErrorLogView {
  const isLatest = data.lastSeenAt >= view.lastSeenAt;
  return {
    ...view,
    ...(isLatest && { ...data.latest, lastSeenAt: data.lastSeenAt }),
    count: view.count + data.count,
    firstSeenAt: data.firstSeenAt < view.firstSeenAt ? data.firstSeenAt : view.firstSeenAt,
    updatedAt: metadata.timestamp,
    revision,
    requestIds: latestOf(MAX_REQUEST_IDS, view.requestIds, data.requestIds),
    tenantIds: latestOf(MAX_CONCERNED, view.tenantIds, data.tenantIds),
    branchIds: latestOf(MAX_CONCERNED, view.branchIds, data.branchIds),
    userIds: latestOf(MAX_CONCERNED, view.userIds, data.userIds),
  };
}

/** Returns the last `max` distinct values of both lists. */
const latestOf = (max: number, before: readonly string[], more: readonly string[]): string[] => {
  const added = new Set(more);
  return [...before.filter((one) => !added.has(one)), ...added].slice(-max);
};
