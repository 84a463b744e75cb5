import type { EngineMetrics } from '../observability/engine-metrics.js';
import { retryForever } from '../eventsourcing/retry-forever.js';
import type { Progress } from '../projecting/progress.js';
import type { Logger } from '../ports/log.js';
import type { Clock } from '../ports/time.js';

type Listener = (reopened: Promise<void>) => void;
type Parts = {
  readonly progress: Progress;
  readonly metrics: EngineMetrics;
  readonly clock: Clock;
  readonly logger: Logger;
};

/** Switches from damaged embedded read models to the new ones without a restart. */
export class ModelRecovery {
  private readonly listeners: Listener[] = [];
  private readonly closing = new AbortController();

  constructor(private readonly parts: Parts) {}

  readonly onLost = (listener: Listener): void => {
    this.listeners.push(listener);
  };

  /** Resets all progress and notifies the listeners. Resolves once `reopen` has opened the new file in this thread. */
  lost(reopen: () => Promise<void>): Promise<void> {
    this.parts.metrics.modelsLost.inc();
    this.parts.progress.reset();
    const reopened = this.reopen(reopen);
    for (const listener of this.listeners) listener(reopened);
    return reopened;
  }

  /** Retries until `reopen` succeeds or the process ends. */
  async reopen(reopen: () => Promise<void>): Promise<void> {
    const { clock, logger } = this.parts;
    await retryForever(clock, this.closing.signal, reopen, (error) => {
      logger.error({ err: error }, 'the read models could not be reopened; retrying');
    });
  }

  close(): void {
    this.closing.abort();
  }
}
