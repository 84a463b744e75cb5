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
    await gate.enter({ dueMs: clock.nowMs(), failedAtMs: null });
    gate.leave('failed', clock.monotonicMs());
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
  const waiting = gate.enter({ dueMs: 0, failedAtMs: null });
  expect(gate.opensAtMs(soonMs())).toBeUndefined();
  gate.hasten();
  expect(await waiting).toBe(true);
  gate.leave('accepted', clock.monotonicMs());
  expect(gate.opensAtMs(soonMs())).toBe(soonMs());
});

/** Begins attempts at the same time, as many as the gate allows. Returns the time at which they began. */
async function begin(count: number): Promise<number> {
  for (let entered = 0; entered < count; entered += 1) await gate.enter({ dueMs: 0, failedAtMs: null });
  return clock.monotonicMs();
}

test('Attempts that fail together pause a receiver once, and do not lengthen the backoff after the pause', async () => {
  const beganMs = await begin(8);
  await clock.advance(1_000);
  for (let failed = 0; failed < 7; failed += 1) gate.leave('failed', beganMs);
  expect(gate.opensAtMs(0)).toBe(clock.nowMs() + MINUTE_MS);
  await clock.advance(MINUTE_MS);
  gate.leave('failed', beganMs);
  expect(gate.opensAtMs(0)).toBeLessThanOrEqual(clock.nowMs());
  await fail(1);
  expect(gate.opensAtMs(0)).toBe(clock.nowMs() + 2 * MINUTE_MS);
});

test('A retry delay that the receiver requests during a pause extends the pause', async () => {
  const beganMs = await begin(4);
  for (let failed = 0; failed < 3; failed += 1) gate.leave('failed', beganMs);
  gate.leave('failed', beganMs, 10 * MINUTE_MS);
  expect(gate.opensAtMs(0)).toBe(clock.nowMs() + 10 * MINUTE_MS);
});

test('A rejected message shows that the receiver is up, but not that it accepts messages', async () => {
  const beganMs = await begin(8);
  for (let rejected = 0; rejected < 4; rejected += 1) gate.leave('rejected', beganMs);
  expect(gate.opensAtMs(0)).toBe(0);
  expect(gate.failingSinceMs).toBe(clock.nowMs());
  for (let failed = 0; failed < 3; failed += 1) gate.leave('failed', beganMs + 1);
  expect(gate.opensAtMs(0)).toBeGreaterThan(clock.nowMs());
  gate.leave('rejected', beganMs);
  expect(gate.opensAtMs(0)).toBe(0);
});

test('While a receiver is down, first attempts precede retries, and every fourth attempt is a retry', async () => {
  await fail(3);
  const entered: string[] = [];
  const attempt = async (name: string, failedAtMs: number | null): Promise<void> => {
    await gate.enter({ dueMs: 0, failedAtMs });
    entered.push(name);
    gate.leave('failed', clock.monotonicMs());
  };
  const retries = ['retry 1', 'retry 2'].map((name) => attempt(name, 0));
  const firsts = ['1', '2', '3', '4'].map((name) => attempt(name, null));
  for (let pauses = 0; pauses < 6; pauses += 1) await clock.advance(15 * MINUTE_MS);
  await Promise.all([...retries, ...firsts]);
  expect(entered).toEqual(['1', '2', '3', 'retry 1', '4', 'retry 2']);
});
