import { queryOptions } from '@tanstack/react-query';
import { api, data, type Shapes } from './client';

export type Queue = Shapes['QueueDto'];
export type SystemHealth = Shapes['SystemHealthDto'];

/** Polling interval for live values, in milliseconds. */
export const WATCH_EVERY_MS = 2_000;
/** Polling interval for the counts of items that require attention, in milliseconds. */
export const SLOWLY_MS = 10_000;
/** Number of samples that the page retains. These samples cover ten minutes. */
const KEPT = 300;

/** Values for all queues at a single point in time, for charts. */
export type Point = {
  /** Unix time, in seconds. */
  readonly at: number;
  readonly head: number | null;
  /** Largest known lag, by queue kind. */
  readonly largest: Readonly<Partial<Record<Queue['kind'], number | undefined>>>;
};

/** Values for each queue at a single point in time. */
export type Sample = Point & {
  /** Lag by queue name. */
  readonly lags: ReadonlyMap<string, number | null>;
  /** Events processed in the last minute, by queue name. */
  readonly rates: ReadonlyMap<string, number>;
};

export type Observed = {
  readonly queues: readonly Queue[];
  readonly samples: readonly Sample[];
  /** Points that the service retains from the 24 hours before the first sample. */
  readonly history: readonly Point[];
};

function largestLags(queues: readonly Queue[]): Point['largest'] {
  const found: Partial<Record<Queue['kind'], number>> = {};
  for (const { kind, lag } of queues) if (lag !== null) found[kind] = Math.max(lag, found[kind] ?? 0);
  return found;
}

const pointOf = ({ at, head, lags }: Shapes['QueueSampleDto']): Point => ({
  at: Date.parse(at) / 1_000,
  head,
  largest: lags,
});

function sampled(before: readonly Sample[], queues: readonly Queue[]): readonly Sample[] {
  const heads = queues.flatMap(({ head }) => (head === null ? [] : [head]));
  return [
    ...before.slice(-(KEPT - 1)),
    {
      at: Date.now() / 1_000,
      head: heads.length === 0 ? null : Math.max(...heads),
      largest: largestLags(queues),
      lags: new Map(queues.map(({ name, lag }) => [name, lag])),
      rates: new Map(queues.map(({ name, perMinute }) => [name, perMinute])),
    },
  ];
}

/**
 * Current state of all queues. Includes the samples collected since the signed-in user first viewed the queues, and the
 * service's values from the preceding 24 hours.
 */
export const queuesQuery = queryOptions({
  queryKey: ['queues'],
  queryFn: async ({ signal, client, queryKey }): Promise<Observed> => {
    const before = client.getQueryData<Observed>(queryKey);
    const query = before === undefined ? { history: true } : {};
    const { queues, history } = await data(api.GET('/api/platform/redis/queues', { params: { query }, signal }));
    return {
      queues,
      samples: sampled(before?.samples ?? [], queues),
      history: before?.history ?? history?.map(pointOf) ?? [],
    };
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
 * Rate at which the head has advanced between samples, in positions per second. In the embedded engine, an event
 * occupies one position.
 */
export function headRates(of: readonly Point[]): (number | null)[] {
  return of.map(({ at, head }, index) => {
    const before = of[index - 1];
    if (before?.head == null || head === null || at <= before.at) return null;
    return Math.max(0, (head - before.head) / (at - before.at));
  });
}
