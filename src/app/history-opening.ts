import { FORWARDER } from '../aggregates/forwarder.aggregate.js';
import { catalogue } from './catalogue.js';
import { PUSH } from './notifications.js';
import { isTransient } from '../eventsourcing/transient-errors.js';
import { settleHistory, type SettlementParts } from '../projecting/history-settlement.js';
import type { HistoryState } from '../eventsourcing/history-state.js';
import { retryForever } from '../eventsourcing/retry-forever.js';
import { WEBHOOKS } from '../integration/webhook-dispatcher.js';
import { ALERTS } from '../policies/operator-alerts.js';
import { POLICY_NAMES } from '../aggregates/policy.aggregate.js';
import { checkDivision } from '../eventsourcing/ranges.js';
import { auditWitness } from '../projections/audit-log.projection.js';
import { projections } from '../projections/projections.js';

/** Names of all subscribers that have checkpoints, except projections. */
export const SUBSCRIBERS = [...POLICY_NAMES, FORWARDER, PUSH, ALERTS, WEBHOOKS];

/** `store`: the read store with the spaces of all histories, opened for writing. */
type Parts = Pick<SettlementParts, 'identity' | 'events' | 'store' | 'clock' | 'ids' | 'logger'> & {
  readonly history: HistoryState;
  /** Whether other processes may also write to the read models. */
  readonly isShared: boolean;
};

/**
 * Identifies the history in the event store, even while engines are starting. Derived data must not be used before the
 * history has been identified.
 */
export class Settling {
  private readonly stopping = new AbortController();
  /**
   * Resolves to true once the history is known, or to false if the process ends first. Rejects if an engine fails
   * permanently.
   */
  readonly done: Promise<boolean>;

  /** `after` always runs, and completes before anything else uses the read store. */
  constructor(parts: Parts, after = () => Promise.resolve()) {
    this.done = this.settle(parts).finally(after);
    // Prevents an unhandled rejection until the promise is awaited.
    this.done.catch(() => undefined);
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.done.catch(() => undefined);
  }

  private async settle({ history, isShared, ...parts }: Parts): Promise<boolean> {
    const { signal } = this.stopping;
    const settlement = {
      ...parts,
      catalogue,
      models: projections.map(({ model }) => model),
      subscribers: SUBSCRIBERS,
      skipping: [PUSH, ALERTS],
      witness: auditWitness,
    };
    const attempt = async (): Promise<void> => {
      if (isShared) await checkDivision(parts.store);
      history.settle(await settleHistory(settlement));
    };
    const complain = (error: unknown): void => {
      parts.logger.warn({ err: error }, 'an engine is unavailable; waiting for it');
    };
    await retryForever(parts.clock, signal, attempt, complain, { isFinal: (error) => !isTransient(error) });
    return !signal.aborted;
  }
}
