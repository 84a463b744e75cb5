import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import {
  integrationKeyUse,
  isUseRecorded,
  recordIntegrationKeyUse,
  USE_RECORDED_EVERY_MS,
} from '../aggregates/integration-key.aggregate.js';
import { CommandRunner } from '../eventsourcing/command-runner.js';
import { asService } from '../eventsourcing/context.js';
import type { PartnerPrincipal } from '../security/principal.js';
import { Progress } from '../projecting/progress.js';
import { LOGGER, type Logger } from '../ports/log.js';
import { CLOCK, IDS, type Clock, type Ids } from '../ports/time.js';

/** Maximum number of keys tracked at the same time. Uses of additional keys are not recorded. */
const MAX_KEYS = 10_000;
const SWEEP_EVERY_MS = 5_000;
const WARN_EVERY_MS = 60_000;
/** Time limit for recording uses at shutdown. It counts towards the process's shutdown time limit. */
const FLUSH_WITHIN_MS = 2_000;

type Use = {
  readonly tenantId: string;
  readonly keyId: string;
  usedAtMs: number;
  /** Time of the last recorded use. */
  recordedAtMs: number;
  /** Time of the last attempt to record a use, according to the monotonic clock. */
  triedAtMs: number;
};

/**
 * Tracks the last use of each integration key. Each use costs a request two clock readings and one map lookup. The
 * tracker collects uses in memory and records them as technical events. It records the first use of a key immediately,
 * later uses once a minute, and the last use at shutdown. If a process is killed, uses from about the last minute are
 * not recorded.
 */
@Injectable()
export class IntegrationKeyUses implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly uses = new Map<string, Use>();
  private readonly ending = new AbortController();
  private sweeping: Promise<void> = Promise.resolve();
  private warnedAtMs = Number.NEGATIVE_INFINITY;

  constructor(
    @Inject(CommandRunner) private readonly runner: CommandRunner,
    @Inject(Progress) private readonly progress: Progress,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(IDS) private readonly ids: Ids,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Notes a use. Never throws and never blocks. */
  note({ tenantId, keyId }: Pick<PartnerPrincipal, 'tenantId' | 'keyId'>): void {
    const usedAtMs = this.clock.nowMs();
    let use = this.uses.get(keyId);
    if (use) use.usedAtMs = usedAtMs;
    else {
      if (this.uses.size >= MAX_KEYS) return;
      use = { tenantId, keyId, usedAtMs, recordedAtMs: 0, triedAtMs: Number.NEGATIVE_INFINITY };
      this.uses.set(keyId, use);
    }
    if (this.isDue(use)) void this.record(use);
  }

  onApplicationBootstrap(): void {
    this.sweeping = this.sweepAgainAndAgain();
  }

  /** Runs once no more requests arrive. If time permits, records the collected uses and waits for the read models. */
  async onApplicationShutdown(): Promise<void> {
    this.ending.abort();
    const done = new AbortController();
    const recorded = this.sweeping.then(() => this.recordAll());
    await Promise.race([recorded, this.clock.sleep(FLUSH_WITHIN_MS, done.signal)]);
    done.abort();
  }

  private isDue({ triedAtMs }: Use): boolean {
    return this.clock.monotonicMs() - triedAtMs >= USE_RECORDED_EVERY_MS;
  }

  /**
   * Records the last use of each key for which no recording was attempted within the last minute. Stops tracking a key
   * whose last use is already recorded.
   */
  private async sweepAgainAndAgain(): Promise<void> {
    while (!this.ending.signal.aborted) {
      await this.clock.sleep(SWEEP_EVERY_MS, this.ending.signal);
      await this.sweep();
    }
  }

  private async sweep(): Promise<void> {
    for (const use of [...this.uses.values()].filter((one) => this.isDue(one)))
      if (this.ending.signal.aborted) return;
      else if (use.usedAtMs > use.recordedAtMs) await this.record(use);
      else this.uses.delete(use.keyId);
  }

  private async recordAll(): Promise<void> {
    const positions: number[] = [];
    for (const use of this.uses.values())
      if (use.usedAtMs > use.recordedAtMs) positions.push(await this.record(use, true));
    if (positions.length > 0) await this.progress.reached(Math.max(...positions), FLUSH_WITHIN_MS);
  }

  /** Returns the position of the event, or −1 on failure. */
  private async record(use: Use, isFinal = false): Promise<number> {
    use.triedAtMs = this.clock.monotonicMs();
    const { tenantId, keyId, usedAtMs } = use;
    const usedAt = new Date(usedAtMs).toISOString();
    const own = { tenantId, name: 'integration-key-uses', commandId: this.ids.next() };
    try {
      const { state, position } = await asService(own, () =>
        this.runner.execute(integrationKeyUse, { tenantId, id: keyId }, { usedAt, isFinal }, recordIntegrationKeyUse),
      );
      if (isUseRecorded(state, usedAt)) use.recordedAtMs = Math.max(use.recordedAtMs, usedAtMs);
      return position;
    } catch (error) {
      this.complain(error);
      return -1;
    }
  }

  /**
   * Logs at most one warning per minute, because little is at stake: the write is retried after a minute, and only the
   * time of a use could be lost.
   */
  private complain(error: unknown): void {
    const nowMs = this.clock.monotonicMs();
    if (nowMs - this.warnedAtMs < WARN_EVERY_MS) return;
    this.warnedAtMs = nowMs;
    this.logger.warn({ err: error }, 'the use of integration keys could not be recorded; retrying');
  }
}
