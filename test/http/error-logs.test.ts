import { setTimeout as delay } from 'node:timers/promises';
import { ReadStoreUnavailable } from '../../src/ports/read-store.js';
import type { ErrorLogDetail } from '../../src/queries/error-log.queries.js';
import { breakingLists } from '../support/breaking-reads.js';
import { eventually } from '../support/eventually.js';
import type { Reply } from '../support/reply.js';
import { ShiftedClock } from '../support/shifted-clock.js';
import { PASSWORD, TestService, type Books } from '../support/service.js';

const PATIENCE_MS = 15_000;
const FAILING = '/api/branches?pageNumber=1&pageSize=20';
const SECRET = 'hunter2-hunter2';

const clock = new ShiftedClock();
let service: TestService;
let books: Books;
let branches: ReturnType<typeof breakingLists>;
let requests = 0;
beforeAll(async () => {
  service = await TestService.start({ clock, environment: { TRUST_PROXY: 'true' } });
  books = await service.openBooks();
  branches = breakingLists(service.service.engines.reads, 'branches');
});
afterEach(() => {
  branches.mend();
});
afterAll(() => service.close());

type Found = { readonly items: ErrorLogDetail[]; readonly totalCount: number };
const list = async (query = ''): Promise<Found> =>
  (await service.get(`/api/platform/error-logs?pageSize=100&${query}`, await service.operator())).body as Found;
const get = async (id: string): Promise<Reply> =>
  service.get(`/api/platform/error-logs/${id}`, await service.operator());
const resolve = async (id: string, headers: Record<string, string> = {}): Promise<Reply> =>
  service.call('PATCH', `/api/platform/error-logs/${id}/resolve`, { token: await service.operator(), headers });

/**
 * Resolves with the record once its count has reached `count`. Advances the clock, so that pending reports become due.
 */
async function recorded(query: string, count = 1): Promise<ErrorLogDetail> {
  let found: ErrorLogDetail[] = [];
  for (let waitedMs = 0; waitedMs < PATIENCE_MS; waitedMs += 50) {
    ({ items: found } = await list(query));
    const [first] = found;
    if (found.length === 1 && first && first.count >= count) return first;
    clock.pass(1_000);
    await delay(50);
  }
  throw new Error(`Not recorded: ${query} ${count}: ${JSON.stringify(found)}`);
}

/** Sends a failing request from a new IP address. */
const fail = (requestId: string, token = books.tenant.token): Promise<Reply> => {
  requests += 1;
  const from = `10.${(requests >> 16) & 255}.${(requests >> 8) & 255}.${requests & 255}`;
  return service.get(FAILING, token, { 'x-request-id': requestId, 'x-forwarded-for': from });
};

describe('A request that fails because of a defect', () => {
  test('is an error with its location in the sources, found by the request id of its response', async () => {
    branches.failWith(() => new TypeError('x is not iterable'));
    const reply = await fail('call-the-support-1');
    expect([reply.told, reply.headers['x-request-id']]).toEqual(['500 INTERNAL', 'call-the-support-1']);
    const { id } = await recorded('search=call-the-support-1');
    const found = (await get(id)).data as ErrorLogDetail;
    expect(found).toEqual({
      id,
      level: 'ERROR',
      message: 'x is not iterable',
      code: 'INTERNAL',
      statusCode: 500,
      method: 'GET',
      route: '/api/branches',
      path: '/api/branches',
      stack: expect.stringContaining('ReadModels.list (src/queries/query:') as string,
      requestId: 'call-the-support-1',
      requestIds: ['call-the-support-1'],
      tenantId: books.tenant.id,
      branchId: null,
      userId: expect.any(String) as string,
      count: 1,
      firstSeenAt: found.lastSeenAt,
      lastSeenAt: expect.any(String) as string,
      resolved: false,
      resolvedAt: null,
      resolvedBy: null,
      createdAt: found.updatedAt,
      updatedAt: expect.any(String) as string,
      revision: 0,
    });
    expect(found.stack).not.toContain(process.cwd());
    expect((await get(id)).headers['etag']).toBe('"0"');
  });

  test('is the same error for other numbers and ids, and another error for another location or message', async () => {
    for (const [index, name] of ['a', 'b', 'c'].entries()) {
      branches.failWith(() => new RangeError(`No 17${index} of "${name}"`));
      await fail(`same-${name}`);
    }
    branches.failWith(() => new RangeError('Elsewhere'));
    await fail('other-a');
    expect((await recorded('search=same-a', 3)).message).toBe('No 170 of "a"');
    expect((await recorded('search=other-a')).count).toBe(1);
  });

  test('reveals no secret, and contains no line break', async () => {
    const address = `mongodb://root:${SECRET}@db:27017`;
    branches.failWith(
      () => new Error(`${address} refused\r\n{"level":50} password=${SECRET}\u001b[2J`, { cause: new Error(address) }),
    );
    await fail('with-a-secret');
    const { id } = await recorded('search=with-a-secret');
    const reply = await get(id);
    expect(reply.data).toMatchObject({
      message: 'mongodb://***@db:27017 refused\\r\\n{"level":50} password=***',
    });
    const history = await service.service.engines.events.readAll({ maxCount: 100_000 });
    for (const text of [reply.text, JSON.stringify(await list()), JSON.stringify(history)])
      expect(text.includes(SECRET)).toBe(false);
    expect(JSON.stringify(history).includes(PASSWORD)).toBe(false);
  });
});

describe('A storm of failing requests', () => {
  async function eightAtATime(from: number, to: number, ask: (requestId: string) => Promise<number>): Promise<void> {
    const numbers = Array.from({ length: to - from }, (_, index) => from + index).values();
    const caller = async (): Promise<void> => {
      for (const number of numbers) if ((await ask(`storm-${number}`)) !== 503) throw new Error('It did not fail.');
    };
    await Promise.all(Array.from({ length: 8 }, caller));
  }

  test('is one record with the total count, at the cost of a few appends', async () => {
    const storm = 10_000;
    branches.failWith(() => new ReadStoreUnavailable('The read store is away.'));
    await eightAtATime(0, 500, async (requestId) => (await fail(requestId)).status);
    // The remaining requests are injected without sockets, because sockets would account for most of the time.
    const server = service.service.app.getHttpAdapter().getInstance();
    const authorization = `Bearer ${books.tenant.token}`;
    await eightAtATime(500, storm, async (requestId) => {
      const headers = { authorization, 'x-request-id': requestId };
      return (await server.inject({ method: 'GET', url: FAILING, headers })).statusCode;
    });
    branches.mend();
    const { id, count } = await recorded('search=storm', storm);
    expect(count).toBe(storm);
    const found = (await get(id)).data as ErrorLogDetail;
    expect(found).toMatchObject({ level: 'ERROR', statusCode: 503, code: 'UNAVAILABLE', route: '/api/branches' });
    expect(found.requestIds).toHaveLength(100);
    for (const one of [found.requestIds[0], found.requestIds.at(-1)])
      expect((await list(`search=${one}`)).items.map((item) => item.id)).toEqual([id]);
    const appends = await service.service.engines.events.readStream(`error-log-platform_${id}`);
    expect(appends.events.length).toBeLessThanOrEqual(12);
  });

  test('does not lose its last occurrences at shutdown', async () => {
    branches.failWith(() => new Error('The last ones'));
    await fail('last-1');
    await recorded('search=last-1');
    for (let number = 2; number <= 50; number += 1) await fail(`last-${number}`);
    await service.restart();
    branches = breakingLists(service.service.engines.reads, 'branches');
    expect((await recorded('search=last-50', 50)).count).toBe(50);
  });
});

describe('A caller that is repeatedly rejected', () => {
  const refusedFrom = (address: string, path = '/api/customers', token?: string): Promise<Reply> =>
    service.get(path, token, { 'x-forwarded-for': address });

  test('is a warning with all rejections of the minute, from the tenth on', async () => {
    for (let one = 0; one < 9; one += 1) await refusedFrom('192.0.2.1');
    for (let one = 0; one < 25; one += 1) await refusedFrom('192.0.2.2');
    const found = await recorded('search=192.0.2.2', 25);
    expect(found).toMatchObject({ level: 'WARN', statusCode: 401, code: 'UNAUTHENTICATED', count: 25, stack: null });
    const messages = (await list('level=WARN')).items.map(({ message }) => message);
    expect(messages).toEqual(['Requests from the address 192.0.2.2 are rejected repeatedly.']);
  });

  test('can be a user without a permission, at any address', async () => {
    const tokens = [await service.createUser(books.tenant, 'USER'), await service.createUser(books.tenant, 'USER')];
    for (const token of tokens)
      for (let one = 0; one < 12; one += 1) await refusedFrom(`198.51.100.${one}`, '/api/users', token);
    const found = await recorded('statusCode=403&level=WARN', 24);
    expect(found).toMatchObject({ code: 'FORBIDDEN', tenantId: books.tenant.id, route: '/api/users' });
    expect(found.message).toBe('Requests from users are rejected repeatedly.');
    expect(found.userId).toMatch(/^[\da-f-]{36}$/);
  });

  test('can be a partner over the rate limit', async () => {
    const partner = await service.createKey(books.tenant, { sourceId: 'greedy', rateLimit: 5 });
    for (let one = 0; one < 20; one += 1) await service.saleStatus(partner, 'x');
    const found = await recorded('statusCode=429', 15);
    expect(found).toMatchObject({ level: 'WARN', code: 'RATE_LIMITED', count: 15, tenantId: books.tenant.id });
    expect(found.message).toBe('Requests from the partner greedy are rejected repeatedly.');
  });
});

describe('Background work', () => {
  test('is an error when it fails, a warning when it is retried, and information when an engine recovers', async () => {
    const { logger } = service.service.engines;
    logger.error({ err: new Error('boom'), projection: 'toys' }, 'projection stands still');
    logger.warn({ err: new Error('not yet'), subscriber: 'toymaker' }, 'retrying an event');
    logger.info({ awayMs: 5 }, 'MongoDB is back');
    logger.info({}, 'Nothing to see');
    expect(await recorded('search=toys')).toMatchObject({ level: 'ERROR', statusCode: null, path: null, route: null });
    expect(await recorded('search=toymaker')).toMatchObject({ level: 'WARN', code: 'Error' });
    expect(await recorded('search=mongodb%20back')).toMatchObject({ level: 'INFO' });
    expect((await list('search=nothing')).totalCount).toBe(0);
  });
  test('does not include failures of the error log itself', async () => {
    const { errors } = service.service.engines;
    const before = (await list()).totalCount;
    // The event schema rejects this value.
    errors.note({ fingerprint: 'f', level: 'NONE' as 'INFO', message: 'Not to be recorded' });
    const isSaid = (): boolean => service.complaints.some((one) => one.includes('errors could not be recorded'));
    await eventually(isSaid, PATIENCE_MS);
    expect((await list()).totalCount).toBe(before);
  });
});

describe('An operator', () => {
  test('resolves an error once; when it occurs again it is a new record', async () => {
    branches.failWith(() => new Error('Comes again'));
    await fail('first-life');
    const { id } = await recorded('search=first-life');
    expect((await resolve(id, { 'if-match': '"7"' })).told).toBe('409 REVISION_CONFLICT');
    const reply = await resolve(id, { 'if-match': '"0"' });
    expect([reply.status, reply.data]).toEqual([200, { success: true, id, revision: 1 }]);
    const { items } = (await service.get('/api/platform/operators', await service.operator())).body as {
      items: { id: string }[];
    };
    expect((await get(id)).data).toMatchObject({ resolved: true, resolvedBy: items[0]?.id, revision: 1, count: 1 });
    expect((await resolve(id)).told).toBe('409 ALREADY_RESOLVED');

    await fail('second-life');
    const again = await recorded('search=second-life');
    expect(again.id).not.toBe(id);
    expect([again.count, again.resolved, again.message]).toEqual([1, false, 'Comes again']);
    expect((await get(id)).data).toMatchObject({ resolved: true, count: 1 });
    expect((await list('search=comes&resolved=true')).items.map((item) => item.id)).toEqual([id]);
    expect((await list('search=comes&resolved=false')).items.map((item) => item.id)).toEqual([again.id]);
  });

  test('finds errors by level, status, tenant, user, text and time, last seen first', async () => {
    const { items, totalCount } = await list();
    expect(totalCount).toBeGreaterThan(8);
    const order = items.map(({ lastSeenAt, id }) => `${lastSeenAt} ${id}`);
    expect(order).toEqual([...order].sort().reverse());
    const found = async (query: string): Promise<string[]> => (await list(query)).items.map(({ id }) => id).sort();
    const those = (is: (one: ErrorLogDetail) => boolean): string[] =>
      items
        .filter(is)
        .map(({ id }) => id)
        .sort();
    for (const level of ['ERROR', 'WARN', 'INFO'])
      expect(await found(`level=${level}`)).toEqual(those((one) => one.level === level));
    expect(await found('statusCode=500')).toEqual(those(({ statusCode }) => statusCode === 500));
    expect(await found(`tenantId=${books.tenant.id}`)).toEqual(those(({ tenantId }) => tenantId === books.tenant.id));
    const user = items.find(({ statusCode }) => statusCode === 403)?.userId ?? '';
    expect(await found(`userId=${user}`)).toEqual(those(({ userId }) => userId === user));
    expect(await found('tenantId=nobody')).toEqual([]);
    expect(await found('branchId=nowhere')).toEqual([]);
    expect(await found('search=unavailable%20branches')).toEqual(those(({ code }) => code === 'UNAVAILABLE'));
    const middle = items[4]?.lastSeenAt ?? '';
    expect(await found(`dateFrom=${middle}`)).toEqual(those(({ lastSeenAt }) => lastSeenAt >= middle));
    expect(await found(`dateTo=${middle}`)).toEqual(those(({ firstSeenAt }) => firstSeenAt <= middle));
    expect(await found('dateTo=2000-01-01')).toEqual([]);
    expect(items.every((item) => !('requestIds' in item) && !('tenantIds' in item))).toBe(true);
    expect((await list('pageNumber=9')).totalCount).toBe(totalCount);
  });

  test.each(['level=error', 'resolved=yes', 'statusCode=99', 'statusCode=abc', 'dateTo=x', 'pageSize=101', 'other=1'])(
    'is refused the filter %s',
    async (query) => {
      const reply = await service.get(`/api/platform/error-logs?${query}`, await service.operator());
      expect(reply.told).toMatch(/^400 VALIDATION_FAILED/);
    },
  );

  test('is the only one who can read errors, and gets 404 for an unknown one', async () => {
    const [first] = (await list()).items;
    const id = first?.id ?? '';
    const { token } = books.tenant;
    for (const path of ['', `/${id}`])
      expect((await service.get(`/api/platform/error-logs${path}`, token)).told).toBe('403 FORBIDDEN');
    const path = `/api/platform/error-logs/${id}/resolve`;
    expect((await service.call('PATCH', path, { token })).told).toBe('403 FORBIDDEN');
    for (const unknown of ['x', service.service.engines.ids.next()]) {
      expect((await get(unknown)).told).toBe('404 NOT_FOUND');
      expect((await resolve(unknown)).told).toBe('404 NOT_FOUND');
    }
  });
});
