import { policy, type PolicyEvent } from '../aggregates/policy.aggregate.js';
import type { RecordReader } from '../eventsourcing/record-reader.js';
import { retryForever } from '../eventsourcing/retry-forever.js';
import { PLATFORM_TENANT } from '../eventsourcing/stream-name.js';
import type { QueueMeter } from '../observability/queue-meters.js';
import type { Logger } from '../ports/log.js';
import type { Clock } from '../ports/time.js';
import type { Led } from '../projecting/leadership.js';
import type { Checkpoints } from '../projecting/checkpoints.js';
import type { WindowedSubscriber } from '../projecting/windowed-subscriber.js';

/** Type of the event after which a paused policy stops handling events. Every policy subscribes to it. */
export const PAUSED = 'PolicyPaused' satisfies PolicyEvent['type'];

const LOOK_EVERY_MS = 250;
/**
 * Maximum age of the policy's state when it is polled. Polling can delay only a resumption, because a pause always
 * takes effect at its event.
 */
const LOOK_AGE_MS = 1_000;

type Parts = {
  readonly name: string;
  readonly reader: RecordReader;
  readonly checkpoints: Checkpoints;
  readonly meter: QueueMeter;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Creates the subscriber. It waits for `whenRunning` at each PAUSED event. */
  readonly subscriber: (whenRunning: () => Promise<void>) => WindowedSubscriber;
};

/**
 * Runs a policy's subscriber unless an operator has paused the policy. Events appended during the pause are handled
 * once the policy is resumed.
 */
export class PausablePolicy implements Led {
  private readonly stopping = new AbortController();
  private running: Promise<void> = Promise.resolve();
  private subscriber: WindowedSubscriber | undefined;
  /** Releases the subscriber if it is waiting at a PAUSED event. */
  private letThrough: () => void = () => undefined;

  constructor(private readonly parts: Parts) {}

  /** @throws read errors, in which case nothing has been started */
  async start(): Promise<void> {
    const { name, checkpoints, meter } = this.parts;
    meter.begin(await checkpoints.load(name));
    await this.look();
    this.running = this.run();
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.running;
    await this.end();
    this.parts.meter.end();
  }

  private async run(): Promise<void> {
    const { clock, logger, name } = this.parts;
    const { signal } = this.stopping;
    const complain = (error: unknown): void => {
      logger.warn({ err: error, policy: name }, 'the pause and resume requests of a policy cannot be read; retrying');
    };
    while (!signal.aborted) {
      await clock.sleep(LOOK_EVERY_MS, signal);
      await retryForever(clock, signal, () => this.look(), complain);
    }
  }

  private async look(): Promise<void> {
    const isPaused = await this.isPaused(LOOK_AGE_MS);
    if (isPaused) {
      await this.end();
      return;
    }
    this.letThrough();
    if (this.subscriber) return;
    const subscriber = this.parts.subscriber(() => this.whenRunning());
    await subscriber.start();
    this.subscriber = subscriber;
  }

  private async isPaused(maxAgeMs = 0): Promise<boolean> {
    const { reader, name } = this.parts;
    return (await reader.read(policy, PLATFORM_TENANT, name, { maxAgeMs })).state.pausedAt !== null;
  }

  /** Resolves when the policy is running. */
  private async whenRunning(): Promise<void> {
    if (await this.isPaused()) await new Promise<void>((resolve) => (this.letThrough = resolve));
  }

  /** The meter remains active, because the queue still belongs to this process and the queue's lag grows. */
  private async end(): Promise<void> {
    const { subscriber } = this;
    if (!subscriber) return;
    this.subscriber = undefined;
    await subscriber.stop();
    this.parts.meter.begin(subscriber.position);
  }
}
