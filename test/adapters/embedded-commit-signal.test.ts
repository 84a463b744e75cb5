import { setTimeout as sleep } from 'node:timers/promises';
import { CommitSignal, pauseAt } from '../../src/adapters/embedded/event-store.signal.js';

const REST_MS = 50;
/** What is read at each waking, by somebody who reads all there is and waits for more. */
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

describe('Word of what was committed', () => {
  test('comes with each commit to a thread that has time', async () => {
    const { read } = await announced(0, [0, 1, 2]);
    expect(read).toEqual([0, 1, 2]);
  });

  test('comes at once after a rest, and of all that came meanwhile once', async () => {
    const { read } = await announced(REST_MS, [0, 1, 2, 3]);
    expect(read).toEqual([0]);
    await sleep(2 * REST_MS);
    expect(read).toEqual([0, 3]);
  });

  test('comes at the end of the rest to who begins to wait in it', async () => {
    const signal = new CommitSignal(() => REST_MS);
    signal.announce(0);
    signal.announce(1);
    let woken = 0;
    signal.onBeyond(0, () => (woken += 1));
    expect(woken).toBe(0);
    await sleep(2 * REST_MS);
    expect(woken).toBe(1);
  });

  test('wakes nobody who rests for a commit that was read already', async () => {
    const { signal, read } = await announced(REST_MS, [0, 1]);
    await sleep(2 * REST_MS);
    signal.announce(1);
    await sleep(2 * REST_MS);
    expect(read).toEqual([0, 1]);
  });

  test('of the end wakes everybody, and nobody a second time', async () => {
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
  ])('to a thread that is busy for %d of its time comes every %d ms', (share, pauseMs) => {
    expect(pauseAt(share)).toBeCloseTo(pauseMs);
  });
});
