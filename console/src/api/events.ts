import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { paths } from '../../../clients/typescript/src/schema';
import { api, whole, type Shapes } from './client';

export type ListedEvent = Shapes['ListedEventDto'];
export type EventFilters = NonNullable<paths['/api/platform/events']['get']['parameters']['query']>;

export const eventsQuery = (query: EventFilters) =>
  queryOptions({
    queryKey: ['events', query],
    queryFn: ({ signal }) => whole(api.GET('/api/platform/events', { params: { query }, signal })),
    placeholderData: keepPreviousData,
  });
