import { queryOptions } from '@tanstack/react-query';
import { api, data, type Shapes } from './client';
import { WATCH_EVERY_MS } from './observation';

export type Projection = Shapes['ProjectionDto'];

const REBUILDING_EVERY_MS = 700;

export const projectionsQuery = queryOptions({
  queryKey: ['projections'],
  queryFn: ({ signal }) => data(api.GET('/api/platform/projections', { signal })),
  refetchInterval: ({ state }) =>
    state.data?.some(({ rebuild }) => rebuild !== null) === true ? REBUILDING_EVERY_MS : WATCH_EVERY_MS,
});
