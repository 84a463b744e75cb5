import type { Logger } from '../ports/log.js';
import type { Clock } from '../ports/time.js';

export type Report = { readonly progress: number; readonly message: string };

type Parts = {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly record: (report: Report) => Promise<void>;
};

/**
 * Minimum interval between progress records. Only whole percentages are recorded, so a run has at most a hundred such
 * records.
 */
const EVERY_MS = 1_000;
/**
 * Limits for recording messages while the percentage does not increase: the minimum interval, which does not apply to
 * the first message, and the maximum number.
 */
const MESSAGE_EVERY_MS = 10_000;
const MAX_MESSAGES = 20;
const MAX_MESSAGE_LENGTH = 500;

/**
 * Records a run's progress. If reports arrive too fast, records only the latest. Skips a report that cannot be
 * recorded.
 */
export class ProgressReports {
  latest: Report | undefined;
  private readonly ending = new AbortController();
  private readonly recording: Promise<void>;

  constructor(private readonly parts: Parts) {
    this.recording = this.run();
  }

  /** Clamps progress to 0–100, and never lets it decrease. */
  report(progress: number, message: string): void {
    const bounded = Math.floor(Math.min(100, Math.max(this.latest?.progress ?? 0, progress || 0)));
    this.latest = { progress: bounded, message: message.slice(0, MAX_MESSAGE_LENGTH) };
  }

  /** Stops recording progress. Nothing is recorded after the promise resolves. */
  async end(): Promise<void> {
    this.ending.abort();
    await this.recording;
  }

  private async run(): Promise<void> {
    const { clock, logger, record } = this.parts;
    const { signal } = this.ending;
    let recorded: Report = { progress: 0, message: '' };
    let messages = 0;
    for (let waitedMs = MESSAGE_EVERY_MS; ; waitedMs += EVERY_MS) {
      await clock.sleep(EVERY_MS, signal);
      if (signal.aborted) return;
      const { latest = recorded } = this;
      const hasAdvanced = latest.progress > recorded.progress;
      const mayRepeat = messages < MAX_MESSAGES && waitedMs >= MESSAGE_EVERY_MS;
      if (!hasAdvanced && (latest.message === recorded.message || !mayRepeat)) continue;
      if (!hasAdvanced) messages += 1;
      recorded = latest;
      waitedMs = 0;
      await record(latest).catch((error: unknown) => {
        logger.warn({ err: error }, 'the progress of a job could not be recorded');
      });
    }
  }
}
