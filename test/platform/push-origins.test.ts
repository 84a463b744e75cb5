import { Backoff } from '../../src/platform/backoff.js';
import { PushOrigins } from '../../src/platform/push-origins.js';
import { ShiftedClock } from '../support/shifted-clock.js';

const ORIGIN = 'https://push.test';
const MINUTE_MS = 60_000;

let clock: ShiftedClock;
let origins: PushOrigins;
beforeEach(() => {
  clock = new ShiftedClock();
  origins = new PushOrigins(clock, new Backoff({ baseMs: 1_000, maxMs: MINUTE_MS }, () => 1));
});

test('A push service that fails twice in a row is left alone, longer each time, and others are not', () => {
  origins.failed(ORIGIN, undefined);
  expect(origins.pauseMs(ORIGIN)).toBe(0);
  origins.failed(ORIGIN, undefined);
  expect(origins.pauseMs(ORIGIN)).toBeGreaterThan(1_500);
  for (let n = 0; n < 20; n += 1) origins.failed(ORIGIN, undefined);
  expect(origins.pauseMs(ORIGIN)).toBeGreaterThan(50_000);
  expect(origins.pauseMs(ORIGIN)).toBeLessThanOrEqual(MINUTE_MS);
  expect(origins.pauseMs('https://other.test')).toBe(0);
  origins.worked(ORIGIN);
  expect(origins.pauseMs(ORIGIN)).toBe(0);
});

test('What it asks for itself is kept, within reason', () => {
  origins.failed(ORIGIN, 30_000);
  expect(origins.pauseMs(ORIGIN)).toBeGreaterThan(25_000);
  origins.failed(ORIGIN, 24 * 60 * MINUTE_MS);
  expect(origins.pauseMs(ORIGIN)).toBeLessThanOrEqual(5 * MINUTE_MS);
});

test('After ten minutes without a success it is down, until one comes', () => {
  for (let minute = 0; minute < 12; minute += 1) {
    expect(origins.isDown(ORIGIN)).toBe(minute >= 10);
    origins.failed(ORIGIN, undefined);
    clock.pass(MINUTE_MS + 1);
  }
  expect(origins.pauseMs(ORIGIN)).toBe(0);
  origins.worked(ORIGIN);
  expect(origins.isDown(ORIGIN)).toBe(false);
});
