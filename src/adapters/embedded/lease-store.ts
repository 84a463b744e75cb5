import type { Lease, LeaseStore } from '../../ports/lease-store.js';

/** Leases for a process that does not share its engines with other processes. */
export class MemoryLeaseStore implements LeaseStore {
  private readonly leases = new Map<string, Lease>();

  read(name: string): Promise<Lease | undefined> {
    return Promise.resolve(this.leases.get(name));
  }

  replace(name: string, expected: Lease | undefined, next: Lease): Promise<boolean> {
    const isEqual = this.is(name, expected);
    if (isEqual) this.leases.set(name, next);
    return Promise.resolve(isEqual);
  }

  list(prefix: string): Promise<ReadonlyMap<string, Lease>> {
    return Promise.resolve(new Map([...this.leases].filter(([name]) => name.startsWith(prefix))));
  }

  remove(name: string, expected: Lease): Promise<void> {
    if (this.is(name, expected)) this.leases.delete(name);
    return Promise.resolve();
  }

  private is(name: string, expected: Lease | undefined): boolean {
    const stored = this.leases.get(name);
    return (
      stored?.holder === expected?.holder && stored?.term === expected?.term && stored?.counter === expected?.counter
    );
  }
}
