import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { paths } from '../../../clients/typescript/src/schema';
import type { Names } from '../parts/remote-choice';
import { api, data, whole, type Shapes } from './client';
import { NAMES_MS, queryClient } from './queries';
import { byCode, t } from '../messages/catalogue';

export type User = Shapes['UserDto'];
export type Role = Shapes['RoleDto'];
export type RoleDetails = Shapes['RoleDetailDto'];
type UserFilters = paths['/api/users']['get']['parameters']['query'];

export const GRADES = [
  ['USER', t('User')],
  ['ADMIN', t('Administrator')],
  ['OWNER', t('Owner')],
] as const;

const gradeWords = (grade: string): string => GRADES.find(([each]) => each === grade)?.[1] ?? grade;

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
  queryFn: async ({ signal }) => {
    const roles = await data(api.GET('/api/roles', { signal }));
    return roles.map((role) => (role.isSystem ? { ...role, name: gradeWords(role.name) } : role));
  },
});

export const roleQuery = (id: string) =>
  queryOptions({
    queryKey: ['roles', id],
    queryFn: ({ signal }) => data(api.GET('/api/roles/{id}', { params: { path: { id } }, signal })),
  });

const ALL_USERS = { pageNumber: 1, pageSize: 100 };

/** User names. A whole page of users is loaded, so that a list of ids usually requires only one request. */
export const userNames: Names = {
  key: ['users', 'names'],
  permission: 'users.read',
  nameOf: async (id) => {
    const { items } = await queryClient.query({ ...usersQuery(ALL_USERS), staleTime: NAMES_MS });
    return (items.find((each) => each.id === id) ?? (await queryClient.query(userQuery(id)))).fullName;
  },
};

export const roleNames: Names = {
  key: ['roles', 'names'],
  permission: 'roles.read',
  nameOf: async (id) => {
    const roles = await queryClient.query({ ...rolesQuery, staleTime: NAMES_MS });
    return roles.find((each) => each.id === id)?.name ?? id;
  },
};

export const gradeNames: Names = {
  key: ['grades', 'names'],
  nameOf: (grade) => Promise.resolve(gradeWords(grade)),
};

export const permissionsQuery = queryOptions({
  queryKey: ['permissions'],
  queryFn: ({ signal }) => data(api.GET('/api/permissions', { signal })),
  staleTime: Infinity,
});

/** Names of permissions. They are part of every catalogue, because operators cannot load the permissions of a tenant. */
export const permissionNames: Names = {
  key: ['permissions', 'names'],
  nameOf: (code) => Promise.resolve(byCode('permission', code, code)),
};
