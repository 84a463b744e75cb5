import { queryOptions, useQuery } from '@tanstack/react-query';
import { api, data, type Shapes } from './client';

export type Me = Shapes['MeDto'];

export const meQuery = queryOptions({
  queryKey: ['me'],
  queryFn: ({ signal }) => data(api.GET('/api/auth/me', { signal })),
  staleTime: 60_000,
});

/** The signed-in user. Undefined while loading. */
export const useMe = (): Me | undefined => useQuery(meQuery).data;

/** Operators belong to no tenant. */
export const isOperator = (me: Me): boolean => me.tenant === null;

/** Returns whether the signed-in user has a permission. Pages hide actions that the user may not perform. */
export const useMay = (permission: string): boolean => useMe()?.permissions.includes(permission) ?? false;
