import { Progress } from '../../src/projecting/progress.js';
import { ManualClock } from '../support/manual-clock.js';

describe('Waiting for read models', () => {
  let clock: ManualClock;
  let progress: Progress;

  beforeEach(() => {
    clock = new ManualClock();
    progress = new Progress(clock);
  });

  test('ends when all of them have reached the position', async () => {
    progress.advance('customers', 3);
    progress.advance('accounts', 1);
    const waiting = progress.reached(5, 1_000);
    progress.advance('customers', 5);
    progress.advance('accounts', 4);
    progress.advance('accounts', 9);
    expect(await waiting).toBe(true);
    expect(clock.sleeping).toBe(0);
  });

  test('does not start when they have reached it', async () => {
    progress.advance('customers', 5);
    expect(await progress.reached(5, 0)).toBe(true);
  });

  test('times out', async () => {
    progress.advance('customers', 3);
    const waiting = progress.reached(5, 1_000);
    await clock.advance(999);
    expect(clock.sleeping).toBe(1);
    await clock.advance(1);
    expect(await waiting).toBe(false);
    progress.advance('customers', 5);
    expect(await progress.reached(5, 0)).toBe(true);
  });

  test('covers only the requested read models', async () => {
    progress.advance('customers', 5);
    progress.advance('accounts', 1);
    expect(await progress.reached(5, 0, ['customers'])).toBe(true);
    const both = progress.reached(5, 100);
    await clock.advance(100);
    expect(await both).toBe(false);
  });

  test('covers a model that has started and stored nothing', async () => {
    progress.advance('customers', -1);
    const waiting = progress.reached(0, 1_000);
    expect(clock.sleeping).toBe(1);
    progress.advance('customers', 0);
    expect(await waiting).toBe(true);
    expect(progress.names).toEqual(['customers']);
  });

  test('ends immediately for a stopped model', async () => {
    progress.advance('customers', 3);
    progress.stop('customers');
    expect(await progress.reached(5, 1_000)).toBe(false);
    expect(await progress.reached(3, 1_000)).toBe(true);
    expect(progress.isStopped('customers')).toBe(true);
  });

  test('ends when a model stops, and is possible again when it continues', async () => {
    progress.advance('customers', 3);
    const waiting = progress.reached(5, 1_000);
    progress.stop('customers');
    expect(await waiting).toBe(false);
    progress.advance('customers', 4);
    expect(progress.isStopped('customers')).toBe(false);
    const again = progress.reached(5, 1_000);
    progress.advance('customers', 5);
    expect(await again).toBe(true);
  });

  test('ignores decreasing positions', () => {
    progress.advance('customers', 5);
    progress.advance('customers', 2);
    expect(progress.position('customers')).toBe(5);
    expect(progress.position('unheard')).toBe(-1);
  });

  test('keeps failures until this process succeeds or stops the work, whatever other processes reach', () => {
    const failTwice = () => {
      progress.fail(['customers']);
      progress.fail(['customers']);
    };
    failTwice();
    progress.observe('customers', 7);
    expect(progress.standing('customers')).toBe('failed');
    progress.advance('customers', 8);
    expect(progress.standing('customers')).toBe('running');
    failTwice();
    progress.advance('customers', -1, []);
    expect(progress.standing('customers')).toBe('running');
    expect(progress.position('customers')).toBe(8);
  });
});
