import { setTimeout as delay } from 'node:timers/promises';
import { cpuMs } from '../support/cpu-time.js';
import { placeText, RequestSchemas, type Field } from '../support/request-schemas.js';
import { Requester } from '../support/requester.js';
import { routeTable, type Route } from '../support/route-table.js';
import { TestService } from '../support/service.js';

/*
 * Sends strings that a vulnerable pattern, search or rule would take very long to process. The service and the client
 * share the event loop of this process, so slow code delays both. Delays are measured in CPU time, because other
 * processes may also cause delays. The test uses the minimum of several attempts, because a garbage collection may run
 * during an attempt.
 */

const LIMIT_MS = 50;
const ATTEMPTS = 8;

let service: TestService;
let requester: Requester;
let schemas: RequestSchemas;
beforeAll(async () => {
  service = await TestService.start();
  requester = await Requester.of(service);
  schemas = new RequestSchemas(service.service.openApi());
});
afterAll(() => service.close());

/** Returns the maximum CPU time between two runs of a timer during the work. */
async function latenessMs(work: () => Promise<unknown>): Promise<number> {
  let worstMs = 0;
  let lastMs = cpuMs();
  const look = (): void => {
    const nowMs = cpuMs();
    worstMs = Math.max(worstMs, nowMs - lastMs);
    lastMs = nowMs;
  };
  const watch = setInterval(look, 1);
  try {
    await work();
    await delay(1);
  } finally {
    clearInterval(watch);
  }
  look();
  return worstMs;
}

/** Returns the minimum delay of several attempts. */
async function heldUpMs(work: () => Promise<unknown>): Promise<number> {
  let leastMs = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < ATTEMPTS && leastMs >= LIMIT_MS; attempt += 1)
    leastMs = Math.min(leastMs, await latenessMs(work));
  return leastMs;
}

/** Returns a message if the work was too slow. */
const unlessQuick = async (name: string, work: () => Promise<unknown>): Promise<string[]> => {
  const ms = await heldUpMs(work);
  return ms < LIMIT_MS ? [] : [`${name}: ${ms.toFixed(0)} ms`];
};

/**
 * Each string has the given length. Its last characters match no pattern, so that a pattern is tried at every position.
 */
const HOSTILE: readonly ((length: number) => string)[] = [
  (length) => `${'a'.repeat(length - 1)}!`,
  (length) => `${'1'.repeat(length - 1)}x`,
  (length) => `${' '.repeat(length - 1)}\u0001`,
  (length) => `${'a@'.repeat(length / 2 - 1)}\u0001`,
  (length) => `a@${'a.'.repeat(length / 2 - 2)}!`,
  (length) => `${'a-'.repeat(length / 2 - 1)}\u0001`,
  (length) => `https://${'a/../'.repeat(length / 5 - 2)}`.padEnd(length, '\\'),
  (length) => `${'%'.repeat(length - 1)}*`,
  (length) => `${'ıİ'.repeat(length / 2 - 1)}\u0301!`,
];

test('Slow operations are detected', async () => {
  const slow = (): Promise<void> => {
    const untilMs = cpuMs() + 2 * LIMIT_MS;
    while (cpuMs() < untilMs);
    return Promise.resolve();
  };
  expect(await heldUpMs(slow)).toBeGreaterThan(LIMIT_MS);
});

test('A body of hostile text is processed quickly, wherever the text is', async () => {
  // A large part of the one-mebibyte body limit, because patterns may be tried before the length is checked.
  const LENGTH = 250_000;
  const texts = routeTable
    .filter((route) => schemas.takesBody(route))
    .flatMap((route) => schemas.fieldsOf(route).map((field): [Route, Field] => [route, field]))
    .filter(([, { schema }]) => [schema.type].flat().includes('string') && !schema.enum);
  // One place per schema, because all places with the same schema are validated in the same way.
  const kinds = new Map(texts.map((one) => [JSON.stringify(one[1].schema), one]));
  expect(texts.length).toBeGreaterThan(80);
  expect(kinds.size).toBeGreaterThan(15);
  const slow: string[] = [];
  for (const [route, { place }] of kinds.values())
    for (const hostile of HOSTILE) {
      const raw = JSON.stringify(schemas.bodyWith(route, place, hostile(LENGTH)));
      const name = `${route.name} ${placeText(place)} ${hostile(16)}`;
      slow.push(...(await unlessQuick(name, () => requester.ask(route, { raw }))));
    }
  expect(slow).toEqual([]);
});

test('Queries, paths and headers are also processed quickly', async () => {
  const parameters = routeTable.flatMap((route) =>
    schemas.queryOf(route).map(({ name, schema }): [Route, string, string] => [route, name, JSON.stringify(schema)]),
  );
  const kinds = new Map(parameters.map((one) => [`${one[1]} ${one[2]}`, one]));
  const headers = [
    ...['accept', 'accept-encoding', 'cookie', 'origin', 'sec-fetch-site', 'host', 'user-agent', 'forwarded'],
    ...['x-forwarded-for', 'x-request-id', 'x-min-position', 'if-match', 'idempotency-key', 'last-event-id'],
    ...['authorization', 'x-integration-key', 'content-type', 'content-encoding'],
  ];
  const shapes = HOSTILE.map((hostile) => hostile(3_000).replace(/[^\x20-\x7e]/g, ';q=0.'));
  const tried = routeTable.filter(({ name }) =>
    [
      'POST /api/integrations/v1/sales',
      'GET /api/platform/jobs/stream',
      'PATCH /api/branches/{id}',
      'GET /api/reports/trial-balance',
      'POST /console/session/refresh',
    ].includes(name),
  );
  expect(tried).toHaveLength(5);
  const slow: string[] = [];
  for (const shape of shapes) {
    for (const [route, name] of kinds.values()) {
      const query = `?${name}=${encodeURIComponent(shape).slice(0, 12_000).replace(/%.?$/, '')}`;
      slow.push(...(await unlessQuick(`${route.name} ${name}`, () => requester.ask(route, { query }))));
    }
    for (const route of tried)
      for (const header of headers.filter((one) => one !== 'host')) {
        const value = header === 'authorization' ? `Bearer ${shape}` : shape;
        const sent = { headers: { [header]: value }, ...(route.method !== 'GET' && { raw: '{"' }) };
        slow.push(...(await unlessQuick(`${route.name} ${header}`, () => requester.ask(route, sent))));
      }
  }
  expect(slow).toEqual([]);
});

describe('In a tenant with hostile records', () => {
  const word = (index: number): string => `${'a'.repeat(60 + (index % 30))}${index}`;
  const token = (): string => requester.books.tenant.token;
  const post = async (path: string, body: object): Promise<void> => {
    const reply = await service.post(path, body, token());
    if (![200, 201].includes(reply.status)) throw new Error(`${path}: ${reply.told}`);
  };
  let categoryId: string | undefined;
  beforeAll(async () => {
    for (let index = 0; index < 150; index += 1) {
      const name = `${word(index)} ${word(index)}`.slice(0, 200);
      await post('/api/customers', { name, notes: name });
    }
    const { data } = await service.get('/api/transaction-categories', token());
    categoryId = (data as readonly { id: string }[])[0]?.id;
    for (let index = 0; index < 150; index += 1) {
      const pattern = `${'ab'.repeat(40 + (index % 40))}${index}`;
      await post('/api/transaction-categories/rules', { categoryId, keyword: pattern, merchant: pattern });
    }
    await service.quiet();
  });

  test('a search is quick for any text', async () => {
    const searches = [
      'a',
      'a '.repeat(100),
      'a'.repeat(200),
      `${'a'.repeat(59)} `.repeat(3),
      'aı'.repeat(100),
      '%_*'.repeat(60),
    ];
    const searched = routeTable.filter((route) => schemas.queryOf(route).some(({ name }) => name === 'search'));
    expect(searched.length).toBeGreaterThan(12);
    const slow: string[] = [];
    for (const route of searched)
      for (const search of searches) {
        const paging = schemas.queryOf(route).filter(({ required, name }) => required && name !== 'search');
        const query = `?${[...paging.map(({ name }) => `${name}=${name === 'pageSize' ? 20 : 1}`), `search=${encodeURIComponent(search.trim().slice(0, 200))}`].join('&')}`;
        slow.push(
          ...(await unlessQuick(`${route.name} ${search.slice(0, 8)}`, async () => {
            const { status } = await requester.ask(route, { query });
            if (status !== 200) throw new Error(`${route.name}: ${status}`);
          })),
        );
      }
    expect(slow).toEqual([]);
  });

  test('a rule is quick for any text, in tests and when a transaction is recorded', async () => {
    const description = 'ab'.repeat(500);
    const merchant = 'ab'.repeat(100);
    const rule = { categoryId, keyword: 'ab'.repeat(100), matchType: 'CONTAINS' };
    const tried = await unlessQuick('rules/test', () =>
      post('/api/transaction-categories/rules/test', { description, merchant, rule }),
    );
    const customerId = (await service.customers(token())).items[0]?.id;
    const { data } = await service.get('/api/accounts/lookup?search=Cash', token());
    const accountId = (data as readonly { id: string }[])[0]?.id;
    const facts = { type: 'COLLECTION', date: '2026-03-04', amount: '1.00', customerId, accountId };
    const recorded = await unlessQuick('a transaction', async () => {
      await post('/api/transactions', { ...facts, description });
      await service.quiet();
    });
    expect([...tried, ...recorded]).toEqual([]);
  });

  test('a cache pattern is quick with any number of stars', async () => {
    const { cache } = service.service.engines;
    for (let index = 0; index < 500; index += 1) await cache.set(`${'a'.repeat(200)}${index}`, 'x', 600_000);
    const token = await service.operator();
    const slow: string[] = [];
    for (const pattern of [`${'*a'.repeat(120)}*b`, '*'.repeat(256), `${'[!-~]'.repeat(50)}b`, `${'?*'.repeat(127)}b`])
      slow.push(
        ...(await unlessQuick(pattern.slice(0, 8), async () => {
          const path = `/api/platform/redis/cache/${encodeURIComponent(pattern)}`;
          const { status } = await service.call('DELETE', path, { token });
          if (status !== 200) throw new Error(`${pattern}: ${status}`);
        })),
      );
    expect(slow).toEqual([]);
  });
});

test('The tests above log no warnings', () => {
  expect(service.complaints).toEqual([]);
});
