import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { paths } from '../../../clients/typescript/src/schema';
import { api, data, whole } from './client';

type Filters = NonNullable<paths['/api/audit-logs']['get']['parameters']['query']>;

/** Audit log of the signed-in user's tenant. */
export const tenantAuditQuery = (query: Filters) =>
  queryOptions({
    queryKey: ['tenant-audit', query],
    queryFn: ({ signal }) => whole(api.GET('/api/audit-logs', { params: { query }, signal })),
    placeholderData: keepPreviousData,
  });

export const tenantAuditEntryQuery = (id: string) =>
  queryOptions({
    queryKey: ['tenant-audit-entry', id],
    queryFn: ({ signal }) => data(api.GET('/api/audit-logs/{id}', { params: { path: { id } }, signal })),
    // Audit entries are immutable, so they never become stale.
    staleTime: Infinity,
  });
