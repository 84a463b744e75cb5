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

const LATEST = { pageNumber: 1, pageSize: 100 } as const;

/** Loads the latest entries that match a filter. */
export const entriesOf = (filters: Omit<AuditFilters, keyof typeof LATEST>, signal: AbortSignal) =>
  whole(api.GET('/api/platform/audit-logs', { params: { query: { ...filters, ...LATEST } }, signal }));

/** Names of users and operators, from their latest entries in the audit log. */
export const actorNames: Names = {
  key: ['audit', 'actors'],
  nameOf: async (userId, signal) => {
    const query = { userId, pageNumber: 1, pageSize: 1 };
    const { items } = await whole(api.GET('/api/platform/audit-logs', { params: { query }, signal }));
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
