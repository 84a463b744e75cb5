import { setImmediate as nextTurn } from 'node:timers/promises';
import { MemoryLeaseStore } from '../../src/adapters/embedded/lease-store.js';
import { Leadership, type Led } from '../../src/projecting/leadership.js';
import type { Lease, LeaseStore } from '../../src/ports/lease-store.js';
import { silentLogger } from '../../src/ports/log.js';
import { ReadStoreUnavailable } from '../../src/ports/read-store.js';
import { ManualClock } from '../support/manual-clock.js';

/** Access of one replica to the shared leases. The connection can break, and responses can be lost. */
class Way implements Pick<LeaseStore, 'read' | 'replace'> {
  isBroken = false;
  answersGetLost = false;

  constructor(private readonly shared: LeaseStore) {}

  async read(name: string): Promise<Lease | undefined> {
    this.pass();
    return this.shared.read(name);
  }

  async replace(name: string, expected: Lease | undefined, next: Lease): Promise<boolean> {
    this.pass();
    const replaced = await this.shared.replace(name, expected, next);
    if (this.answersGetLost) throw new ReadStoreUnavailable('The answer got lost');
    return replaced;
  }

  private pass(): void {
    if (this.isBroken) throw new ReadStoreUnavailable('The leases are away');
  }
}

const NAME = 'projections';

/** A replica with a separate clock. Records what the replica does as the leader. */
class Replica {
  readonly clock = new ManualClock();
  readonly way: Way;
  /** Terms of the work in progress. */
  readonly working = new Set<number>();
  readonly terms: number[] = [];
  failures = 0;
  resign: () => void = () => undefined;
  private led: Led | undefined;

  constructor(
    readonly name: string,
    readonly shared: LeaseStore,
  ) {
    this.way = new Way(shared);
  }

  get leads(): boolean {
    return this.working.size > 0;
  }

  start(): void {
    const leadership = new Leadership(this.way, this.clock, silentLogger, { holder: this.name });
    this.led = leadership.lead(NAME, (term, _stale, resign) => {
      this.resign = resign;
      if (this.failures > 0) {
        this.failures -= 1;
        return Promise.reject(new Error('The work cannot begin'));
      }
      this.terms.push(term);
      this.working.add(term);
      return Promise.resolve({
        stop: () => {
          this.working.delete(term);
          return Promise.resolve();
        },
      });
    });
  }

  async stop(): Promise<void> {
    await this.led?.stop();
  }
}

describe('Leader election', () => {
  let shared: MemoryLeaseStore;
  let a: Replica;
  let b: Replica;
  beforeEach(() => {
    shared = new MemoryLeaseStore();
    [a, b] = [new Replica('a', shared), new Replica('b', shared)];
  });
  afterEach(async () => {
    for (const replica of [a, b]) {
      replica.way.isBroken = replica.way.answersGetLost = false;
      await replica.stop();
    }
  });

  const pass = async (ms: number, ...replicas: readonly Replica[]): Promise<void> => {
    for (let passed = 0; passed < ms; passed += 500) {
      for (const replica of replicas) await replica.clock.advance(500);
      for (let turn = 0; turn < 5; turn += 1) await nextTurn();
    }
  };

  test('selects the first replica; another waits as long as it renews its lease', async () => {
    a.start();
    await pass(500, a);
    b.start();
    await pass(60_000, a, b);
    expect([a.leads, b.leads]).toEqual([true, false]);
    expect(a.terms).toEqual([1]);
  });

  test('replaces a leader that stops within two seconds, in a later term', async () => {
    a.start();
    await pass(500, a);
    b.start();
    await pass(3_000, a, b);
    await a.stop();
    expect(a.leads).toBe(false);
    await pass(2_000, b);
    expect(b.terms).toEqual([2]);
  });

  test('replaces a leader that resigns within two seconds, in a later term', async () => {
    a.start();
    await pass(500, a);
    b.start();
    await pass(3_000, a, b);
    a.resign();
    await pass(2_000, b, a);
    expect([a.leads, b.leads]).toEqual([false, true]);
    expect([a.terms, b.terms]).toEqual([[1], [2]]);
  });

  test('replaces a leader that dies within ten seconds, and not within seven', async () => {
    a.start();
    await pass(500, a);
    b.start();
    await pass(3_000, a, b);
    await pass(7_000, b);
    expect(b.leads).toBe(false);
    await pass(3_000, b);
    expect(b.terms).toEqual([2]);
  });

  test('stops a paused leader that finds its lease gone, so two lead only briefly', async () => {
    a.start();
    await pass(500, a);
    b.start();
    await pass(500, a, b);
    await pass(12_000, b);
    expect([a.leads, b.leads]).toEqual([true, true]);
    await pass(1_500, a, b);
    expect([a.leads, b.leads]).toEqual([false, true]);
    await pass(30_000, a, b);
    expect([a.terms, b.terms]).toEqual([[1], [2]]);
  });

  test('stops a leader without access to its lease before another takes over, and recovers', async () => {
    a.start();
    await pass(500, a);
    a.way.isBroken = true;
    await pass(4_000, a);
    expect(a.leads).toBe(true);
    await pass(3_000, a);
    expect(a.leads).toBe(false);
    a.way.isBroken = false;
    await pass(2_000, a);
    expect(a.leads).toBe(true);
    expect(a.terms).toEqual([1, 2]);
  });

  test('recognizes its own renewal after a lost response', async () => {
    a.start();
    await pass(500, a);
    a.way.answersGetLost = true;
    await pass(2_000, a);
    a.way.answersGetLost = false;
    await pass(10_000, a);
    expect(a.leads).toBe(true);
    expect(a.terms).toEqual([1]);
  });

  test('retries work that cannot start, after a pause', async () => {
    a.failures = 3;
    a.start();
    await pass(1_000, a);
    expect(a.failures).toBeGreaterThan(0);
    await pass(10_000, a);
    expect(a.leads).toBe(true);
  });

  test('ignores wall clocks: a jump of hours changes nothing', async () => {
    a.start();
    await pass(500, a);
    b.start();
    a.clock.jump(-7_200_000);
    b.clock.jump(86_400_000);
    await pass(20_000, a, b);
    expect([a.leads, b.leads]).toEqual([true, false]);
  });
});
