import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { paths } from '../../../clients/typescript/src/schema';
import { api, data, whole, type Shapes } from './client';

export type DeadLetter = Shapes['IntegrationDeadLetter'];
export type LetterFilters = NonNullable<paths['/api/platform/dead-letters']['get']['parameters']['query']>;

export const deadLettersQuery = (query: LetterFilters) =>
  queryOptions({
    queryKey: ['dead-letters', query],
    queryFn: ({ signal }) => whole(api.GET('/api/platform/dead-letters', { params: { query }, signal })),
    placeholderData: keepPreviousData,
  });

export const deadLetterQuery = (id: string) =>
  queryOptions({
    queryKey: ['dead-letter', id],
    queryFn: ({ signal }) => data(api.GET('/api/platform/dead-letters/{id}', { params: { path: { id } }, signal })),
  });
