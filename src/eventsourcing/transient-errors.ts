import { AppendOutcomeUnknown, EventStoreUnavailable } from '../ports/event-store.js';
import type { Logger } from '../ports/log.js';
import { ReadStoreUnavailable } from '../ports/read-store.js';
import type { Clock } from '../ports/time.js';
import { DomainError } from './domain-error.js';

const FIRST_PAUSE_MS = 100;
const MAX_PAUSE_MS = 2_000;

/** Whether an error is temporary: an engine is unavailable, or a record is contended. */
export const isTransient = (error: unknown): boolean =>
  error instanceof EventStoreUnavailable ||
  error instanceof ReadStoreUnavailable ||
  error instanceof AppendOutcomeUnknown ||
  (error instanceof DomainError && error.kind === 'unavailable');

/**
 * Retries a start-up step until its engines respond, so that servers may start in any order.
 * @throws any error that is not transient
 */
export async function whenEnginesAnswer<T>(
  { clock, logger }: { readonly clock: Clock; readonly logger: Logger },
  work: () => Promise<T>,
): Promise<T> {
  let told: string | undefined;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(MAX_PAUSE_MS, pauseMs * 2)) {
    try {
      return await work();
    } catch (error) {
      if (!isTransient(error)) throw error;
      const reason = String(error);
      if (reason !== told) logger.warn({ err: error }, 'waiting for an engine to start');
      told = reason;
      await clock.sleep(pauseMs);
    }
  }
}
