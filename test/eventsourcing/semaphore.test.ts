import { Semaphore } from '../../src/eventsourcing/semaphore.js';

describe('A gate', () => {
  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

  test('lets no more through at once than it is told, also when they come while others take their turn', async () => {
    const gate = new Semaphore({ atOnce: 1, maxWaiting: 5 }, () => new Error('full'));
    const ends: (() => void)[] = [];
    const work = (): Promise<void> => new Promise((resolve) => ends.push(resolve));
    const all = [gate.run(work), gate.run(work)];
    expect(ends).toHaveLength(1);
    ends[0]?.();
    await turn();
    expect(ends).toHaveLength(2);
    all.push(gate.run(work));
    await turn();
    expect(ends).toHaveLength(2);
    ends[1]?.();
    await turn();
    ends[2]?.();
    await Promise.all(all);
  });

  test('takes them in the order in which they came', async () => {
    const gate = new Semaphore({ atOnce: 1, maxWaiting: 10 }, () => new Error('full'));
    const order: number[] = [];
    const run = (index: number): Promise<void> =>
      gate.run(async () => {
        await turn();
        order.push(index);
      });
    await Promise.all([0, 1, 2, 3].map(run));
    expect(order).toEqual([0, 1, 2, 3]);
  });

  test('refuses who would wait too far back, and is free again afterwards, whatever became of the others', async () => {
    const gate = new Semaphore({ atOnce: 1, maxWaiting: 1 }, () => new Error('full'));
    const fail = async (): Promise<never> => {
      await turn();
      throw new Error('failed');
    };
    const outcomes = await Promise.allSettled([gate.run(fail), gate.run(fail), gate.run(fail)]);
    expect(outcomes.map((outcome) => String((outcome as PromiseRejectedResult).reason))).toEqual([
      'Error: failed',
      'Error: failed',
      'Error: full',
    ]);
    expect(await gate.run(() => Promise.resolve('in'))).toBe('in');
  });
});
