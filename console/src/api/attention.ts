import { queryOptions } from '@tanstack/react-query';
import { api, whole } from './client';
import { SLOWLY_MS } from './observation';

/** Number of parked dead letters. */
export const parkedQuery = queryOptions({
  queryKey: ['dead-letters', 'parked-count'],
  queryFn: ({ signal }) =>
    whole(api.GET('/api/platform/dead-letters', { params: { query: { status: 'PARKED', pageSize: 1 } }, signal })),
  refetchInterval: SLOWLY_MS,
});

/** Number of unresolved errors. */
export const openErrorsQuery = queryOptions({
  queryKey: ['errors', 'open-count'],
  queryFn: ({ signal }) =>
    whole(
      api.GET('/api/platform/error-logs', {
        params: { query: { resolved: false, pageNumber: 1, pageSize: 1 } },
        signal,
      }),
    ),
  refetchInterval: SLOWLY_MS,
});
