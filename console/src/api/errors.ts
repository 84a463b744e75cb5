import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { paths } from '../../../clients/typescript/src/schema';
import { titleOf } from './error-title';
import { api, data, whole, type Shapes } from './client';

export type ErrorRecord = Shapes['ErrorLogDto'];
type ErrorFilters = NonNullable<paths['/api/platform/error-logs']['get']['parameters']['query']>;

export const errorsQuery = (query: ErrorFilters) =>
  queryOptions({
    queryKey: ['errors', query],
    queryFn: ({ signal }) => whole(api.GET('/api/platform/error-logs', { params: { query }, signal })),
    placeholderData: keepPreviousData,
  });

export const errorQuery = (id: string) =>
  queryOptions({
    queryKey: ['error', id],
    queryFn: ({ signal }) => data(api.GET('/api/platform/error-logs/{id}', { params: { path: { id } }, signal })),
  });

const SAME = ['level', 'code', 'statusCode', 'method', 'route'] as const;
const MOST_WORDS = 6;

/** Other records that appear to describe the same error, created before or after this record was resolved. */
export const sameErrorsQuery = (of: ErrorRecord) =>
  queryOptions({
    queryKey: ['errors', 'same', of.id],
    queryFn: async ({ signal }) => {
      const title = titleOf(of.message);
      const words = title.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '');
      const query = { pageNumber: 1, pageSize: 100, search: words.slice(0, MOST_WORDS).join(' ') };
      const { items } = await whole(api.GET('/api/platform/error-logs', { params: { query }, signal }));
      const isSame = (each: ErrorRecord): boolean =>
        titleOf(each.message) === title && SAME.every((name) => each[name] === of[name]);
      return items.filter((each) => each.id !== of.id && isSame(each));
    },
  });
