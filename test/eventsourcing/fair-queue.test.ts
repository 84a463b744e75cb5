import { FairQueue, type Visitor } from '../../src/eventsourcing/fair-queue.js';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('A fair queue', () => {
  let order: string[];
  beforeEach(() => {
    order = [];
  });
  const queueFor = (limits: Partial<ConstructorParameters<typeof FairQueue>[0]> = {}): FairQueue =>
    new FairQueue(
      { atOnce: 1, maxWaiting: 100, maxPerGroup: 100, maxPerMember: 100, ...limits },
      () => new Error('full'),
    );
  const visit = (queue: FairQueue, group: string, member = group): Promise<string> => {
    const visitor: Visitor = { group, member };
    return queue
      .run(visitor, async () => {
        await turn();
        order.push(`${group}/${member}`);
        return 'in';
      })
      .catch((error: unknown) => (error as Error).message);
  };
  const visits = (queue: FairQueue, count: number, group: string, member = group): Promise<string>[] =>
    Array.from({ length: count }, () => visit(queue, group, member));

  test('alternates between groups, however many entries one has', async () => {
    const queue = queueFor();
    await Promise.all([...visits(queue, 4, 'a'), ...visits(queue, 2, 'b'), ...visits(queue, 1, 'c')]);
    expect(order).toEqual(['a/a', 'a/a', 'b/b', 'c/c', 'a/a', 'b/b', 'a/a']);
  });

  test('alternates between members within a group', async () => {
    const queue = queueFor();
    await Promise.all([...visits(queue, 3, 'a', 'x'), ...visits(queue, 1, 'a', 'y'), ...visits(queue, 2, 'b', 'z')]);
    expect(order).toEqual(['a/x', 'a/x', 'b/z', 'a/y', 'b/z', 'a/x']);
  });

  test('limits concurrency, with at most one entry per member and group', async () => {
    const queue = queueFor({ atOnce: 3 });
    const inside: string[] = [];
    const most: Record<string, number> = {};
    const enter = (group: string): Promise<void> =>
      queue.run({ group, member: 'm' }, async () => {
        inside.push(group);
        most.all = Math.max(most.all ?? 0, inside.length);
        most[group] = Math.max(most[group] ?? 0, inside.filter((one) => one === group).length);
        await turn();
        inside.splice(inside.indexOf(group), 1);
      });
    await Promise.all('aaaaabbbbbcccccddddd'.split('').map(enter));
    expect(most).toEqual({ all: 3, a: 1, b: 1, c: 1, d: 1 });
  });

  test('rejects the newest entry of the largest member, not of others', async () => {
    const queue = queueFor({ maxWaiting: 10 });
    const many = visits(queue, 30, 'flood');
    const others = ['a', 'b', 'c', 'd'].map((name) => visit(queue, name));
    expect(await Promise.all(others)).toEqual(['in', 'in', 'in', 'in']);
    const outcomes = await Promise.all(many);
    // One task was admitted immediately, and ten waited. Four of the ten were displaced.
    expect(outcomes.filter((outcome) => outcome === 'in')).toHaveLength(7);
    expect(outcomes.slice(0, 7)).toEqual(Array.from({ length: 7 }, () => 'in'));
  });

  test('enforces the limits of a group and a member across groups', async () => {
    const queue = queueFor({ maxPerGroup: 5, maxPerMember: 3 });
    const member = await Promise.all(['a', 'b', 'c', 'd', 'e', 'f'].map((group) => visit(queue, group, 'one')));
    expect(member).toEqual(['in', 'in', 'in', 'in', 'full', 'full']);
    const crowded = visits(queue, 5, 'g', 'loud');
    const quiet = ['p', 'q', 'r', 's'].map((name) => visit(queue, 'g', name));
    expect(await Promise.all(quiet)).toEqual(['in', 'in', 'in', 'in']);
    expect(await Promise.all(crowded)).toEqual(['in', 'in', 'full', 'full', 'full']);
  });

  test('continues after failed work', async () => {
    const queue = queueFor();
    const failing = queue.run({ group: 'a', member: 'a' }, () => Promise.reject(new Error('failed')));
    const next = visit(queue, 'a');
    await expect(failing).rejects.toThrow('failed');
    expect(await next).toBe('in');
  });
});

describe('A fair queue with reserved capacity', () => {
  /** Runs tasks that end on demand. `running` lists the groups of the tasks in the order in which the tasks began. */
  function stage(atOnce: number) {
    const queue = new FairQueue({ atOnce, leavesRoom: true });
    const running: { readonly group: string; readonly end: () => void }[] = [];
    const all: Promise<void>[] = [];
    return {
      running: () => running.map(({ group }) => group).join(''),
      come: async (group: string, works: number) => {
        for (let n = 0; n < works; n += 1)
          all.push(queue.run({ group }, () => new Promise((end) => running.push({ group, end }))));
        await turn();
      },
      endOldest: async () => {
        running.shift()?.end();
        await turn();
      },
      settled: () => Promise.all(all),
    };
  }

  test('has a place for a newcomer, however many entries one group has', async () => {
    const { come, running } = stage(8);
    const seen: string[] = [];
    for (const [group, works] of [
      ['a', 20],
      ['b', 20],
      ['c', 20],
      ['d', 1],
    ] as const) {
      await come(group, works);
      seen.push(running());
    }
    expect(seen).toEqual(['aaaa', 'aaaabb', 'aaaabbc', 'aaaabbcd']);
  });

  test('gives every group a turn', async () => {
    const { come, running, endOldest, settled } = stage(2);
    await come('a', 4);
    await come('b', 2);
    await come('c', 2);
    const seen = [running()];
    for (let n = 0; n < 8; n += 1) {
      await endOldest();
      seen.push(running());
    }
    await settled();
    expect(seen.slice(0, 4)).toEqual(['ab', 'ba', 'ab', 'bc']);
    expect(seen.at(-1)).toBe('');
  });
});

describe('A fair queue for one group', () => {
  const group = { group: '' };

  test('limits concurrency, even for entries added during others', async () => {
    const queue = new FairQueue({ atOnce: 1, maxWaiting: 5 }, () => new Error('full'));
    const ends: (() => void)[] = [];
    const work = (): Promise<void> => new Promise((resolve) => ends.push(resolve));
    const all = [queue.run(group, work), queue.run(group, work)];
    await turn();
    expect(ends).toHaveLength(1);
    ends[0]?.();
    await turn();
    expect(ends).toHaveLength(2);
    all.push(queue.run(group, work));
    await turn();
    expect(ends).toHaveLength(2);
    ends[1]?.();
    await turn();
    ends[2]?.();
    await Promise.all(all);
  });

  test('is first in, first out', async () => {
    const queue = new FairQueue({ atOnce: 1, maxWaiting: 10 }, () => new Error('full'));
    const order: number[] = [];
    const run = (index: number): Promise<void> =>
      queue.run(group, async () => {
        await turn();
        order.push(index);
      });
    await Promise.all([0, 1, 2, 3].map(run));
    expect(order).toEqual([0, 1, 2, 3]);
  });

  test('rejects entries beyond its limit, and has space again afterwards, whatever the outcomes', async () => {
    const queue = new FairQueue({ atOnce: 1, maxWaiting: 1 }, () => new Error('full'));
    const fail = async (): Promise<never> => {
      await turn();
      throw new Error('failed');
    };
    const outcomes = await Promise.allSettled([queue.run(group, fail), queue.run(group, fail), queue.run(group, fail)]);
    expect(outcomes.map((outcome) => String((outcome as PromiseRejectedResult).reason))).toEqual([
      'Error: failed',
      'Error: failed',
      'Error: full',
    ]);
    expect(await queue.run(group, () => Promise.resolve('in'))).toBe('in');
  });
});
