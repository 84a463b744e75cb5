import type { Engines } from './engines.js';
import type { Check, ReadinessReport } from './http/health.controller.js';
import type { FilledModels } from './platform/filled-models.js';
import { inTime } from './platform/in-time.js';

const ANSWER_WITHIN_MS = 2_000;

/** What a check found: `degraded` still serves. */
type Finding = Check['status'];
type Look = readonly [name: string, look: () => Promise<Finding>];

/**
 * Whether a process may be sent requests: its engines answer, and its read models once had everything that was stored
 * when it started (a new version of a model may take its time to be filled). A projection that stands still is not waited
 * for: taking every replica out of service would mend nothing. The broker and the cache are not needed to serve.
 */
export class Readiness {
  private reporting: Promise<ReadinessReport> | undefined;

  constructor(
    private readonly engines: Engines,
    private readonly filled: FilledModels,
  ) {}

  /** Answers within two seconds. */
  async check(): Promise<boolean> {
    const checks = await this.all(this.needed());
    return checks.every(({ status }) => status !== 'down');
  }

  /** Every engine by itself, side by side, within two seconds. Who asks while others ask gets the same answer. */
  report(): Promise<ReadinessReport> {
    this.reporting ??= this.look().finally(() => {
      this.reporting = undefined;
    });
    return this.reporting;
  }

  private async look(): Promise<ReadinessReport> {
    const [needed, useful] = await Promise.all([this.all(this.needed()), this.all(this.useful())]);
    const checks = [...needed, ...useful];
    if (needed.some(({ status }) => status === 'down')) return { status: 'not-ready', checks };
    return { status: checks.every(({ status }) => status === 'up') ? 'ready' : 'degraded', checks };
  }

  private needed(): readonly Look[] {
    const { engines } = this;
    return [
      ['event-store', () => engines.events.head().then(() => 'up')],
      ['read-store', () => engines.reads.checkpoint('readiness').then(() => 'up')],
      ['subscribers', () => Promise.resolve(engines.isAlive() ? 'up' : 'down')],
      ['read-models', () => this.readModels()],
    ];
  }

  private useful(): readonly Look[] {
    const { broker, cache } = this.engines;
    return [
      ['broker', () => broker.facts().then(() => 'up')],
      ['cache', () => cache.facts().then(() => 'up')],
    ];
  }

  private all(looks: readonly Look[]): Promise<Check[]> {
    return Promise.all(looks.map(([name, look]) => this.timed(name, look)));
  }

  private async timed(name: string, look: () => Promise<Finding>): Promise<Check> {
    const { clock } = this.engines;
    const beganAtMs = clock.monotonicMs();
    const status = (await inTime(clock, ANSWER_WITHIN_MS, look)) ?? 'down';
    return { name, status, latencyMs: Math.round((clock.monotonicMs() - beganAtMs) * 1_000) / 1_000 };
  }

  private async readModels(): Promise<Finding> {
    const { progress } = this.engines;
    if (!(await this.filled.all())) return 'down';
    return progress.names.some((name) => progress.isStopped(name)) ? 'degraded' : 'up';
  }
}
