import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { paths } from '../../../clients/typescript/src/schema';
import type { Source } from '../parts/remote-choice';
import { api, data, whole, type Shapes } from './client';
import { t } from '../messages/catalogue';

export type Tenant = Shapes['TenantDto'];
type TenantFilters = NonNullable<paths['/api/platform/tenants']['get']['parameters']['query']>;

/** Tenant id used for records that belong to no tenant. */
export const PLATFORM = 'platform';
export const PLATFORM_NAME = t('The platform');

export const tenantsQuery = (query: TenantFilters) =>
  queryOptions({
    queryKey: ['tenants', query],
    queryFn: ({ signal }) => whole(api.GET('/api/platform/tenants', { params: { query }, signal })),
    placeholderData: keepPreviousData,
  });

export const tenantQuery = (id: string) =>
  queryOptions({
    queryKey: ['tenant', id],
    queryFn: ({ signal }) => data(api.GET('/api/platform/tenants/{id}', { params: { path: { id } }, signal })),
  });

/** Tenants for a selection field, including the platform itself. */
export const tenantSource: Source = {
  key: ['tenant-choice'],
  find: async (search, signal) => {
    const query = { pageNumber: 1, pageSize: 20, ...(search !== '' && { search }) };
    const { items } = await whole(api.GET('/api/platform/tenants', { params: { query }, signal }));
    return [...(search === '' ? [{ id: PLATFORM, name: PLATFORM_NAME }] : []), ...items];
  },
  nameOf: async (id, signal) => {
    if (id === PLATFORM) return PLATFORM_NAME;
    return (await data(api.GET('/api/platform/tenants/{id}', { params: { path: { id } }, signal }))).name;
  },
};
