import { queryOptions, useQuery } from '@tanstack/react-query';
import type { Source } from '../parts/remote-choice';
import { api, data, whole, type Shapes } from './client';

export type Tenant = Shapes['TenantDto'];
export type TenantFilters = {
  readonly pageNumber: number;
  readonly pageSize: number;
  readonly search?: string | undefined;
  readonly isActive?: 'true' | 'false' | undefined;
};

/** The tenant of what belongs to none. */
export const PLATFORM = 'platform';

export const tenantsQuery = ({ isActive, ...query }: TenantFilters) =>
  queryOptions({
    queryKey: ['tenants', { ...query, isActive }],
    queryFn: ({ signal }) =>
      whole(
        api.GET('/api/platform/tenants', {
          params: { query: { ...query, ...(isActive !== undefined && { isActive: isActive === 'true' }) } },
          signal,
        }),
      ),
    placeholderData: (before) => before,
  });

export const tenantQuery = (id: string) =>
  queryOptions({
    queryKey: ['tenant', id],
    queryFn: ({ signal }) => data(api.GET('/api/platform/tenants/{id}', { params: { path: { id } }, signal })),
  });

/** Tenants for a chooser, the platform itself among them. */
export const tenantSource: Source = {
  key: ['tenant-choice'],
  find: async (search, signal) => {
    const query = { pageNumber: 1, pageSize: 20, ...(search !== '' && { search }) };
    const { items } = await whole(api.GET('/api/platform/tenants', { params: { query }, signal }));
    return [...(search === '' ? [{ id: PLATFORM, name: 'The platform itself' }] : []), ...items];
  },
  nameOf: async (id, signal) => {
    if (id === PLATFORM) return 'The platform itself';
    return (await data(api.GET('/api/platform/tenants/{id}', { params: { path: { id } }, signal }))).name;
  },
};

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
