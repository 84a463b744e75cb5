import type { Logger } from '../ports/log.js';
import type { Clock } from '../ports/time.js';
import type { Led } from '../projecting/leadership.js';

const LOOK_EVERY_MS = 250;
const MAX_PAUSE_MS = 5_000;

export type ModelWatch = {
  /**
   * Position of the read model. The next call to `look` covers the history at least up to and including this position.
   */
  readonly position: () => number;
  /** Handles every document listed in the read model. Returns false if handling failed for any of them. */
  readonly look: () => Promise<boolean>;
  /** Message to log if the read model cannot be read. */
  readonly unreadable: string;
};

/**
 * Reacts to the documents of a read model. The model lists each document until the reaction has been recorded, so it
 * contains only a few documents. Unlike a policy, this watch does not subscribe to transactions, of which thousands may
 * arrive per second. It needs no checkpoint. It retries failed reactions until they succeed.
 */
export function watchModel(clock: Clock, logger: Logger, { position, look, unreadable }: ModelWatch): Led {
  const stopping = new AbortController();
  const { signal } = stopping;
  const run = async (): Promise<void> => {
    let seen = -1;
    let pauseMs = LOOK_EVERY_MS;
    while (!signal.aborted) {
      const reached = position();
      if (reached > seen) {
        const isDone = await look().catch((error: unknown) => {
          logger.warn({ err: error }, unreadable);
          return false;
        });
        if (isDone) seen = reached;
        pauseMs = isDone ? LOOK_EVERY_MS : Math.min(MAX_PAUSE_MS, pauseMs * 2);
      }
      await clock.sleep(pauseMs, signal);
    }
  };
  const running = run();
  return {
    stop: async () => {
      stopping.abort();
      await running;
    },
  };
}
