import { setTimeout as sleep } from 'node:timers/promises';
import { CommitSignal, pauseAt } from '../../src/adapters/embedded/event-store.signal.js';

const REST_MS = 50;
/** Collects the head that a reader sees each time it wakes up. The reader reaches the head before it waits again. */
function reader(signal: CommitSignal, head: () => number): readonly number[] {
  const read: number[] = [];
  const wait = (position: number): void => {
    signal.onBeyond(position, () => {
      if (signal.ended) return;
      read.push(head());
      queueMicrotask(() => {
        wait(head());
      });
    });
  };
  wait(-1);
  return read;
}

async function announced(
  pauseMs: number,
  heads: readonly number[],
): Promise<{ signal: CommitSignal; read: readonly number[] }> {
  const signal = new CommitSignal(() => pauseMs);
  let head = -1;
  const read = reader(signal, () => head);
  for (head of heads) {
    signal.announce(head);
    await Promise.resolve();
  }
  return { signal, read };
}

describe('The commit signal', () => {
  test('arrives for each commit at an idle thread', async () => {
    const { read } = await announced(0, [0, 1, 2]);
    expect(read).toEqual([0, 1, 2]);
  });

  test('arrives immediately after a pause, once for all commits in it', async () => {
    const { read } = await announced(REST_MS, [0, 1, 2, 3]);
    expect(read).toEqual([0]);
    await sleep(2 * REST_MS);
    expect(read).toEqual([0, 3]);
  });

  test('arrives at the end of the pause for a waiter that joins during it', async () => {
    const signal = new CommitSignal(() => REST_MS);
    signal.announce(0);
    signal.announce(1);
    let woken = 0;
    signal.onBeyond(0, () => (woken += 1));
    expect(woken).toBe(0);
    await sleep(2 * REST_MS);
    expect(woken).toBe(1);
  });

  test('does not wake a waiter for a commit that was already read', async () => {
    const { signal, read } = await announced(REST_MS, [0, 1]);
    await sleep(2 * REST_MS);
    signal.announce(1);
    await sleep(2 * REST_MS);
    expect(read).toEqual([0, 1]);
  });

  test('wakes every waiter once when it ends', async () => {
    const { signal } = await announced(REST_MS, [0, 1]);
    let woken = 0;
    signal.onBeyond(1, () => (woken += 1));
    signal.end();
    await sleep(2 * REST_MS);
    expect(woken).toBe(1);
  });

  test.each([
    [0, 0],
    [0.4, 0],
    [0.7, 10],
    [1, 20],
    [1.2, 20],
  ])('of a thread that is busy for %d of its time arrives every %d ms', (share, pauseMs) => {
    expect(pauseAt(share)).toBeCloseTo(pauseMs);
  });
});
