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

const RESTORING = 'restoring-';

const INTERRUPTED =
  'A restore into this event store was interrupted, so the store contains only the beginning of a backup. ' +
  'Continue with `npm run restore -- FILE --resume`, or empty the store.';

/** Thrown if the store contains only a part of a backup, because its restore was interrupted. */
export class RestoreIncomplete extends Error {
  constructor() {
    super(INTERRUPTED);
    this.name = 'RestoreIncomplete';
  }
}

/** @throws RestoreIncomplete for the id of a history that is being restored */
export function assertRestored(id: string): void {
  if (id.startsWith(RESTORING)) throw new RestoreIncomplete();
}

type Marking = Pick<HistoryIdentity, 'current' | 'renew'>;

/** Durably marks the history as incomplete until `endRestore`. `fresh` becomes its id if it has none. */
export async function beginRestore(identity: Marking, fresh: string): Promise<void> {
  const id = await identity.current();
  if (!id?.startsWith(RESTORING)) await identity.renew(id, RESTORING + (id ?? fresh));
}

/** Gives the history the id that it had, or would have had, before the restore. */
export async function endRestore(identity: Marking): Promise<void> {
  const id = await identity.current();
  if (id?.startsWith(RESTORING)) await identity.renew(id, id.slice(RESTORING.length));
}
