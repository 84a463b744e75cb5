/**
 * Returns the delay in milliseconds before the next attempt. It grows exponentially with `failures`, the number of
 * consecutive failures so far, up to a limit. Up to half of the delay is random, so that replicas do not all reconnect
 * to a failed server at the same moment.
 */
export const backoffMs = (failures: number, firstMs: number, longestMs: number): number =>
  Math.min(longestMs, firstMs * 2 ** Math.min(failures, 16)) * (0.5 + Math.random() / 2);
