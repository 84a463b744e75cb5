/** A stored lease. */
export type Lease = {
  /** Id of the process that holds the lease, or empty after a release. */
  readonly holder: string;
  /** Increases by one whenever the holder changes. It is the fencing token for work done under the lease. */
  readonly term: number;
  /**
   * Increases by one with every renewal. If it remains unchanged for too long, another replica may take over the lease.
   */
  readonly counter: number;
};

/**
 * Named leases for leader election among replicas. The store only compares and swaps. src/projecting/leadership.ts
 * decides which replica may take over a lease, and when. Correctness never depends on a lease.
 */
export interface LeaseStore {
  /** Returns the stored lease, or undefined if it was never held. @throws ReadStoreUnavailable */
  read(name: string): Promise<Lease | undefined>;
  /**
   * Stores `next` if the lease still equals `expected` (undefined: no lease was ever stored). Atomic across all
   * replicas. Returns false if the lease has changed. After a timeout, the swap may or may not have happened, so read
   * the lease again.
   * @throws ReadStoreUnavailable
   */
  replace(name: string, expected: Lease | undefined, next: Lease): Promise<boolean>;
  /** Returns the leases whose names begin with the prefix, keyed by name. @throws ReadStoreUnavailable */
  list(prefix: string): Promise<ReadonlyMap<string, Lease>>;
  /** Removes the lease if it still equals `expected`. @throws ReadStoreUnavailable */
  remove(name: string, expected: Lease): Promise<void>;
}
