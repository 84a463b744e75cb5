import { placeText, RequestSchemas, type Place } from '../support/request-schemas.js';
import { Requester, type Answered } from '../support/requester.js';
import { routeTable, type Route } from '../support/route-table.js';
import { TestService } from '../support/service.js';

/*
 * One of two tenants sends ids of the other tenant's records, in every place of every request that accepts an id. The
 * OpenAPI document provides the places. The test fails if it misses any of them.
 */

let service: TestService;
let schemas: RequestSchemas;
/** The requesting tenant, and the tenant that owns the requested records. */
let [asking, other]: readonly [Requester, Requester] = [undefined as never, undefined as never];
/** Ids of the requesting tenant's own records that the requests below also require. */
const own = { cash: '', bank: '', customer: '' };
let headBefore: number;
beforeAll(async () => {
  service = await TestService.start();
  schemas = new RequestSchemas(service.service.openApi());
  [asking, other] = [await Requester.of(service), await Requester.of(service)];
  const { token } = asking.books.tenant;
  const idOf = async (code: string): Promise<string> => {
    const { body } = await service.get('/api/accounts?pageNumber=1&pageSize=100', token);
    const { items } = body as { items: readonly { id: string; name: string }[] };
    return items.find(({ name }) => name === code)?.id ?? '';
  };
  own.cash = await idOf('Cash');
  own.bank = await idOf('Bank');
  own.customer = asking.recordIds.get('/api/customers') ?? '';
  headBefore = await service.quiet();
});
afterAll(() => service.close());

const routes = routeTable.filter(({ who }) => who === 'any' || who.startsWith('tenant'));
const isId = (name: string): boolean => /Ids?$/.test(name) && !/(?:source|external|national|raw)Id$/i.test(name);

type Case = { readonly route: Route; readonly place: Place };
/** Returns every place in a body that accepts a record id. For a list of ids, the place is an item of the list. */
const places = (): Case[] =>
  routes
    .filter((route) => schemas.takesBody(route))
    .flatMap((route) =>
      schemas
        .fieldsOf(route)
        .filter(({ place, schema }) => {
          const name = place.findLast((part) => part !== 0) ?? '';
          const last = place.at(-1);
          return isId(name) && (name.endsWith('s') ? last === 0 : schema.type === 'string');
        })
        .map(({ place }): Case => ({ route, place })),
    );

const cash = { date: '2026-03-04', amount: '1.00' };
const collection = (): object => ({ ...cash, type: 'COLLECTION', customerId: own.customer, accountId: own.cash });
const transfer = (): object => ({ ...cash, type: 'TRANSFER', accountId: own.cash, counterAccountId: own.bank });
const payment = (): object => ({ ...cash, type: 'PAYMENT', accountId: own.cash });
const journal = (): object => ({
  ...{ date: cash.date, type: 'JOURNAL' },
  lines: [
    { accountId: own.cash, debit: '1.00' },
    { accountId: own.bank, credit: '1.00' },
  ],
});
const correcting = (replacement: object): object => ({ reason: 'Wrong account.', replacement });
/** Members that make a request valid except for the id in the place. Empty if the minimal body is already valid. */
const around = ({ route, place }: Case): object => {
  const of: Readonly<Record<string, () => object>> = {
    'POST /api/transactions': collection,
    'POST /api/transactions counterAccountId': transfer,
    'POST /api/transactions expenseItemId': payment,
    'POST /api/transactions lines[0].accountId': journal,
    'POST /api/transactions/{id}/correct': () => correcting(collection()),
    'POST /api/transactions/{id}/correct replacement.counterAccountId': () => correcting(transfer()),
    'POST /api/transactions/{id}/correct replacement.expenseItemId': () => correcting(payment()),
    'POST /api/transactions/{id}/correct replacement.lines[0].accountId': () => correcting(journal()),
    'POST /api/sales': () => ({
      ...{ currency: 'EUR', lines: [{ description: 'Goods', quantity: '1', unitPrice: '1.00' }] },
    }),
    'POST /api/transaction-categories/rules': () => ({
      categoryId: asking.recordIds.get('/api/transaction-categories'),
      keyword: 'word',
    }),
    'POST /api/transaction-categories/rules categoryId': () => ({ keyword: 'word' }),
    'POST /api/transaction-categories/rules/test rule.accountId': () => ({
      rule: { categoryId: asking.recordIds.get('/api/transaction-categories'), keyword: 'word' },
    }),
    'POST /api/transaction-categories/rules/test rule.categoryId': () => ({ rule: { keyword: 'word' } }),
  };
  return (of[`${route.name} ${placeText(place)}`] ?? of[route.name] ?? (() => ({})))();
};

function merged(base: unknown, over: unknown): unknown {
  const isObject = (value: unknown): value is Record<string, unknown> =>
    typeof value === 'object' && value !== null && !Array.isArray(value);
  if (Array.isArray(base) && Array.isArray(over))
    return [...over.map((value, at): unknown => merged(base[at], value)), ...(base as unknown[]).slice(over.length)];
  if (!isObject(base) || !isObject(over)) return over;
  const names = new Set([...Object.keys(base), ...Object.keys(over)]);
  return Object.fromEntries(
    [...names].map((name) => [name, name in over ? merged(base[name], over[name]) : base[name]]),
  );
}

const placed = ([first, ...rest]: Place, value: unknown): unknown => {
  if (first === undefined) return value;
  return first === 0 ? [placed(rest, value)] : { [first]: placed(rest, value) };
};

async function answerTo(one: Case, id: string): Promise<Answered> {
  const least = schemas.bodyWith(one.route, [], schemas.leastOf(schemas.fieldsOf(one.route)[0]?.schema ?? {}));
  const body = merged(merged(least, around(one)), placed(one.place, id));
  return asking.ask(one.route, { raw: JSON.stringify(body) });
}
const heard = ({ status, text }: Answered, id: string): [number, string] => [
  status,
  text
    .replace(/"requestId":"[^"]+"/, '')
    .replaceAll(id, 'ID')
    // The response to a rule test contains a new id and time for the draft.
    .replace(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|\d{4}-\d\d-\d\dT[\d:.]+Z/g, '*'),
];

test('Ids occur in many places', () => {
  expect(places().length).toBeGreaterThan(25);
  expect(other.recordIds.size).toBeGreaterThan(9);
});

test('In a body an unknown id is not found, at its path', async () => {
  const told: string[] = [];
  for (const one of places()) {
    const { status, faults } = await answerTo(one, service.service.engines.ids.next());
    const isTold = status === 404 && faults.includes(placeText(one.place));
    if (!isTold) told.push(`${one.route.name} ${placeText(one.place)}: ${status} ${faults.join()}`);
  }
  expect(told).toEqual([]);
});

test("Ids of another tenant's records in a body are treated as unknown", async () => {
  for (const one of places()) {
    const unknownId = service.service.engines.ids.next();
    const unknown = heard(await answerTo(one, unknownId), unknownId);
    for (const id of [...other.recordIds.values(), other.books.tenant.id]) {
      const told = heard(await answerTo(one, id), id);
      expect([one.route.name, placeText(one.place), ...told]).toEqual([
        one.route.name,
        placeText(one.place),
        ...unknown,
      ]);
    }
  }
});

test('In a body an id followed by NUL is unknown, whatever it begins with', async () => {
  const ownIds = [...asking.recordIds.values(), ...Object.values(own), asking.books.tenant.id];
  for (const one of places()) {
    const unknownId = service.service.engines.ids.next();
    const unknown = heard(await answerTo(one, unknownId), unknownId);
    for (const ownId of ownIds) {
      const told = heard(await answerTo(one, `${ownId}\0x`), JSON.stringify(`${ownId}\0x`).slice(1, -1));
      expect([one.route.name, placeText(one.place), ...told]).toEqual([
        one.route.name,
        placeText(one.place),
        ...unknown,
      ]);
    }
  }
});

test('In a path ids of another tenant are unknown, for every method, including notifications of operators', async () => {
  const addressed = routes.filter(({ path }) => path.includes('{id}'));
  expect(addressed.length).toBeGreaterThan(25);
  for (const route of addressed) {
    const raw = schemas.takesBody(route)
      ? JSON.stringify(
          merged(
            schemas.bodyWith(route, [], schemas.leastOf(schemas.fieldsOf(route)[0]?.schema ?? {})),
            around({ route, place: [] }),
          ),
        )
      : undefined;
    const required = schemas.queryOf(route).filter((one) => one.required);
    const query = required.length === 0 ? '' : `?${required.map(({ name }) => `${name}=1`).join('&')}`;
    const headers = asking.credentialsFor(route);
    const { status, text } = await other.ask(route, { query, headers, ...(raw !== undefined && { raw }) });
    expect([route.name, status, text]).toEqual([route.name, 404, expect.stringContaining('"NOT_FOUND"')]);
  }
});

test('None of these requests appends an event', async () => {
  expect(await service.service.engines.events.readAll({ from: headBefore })).toEqual([]);
});

test('The tests above log no warnings', () => {
  expect(service.complaints).toEqual([]);
});
