import { AsyncLocalStorage } from 'node:async_hooks';
import fc from 'fast-check';
import { KeyedQueue } from '../../src/eventsourcing/keyed-queue.js';

describe('A keyed queue', () => {
  const gate = () => {
    let open: () => void = () => undefined;
    const opened = new Promise<void>((resolve) => (open = resolve));
    return { opened, open };
  };

  test('runs tasks of one key sequentially and in order, and others concurrently', async () => {
    const queue = new KeyedQueue();
    const log: string[] = [];
    const { opened, open } = gate();
    const first = queue.run('a', async () => {
      await opened;
      log.push('a1');
    });
    const second = queue.run('a', () => Promise.resolve(log.push('a2')));
    await queue.run('b', () => Promise.resolve(log.push('b1')));
    open();
    await Promise.all([first, second]);
    expect(log).toEqual(['b1', 'a1', 'a2']);
  });

  test('runs a task with two keys after earlier and before later ones of both', async () => {
    const queue = new KeyedQueue();
    const log: string[] = [];
    const [a, b] = [gate(), gate()];
    const logged = (name: string, opened?: Promise<void>) => async () => {
      await opened;
      log.push(name);
    };
    const all = [
      queue.run('a', logged('a1', a.opened)),
      queue.run('b', logged('b1', b.opened)),
      queue.run('a', logged('ab'), 'b'),
      queue.run('b', logged('ba'), 'a'),
      queue.run('b', logged('b2')),
      queue.run('a', logged('a2')),
    ];
    await queue.run('c', logged('c1'), 'd');
    a.open();
    await all[0];
    expect(log).toEqual(['c1', 'a1']);
    b.open();
    await Promise.all(all);
    expect(log).toEqual(['c1', 'a1', 'b1', 'ab', 'ba', 'b2', 'a2']);
  });

  test('returns the result of the task, and continues after a failure', async () => {
    const queue = new KeyedQueue();
    const failing = queue.run('a', () => Promise.reject(new Error('no')));
    const next = queue.run('a', () => Promise.resolve('yes'));
    await expect(failing).rejects.toThrow('no');
    expect(await next).toBe('yes');
  });

  test('is idle once every task has ended, whether it failed or not', async () => {
    const queue = new KeyedQueue();
    await queue.idle();
    const log: string[] = [];
    const { opened, open } = gate();
    const failing = queue.run('a', async () => {
      await opened;
      throw new Error('no');
    });
    void queue.run('a', () => Promise.resolve(log.push('a2')), 'b');
    const idle = queue.idle().then(() => log.push('idle'));
    await queue.run('c', () => Promise.resolve(log.push('c1')));
    open();
    await expect(failing).rejects.toThrow('no');
    await idle;
    expect(log).toEqual(['c1', 'a2', 'idle']);
  });

  test('runs each task in the context of its caller', async () => {
    const queue = new KeyedQueue();
    const who = new AsyncLocalStorage<string>();
    const ask = (name: string) =>
      who.run(name, () =>
        queue.run('a', async () => {
          await Promise.resolve();
          return who.getStore();
        }),
      );
    expect(await Promise.all([ask('ada'), ask('eve')])).toEqual(['ada', 'eve']);
  });

  test('never runs two tasks of one key concurrently (property)', async () => {
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), fc.array(fc.nat(2), { maxLength: 12 }), async (scheduler, keys) => {
        const queue = new KeyedQueue();
        const busy = new Set<number>();
        const done: number[] = [];
        const all = keys.map((key, at) =>
          queue.run(`${key}`, async () => {
            expect(busy.has(key)).toBe(false);
            busy.add(key);
            await scheduler.schedule(Promise.resolve());
            busy.delete(key);
            done.push(at);
          }),
        );
        await scheduler.waitFor(Promise.all(all));
        for (const key of new Set(keys)) {
          const own = done.filter((at) => keys[at] === key);
          expect(own).toEqual([...own].sort((a, b) => a - b));
        }
      }),
    );
  });
});
