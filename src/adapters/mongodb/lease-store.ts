import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Filter } from 'mongodb';
import { combined } from '../../ports/combined.js';
import type { Lease, LeaseStore } from '../../ports/lease-store.js';
import type { MongoConnection, Stored } from './connection.js';
import { isDuplicateKey } from './connection.faults.js';

const LEASES = 'kontor_leases';

/** A swap of an existing lease. */
type Swap = { readonly name: string; readonly expected: Lease; readonly next: Lease };

/**
 * Stores one document per lease. The server compares and replaces a lease in one step. Every role of a replica has a
 * lease. Therefore, all swaps made in one turn of the event loop are sent as one command, and so are all read
 * operations.
 */
export class MongoLeaseStore implements LeaseStore {
  private readonly find: (filter: Filter<Stored>) => Promise<ReadonlyMap<string, Lease>>;
  private readonly swap: (swap: Swap) => Promise<boolean>;

  constructor(private readonly mongo: MongoConnection) {
    this.find = combined(nextTurn, (filters) => this.findAll(filters));
    this.swap = combined(nextTurn, (swaps) => this.swapAll(swaps));
  }

  async read(name: string): Promise<Lease | undefined> {
    return (await this.find({ _id: name })).get(name);
  }

  async list(prefix: string): Promise<ReadonlyMap<string, Lease>> {
    const found = await this.find({ _id: { $gte: prefix, $lt: `${prefix}\uffff` } });
    return new Map([...found].filter(([name]) => name.startsWith(prefix)));
  }

  async remove(name: string, { holder, term, counter }: Lease): Promise<void> {
    const leases = this.mongo.collection(LEASES, { writeConcern: this.mongo.journaled });
    await this.mongo.within(() => leases.deleteOne({ _id: name, holder, term, counter }));
  }

  replace(name: string, expected: Lease | undefined, next: Lease): Promise<boolean> {
    return expected ? this.swap({ name, expected, next }) : this.insert(name, next);
  }

  private insert(name: string, { holder, term, counter }: Lease): Promise<boolean> {
    const leases = this.mongo.collection(LEASES, { writeConcern: this.mongo.journaled });
    return this.mongo.within(async () => {
      try {
        await leases.insertOne({ _id: name, holder, term, counter });
        return true;
      } catch (error) {
        if (isDuplicateKey(error)) return false;
        throw error;
      }
    });
  }

  /** Returns, for each filter, the leases that match any of the filters. */
  private async findAll(filters: readonly Filter<Stored>[]): Promise<ReadonlyMap<string, Lease>[]> {
    const [only] = filters;
    const found = await this.mongo.find(LEASES, filters.length === 1 && only ? only : { $or: [...filters] }, {});
    const leases = new Map(found.map((each) => [each._id, leaseOf(each)]));
    return filters.map(() => leases);
  }

  private async swapAll(swaps: readonly Swap[]): Promise<boolean[]> {
    const leases = this.mongo.collection(LEASES, { writeConcern: this.mongo.journaled });
    const operations = swaps.map(({ name, expected: { holder, term, counter }, next }) => ({
      updateOne: { filter: { _id: name, holder, term, counter }, update: { $set: { ...next } } },
    }));
    const { matchedCount } = await this.mongo.within(() => leases.bulkWrite(operations));
    if (matchedCount === swaps.length) return swaps.map(() => true);
    // The server reports only the number of matches, so the leases must be read to identify the failed swaps. If
    // another process has changed a lease since its swap, that swap also counts as failed.
    const [found] = await this.findAll([{ _id: { $in: swaps.map(({ name }) => name) } }]);
    return swaps.map(({ name, next }, at) => isEqual(found?.get(name), next) && isFirst(swaps, at));
  }
}

const leaseOf = ({ holder, term, counter }: Stored): Lease => ({ holder, term, counter }) as Lease;

const isEqual = (a: Lease | undefined, b: Lease): boolean =>
  a?.holder === b.holder && a.term === b.term && a.counter === b.counter;

/** Of several identical swaps of a lease, only the first can have succeeded. */
const isFirst = (swaps: readonly Swap[], at: number): boolean =>
  swaps.findIndex(({ name, next }) => name === swaps[at]?.name && isEqual(swaps[at].next, next)) === at;
