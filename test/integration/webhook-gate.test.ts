import { Backoff } from '../../src/eventsourcing/backoff.js';
import { WebhookGate } from '../../src/integration/webhook-gate.js';
import { ManualClock } from '../support/manual-clock.js';

const MINUTE_MS = 60_000;
let clock: ManualClock;
let gate: WebhookGate;
beforeEach(() => {
  clock = new ManualClock();
  gate = new WebhookGate(clock, new Backoff({ baseMs: MINUTE_MS, maxMs: 15 * MINUTE_MS }, () => 1));
});
afterEach(() => {
  gate.close();
});

async function fail(times: number): Promise<void> {
  for (let count = 0; count < times; count += 1) {
    await gate.enter({ dueMs: clock.nowMs() });
    gate.leave(false, clock.monotonicMs());
  }
}
const soonMs = (): number => clock.nowMs() + 5_000;

test('A receiver that has failed only twice is tried again when the message is due', async () => {
  await fail(2);
  expect(gate.opensAtMs(soonMs())).toBe(soonMs());
});

test('A receiver that is down is tried again at the end of its pause, or later if the message is due later', async () => {
  await fail(3);
  expect(gate.opensAtMs(soonMs())).toBe(clock.nowMs() + MINUTE_MS);
  expect(gate.opensAtMs(clock.nowMs() + 2 * MINUTE_MS)).toBe(clock.nowMs() + 2 * MINUTE_MS);
});

test('While other messages wait for a receiver that is down, the time of the next attempt is unknown', async () => {
  await fail(3);
  const waiting = gate.enter({ dueMs: 0 });
  expect(gate.opensAtMs(soonMs())).toBeUndefined();
  gate.hasten();
  expect(await waiting).toBe(true);
  gate.leave(true, clock.monotonicMs());
  expect(gate.opensAtMs(soonMs())).toBe(soonMs());
});

/** Begins attempts at the same time, as many as the gate allows. Returns the time at which they began. */
async function begin(count: number): Promise<number> {
  for (let entered = 0; entered < count; entered += 1) await gate.enter({ dueMs: 0 });
  return clock.monotonicMs();
}

test('Attempts that fail together pause a receiver once, and do not lengthen the backoff after the pause', async () => {
  const beganMs = await begin(8);
  await clock.advance(1_000);
  for (let failed = 0; failed < 7; failed += 1) gate.leave(false, beganMs);
  expect(gate.opensAtMs(0)).toBe(clock.nowMs() + MINUTE_MS);
  await clock.advance(MINUTE_MS);
  gate.leave(false, beganMs);
  expect(gate.opensAtMs(0)).toBeLessThanOrEqual(clock.nowMs());
  await fail(1);
  expect(gate.opensAtMs(0)).toBe(clock.nowMs() + 2 * MINUTE_MS);
});

test('A retry delay that the receiver requests during a pause extends the pause', async () => {
  const beganMs = await begin(4);
  for (let failed = 0; failed < 3; failed += 1) gate.leave(false, beganMs);
  gate.leave(false, beganMs, 10 * MINUTE_MS);
  expect(gate.opensAtMs(0)).toBe(clock.nowMs() + 10 * MINUTE_MS);
});
