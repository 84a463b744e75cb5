import { queryOptions, useQuery } from '@tanstack/react-query';
import { api, whole, type Shapes } from './client';

export type Tenant = Shapes['TenantDto'];

/** As many as a page of the API has at most: what lists of names need. */
const MOST = 100;

export const tenantNamesQuery = queryOptions({
  queryKey: ['tenants', 'names'],
  queryFn: async ({ signal }) => {
    const query = { pageNumber: 1, pageSize: MOST };
    const { items } = await whole(api.GET('/api/platform/tenants', { params: { query }, signal }));
    return new Map(items.map(({ id, name }) => [id, name]));
  },
  staleTime: 60_000,
});

const NONE: ReadonlyMap<string, string> = new Map();

/** The names of tenants by their ids, of the first hundred; empty until they are known. */
export const useTenantNames = (): ReadonlyMap<string, string> => useQuery(tenantNamesQuery).data ?? NONE;
