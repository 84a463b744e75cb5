import { setTimeout as delay } from 'node:timers/promises';
import { SubscriberThread } from '../../src/app/subscribers.thread.js';
import { eventually } from '../support/eventually.js';
import { ManualClock } from '../support/manual-clock.js';

const refused = () => Promise.reject(new Error('Nobody asks'));
const callbacks = {
  park: refused,
  settle: refused,
  reportRebuild: refused,
  noteForwarder: refused,
  noteWebhook: refused,
  recordCheckpoint: refused,
};
const ignored = () => undefined;
const NOWHERE = { directory: '', eventStoreUrl: '', mongoDbUrl: '', natsUrl: '', redisUrl: '' };

/** Code of a thread that dies immediately. */
const DYING = 'throw new Error("The toy dies")';
/** Returns the code of a thread that starts listening after a delay, and dies at the first commit. */
const listening = (afterMs: number): string => `
  import { parentPort } from 'node:worker_threads';
  setTimeout(() => {
    parentPort.on('message', ({ name }) => {
      if (name === 'stop') process.exit(0);
      if (name === 'head') throw new Error('The toy dies');
    });
    parentPort.postMessage({ name: 'onReady', given: [false], call: null });
  }, ${afterMs});`;

describe("The subscribers' thread", () => {
  let clock: ManualClock;
  let deaths: number;
  let thread: SubscriberThread;
  const make = (script: string): void => {
    clock = new ManualClock();
    deaths = 0;
    thread = new SubscriberThread({
      settings: {
        ...{ stores: NOWHERE, holder: '', roles: [], restoreForward: 'wait', logLevel: 'silent' },
        webhooks: { directory: '', key: undefined, allowPrivate: false },
        integrity: { directory: '', key: undefined, witnessUrl: undefined, checkpointEveryMs: 3_600_000 },
        history: { historyId: '', space: '' },
      },
      clock,
      logger: { info: ignored, warn: ignored, error: () => (deaths += 1) },
      listeners: {
        onProgress: ignored,
        onStopped: ignored,
        onHistory: ignored,
        onNoted: ignored,
        onFailed: ignored,
      },
      onQueues: ignored,
      script: new URL(`data:text/javascript,${encodeURIComponent(script)}`),
    });
  };
  /** Returns 'ended' if `stop` ends without sleeping on the thread's clock. That clock stands still. */
  const endsAtOnce = (): Promise<string> =>
    Promise.race([thread.stop().then(() => 'ended'), delay(5_000, 'goes on', { ref: false })]);

  test('is not restarted if stopped while waiting for the restart', async () => {
    make(DYING);
    await expect(thread.start(callbacks)).rejects.toThrow('The toy dies');
    await eventually(() => clock.sleeping > 0, 5_000);
    expect(await endsAtOnce()).toBe('ended');
    await clock.advance(60_000);
    expect([deaths, thread.isAlive]).toEqual([1, false]);
  });

  test('ends as soon as it listens if it was stopped before', async () => {
    make(listening(300));
    void thread.start(callbacks);
    expect(await endsAtOnce()).toBe('ended');
    expect([deaths, thread.isAlive]).toEqual([0, false]);
  });

  test('is restarted soon after a long run, however often it died before', async () => {
    make(listening(0));
    await thread.start(callbacks);
    for (let time = 1; time <= 8; time += 1) {
      await clock.advance(20_000);
      thread.notify(time);
      await eventually(() => deaths === time, 5_000);
      await clock.advance(200);
      await eventually(() => thread.isAlive, 5_000);
    }
    expect(await endsAtOnce()).toBe('ended');
  });
});
