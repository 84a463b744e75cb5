import type { Clock } from '../ports/time.js';

const FIRST_PAUSE_MS = 50;
const MAX_PAUSE_MS = 5_000;

/**
 * Retries `attempt` until it succeeds, and returns its result. Returns undefined if the signal aborts first. The delay
 * after a failure doubles from 50 ms up to 5 s. An attempt that makes progress calls `gotOn` to reset the delay. Calls
 * `complain` once for each series of identical errors, so that a long outage does not fill the log. Calls `failed`
 * after every failure.
 * @throws errors for which `isFinal` returns true, without retrying
 */
export async function retryForever<T>(
  clock: Clock,
  signal: AbortSignal,
  attempt: (gotOn: () => void) => Promise<T>,
  complain: (error: unknown) => void,
  { failed, isFinal }: { readonly failed?: () => void; readonly isFinal?: (error: unknown) => boolean } = {},
): Promise<T | undefined> {
  let pauseMs = FIRST_PAUSE_MS;
  let told: string | undefined;
  const gotOn = (): void => {
    pauseMs = FIRST_PAUSE_MS;
    told = undefined;
  };
  while (!signal.aborted) {
    try {
      return await attempt(gotOn);
    } catch (error) {
      if (isFinal?.(error)) throw error;
      failed?.();
      const reason = String(error);
      if (reason !== told) complain(error);
      told = reason;
      await clock.sleep(pauseMs, signal);
      pauseMs = Math.min(MAX_PAUSE_MS, pauseMs * 2);
    }
  }
  return undefined;
}
