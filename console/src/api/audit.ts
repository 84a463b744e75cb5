import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { paths } from '../../../clients/typescript/src/schema';
import type { Names } from '../parts/remote-choice';
import { api, data, whole, type Shapes } from './client';

export type AuditEntry = Shapes['AuditLogDto'];
export type AuditFilters = NonNullable<paths['/api/platform/audit-logs']['get']['parameters']['query']>;

export const auditQuery = (query: AuditFilters) =>
  queryOptions({
    queryKey: ['audit', query],
    queryFn: ({ signal }) => whole(api.GET('/api/platform/audit-logs', { params: { query }, signal })),
    placeholderData: keepPreviousData,
  });

/** Loads the latest entries that match a filter. */
export const latestEntries = (
  pageSize: number,
  filters: Omit<AuditFilters, 'pageNumber' | 'pageSize'>,
  signal: AbortSignal,
) => whole(api.GET('/api/platform/audit-logs', { params: { query: { ...filters, pageNumber: 1, pageSize } }, signal }));

/** Names of users and operators, from their latest entries in the audit log. */
export const actorNames: Names = {
  key: ['audit', 'actors'],
  nameOf: async (userId, signal) => {
    const { items } = await latestEntries(1, { userId }, signal);
    return items[0]?.userName ?? userId;
  },
};

export const auditEntryQuery = (id: string) =>
  queryOptions({
    queryKey: ['audit-entry', id],
    queryFn: ({ signal }) => data(api.GET('/api/platform/audit-logs/{id}', { params: { path: { id } }, signal })),
    // Audit entries are immutable, so they never become stale.
    staleTime: Infinity,
  });
