/** Who leads, as the store has it. */
export type Lease = {
  /** Id of the process that holds it; empty when it was given up. */
  readonly holder: string;
  /** Grows by one with every change of the holder: the fencing token of what is done under the lease. */
  readonly term: number;
  /** Grows by one with every renewal. Whoever sees it unchanged for long enough may take the lease. */
  readonly counter: number;
};

/**
 * One lease for each name: which replica leads what. The store only compares and replaces; who may take a lease over, and
 * when, is decided by src/platform/leadership.ts. Nothing depends on a lease for correctness.
 */
export interface LeaseStore {
  /** The lease as stored, undefined where nobody ever held it. @throws ReadStoreUnavailable */
  read(name: string): Promise<Lease | undefined>;
  /**
   * Stores `next` where the lease still equals `expected` (undefined: none was ever stored); atomic over all replicas.
   * False where it is another by now. After a time-out either may have happened: read it again.
   * @throws ReadStoreUnavailable
   */
  replace(name: string, expected: Lease | undefined, next: Lease): Promise<boolean>;
}
