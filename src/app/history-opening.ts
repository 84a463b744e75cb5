import { FORWARDER } from '../aggregates/forwarder.aggregate.js';
import { catalogue } from './catalogue.js';
import { PUSH } from './notifications.js';
import { isTransient } from '../eventsourcing/transient-errors.js';
import { settleHistory } from '../projecting/history-settlement.js';
import type { HistoryState } from '../eventsourcing/history-state.js';
import { retryForever } from '../eventsourcing/retry-forever.js';
import { POLICY_NAMES } from '../policies/policies.js';
import type { EventReader } from '../ports/event-store.js';
import type { HistoryIdentity } from '../ports/history.js';
import type { Logger } from '../ports/log.js';
import type { ReadStore } from '../ports/read-store.js';
import type { Clock, Ids } from '../ports/time.js';
import { auditWitness } from '../projections/audit-log.projection.js';
import { projections } from '../projections/projections.js';

/** Names of all subscribers with a checkpoint, except projections. */
export const SUBSCRIBERS = [...POLICY_NAMES, FORWARDER, PUSH];

export type SettlingParts = {
  readonly identity: HistoryIdentity;
  readonly events: EventReader;
  readonly history: HistoryState;
  /** The whole read store, writable. */
  readonly store: ReadStore;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
};

/**
 * Waits for the engines, then determines which history they hold. Derived data is not used before. Also resolves when
 * the signal aborts.
 * @throws errors other than an unavailable engine
 */
async function settleWhenAnswered(parts: SettlingParts & { readonly signal: AbortSignal }): Promise<void> {
  const { history, clock, logger, signal } = parts;
  const settlement = {
    ...parts,
    catalogue,
    models: projections.map(({ model }) => model),
    subscribers: SUBSCRIBERS,
    skipping: [PUSH],
    witness: auditWitness,
  };
  let fault: { readonly error: unknown } | undefined;
  const attempt = async (): Promise<void> => {
    try {
      history.settle(await settleHistory(settlement));
    } catch (error) {
      if (isTransient(error)) throw error;
      fault = { error };
    }
  };
  await retryForever(clock, signal, attempt, (error) => {
    logger.warn({ err: error }, 'waiting for an engine to start');
  });
  if (fault) throw fault.error;
}

/** Determines which history the engines hold while they may still be starting. */
export class Settling {
  private readonly stopping = new AbortController();
  /** True once the history is known; false if the process ends first. */
  readonly done: Promise<boolean>;

  /** `after` always runs before others use the read store. */
  constructor(parts: SettlingParts, after = () => Promise.resolve()) {
    const { signal } = this.stopping;
    const settled = settleWhenAnswered({ ...parts, signal }).finally(after);
    this.done = settled.then(() => !signal.aborted);
    // Awaited later; prevents an unhandled rejection until then.
    this.done.catch(() => undefined);
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.done.catch(() => undefined);
  }
}
