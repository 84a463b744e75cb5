import { queryOptions, useQuery } from '@tanstack/react-query';
import { api, data, type Shapes } from './client';

export type Me = Shapes['MeDto'];

export const meQuery = queryOptions({
  queryKey: ['me'],
  queryFn: ({ signal }) => data(api.GET('/api/auth/me', { signal })),
  staleTime: 60_000,
});

/** Who is signed in; undefined until it is known. */
export const useMe = (): Me | undefined => useQuery(meQuery).data;

/** Operators belong to no tenant. */
export const isOperator = (me: Me): boolean => me.tenant === null;

/** Whether who is signed in has a permission: what they lack is not offered. */
export const useMay = (permission: string): boolean => useMe()?.permissions.includes(permission) ?? false;
