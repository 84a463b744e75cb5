import { Backoff } from '../../src/eventsourcing/backoff.js';
import { PushHosts } from '../../src/security/push-hosts.js';
import { ShiftedClock } from '../support/shifted-clock.js';

const HOST = 'push.test';
const MINUTE_MS = 60_000;

let clock: ShiftedClock;
let hosts: PushHosts;
beforeEach(() => {
  clock = new ShiftedClock();
  hosts = new PushHosts(clock, new Backoff({ baseMs: 1_000, maxMs: MINUTE_MS }, () => 1));
});

test('A push service that fails twice in a row is paused, longer each time, unlike others', () => {
  hosts.failed(HOST, undefined);
  expect(hosts.pauseMs(HOST)).toBe(0);
  hosts.failed(HOST, undefined);
  expect(hosts.pauseMs(HOST)).toBeGreaterThan(1_500);
  for (let n = 0; n < 20; n += 1) hosts.failed(HOST, undefined);
  expect(hosts.pauseMs(HOST)).toBeGreaterThan(50_000);
  expect(hosts.pauseMs(HOST)).toBeLessThanOrEqual(MINUTE_MS);
  expect(hosts.pauseMs('other.test')).toBe(0);
  hosts.worked(HOST);
  expect(hosts.pauseMs(HOST)).toBe(0);
});

test('Its Retry-After is respected within limits', () => {
  hosts.failed(HOST, 30_000);
  expect(hosts.pauseMs(HOST)).toBeGreaterThan(25_000);
  hosts.failed(HOST, 24 * 60 * MINUTE_MS);
  expect(hosts.pauseMs(HOST)).toBeLessThanOrEqual(5 * MINUTE_MS);
});

test('After ten minutes without a success it is down, until a success', () => {
  for (let minute = 0; minute < 12; minute += 1) {
    expect(hosts.isDown(HOST)).toBe(minute >= 10);
    hosts.failed(HOST, undefined);
    clock.pass(MINUTE_MS + 1);
  }
  expect(hosts.pauseMs(HOST)).toBe(0);
  hosts.worked(HOST);
  expect(hosts.isDown(HOST)).toBe(false);
});
