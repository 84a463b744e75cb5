import { queryOptions } from '@tanstack/react-query';
import { api, data, whole, type Shapes } from './client';

export type DeadLetter = Shapes['IntegrationDeadLetter'];
export type LetterFilters = {
  readonly pageNumber: number;
  readonly pageSize: number;
  readonly search?: string | undefined;
  readonly status?: DeadLetter['status'] | undefined;
  readonly origin?: DeadLetter['origin'] | undefined;
  readonly tenantId?: string | undefined;
  readonly dateFrom?: string | undefined;
  readonly dateTo?: string | undefined;
};

export const deadLettersQuery = (query: LetterFilters) =>
  queryOptions({
    queryKey: ['dead-letters', query],
    queryFn: ({ signal }) => whole(api.GET('/api/platform/dead-letters', { params: { query }, signal })),
    placeholderData: (before) => before,
  });

export const deadLetterQuery = (id: string) =>
  queryOptions({
    queryKey: ['dead-letter', id],
    queryFn: ({ signal }) => data(api.GET('/api/platform/dead-letters/{id}', { params: { path: { id } }, signal })),
  });
