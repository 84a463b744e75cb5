import type { Lease, LeaseStore } from '../../ports/lease-store.js';
import { isDuplicateKey, type MongoConnection, type Stored } from './connection.js';

const LEASES = 'kontor_leases';

/** Stores one document per lease. A single command compares and replaces the lease. */
export class MongoLeaseStore implements LeaseStore {
  constructor(private readonly mongo: MongoConnection) {}

  async read(name: string): Promise<Lease | undefined> {
    const found = await this.mongo.findById(LEASES, name);
    return found && leaseOf(found);
  }

  async list(prefix: string): Promise<ReadonlyMap<string, Lease>> {
    const found = await this.mongo.find(LEASES, { _id: { $gte: prefix, $lt: `${prefix}\uffff` } }, {});
    return new Map(found.map((each) => [each._id, leaseOf(each)]));
  }

  async remove(name: string, { holder, term, counter }: Lease): Promise<void> {
    const leases = this.mongo.collection(LEASES, { writeConcern: this.mongo.journaled });
    await this.mongo.within(() => leases.deleteOne({ _id: name, holder, term, counter }));
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

const leaseOf = ({ holder, term, counter }: Stored): Lease => ({ holder, term, counter }) as Lease;
