/**
 * How long to wait after so many failures in a row, from 0: twice as long each time, up to a limit. Half of it for
 * certain, the rest by chance: replicas that lost the same server do not come back in step.
 */
export const backoffMs = (failures: number, firstMs: number, longestMs: number): number =>
  Math.min(longestMs, firstMs * 2 ** Math.min(failures, 16)) * (0.5 + Math.random() / 2);
