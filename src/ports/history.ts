import type { Position } from './event-store.js';

/**
 * Identifies the history in an event store. The id is stored in the event store itself, so an emptied or replaced store
 * has a different id. A copy of a store has the same id until `renew` replaces it.
 */
export interface HistoryIdentity {
  /** Returns the id, or undefined until the history has one. @throws EventStoreUnavailable */
  current(): Promise<string | undefined>;
  /**
   * Durably replaces the id `known` with `next`. Returns the current id, which differs from `next` if a concurrent call
   * was faster.
   * @throws EventStoreUnavailable, AppendOutcomeUnknown
   */
  renew(known: string | undefined, next: string): Promise<string>;
  /**
   * Position of the last record of any kind, including the engine's own, or BEFORE_ALL if the store is empty.
   * @throws EventStoreUnavailable
   */
  end(): Promise<Position>;
}
