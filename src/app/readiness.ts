import { withTimeout } from '../eventsourcing/with-timeout.js';
import type { Check, ProbeReport, ReadinessReport } from '../http/health.controller.js';
import type { EngineFault } from '../ports/engine.js';
import type { ReadModelReadiness } from '../projecting/read-model-readiness.js';
import type { Engines } from './engines.js';

const ANSWER_WITHIN_MS = 2_000;
const PROBE_WITHIN_MS = 1_000;

/** Result of a check. A `degraded` component still works. The reason contains no addresses, secrets or tenant data. */
type Finding = Pick<Check, 'status' | 'reason'>;
const UP: Finding = { status: 'up' };
const down = (reason: string): Finding => ({ status: 'down', reason });

type Probe = {
  readonly name: string;
  readonly run: () => Promise<Finding>;
  /** The engine to check. It may be able to report why it does not respond. */
  readonly of?: { fault?(): EngineFault | undefined };
};

/**
 * Whether a process may receive requests. Its engines must respond, and appends must succeed. Its read models must have
 * caught up with the end of the history at least once since start-up. A stopped projection does not make a process
 * unready, because taking every replica out of service would not help. The broker and the cache are optional.
 */
export class Readiness {
  /** False during start-up, when the process listens but responds only to probes and metrics requests. */
  isOpen = true;
  private reporting: Promise<ReadinessReport> | undefined;

  constructor(
    private readonly engines: Engines,
    private readonly filled: ReadModelReadiness,
  ) {}

  /**
   * Checks the required components within two seconds, and reports known faults of the optional engines. Intended for
   * load balancers.
   */
  async check(): Promise<ProbeReport> {
    const needed = await this.all(this.needed());
    const known = this.useful().map(({ name, of }) => ({ name, ...(faultOf(of) ?? UP) }));
    return {
      status: needed.some(({ status }) => status === 'down') ? 'not-ready' : 'ready',
      checks: [...needed, ...known].map(({ name, status, reason }) => ({ name, status, ...(reason && { reason }) })),
    };
  }

  /** Checks all components in parallel, within two seconds. Concurrent callers share one report. */
  report(): Promise<ReadinessReport> {
    this.reporting ??= this.runAll().finally(() => {
      this.reporting = undefined;
    });
    return this.reporting;
  }

  private async runAll(): Promise<ReadinessReport> {
    const [needed, useful] = await Promise.all([this.all(this.needed()), this.all(this.useful())]);
    const checks = [...needed, ...useful];
    if (needed.some(({ status }) => status === 'down')) return { status: 'not-ready', checks };
    return { status: checks.every(({ status }) => status === 'up') ? 'ready' : 'degraded', checks };
  }

  private needed(): readonly Probe[] {
    const { engines } = this;
    const { events, reads } = engines;
    return [
      { name: 'event-store', run: () => this.eventStore(), of: events },
      { name: 'read-store', run: () => reads.checkpoint('readiness').then(() => faultOf(reads) ?? UP), of: reads },
      {
        name: 'subscribers',
        run: () =>
          Promise.resolve(engines.isAlive() ? UP : down('the subscriber thread has ended and is being restarted')),
      },
      { name: 'read-models', run: () => this.readModels() },
    ];
  }

  private useful(): readonly Probe[] {
    const { broker, cache } = this.engines;
    return [
      { name: 'broker', run: () => broker.facts().then(() => UP), of: broker },
      { name: 'cache', run: () => cache.facts().then(() => UP), of: cache },
    ];
  }

  private all(probes: readonly Probe[]): Promise<Check[]> {
    const { clock } = this.engines;
    return Promise.all(
      probes.map(async ({ name, run, of }) => {
        const beganAtMs = clock.monotonicMs();
        const found = (await withTimeout(clock, ANSWER_WITHIN_MS, run)) ?? faultOf(of) ?? down('does not respond');
        return { name, ...found, latencyMs: Math.round((clock.monotonicMs() - beganAtMs) * 1_000) / 1_000 };
      }),
    );
  }

  private async eventStore(): Promise<Finding> {
    const { events, history, writes, ids, clock } = this.engines;
    if (history.fault !== undefined) return down(history.fault);
    await Promise.all([withTimeout(clock, PROBE_WITHIN_MS, () => writes.probe(events, ids)), events.head()]);
    return writes.fault === undefined ? UP : down(`the last append failed: ${writes.fault}`);
  }

  private async readModels(): Promise<Finding> {
    const { progress } = this.engines;
    if (!this.isOpen) return down('the service is starting');
    if (!(await this.filled.all())) return down('the read models are being built from the history');
    const inState = (state: string) => progress.names.filter((name) => progress.standing(name) === state);
    const failed = inState('failed');
    // A single failing projection must not take the process out of service.
    if (failed.length > 1) return down(`${failed.length} read models cannot be updated`);
    const stopped = [...inState('stopped'), ...failed];
    return stopped.length === 0 ? UP : { status: 'degraded', reason: `stopped: ${stopped.join(', ')}` };
  }
}

function faultOf(engine: Probe['of']): Finding | undefined {
  const fault = engine?.fault?.();
  return fault && down(`${fault.setting}: ${fault.reason}`);
}
