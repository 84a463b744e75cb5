import { queryOptions } from '@tanstack/react-query';
import { api, data, type Shapes } from './client';

export type Queue = Shapes['QueueDto'];
export type SystemHealth = Shapes['SystemHealthDto'];

/** Polling interval of live values, ms. */
export const WATCH_EVERY_MS = 2_000;
/** Polling interval of counts that need attention, ms. */
export const SLOWLY_MS = 10_000;
/** Samples retained: ten minutes. */
const KEPT = 300;

/** One observation of all queues. */
export type Sample = {
  /** Unix time, seconds. */
  readonly at: number;
  readonly head: number | null;
  /** Lag by queue name. */
  readonly lags: ReadonlyMap<string, number | null>;
  /** Events processed in the last minute, by queue name. */
  readonly rates: ReadonlyMap<string, number>;
};

type Observed = { readonly queues: readonly Queue[]; readonly samples: readonly Sample[] };

function sampled(before: readonly Sample[], queues: readonly Queue[]): readonly Sample[] {
  const heads = queues.flatMap(({ head }) => (head === null ? [] : [head]));
  return [
    ...before.slice(-(KEPT - 1)),
    {
      at: Date.now() / 1_000,
      head: heads.length === 0 ? null : Math.max(...heads),
      lags: new Map(queues.map(({ name, lag }) => [name, lag])),
      rates: new Map(queues.map(({ name, perMinute }) => [name, perMinute])),
    },
  ];
}

/** Current state of all queues, and the samples collected since the signed-in user first displayed them. */
export const queuesQuery = queryOptions({
  queryKey: ['queues'],
  queryFn: async ({ signal, client, queryKey }): Promise<Observed> => {
    const { queues } = await data(api.GET('/api/platform/redis/queues', { signal }));
    return { queues, samples: sampled(client.getQueryData<Observed>(queryKey)?.samples ?? [], queues) };
  },
  refetchInterval: WATCH_EVERY_MS,
  gcTime: Infinity,
});

export const systemQuery = queryOptions({
  queryKey: ['system'],
  queryFn: ({ signal }) => data(api.GET('/api/system/health/system', { signal })),
  refetchInterval: WATCH_EVERY_MS,
});

/**
 * Rate at which the head advanced between samples, in positions per second. On the embedded engine, an event takes one
 * position.
 */
export function headRates(of: readonly Sample[]): (number | null)[] {
  return of.map(({ at, head }, index) => {
    const before = of[index - 1];
    if (before?.head == null || head === null || at <= before.at) return null;
    return Math.max(0, (head - before.head) / (at - before.at));
  });
}
