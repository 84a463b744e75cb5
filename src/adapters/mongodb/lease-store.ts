import type { Lease, LeaseStore } from '../../ports/lease-store.js';
import { isDuplicateKey, type MongoConnection } from './connection.js';

const LEASES = 'kontor_leases';

/** Stores one document per lease, which a single command compares and replaces. */
export class MongoLeaseStore implements LeaseStore {
  constructor(private readonly mongo: MongoConnection) {}

  async read(name: string): Promise<Lease | undefined> {
    const found = await this.mongo.findById(LEASES, name);
    return found && ({ holder: found.holder, term: found.term, counter: found.counter } as Lease);
  }

  replace(name: string, expected: Lease | undefined, next: Lease): Promise<boolean> {
    const { holder, term, counter } = next;
    const leases = this.mongo.collection(LEASES, { writeConcern: this.mongo.journaled });
    return this.mongo.within(async () => {
      if (expected) {
        const guard = { _id: name, holder: expected.holder, term: expected.term, counter: expected.counter };
        const result = await leases.updateOne(guard, { $set: { holder, term, counter } });
        return result.matchedCount === 1;
      }
      try {
        await leases.insertOne({ _id: name, holder, term, counter });
        return true;
      } catch (error) {
        if (isDuplicateKey(error)) return false;
        throw error;
      }
    });
  }
}
