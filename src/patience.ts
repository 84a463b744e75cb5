import type { Engines } from './engines.js';
import { DomainError } from './platform/domain-error.js';
import { AppendOutcomeUnknown, EventStoreUnavailable } from './ports/event-store.js';
import { ReadStoreUnavailable } from './ports/read-store.js';

const FIRST_PAUSE_MS = 100;
const MAX_PAUSE_MS = 2_000;

/** Faults that pass by themselves: an engine is away, or a record is changed by many at once. */
export const isTransient = (error: unknown): boolean =>
  error instanceof EventStoreUnavailable ||
  error instanceof ReadStoreUnavailable ||
  error instanceof AppendOutcomeUnknown ||
  (error instanceof DomainError && error.kind === 'unavailable');

/** Does at start what needs an engine, again and again until it answers: servers may be started in any order. */
export async function whenEnginesAnswer<T>(
  { clock, logger }: Pick<Engines, 'clock' | 'logger'>,
  work: () => Promise<T>,
): Promise<T> {
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(MAX_PAUSE_MS, pauseMs * 2)) {
    try {
      return await work();
    } catch (error) {
      if (!isTransient(error)) throw error;
      logger.warn({ err: error }, 'waiting for an engine to start');
      await clock.sleep(pauseMs);
    }
  }
}
