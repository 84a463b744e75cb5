import type { Clock } from '../ports/time.js';

/** Abort reason. Without a reason, every abort would create an error with a stack trace. */
export const DONE = 'done';

/**
 * Returns the result of `work`, or undefined if it fails or takes longer than `limitMs`. A timeout does not cancel the
 * work.
 */
export async function withTimeout<T>(clock: Clock, limitMs: number, work: () => Promise<T>): Promise<T | undefined> {
  const done = new AbortController();
  const late = clock.sleep(limitMs, done.signal).then(() => undefined);
  try {
    return await Promise.race([work(), late]);
  } catch {
    return undefined;
  } finally {
    done.abort(DONE);
  }
}
