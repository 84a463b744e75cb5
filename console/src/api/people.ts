import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { paths } from '../../../clients/typescript/src/schema';
import { api, data, whole, type Shapes } from './client';

export type User = Shapes['UserDto'];
export type Role = Shapes['RoleDto'];
export type RoleDetails = Shapes['RoleDetailDto'];
type UserFilters = paths['/api/users']['get']['parameters']['query'];

export const usersQuery = (query: UserFilters) =>
  queryOptions({
    queryKey: ['users', query],
    queryFn: ({ signal }) => whole(api.GET('/api/users', { params: { query }, signal })),
    placeholderData: keepPreviousData,
  });

export const userQuery = (id: string) =>
  queryOptions({
    queryKey: ['users', 'one', id],
    queryFn: ({ signal }) => data(api.GET('/api/users/{id}', { params: { path: { id } }, signal })),
  });

export const rolesQuery = queryOptions({
  queryKey: ['roles'],
  queryFn: ({ signal }) => data(api.GET('/api/roles', { signal })),
});

export const roleQuery = (id: string) =>
  queryOptions({
    queryKey: ['roles', id],
    queryFn: ({ signal }) => data(api.GET('/api/roles/{id}', { params: { path: { id } }, signal })),
  });

export const permissionsQuery = queryOptions({
  queryKey: ['permissions'],
  queryFn: ({ signal }) => data(api.GET('/api/permissions', { signal })),
  staleTime: Infinity,
});
