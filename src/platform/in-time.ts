import type { Clock } from '../ports/time.js';

/** What the work answers within `limitMs`; undefined where it fails or takes longer. It is not ended by that. */
export async function inTime<T>(clock: Clock, limitMs: number, work: () => Promise<T>): Promise<T | undefined> {
  const done = new AbortController();
  const late = clock.sleep(limitMs, done.signal).then(() => undefined);
  try {
    return await Promise.race([work(), late]);
  } catch {
    return undefined;
  } finally {
    done.abort();
  }
}
