import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import { MemoryLeaseStore } from '../../src/adapters/embedded/lease-store.js';
import type { Led } from '../../src/projecting/leadership.js';
import { RangeLeadership, rangeLeaders, type LedPortion } from '../../src/projecting/range-leadership.js';
import { ALL_RANGES } from '../../src/eventsourcing/ranges.js';
import { silentLogger, type Logger } from '../../src/ports/log.js';
import type { Lease, LeaseStore } from '../../src/ports/lease-store.js';
import { ReadStoreUnavailable } from '../../src/ports/read-store.js';
import { ManualClock } from '../support/manual-clock.js';

const GROUP = 'work';
const TAKEN_OVER_WITHIN_MS = 6_000;
const EVEN_WITHIN_MS = 15_000;
const STEP_MS = 100;

/**
 * A replica with a separate clock. The clock stands still while the process is paused, and after it has been killed.
 */
class Replica implements LeaseStore {
  readonly clock = new ManualClock();
  isBroken = false;
  isPaused = false;
  /** The portion of the work that the replica currently performs. */
  portion: LedPortion | undefined;
  begins = 0;
  failures = 0;
  /** Duration of each call that lists leases, on this replica's clock. */
  listsTakeMs = 0;
  readonly warnings: string[] = [];
  private led: Led | undefined;

  constructor(
    readonly name: string,
    private readonly shared: LeaseStore,
  ) {}

  private readonly logger: Logger = { ...silentLogger, warn: (_, message) => this.warnings.push(message) };

  start(): this {
    const leadership = new RangeLeadership(this, this.clock, this.logger, { holder: this.name });
    this.led = leadership.lead(GROUP, (portion) => {
      this.begins += 1;
      if (this.failures > 0) {
        this.failures -= 1;
        return Promise.reject(new Error('The work cannot begin'));
      }
      this.portion = portion;
      // Stopping takes some time, as it does in the service.
      return Promise.resolve({
        stop: async () => {
          await this.clock.sleep(200);
          this.portion = undefined;
        },
      });
    });
    return this;
  }

  get ranges(): readonly number[] {
    return this.portion?.ranges ?? [];
  }

  /** Ranges on which the replica would act now. */
  get actsOn(): readonly number[] {
    return this.portion?.isFresh() && !this.isPaused ? this.ranges : [];
  }

  stop(): Promise<void> {
    return this.led?.stop() ?? Promise.resolve();
  }

  read = (name: string): Promise<Lease | undefined> => this.pass(() => this.shared.read(name));
  list = (prefix: string): Promise<ReadonlyMap<string, Lease>> =>
    this.pass(async () => {
      if (this.listsTakeMs > 0) await this.clock.sleep(this.listsTakeMs);
      return this.shared.list(prefix);
    });
  remove = (name: string, expected: Lease): Promise<void> => this.pass(() => this.shared.remove(name, expected));
  replace = (name: string, expected: Lease | undefined, next: Lease): Promise<boolean> =>
    this.pass(() => this.shared.replace(name, expected, next));

  private pass<T>(call: () => Promise<T>): Promise<T> {
    if (this.isBroken) return Promise.reject(new ReadStoreUnavailable('The leases are away'));
    return call();
  }
}

class Cluster {
  readonly leases = new MemoryLeaseStore();
  readonly replicas: Replica[] = [];
  private names = 0;

  add(): Replica {
    const replica = new Replica(`replica-${this.names++}`, this.leases).start();
    this.replicas.push(replica);
    return replica;
  }

  /** Ends a replica without releasing its leases. */
  kill(replica: Replica): void {
    this.replicas.splice(this.replicas.indexOf(replica), 1);
  }

  async leave(replica: Replica): Promise<void> {
    const stopping = replica.stop();
    await this.pass(1_000);
    await stopping;
    this.kill(replica);
  }

  /** Lets time pass for every replica that is not paused. */
  async pass(ms: number, check: () => void = () => undefined): Promise<void> {
    for (let passed = 0; passed < ms; passed += STEP_MS) {
      for (const { clock, isPaused } of this.replicas) if (!isPaused) await clock.advance(STEP_MS);
      await nextTurn();
      check();
    }
  }

  get running(): readonly Replica[] {
    return this.replicas.filter(({ isPaused, isBroken }) => !isPaused && !isBroken);
  }

  /** Returns the ranges on which running replicas work. Lists a range once for each replica that works on it. */
  worked(): number[] {
    return this.running.flatMap(({ ranges }) => [...ranges]).toSorted((a, b) => a - b);
  }

  expectEven(): void {
    expect(this.worked()).toEqual(ALL_RANGES);
    const shares = this.running.map(({ ranges }) => ranges.length);
    expect(Math.max(...shares) - Math.min(...shares)).toBeLessThanOrEqual(1);
  }

  /** Expects that no two running replicas act on the same range. */
  expectNoOverlap(): void {
    const acted = this.running.flatMap(({ actsOn }) => [...actsOn]);
    expect(acted.length).toBe(new Set(acted).size);
  }

  async stop(): Promise<void> {
    for (const replica of this.replicas) replica.isPaused = replica.isBroken = false;
    const stopping = this.replicas.map((replica) => replica.stop());
    await this.pass(1_000);
    await Promise.all(stopping);
  }
}

describe('The ranges of the history', () => {
  let cluster: Cluster;
  beforeEach(() => {
    cluster = new Cluster();
  });
  afterEach(() => cluster.stop());

  test('belong to the only replica at once', async () => {
    const only = cluster.add();
    await cluster.pass(STEP_MS);
    expect(only.ranges).toEqual(ALL_RANGES);
    expect(only.portion?.coordinates).toBe(true);
    expect(only.begins).toBe(1);
  });

  test('are shared evenly with a replica that joins, and nobody works on a range twice', async () => {
    cluster.add();
    await cluster.pass(1_000);
    for (let count = 2; count <= 5; count += 1) {
      cluster.add();
      await cluster.pass(EVEN_WITHIN_MS, () => {
        cluster.expectNoOverlap();
      });
      cluster.expectEven();
      expect(cluster.running.length).toBe(count);
    }
  });

  test('of a replica that leaves are taken within two seconds', async () => {
    const first = cluster.add();
    cluster.add();
    await cluster.pass(EVEN_WITHIN_MS);
    await cluster.leave(first);
    await cluster.pass(1_000);
    cluster.expectEven();
  });

  test('of a replica that dies are taken over in time', async () => {
    const first = cluster.add();
    cluster.add();
    cluster.add();
    await cluster.pass(EVEN_WITHIN_MS);
    cluster.kill(first);
    await cluster.pass(3_000);
    expect(cluster.worked().length).toBeLessThan(16);
    await cluster.pass(TAKEN_OVER_WITHIN_MS - 3_000);
    cluster.expectEven();
  });

  test('of a paused replica are taken over, and it does not act on them when it resumes', async () => {
    const first = cluster.add();
    cluster.add();
    await cluster.pass(EVEN_WITHIN_MS);
    const before = first.portion;
    first.isPaused = true;
    await cluster.pass(TAKEN_OVER_WITHIN_MS);
    cluster.expectEven();
    const resuming = first.clock.leap(TAKEN_OVER_WITHIN_MS);
    first.isPaused = false;
    expect(before?.isFresh()).toBe(false);
    await resuming;
    await cluster.pass(EVEN_WITHIN_MS, () => {
      cluster.expectNoOverlap();
    });
    cluster.expectEven();
    expect(cluster.running.length).toBe(2);
  });

  test('are given up by a replica that cannot reach the leases, before another takes them', async () => {
    const first = cluster.add();
    const second = cluster.add();
    await cluster.pass(EVEN_WITHIN_MS);
    first.isBroken = true;
    const lost: number[] = [];
    const gained: number[] = [];
    for (let ms = 0; ms < TAKEN_OVER_WITHIN_MS; ms += STEP_MS) {
      await cluster.pass(STEP_MS);
      if (first.actsOn.length === 0) lost.push(ms);
      if (second.ranges.length === 16) gained.push(ms);
    }
    expect(lost[0]).toBeLessThan(gained[0] ?? 0);
    first.isBroken = false;
    await cluster.pass(EVEN_WITHIN_MS);
    cluster.expectEven();
  });

  test('are not worked on after a slow heartbeat, which is logged', async () => {
    const only = cluster.add();
    await cluster.pass(3_000);
    expect([only.actsOn, only.warnings]).toEqual([ALL_RANGES, []]);
    only.listsTakeMs = 2_500;
    let pausedMs = 0;
    await cluster.pass(6_000, () => {
      if (only.actsOn.length === 0) pausedMs += STEP_MS;
    });
    expect(pausedMs).toBeGreaterThan(1_000);
    expect(new Set(only.warnings)).toEqual(new Set(['the heartbeat of the ranges is slow; work pauses']));
    only.listsTakeMs = 0;
    await cluster.pass(3_000);
    expect(only.actsOn).toEqual(ALL_RANGES);
  });

  test('are worked on after a start that failed', async () => {
    const only = cluster.add();
    only.failures = 3;
    await cluster.pass(3_000);
    expect(only.ranges).toEqual(ALL_RANGES);
    expect(only.begins).toBe(4);
  });

  test('have leaders that everyone can look up, and heartbeats of the dead are forgotten', async () => {
    const first = cluster.add();
    const second = cluster.add();
    await cluster.pass(EVEN_WITHIN_MS);
    const leaders = await rangeLeaders(cluster.leases, GROUP);
    expect([...leaders.keys()].toSorted((a, b) => a - b)).toEqual(ALL_RANGES);
    expect(new Set(leaders.values())).toEqual(new Set([first.name, second.name]));
    cluster.kill(first);
    await cluster.pass(70_000);
    expect([...(await cluster.leases.list(`${GROUP}/member/`)).keys()]).toEqual([`${GROUP}/member/${second.name}`]);
    expect(new Set((await rangeLeaders(cluster.leases, GROUP)).values())).toEqual(new Set([second.name]));
  });

  const faults = fc.array(
    fc.record({
      what: fc.constantFrom('add', 'kill', 'leave', 'pause', 'break', 'resume'),
      which: fc.nat(5),
      afterMs: fc.integer({ min: 0, max: 5_000 }),
    }),
    { minLength: 3, maxLength: 12 },
  );

  test('are led once and evenly after any sequence of joins, ends, pauses and broken connections', async () => {
    await fc.assert(
      fc.asyncProperty(faults, async (steps) => {
        const some = new Cluster();
        some.add();
        for (const { what, which, afterMs } of steps) {
          const replica = some.replicas[which % Math.max(1, some.replicas.length)];
          if (what === 'add' && some.replicas.length < 6) some.add();
          else if (what === 'resume') for (const each of some.replicas) each.isPaused = each.isBroken = false;
          else if (replica && what === 'break') replica.isBroken = true;
          else if (replica && what === 'pause') replica.isPaused = true;
          else if (replica && what === 'kill') some.kill(replica);
          else if (replica && what === 'leave' && !replica.isPaused && !replica.isBroken) await some.leave(replica);
          await some.pass(afterMs);
        }
        for (const each of some.replicas) each.isPaused = each.isBroken = false;
        if (some.replicas.length === 0) some.add();
        await some.pass(TAKEN_OVER_WITHIN_MS + EVEN_WITHIN_MS);
        some.expectEven();
        await some.stop();
      }),
      { numRuns: 60 },
    );
  });
});
