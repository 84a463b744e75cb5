import { QueryClient, type UseQueryResult } from '@tanstack/react-query';
import { KontorError } from './problem';

const RETRIES = 2;
/** Time for which record names are cached, in milliseconds. */
export const NAMES_MS = 60_000;
/**
 * Interval at which a page retries its requests while the service is unavailable, so that the page recovers
 * automatically.
 */
const RECOVERY_MS = 5_000;

const isPassing = (error: unknown): error is KontorError => error instanceof KontorError && error.isPassing;

/**
 * Repeats a query at this interval or, while the service is unavailable, at the recovery interval if that is shorter.
 */
export const repeated =
  (everyMs: number) =>
  ({ state }: { state: { error: unknown } }): number =>
    isPassing(state.error) ? Math.min(everyMs, RECOVERY_MS) : everyMs;

/** Cache of all query results. It exists only as long as the tab. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 2_000,
      // Queries run even if the browser is offline, so that the console reports this state as a separate error.
      networkMode: 'always',
      // A timeout is not retried, because a retry would double the wait.
      retry: (failures, error) => failures < RETRIES && isPassing(error) && error.code !== 'TIMEOUT',
      refetchInterval: ({ state }) => (isPassing(state.error) ? RECOVERY_MS : false),
      retryDelay: (failures) => 400 * 2 ** failures,
    },
    mutations: { networkMode: 'always', retry: false },
  },
});

/** The properties of a query result that pages need. */
export type Shown<T> = Pick<UseQueryResult<T>, 'data' | 'error' | 'isPending' | 'isPlaceholderData' | 'refetch'>;
