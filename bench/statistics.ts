export const round = (value: number, digits = 4): number => Number(value.toPrecision(digits));

/** Percentile by the nearest-rank method. 0 if there are no values. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0;
}

/** For an even number of values, returns the mean of the middle two. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const half = sorted.length / 2;
  return ((sorted[Math.ceil(half) - 1] ?? 0) + (sorted[Math.floor(half)] ?? 0)) / 2;
}

export type Latencies = { readonly p50Ms: number; readonly p99Ms: number; readonly maxMs: number };

export const latenciesOf = (milliseconds: readonly number[]): Latencies => ({
  p50Ms: round(percentile(milliseconds, 0.5)),
  p99Ms: round(percentile(milliseconds, 0.99)),
  maxMs: round(percentile(milliseconds, 1)),
});

export type Point = { readonly x: number; readonly y: number };

/** Slope of the least-squares line: growth of `y` per unit of `x`. */
export function slope(points: readonly Point[]): number {
  const mean = (of: (point: Point) => number) => points.reduce((sum, point) => sum + of(point), 0) / points.length;
  const [meanX, meanY] = [mean(({ x }) => x), mean(({ y }) => y)];
  const covariance = mean(({ x, y }) => (x - meanX) * (y - meanY));
  return covariance / mean(({ x }) => (x - meanX) ** 2);
}

/** Durations of sequential calls, in milliseconds. */
export async function timeEach(times: number, call: () => Promise<unknown>): Promise<number[]> {
  const taken: number[] = [];
  for (let n = 0; n < times; n += 1) {
    const startedMs = performance.now();
    await call();
    taken.push(performance.now() - startedMs);
  }
  return taken;
}

/** Repeats a call for the given number of seconds at the given concurrency. Returns the rate and the durations. */
export async function callsIn(seconds: number, atOnce: number, call: () => Promise<unknown>) {
  const startedMs = performance.now();
  const endsMs = startedMs + seconds * 1_000;
  const milliseconds: number[] = [];
  const caller = async (): Promise<void> => {
    for (let beganMs = performance.now(); beganMs < endsMs;) {
      await call();
      const endedMs = performance.now();
      milliseconds.push(endedMs - beganMs);
      beganMs = endedMs;
    }
  };
  await Promise.all(Array.from({ length: atOnce }, caller));
  const perSecond = milliseconds.length / ((performance.now() - startedMs) / 1_000);
  return { perSecond, operations: milliseconds.length, milliseconds };
}
