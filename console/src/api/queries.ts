import { QueryClient, type UseQueryResult } from '@tanstack/react-query';
import { KontorError } from './problem';

const RETRIES = 2;

/** Everything that is read goes through this cache; nothing of it outlives the tab. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 2_000,
      // Asked and answered by this service alone: being offline shows as a problem with its own words.
      networkMode: 'always',
      // What has hung once would keep somebody waiting twice as long again.
      retry: (failures, error) =>
        failures < RETRIES && error instanceof KontorError && error.isPassing && error.code !== 'TIMEOUT',
      retryDelay: (failures) => 400 * 2 ** failures,
    },
    mutations: { networkMode: 'always', retry: false },
  },
});

/** What pages need of a query to show it. */
export type Shown<T> = Pick<UseQueryResult<T>, 'data' | 'error' | 'isPending' | 'isPlaceholderData' | 'refetch'>;
