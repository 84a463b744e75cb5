import { Progress } from '../../src/projecting/progress.js';
import { ManualClock } from '../support/manual-clock.js';

describe('Waiting for read models', () => {
  let clock: ManualClock;
  let progress: Progress;

  beforeEach(() => {
    clock = new ManualClock();
    progress = new Progress(clock);
  });

  test('ends when all of them have come as far', async () => {
    progress.advance('customers', 3);
    progress.advance('accounts', 1);
    const waiting = progress.reached(5, 1_000);
    progress.advance('customers', 5);
    progress.advance('accounts', 4);
    progress.advance('accounts', 9);
    expect(await waiting).toBe(true);
    expect(clock.sleeping).toBe(0);
  });

  test('does not begin when they have come that far already', async () => {
    progress.advance('customers', 5);
    expect(await progress.reached(5, 0)).toBe(true);
  });

  test('ends without them after the time that was given', async () => {
    progress.advance('customers', 3);
    const waiting = progress.reached(5, 1_000);
    await clock.advance(999);
    expect(clock.sleeping).toBe(1);
    await clock.advance(1);
    expect(await waiting).toBe(false);
    progress.advance('customers', 5);
    expect(await progress.reached(5, 0)).toBe(true);
  });

  test('is for the named ones only', async () => {
    progress.advance('customers', 5);
    progress.advance('accounts', 1);
    expect(await progress.reached(5, 0, ['customers'])).toBe(true);
    const both = progress.reached(5, 100);
    await clock.advance(100);
    expect(await both).toBe(false);
  });

  test('is also for one that has begun and stored nothing yet', async () => {
    progress.advance('customers', -1);
    const waiting = progress.reached(0, 1_000);
    expect(clock.sleeping).toBe(1);
    progress.advance('customers', 0);
    expect(await waiting).toBe(true);
    expect(progress.names).toEqual(['customers']);
  });

  test('is not for one that stands still: who asks is told at once', async () => {
    progress.advance('customers', 3);
    progress.stop('customers');
    expect(await progress.reached(5, 1_000)).toBe(false);
    expect(await progress.reached(3, 1_000)).toBe(true);
    expect(progress.isStopped('customers')).toBe(true);
  });

  test('ends at once when one stands still meanwhile, and is possible again when it goes on', async () => {
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

  test('is of no use for going back: positions only grow', () => {
    progress.advance('customers', 5);
    progress.advance('customers', 2);
    expect(progress.position('customers')).toBe(5);
    expect(progress.position('unheard')).toBe(-1);
  });
});
