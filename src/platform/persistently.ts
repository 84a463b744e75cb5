import type { Clock } from '../ports/time.js';

const FIRST_PAUSE_MS = 50;
const MAX_PAUSE_MS = 5_000;

/**
 * Attempts something again and again until it is done, and answers what that answered; undefined where the signal aborts
 * before. The pause after a failure doubles, from 50 ms to 5 s; an attempt that says that it got on has the first one next.
 */
export async function persistently<T>(
  clock: Clock,
  signal: AbortSignal,
  attempt: (gotOn: () => void) => Promise<T>,
  complain: (error: unknown) => void,
): Promise<T | undefined> {
  let pauseMs = FIRST_PAUSE_MS;
  const gotOn = (): void => {
    pauseMs = FIRST_PAUSE_MS;
  };
  while (!signal.aborted) {
    try {
      return await attempt(gotOn);
    } catch (error) {
      complain(error);
      await clock.sleep(pauseMs, signal);
      pauseMs = Math.min(MAX_PAUSE_MS, pauseMs * 2);
    }
  }
  return undefined;
}
