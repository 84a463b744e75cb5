import { call, pause } from './kontor-process.js';

/** Returns the sorted durations, in milliseconds, of successive requests from a signed-in user. */
export async function latencies(url: string, token: string, calls: number): Promise<number[]> {
  const took: number[] = [];
  for (let made = 0; made < calls; made += 1) {
    const beganMs = performance.now();
    await call(`${url}/api/auth/me`, { token });
    took.push(performance.now() - beganMs);
    await pause(5);
  }
  return took.toSorted((a, b) => a - b);
}

/** Returns the value that the given share of the sorted values does not exceed. */
export const at = (share: number, sorted: readonly number[]): number => sorted[Math.floor(sorted.length * share)] ?? 0;

export const figures = (sorted: readonly number[]): string =>
  `p50 ${at(0.5, sorted).toFixed(1)} ms, p99 ${at(0.99, sorted).toFixed(1)} ms, max ${(sorted.at(-1) ?? 0).toFixed(1)} ms`;
