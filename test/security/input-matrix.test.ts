import { placeText, RequestSchemas, type Field, type Place } from '../support/request-schemas.js';
import { Requester, type Answered } from '../support/requester.js';
import { routeTable, type Route } from '../support/route-table.js';
import { saleOf, TestService } from '../support/service.js';

/*
 * Sends invalid input to every route, in every place of its query and body. The OpenAPI document provides the places.
 * The service generates this document from its declarations, so new routes and fields are covered automatically.
 */

/** Members that an attacker would use to try to access foreign data. */
const REACHING = [
  'id',
  'tenantId',
  'tid',
  'userId',
  'sub',
  'scope',
  'role',
  'roleIds',
  'permissions',
  'revision',
  'createdAt',
  'createdBy',
  'passwordHash',
  'secretHash',
  'isSystem',
  'systemGenerated',
  'source',
  'balance',
  'epoch',
  '$where',
  'constructor',
  'prototype',
  'toString',
  '__defineGetter__',
];
/** Places that deliberately accept any members, because the service never inspects the partner's own data. */
const OPEN_PLACES = ['POST /api/integrations/v1/sales metadata', 'POST /api/sales metadata'];
/** Places that accept and ignore additional members, because browsers add members to credentials. */
const CREDENTIALS = [
  '/console/session',
  '/api/auth/factors/{id}/confirm',
  '/api/auth/login/factor',
  '/api/auth/step-up',
].flatMap((path) => [`POST ${path} credential`, `POST ${path} credential.response`]);
/** The service validates the items one by one, and returns the results in the body of a 207 response. */
const BATCH = 'POST /api/integrations/v1/sales/batch';
/** The job itself validates this member, because only the job defines its parameters. */
const CHECKED_BY_JOB = ['POST /api/platform/jobs/trigger parameters'];

let service: TestService;
let requester: Requester;
let schemas: RequestSchemas;
let routes: readonly Route[];
let headBefore: number;
beforeAll(async () => {
  service = await TestService.start();
  requester = await Requester.of(service);
  schemas = new RequestSchemas(service.service.openApi());
  // Every path of the console returns the same page, which has no input.
  routes = routeTable.filter(({ body }) => body !== 'page-html');
  headBefore = await service.quiet();
});
afterAll(() => service.close());

const writing = (): readonly Route[] => routes.filter(({ method }) => method !== 'GET');
const withBody = (): readonly Route[] => writing().filter((route) => schemas.takesBody(route));
const isOpen = (route: Route, { place, schema }: Field): boolean =>
  OPEN_PLACES.includes(`${route.name} ${placeText(place)}`) ||
  CREDENTIALS.includes(`${route.name} ${placeText(place)}`) ||
  CHECKED_BY_JOB.includes(`${route.name} ${placeText(place)}`) ||
  (schema.type === undefined && schema.enum === undefined && !('const' in schema));
const fields = (which: (field: Field) => boolean): [Route, Field][] =>
  withBody().flatMap((route) =>
    schemas
      .fieldsOf(route)
      .filter((field) => !isOpen(route, field) && which(field))
      .map((field): [Route, Field] => [route, field]),
  );

const nameOf = (route: Route, place: Place, ...more: readonly unknown[]): string =>
  [route.name, placeText(place), ...more.map((one) => JSON.stringify(one))].join(' ');
const send = (route: Route, place: Place, value: unknown): Promise<Answered> =>
  requester.ask(route, { raw: JSON.stringify(schemas.bodyWith(route, place, value)) });

const AT_ONCE = 8;
/** Returns the outcomes of the cases, omitting undefined ones. Limits the number of concurrent requests. */
async function outcomes<T>(cases: readonly T[], outcomeOf: (one: T) => Promise<string | undefined>): Promise<string[]> {
  const told: string[] = [];
  for (let first = 0; first < cases.length; first += AT_ONCE)
    for (const outcome of await Promise.all(cases.slice(first, first + AT_ONCE).map(outcomeOf)))
      if (outcome !== undefined) told.push(outcome);
  return told;
}
/** Returns undefined if a request was rejected with 400 for the path, or for a path within it. */
const unlessRefused = (name: string, { status, faults }: Answered, path: string): string | undefined =>
  status === 400 &&
  faults.some((fault) => fault === path || fault.startsWith(`${path}.`) || fault.startsWith(`${path}[`))
    ? undefined
    : `${name}: ${status}, faults: ${faults.join(', ')}`;

test('The requests cover every route of the service, most of them with input', () => {
  expect(withBody().length).toBeGreaterThan(35);
  expect(fields(() => true).length).toBeGreaterThan(200);
  expect(routes.flatMap((route) => schemas.queryOf(route)).length).toBeGreaterThan(80);
});

describe('A body', () => {
  const objects = (): [Route, Field][] => fields(({ schema }) => schema.type === 'object');
  const smuggled = ({ schema }: Field): Record<string, unknown> =>
    Object.fromEntries(
      REACHING.filter((name) => !Object.hasOwn(schema.properties ?? {}, name)).map((name) => [name, 'smuggled']),
    );

  test('is closed: no object accepts undeclared members, except as listed here', () => {
    const open = withBody().flatMap((route) =>
      schemas
        .fieldsOf(route)
        .filter(({ schema }) => schema.type === 'object' && schema.additionalProperties !== false)
        .map(({ place }) => `${route.name} ${placeText(place)}`),
    );
    expect(open.toSorted()).toEqual([...CHECKED_BY_JOB, ...OPEN_PLACES, ...CREDENTIALS].toSorted());
    const undeclared = withBody().flatMap((route) =>
      schemas
        .fieldsOf(route)
        .filter((field) => isOpen(route, field) && field.schema.type === undefined)
        .map(({ place }) => `${route.name} ${placeText(place)}`),
    );
    expect(undeclared).toEqual([`${BATCH} sales[0]`]);
  });

  test('sets only declared fields: tenant, role, revision and the like are rejected by name', async () => {
    const told = await outcomes(objects(), async ([route, field]) => {
      const extra = smuggled(field);
      const around = schemas.leastOf(field.schema) as object;
      const { status, faults } = await send(route, field.place, { ...around, ...extra });
      const unnoticed = Object.keys(extra).filter((name) => !faults.includes(placeText([...field.place, name])));
      return status === 400 && unnoticed.length === 0 ? undefined : nameOf(route, field.place, status, unnoticed);
    });
    expect(told).toEqual([]);
  });

  test('of a route without a body must be empty', async () => {
    const without = writing().filter((route) => !schemas.takesBody(route));
    expect(without.length).toBeGreaterThan(15);
    const told = await outcomes(without, async (route) =>
      unlessRefused(route.name, await requester.ask(route, { raw: '{"tenantId":"smuggled"}' }), 'tenantId'),
    );
    expect(told).toEqual([]);
  });

  test('rejects the member __proto__ at any depth, and inherits nothing', async () => {
    const told = await outcomes(objects(), async ([route, { place }]) => {
      const raw = JSON.stringify(schemas.bodyWith(route, place, { marked: 1 }));
      const { status } = await requester.ask(route, { raw: raw.replace('"marked":1', '"__proto__":{"polluted":1}') });
      return status === 400 ? undefined : nameOf(route, place, status);
    });
    expect(told).toEqual([]);
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
  });

  test('can contain any data in its one open field, where it stays data', async () => {
    const [place = ''] = OPEN_PLACES;
    const route = routes.find(({ name }) => place.startsWith(name));
    if (!route) throw new Error(`There is no ${place}`);
    const asked = (metadata: string) =>
      requester.ask(route, {
        raw: JSON.stringify({ ...saleOf('with-metadata'), metadata: {} }).replace(
          '"metadata":{}',
          `"metadata":${metadata}`,
        ),
      });
    expect((await asked('{"a":{"__proto__":{"polluted":1}}}')).status).toBe(400);
    const odd = '{"constructor":{"prototype":{"polluted":1}},"$where":"1","a.b":{"$gt":""},"toString":null}';
    expect((await asked(odd)).status).toBe(202);
    await service.settled(requester.books.partner, 'with-metadata');
    const received = (await service.service.engines.events.readAll({ from: headBefore })).find(
      ({ type }) => type === 'SaleReceived' || type === 'SaleAccepted',
    );
    expect(JSON.stringify(received?.data)).toContain(odd);
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
    headBefore = await service.quiet();
  });

  test.each([[{ $ne: null }], [{ $gt: '' }], [{ $where: 'sleep(1000)' }], [[{ $regex: '.*' }]]])(
    'rejects query operators in place of a value: %j',
    async (operator) => {
      const told = await outcomes(
        fields(({ place }) => place.length > 0).filter(([{ name }]) => name !== BATCH),
        async ([route, { place, schema }]) => {
          // If the place accepts a list, the operator is the list's only item.
          const value = schema.type === 'array' && !Array.isArray(operator) ? [operator] : operator;
          return unlessRefused(nameOf(route, place), await send(route, place, value), placeText(place));
        },
      );
      expect(told).toEqual([]);
    },
  );

  test('has bounded lists and texts: one more is rejected', async () => {
    const unbounded = fields(
      ({ schema: { type, maxItems, maxLength, enum: choices, const: only, pattern, format } }) =>
        (type === 'array' && maxItems === undefined) ||
        (type === 'string' && [maxLength, choices, only, pattern, format].every((bound) => bound === undefined)),
    ).map(([route, { place }]) => nameOf(route, place));
    // This field accepts only a fixed set of names, in upper or lower case, so it requires no bound.
    expect(unbounded).toEqual(['POST /api/accounts type']);
    const told = await outcomes(
      fields(({ schema: { type, maxItems } }) => (type === 'array' ? maxItems !== undefined : type === 'string')),
      async ([route, { place, schema }]) => {
        const { type, maxItems = 0, maxLength = 5_000, items = {} } = schema;
        const tooMuch = Array.from({ length: maxItems + 1 }, () => schemas.leastOf(items));
        const value = type === 'array' ? tooMuch : 'x'.repeat(maxLength + 1);
        return unlessRefused(nameOf(route, place), await send(route, place, value), placeText(place));
      },
    );
    expect(told).toEqual([]);
  });

  test.each<[string, string, Readonly<Record<string, string>>, number]>([
    ['larger than a mebibyte (a batch: four)', `"${'x'.repeat(1_048_576)}"`, {}, 413],
    ['nested deeper than 32', `${'['.repeat(33)}${']'.repeat(33)}`, {}, 400],
    ['with a name twice', '{"name":1,"name":2}', {}, 400],
    ['of a form', 'name=x', { 'content-type': 'application/x-www-form-urlencoded' }, 415],
    ['of text', '{}', { 'content-type': 'text/plain' }, 415],
    ['of XML', '<a/>', { 'content-type': 'application/xml' }, 415],
    ['that is compressed, and might be a bomb', '{}', { 'content-encoding': 'gzip' }, 415],
  ])('%s is rejected everywhere', async (_, raw, headers, expected) => {
    const told = await outcomes(writing(), async (route) => {
      const isLarge = expected === 413 && route.name === BATCH;
      const { status } = await requester.ask(route, { raw: isLarge ? raw.repeat(4) : raw, headers });
      return status === expected ? undefined : `${route.name}: ${status}`;
    });
    expect(told).toEqual([]);
  });
});

describe('A query', () => {
  const needed = (route: Route): string[] =>
    schemas
      .queryOf(route)
      .filter(({ required }) => required)
      .map(({ name }) => `${name}=1`);
  const ask = (route: Route, ...parameters: readonly string[]): Promise<Answered> =>
    requester.ask(route, {
      query: `?${[...needed(route), ...parameters].join('&')}`,
      ...(schemas.takesBody(route) && { raw: '{}' }),
    });

  test.each([...REACHING, '__proto__', '$ne', '[]', 'x'])('rejects undeclared parameters: %s', async (name) => {
    const open = routes.filter((route) => !schemas.queryOf(route).some((declared) => declared.name === name));
    const told = await outcomes(open, async (route) =>
      unlessRefused(route.name, await ask(route, `${encodeURIComponent(name)}=smuggled`), name),
    );
    expect(told).toEqual([]);
  });

  const parameters = (): [Route, ReturnType<RequestSchemas['queryOf']>[number]][] =>
    routes.flatMap((route) =>
      schemas
        .queryOf(route)
        .map((parameter): [Route, ReturnType<RequestSchemas['queryOf']>[number]] => [route, parameter]),
    );

  test.each(['[$ne]', '[$gt]', '[]', '[__proto__]', '.$where', '[constructor][prototype][x]'])(
    'rejects parameters with an operator or a path in the name: %s',
    async (suffix) => {
      const told = await outcomes(parameters(), async ([route, { name }]) =>
        unlessRefused(
          `${route.name} ${name}`,
          await ask(route, `${name}${encodeURIComponent(suffix)}=1`),
          `${name}${suffix}`,
        ),
      );
      expect(told).toEqual([]);
    },
  );

  test('rejects repeated parameters', async () => {
    const told = await outcomes(parameters(), async ([route, { name }]) =>
      unlessRefused(`${route.name} ${name}`, await ask(route, `${name}=1`, `${name}=1`), name),
    );
    expect(told).toEqual([]);
  });

  test('is limited to pages of 100, starting at the first', async () => {
    const sizes = parameters().filter(([, { name }]) => /^(?:pageSize|limit)$/.test(name));
    const numbers = parameters().filter(([, { name }]) => /^(?:pageNumber|page)$/.test(name));
    expect(sizes.length).toBeGreaterThan(14);
    const cursors = parameters().filter(([, { name }]) => name === 'cursor');
    expect(numbers.length + cursors.length).toBe(sizes.length);
    const cases = [
      ...sizes.flatMap((one) =>
        ['0', '-1', '101', '1e9', '99999999999999999999', 'NaN', '١'].map((value) => [...one, value] as const),
      ),
      ...numbers.flatMap((one) => ['0', '-1', '1.5', '9'.repeat(101)].map((value) => [...one, value] as const)),
    ];
    const told = await outcomes(cases, async ([route, { name }, value]) => {
      const others = needed(route).filter((given) => !given.startsWith(`${name}=`));
      const query = `?${[...others, `${name}=${encodeURIComponent(value)}`].join('&')}`;
      return unlessRefused(`${route.name} ${name}=${value}`, await requester.ask(route, { query }), name);
    });
    expect(told).toEqual([]);
  });

  test('is limited to searches of 200 characters', async () => {
    const searches = parameters().filter(([, { name }]) => name === 'search');
    expect(searches.length).toBeGreaterThan(12);
    const told = await outcomes(searches, async ([route, { name }]) => {
      const others = needed(route).filter((given) => !given.startsWith('search='));
      const query = `?${[...others, `search=${'x'.repeat(201)}`].join('&')}`;
      return unlessRefused(route.name, await requester.ask(route, { query }), name);
    });
    expect(told).toEqual([]);
  });
});

test('None of these requests appends an event', async () => {
  const written = (await service.service.engines.events.readAll({ from: headBefore })).map(({ type }) => type);
  expect(written.filter((type) => type !== 'IntegrationKeyUsed')).toEqual([]);
});

test('The tests above log no warnings', () => {
  expect(service.complaints).toEqual([]);
});
