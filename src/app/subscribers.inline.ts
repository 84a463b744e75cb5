import type { ModelRecovery } from './model-recovery.js';
import type { Checkpoints } from '../projecting/windowed-subscriber.js';
import type { QueueReading } from '../observability/queue-meters.js';
import type { Logger } from '../ports/log.js';
import { FORWARDER } from '../aggregates/forwarder.aggregate.js';
import { forwardedOf, MODELS_LOST, type Subscribers } from './subscribers.js';

type Parts = {
  readonly recovery: ModelRecovery;
  /** True once the history of the engines is known; false if the process ends first. */
  readonly settled: () => Promise<boolean>;
  readonly checkpoints: () => Checkpoints;
  readonly reopen: () => Promise<void>;
  readonly readings: () => readonly QueueReading[];
  readonly logger: Logger;
};

/** Runs the subscribers in the serving thread, and restarts them after read models were lost. */
export class InlineSubscribers implements Subscribers {
  private running: Subscribers | undefined;
  private run: () => Subscribers | undefined = () => undefined;

  constructor(private readonly parts: Parts) {}

  async start(run: () => Subscribers): Promise<void> {
    if (!(await this.parts.settled())) return;
    this.run = run;
    this.running = run();
  }

  readonly recover = (): void => {
    const { logger } = this.parts;
    logger.error({}, MODELS_LOST);
    this.beginAgain().catch((error: unknown) => {
      logger.error({ err: error }, 'the read models are not built anew');
    });
  };

  async stop(): Promise<void> {
    this.run = () => undefined;
    await this.running?.stop();
  }

  private async beginAgain(): Promise<void> {
    const { recovery, checkpoints, reopen, readings } = this.parts;
    const forwarded = forwardedOf(readings());
    // No subscriber may continue from positions of the lost read models.
    await this.running?.stop();
    await recovery.lost(reopen);
    if (forwarded >= 0) await checkpoints().save(FORWARDER, forwarded);
    this.running = this.run();
  }
}
