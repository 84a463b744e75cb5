import type { Logger } from '../ports/log.js';
import type { Clock } from '../ports/time.js';

/** How far a run is. */
export type Report = { readonly progress: number; readonly message: string };

type Parts = {
  readonly clock: Clock;
  readonly logger: Logger;
  /** Records a report. */
  readonly record: (report: Report) => Promise<void>;
};

/** A run records its progress at most this often; whole per cents, so a hundred times at most. */
const EVERY_MS = 1_000;
/** A message alone, without more per cent, is recorded at most this often (the first at once), and so many times in all. */
const MESSAGE_EVERY_MS = 10_000;
const MAX_MESSAGES = 20;
const MAX_MESSAGE_LENGTH = 500;

/** Records the progress that a run reports, of many reports the last. What cannot be recorded is left out. */
export class ProgressReports {
  private readonly ending = new AbortController();
  private recorded: Report = { progress: 0, message: '' };
  private recordedAtMs: number;
  private messages = 0;
  private pumping: Promise<void> | undefined;
  latest: Report | undefined;

  constructor(private readonly parts: Parts) {
    this.recordedAtMs = parts.clock.monotonicMs();
  }

  /** Any numbers will do: they are brought to 0–100, and never go back. */
  report(progress: number, message: string): void {
    const bounded = Math.floor(Math.min(100, Math.max(this.latest?.progress ?? 0, progress || 0)));
    this.latest = { progress: bounded, message: message.slice(0, MAX_MESSAGE_LENGTH) };
    this.pumping ??= this.pump().finally(() => (this.pumping = undefined));
  }

  /** Nothing is recorded after it resolves. */
  async end(): Promise<void> {
    this.ending.abort();
    await this.pumping;
  }

  private async pump(): Promise<void> {
    const { clock, logger, record } = this.parts;
    const { signal } = this.ending;
    while (this.latest && this.isNews(this.latest)) {
      await clock.sleep(this.waitFor(this.latest), signal);
      if (signal.aborted) return;
      const report = this.latest;
      this.recordedAtMs = clock.monotonicMs();
      if (report.progress === this.recorded.progress) this.messages += 1;
      this.recorded = report;
      try {
        await record(report);
      } catch (error) {
        logger.warn({ err: error }, 'the progress of a job could not be recorded');
      }
    }
  }

  private isNews({ progress, message }: Report): boolean {
    if (progress > this.recorded.progress) return true;
    return message !== this.recorded.message && this.messages < MAX_MESSAGES;
  }

  /** A report that comes while a message waits for its turn may have more per cent: it waits no longer than the first. */
  private waitFor({ progress }: Report): number {
    const isFirst = this.recorded.message === '';
    const every = progress > this.recorded.progress || isFirst ? EVERY_MS : MESSAGE_EVERY_MS;
    return this.recordedAtMs + every - this.parts.clock.monotonicMs();
  }
}
