import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ManualClock } from './manual-clock.js';

const MAX_TURNS = 20_000;

/** Waits for work that sleeps on a manual clock. Advances the clock by `stepMs` whenever something is sleeping. */
export async function whileTimePasses<T>(clock: ManualClock, work: Promise<T>, stepMs = 10): Promise<T> {
  const state = { settled: false };
  const settle = () => {
    state.settled = true;
  };
  work.then(settle, settle);
  for (let turn = 0; !state.settled; turn += 1) {
    if (turn > MAX_TURNS) throw new Error('The work does not end');
    if (clock.sleeping > 0) await clock.advance(stepMs);
    else await nextTurn();
  }
  return work;
}

/** Waits for a condition while real I/O continues, and wakes sleepers on the manual clock as they become due. */
export async function until(
  clock: ManualClock,
  condition: () => boolean | Promise<boolean>,
  timeoutMs = 15_000,
): Promise<void> {
  const endMs = performance.now() + timeoutMs;
  while (!(await condition())) {
    if (performance.now() > endMs) throw new Error('The condition was not met in time');
    if (clock.sleeping > 0) await clock.advance(10);
    else await nextTurn();
  }
}
