import { MemoryLeaseStore } from '../../src/adapters/embedded/lease-store.js';
import { leaseStoreContract } from '../contracts/lease-store.contract.js';

leaseStoreContract('The leases in memory', () => {
  const leases = new MemoryLeaseStore();
  return Promise.resolve({ leases, another: () => Promise.resolve(leases), dispose: () => Promise.resolve() });
});
