import type { Lease, LeaseStore } from '../../src/ports/lease-store.js';

export type LeaseStoreUnderTest = {
  /** The lease store under test. It initially contains no leases. */
  readonly leases: LeaseStore;
  /** Opens another store on the same leases, as another replica would. */
  readonly another: () => Promise<LeaseStore>;
  readonly dispose: () => Promise<void>;
};

const lease = (holder: string, term = 1, counter = 1): Lease => ({ holder, term, counter });

/** Declares tests of the guarantees that every LeaseStore adapter must provide. */
export function leaseStoreContract(name: string, open: () => Promise<LeaseStoreUnderTest>): void {
  describe(`${name} as a lease store`, () => {
    let under: LeaseStoreUnderTest;
    let leases: LeaseStore;
    beforeEach(async () => {
      under = await open();
      leases = under.leases;
    });
    afterEach(() => under.dispose());

    test('a lease that was never held does not exist', async () => {
      expect(await leases.read('projections')).toBeUndefined();
    });

    test('a lease is taken, renewed and released, and others see it', async () => {
      const other = await under.another();
      expect(await leases.replace('projections', undefined, lease('a'))).toBe(true);
      expect(await other.read('projections')).toEqual(lease('a'));
      expect(await leases.replace('projections', lease('a'), lease('a', 1, 2))).toBe(true);
      expect(await leases.replace('projections', lease('a', 1, 2), lease('', 1, 3))).toBe(true);
      expect(await other.read('projections')).toEqual(lease('', 1, 3));
    });

    test.each([
      ['by another', lease('b')],
      ['in another term', lease('a', 2)],
      ['since renewed', lease('a', 1, 2)],
    ])('a lease that is held %s is not replaced', async (_what, stored) => {
      await leases.replace('projections', undefined, stored);
      expect(await leases.replace('projections', lease('a'), lease('c', 3))).toBe(false);
      expect(await leases.replace('projections', undefined, lease('c', 3))).toBe(false);
      expect(await leases.read('projections')).toEqual(stored);
    });

    test('a lease that does not exist cannot be renewed', async () => {
      expect(await leases.replace('projections', lease('a'), lease('a', 1, 2))).toBe(false);
      expect(await leases.read('projections')).toBeUndefined();
    });

    test('each name is a separate lease', async () => {
      await leases.replace('projections', undefined, lease('a'));
      expect(await leases.replace('integration-events', undefined, lease('b'))).toBe(true);
      expect(await leases.read('projections')).toEqual(lease('a'));
    });

    test('if several leases are replaced concurrently, exactly the unchanged ones are replaced', async () => {
      const names = ['jobs', 'projections', 'push', 'webhooks'];
      for (const name of names) await leases.replace(name, undefined, lease('a'));
      const other = await under.another();
      await other.replace('projections', lease('a'), lease('b', 2, 2));
      const replaced = names.map((name) => leases.replace(name, lease('a'), lease('a', 1, 2)));
      expect(await Promise.all(replaced)).toEqual([true, false, true, true]);
      const read = await Promise.all([leases.read('projections'), leases.read('jobs'), leases.read('absent')]);
      expect(read).toEqual([lease('b', 2, 2), lease('a', 1, 2), undefined]);
    });

    test('if a lease is replaced several times concurrently, one replacement succeeds', async () => {
      await leases.replace('jobs', undefined, lease('a'));
      const replaced = [1, 2, 3].map(() => leases.replace('jobs', lease('a'), lease('a', 1, 2)));
      expect((await Promise.all(replaced)).filter(Boolean)).toHaveLength(1);
    });

    test('lists read at the same time contain only the leases of their own prefix', async () => {
      for (const name of ['a/1', 'a/2', 'b/1', 'c']) await leases.replace(name, undefined, lease(name));
      const lists = await Promise.all([leases.list('a/'), leases.list('b/'), leases.list('d/')]);
      expect(lists.map((list) => [...list.keys()].sort())).toEqual([['a/1', 'a/2'], ['b/1'], []]);
    });

    test('exactly one of many concurrent callers gets a lease', async () => {
      const stores = [leases, await under.another(), await under.another()];
      const takes = Array.from({ length: 30 }, (_, n) => lease(`replica ${n}`));
      const taken = await Promise.all(
        takes.map((take, n) => (stores[n % stores.length] as LeaseStore).replace('projections', undefined, take)),
      );
      const winners = takes.filter((_, n) => taken[n]);
      expect(winners).toHaveLength(1);
      expect(await leases.read('projections')).toEqual(winners[0]);
    });
  });
}
