import type { Lease, LeaseStore } from '../../ports/lease-store.js';

/** Leases of a process that does not share its engines. */
export class MemoryLeaseStore implements LeaseStore {
  private readonly leases = new Map<string, Lease>();

  read(name: string): Promise<Lease | undefined> {
    return Promise.resolve(this.leases.get(name));
  }

  replace(name: string, expected: Lease | undefined, next: Lease): Promise<boolean> {
    const stored = this.leases.get(name);
    const isEqual =
      stored?.holder === expected?.holder && stored?.term === expected?.term && stored?.counter === expected?.counter;
    if (isEqual) this.leases.set(name, next);
    return Promise.resolve(isEqual);
  }
}
