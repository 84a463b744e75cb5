import { ThreadCalls, type ThreadMessage } from '../../src/app/thread-calls.js';

type Remote = { readonly add: (a: number, b: number) => Promise<number>; readonly note: (text: string) => void };

describe('Calls between two threads', () => {
  let noted: string[];
  let isAway: boolean;
  let here: ThreadCalls<Remote, Remote>;
  beforeEach(() => {
    noted = [];
    isAway = false;
    const there: ThreadCalls<Remote, Remote> = new ThreadCalls(
      (message) => {
        here.receive(message);
        return true;
      },
      {
        add: (a: number, b: number) => (b < 0 ? Promise.reject(new Error('Too small')) : a + b),
        note: (text: string) => noted.push(text),
        never: () => new Promise(() => undefined),
      },
    );
    here = new ThreadCalls((message: ThreadMessage) => {
      if (!isAway) there.receive(message);
      return !isAway;
    }, {});
  });

  test('get their own results or errors', async () => {
    const calls = [here.asked.add(1, 2), here.asked.add(1, -2), here.asked.add(3, 4)];
    here.told.note('one');
    expect(await Promise.allSettled(calls)).toEqual([
      { status: 'fulfilled', value: 3 },
      { status: 'rejected', reason: new Error('Error: Too small') },
      { status: 'fulfilled', value: 7 },
    ]);
    expect(noted).toEqual(['one']);
  });

  test('are rejected if the other thread is not running, or ends before its response', async () => {
    isAway = true;
    await expect(here.asked.add(1, 2)).rejects.toThrow('the other thread is unavailable');
    isAway = false;
    const open = (here.asked as unknown as { never: () => Promise<void> }).never();
    here.end();
    await expect(open).rejects.toThrow('the thread ended');
  });
});
