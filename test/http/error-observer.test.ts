import { ErrorObserver } from '../../src/http/error-observer.js';
import type { Outcome } from '../../src/http/kernel.js';
import type { NotedError } from '../../src/observability/counted-error.js';
import { ManualClock } from '../support/manual-clock.js';

const clock = new ManualClock();
let noted: NotedError[];
let observer: ErrorObserver;
beforeEach(() => {
  noted = [];
  observer = new ErrorObserver((one) => noted.push(one), clock);
});

const outcome: Outcome = {
  requestId: 'r',
  method: 'GET',
  path: '/api/kites/1',
  status: 200,
  ms: 1,
  route: '/api/kites/:id',
  tenantId: undefined,
  userId: undefined,
  sourceId: undefined,
  code: undefined,
  branchId: undefined,
  ip: '192.0.2.1',
  error: undefined,
};
const observe = (facts: Partial<Outcome>, times = 1): void => {
  for (let one = 0; one < times; one += 1) observer.observe({ ...outcome, ...facts });
};
const kinds = (): number => new Set(noted.map(({ fingerprint }) => fingerprint)).size;
/** Reports rejections at equal intervals. */
async function refuse(times: number, everyMs: number, facts: Partial<Outcome> = {}): Promise<void> {
  for (let one = 0; one < times; one += 1) {
    observe({ status: 401, code: 'UNAUTHENTICATED', ...facts });
    await clock.advance(everyMs);
  }
}

test('Successful requests and client errors are not noted', () => {
  for (const status of [200, 201, 204, 400, 404, 409, 413, 415, 422]) observe({ status }, 20);
  expect(noted).toEqual([]);
});

test('Rejections are noted once ten occur within a minute: all of them, and no others', async () => {
  await refuse(30, 7_000);
  expect(noted).toEqual([]);
  await clock.advance(60_000);
  await refuse(9, 1_000);
  expect(noted).toEqual([]);
  await refuse(1, 53_000);
  expect(noted).toHaveLength(10);
  // By this time, the first rejections are more than a minute old.
  await refuse(1, 1_000);
  expect(noted).toHaveLength(10);
  await refuse(9, 100);
  expect(noted).toHaveLength(20);
  expect(kinds()).toBe(1);
});

test('Rejections of different kinds count together; each kind is a separate warning', () => {
  const user = { tenantId: 't', userId: 'ada' };
  observe({ status: 403, code: 'FORBIDDEN', ...user }, 6);
  observe({ status: 429, code: 'RATE_LIMITED', ...user }, 4);
  expect(noted.map(({ statusCode }) => statusCode)).toEqual([
    ...Array<number>(6).fill(403),
    ...Array<number>(4).fill(429),
  ]);
  expect(kinds()).toBe(2);
});

test('An IPv6 network is treated as one address; users, partners and operators are one caller at any address', () => {
  for (let one = 0; one < 10; one += 1) observe({ status: 401, ip: `2001:db8:0:1::${one}` });
  for (let one = 0; one < 10; one += 1)
    observe({ status: 403, tenantId: 'platform', userId: 'op', ip: `10.0.0.${one}` });
  for (let one = 0; one < 10; one += 1) observe({ status: 429, tenantId: 't', sourceId: 'shop', ip: `10.0.0.${one}` });
  expect([...new Set(noted.map(({ message }) => message))]).toEqual([
    'Requests from the address 2001:db8:0:1::/64 are rejected repeatedly.',
    'Requests from operators are rejected repeatedly.',
    'Requests from the partner shop are rejected repeatedly.',
  ]);
});

test('Rejections of two users are one warning without their ids; those of two addresses or partners are two', () => {
  for (const userId of ['ada', 'bob']) observe({ status: 403, tenantId: 't', userId }, 10);
  expect(kinds()).toBe(1);
  expect([...new Set(noted.map(({ message }) => message))]).toEqual(['Requests from users are rejected repeatedly.']);
  expect([...new Set(noted.map(({ userId }) => userId))]).toEqual(['ada', 'bob']);
  observe({ status: 403, tenantId: 'platform', userId: 'op' }, 10);
  expect(kinds()).toBe(2);
  for (const ip of ['192.0.2.1', '192.0.2.2']) observe({ status: 403, ip }, 10);
  expect(kinds()).toBe(4);
  for (const tenantId of ['t', 'u']) observe({ status: 403, tenantId, sourceId: 'shop' }, 10);
  expect(kinds()).toBe(6);
});

test('Nine rejections each of two users are no warning', () => {
  for (const userId of ['ada', 'bob']) observe({ status: 403, tenantId: 't', userId }, 9);
  expect(noted).toEqual([]);
});

test('Only the latest 2,000 callers are watched', () => {
  const stranger = (one: number): Partial<Outcome> => ({
    status: 401,
    ip: `10.${one >> 16}.${(one >> 8) & 255}.${one & 255}`,
  });
  observe(stranger(0), 9);
  observe(stranger(1), 9);
  for (let one = 2; one < 2_001; one += 1) observe(stranger(one));
  observe(stranger(0));
  expect(noted).toEqual([]);
  observe(stranger(2_000), 9);
  expect(noted).toHaveLength(10);
});

test('An unavailable engine is one error per route, a defect one per source location', () => {
  for (const message of ['away', 'The primary stepped down'])
    observe({ status: 503, code: 'UNAVAILABLE', error: new Error(message) });
  expect(kinds()).toBe(1);
  observe({ status: 503, code: 'UNAVAILABLE', route: '/api/boats' });
  observe({ status: 503, code: 'READ_MODEL_BEHIND' });
  expect(kinds()).toBe(3);
  for (const place of ['here', 'there']) {
    const error = new TypeError('x is not a function');
    error.stack = `TypeError: x is not a function\n    at ${place} (/srv/dist/kite.js:${place.length}:1)`;
    observe({ status: 500, code: 'INTERNAL', error });
    error.stack = error.stack.replace(/:\d+:1/, ':99:1');
    observe({ status: 500, code: 'INTERNAL', error });
  }
  expect(kinds()).toBe(5);
});
