import { AppendOutcomeUnknown, EventStoreUnavailable } from '../ports/event-store.js';
import type { Logger } from '../ports/log.js';
import { ReadStoreUnavailable } from '../ports/read-store.js';
import type { Clock } from '../ports/time.js';
import { DomainError } from './domain-error.js';
import { NewerEvent } from './event-catalogue.js';
import { retryForever } from './retry-forever.js';

/** Whether a retry may succeed, because an engine is unavailable or a record is contended. */
export const isTransient = (error: unknown): boolean =>
  error instanceof EventStoreUnavailable ||
  error instanceof ReadStoreUnavailable ||
  error instanceof AppendOutcomeUnknown ||
  (error instanceof DomainError && error.kind === 'unavailable');

/** Whether a retry may succeed: soon if the error is transient, or in a newer release that can read the event. */
export const isTemporary = (error: unknown): boolean => isTransient(error) || error instanceof NewerEvent;

/**
 * Retries a start-up step until its engines respond, so that servers can be started in any order. @throws any error
 * that is not transient
 */
export function whenEnginesAnswer<T>(
  { clock, logger }: { readonly clock: Clock; readonly logger: Logger },
  step: () => Promise<T>,
): Promise<T> {
  const complain = (error: unknown): void => {
    logger.warn({ err: error }, 'waiting for an engine to respond');
  };
  const { signal } = new AbortController();
  const isFinal = (error: unknown): boolean => !isTransient(error);
  // The result is never undefined, because the signal is never aborted.
  return retryForever(clock, signal, step, complain, { isFinal }) as Promise<T>;
}
