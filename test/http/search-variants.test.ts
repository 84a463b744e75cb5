import { everyPage } from '../support/list-pages.js';
import { naiveWords, naivelyFinds } from '../support/naive-search.js';
import { ApiDocument, routeTable } from '../support/route-table.js';
import { PASSWORD, saleOf, TestService, type Books } from '../support/service.js';

/*
 * Runs every search that is available to tenants and operators. Uses the same words in different spellings, every
 * prefix of every word, and strings that would break a carelessly implemented search.
 */

const CITIES = ['ISTANBUL', 'istanbul', 'İstanbul', 'ıstanbul', 'Istanbul'];

/** Characters with a special meaning in SQL, full-text search, document stores, shells or patterns. */
const PUNCTUATED = [
  ...`' " '' \` \\ * % ^ | & # + .* <b> \${1} $where ../../etc {"$gt":""} ?search=istanbul`.split(' '),
  ...'"istanbul istanbul" (istanbul istanbul) istanbul* *stanbul %stanbul is%ul _stanbul ist_nbul'.split(' '),
  ...'is?anbul [i]stanbul ^istanbul -istanbul name:istanbul null undefined true 0'.split(' '),
  ...['istanbul AND nobody', 'istanbul OR nobody', 'NOT istanbul', 'NEAR(istanbul kira)', '[object Object]'],
  ...[' ', '   ', '\u3000', ' istanbul '],
  ...["'; DROP TABLE customers; --", "' OR 1=1 --", 'istanbul) OR (1=1', '1 UNION SELECT *'],
];
/** NUL and other control characters, emojis, combining marks, right-to-left text, and very long strings. */
const ODD = [
  ...['istanbul\0', '\0', '\u001b[31m', 'istanbul\r\nkira', '😀', '👨\u200d👩\u200d👧', '\u0301', 'שלום', '\uffff'],
  ...['\u202eistanbul\u202c', 'is\u200dtanbul', '\ufeffistanbul', 'a b c d e f g h i j k l m n o p q r s t u'],
  ...['x'.repeat(200), 'x'.repeat(201), 'x'.repeat(10_000), '*'.repeat(10_000), '?'.repeat(5_000)],
];
const ODD_QUERIES = [
  ...'search search= search=% search=%zz search=%ED%A0%80 search=%C0%80 search=%FF search=%00'.split(' '),
  ...'search=a&search=b search[]=a search[$gt]= search.a=b search=%F0%9F%98%80%F0'.split(' '),
  `search=${'x+'.repeat(5_000)}`,
];

type Known = Readonly<Record<string, unknown>> & { readonly id: string };
type Search = {
  /** Path with the query parameters that the list requires in addition to those for paging and search. */
  readonly path: string;
  /** Fields that the search covers. */
  readonly fields: readonly string[];
  /** The source of all records for a look-up, because the look-up itself returns only some of them. */
  readonly records?: { readonly path: string; readonly isShown: (record: Known) => boolean };
  readonly shape: 'page' | 'lookup' | 'rules';
};

const CUSTOMER_FIELDS = ['name', 'code', 'taxNumber', 'nationalId', 'email', 'phone'];
const TRANSACTION_FIELDS = ['description', 'reference', 'externalId', 'customerName'];
const isActive = (record: Known): boolean => record['isActive'] === true;

const SEARCHES: Readonly<Record<string, Search>> = {
  '/api/customers': { path: '/api/customers?status=ALL', fields: CUSTOMER_FIELDS, shape: 'page' },
  '/api/customers/lookup': {
    path: '/api/customers/lookup?',
    fields: CUSTOMER_FIELDS,
    records: { path: '/api/customers?status=ALL', isShown: ({ status }) => status === 'ACTIVE' },
    shape: 'lookup',
  },
  '/api/customers/{id}/transactions': { path: '', fields: TRANSACTION_FIELDS, shape: 'page' },
  '/api/sales': { path: '/api/sales?', fields: ['externalId', 'customerName'], shape: 'page' },
  '/api/accounts': { path: '/api/accounts?', fields: ['name', 'code'], shape: 'page' },
  '/api/accounts/lookup': {
    path: '/api/accounts/lookup?',
    fields: ['name', 'code'],
    records: { path: '/api/accounts?', isShown: isActive },
    shape: 'lookup',
  },
  '/api/users': { path: '/api/users?', fields: ['fullName', 'email', 'phone'], shape: 'page' },
  '/api/users/lookup': {
    path: '/api/users/lookup?',
    fields: ['fullName', 'email', 'phone'],
    records: { path: '/api/users?', isShown: isActive },
    shape: 'lookup',
  },
  '/api/branches': { path: '/api/branches?', fields: ['code', 'name', 'phone'], shape: 'page' },
  '/api/branches/lookup': {
    path: '/api/branches/lookup?',
    fields: ['code', 'name', 'phone'],
    records: { path: '/api/branches?', isShown: isActive },
    shape: 'lookup',
  },
  '/api/transactions': { path: '/api/transactions?', fields: TRANSACTION_FIELDS, shape: 'page' },
  '/api/transaction-categories/rules': {
    path: '/api/transaction-categories/rules?',
    fields: ['merchant', 'keyword', 'notes'],
    shape: 'rules',
  },
};
const ROUTES = Object.keys(SEARCHES);
/**
 * Excluded, because audit logs are searched by actor, action, record and request. test/http/audit.test.ts covers these
 * searches.
 */
const AUDIT_LOGS = '/api/audit-logs';
const MOST_IN_LOOKUP = 20;

let service: TestService;
/** Two tenants whose records contain the same strings. */
let sides: readonly [Books, Books];
/** For each tenant, the customer whose transactions are searched. */
let customerIds: readonly [string, string];
beforeAll(async () => {
  service = await TestService.start();
  sides = [await service.openBooks(), await service.openBooks()];
  customerIds = [await fill(sides[0], 0), await fill(sides[1], 1)];
  await service.quiet();
});
afterAll(() => service.close());

/** Creates records with every spelling of the city for each list, and with words in each of the other fields. */
async function fill({ tenant: { token }, partner }: Books, side: number): Promise<string> {
  const post = async (path: string, body: object): Promise<string> => (await service.post(path, body, token)).id;
  const { items } = (await service.get('/api/accounts?pageNumber=1&pageSize=100', token)).body as { items: Known[] };
  const [cash, bank] = ['Cash', 'Bank'].map((name) => items.find((account) => account['name'] === name)?.id);
  const categoryId = await post('/api/transaction-categories', { name: 'Searched' });
  const transfer = { type: 'TRANSFER', date: '2026-03-04', amount: '1.00', accountId: cash, counterAccountId: bank };
  const owner = await post('/api/customers', { name: 'Çağrı Öztürk', code: 'OWN-1' });
  const collected = { type: 'COLLECTION', date: '2026-03-04', amount: '1.00', accountId: cash, customerId: owner };
  for (const [index, city] of CITIES.entries()) {
    await post('/api/customers', { name: `Yeni ${city}'a kargo` });
    await post('/api/accounts', { type: 'OTHER', name: `Kasa (${city})` });
    await post('/api/users', { ...person(side, index), fullName: `Ayşe ${city}`, phone: `0555 ${index}` });
    await post('/api/branches', { code: `I${index}`, name: `Şube-${city}`, phone: `+90 21${index} 33` });
    await post('/api/transactions', { ...transfer, description: `Kira/${city}` });
    await post('/api/transactions', { ...collected, reference: `№ ${city}`, description: `Taksit ${index}` });
    await post('/api/transaction-categories/rules', { categoryId, keyword: `${city} kira` });
    await post('/api/sales', saleOf(`Satış ${city}`, { customerId: owner }));
  }
  const facts = { taxNumber: 'TR 123-456', nationalId: 'KİMLİK.99', email: 'office.istanbul@post.test' };
  await post('/api/customers', { name: 'Ünlü', code: 'ÖZEL-Kod 7', phone: '+90 (212) 555', ...facts });
  await post('/api/customers', { name: 'Resting Istanbul', status: 'PASSIVE' });
  await post('/api/customers', { name: 'O\'Brien "The" 100%_*  שלום 😀 東京' });
  await post('/api/accounts', { type: 'OTHER', name: 'Shut İstanbul', code: 'ÇEK/1', isActive: false });
  await post('/api/users', { ...person(side, 7), fullName: 'Gül', isActive: false });
  await post('/api/branches', { code: 'KADI-2', name: 'Kapalı istanbul', isActive: false });
  const texts = { merchant: 'Çelik A.Ş.', notes: 'gelen\nİADE' };
  await post('/api/transaction-categories/rules', { categoryId, ...texts });
  const name = 'Partner ISTANBUL';
  await service.sell(partner, saleOf('ıst/2026-İ', { customer: { name, externalId: 'p' } }));
  await service.sell(partner, saleOf('own-2', { customer: { name: 'Own', code: 'own-1' } }));
  return owner;
}

const person = (side: number, index: number) => ({
  email: `person${index}.of${side}@ISTANBUL.test`,
  password: PASSWORD,
  role: 'USER',
});

const searchOf = (route: string, side: number): Search => {
  const search = SEARCHES[route];
  if (!search) throw new Error(`No search of ${route}`);
  const path = search.path === '' ? `/api/customers/${customerIds[side]}/transactions?` : search.path;
  return { ...search, path };
};

async function everything(route: string, side: 0 | 1): Promise<Known[]> {
  const { path, shape, records } = searchOf(route, side);
  const { token } = sides[side].tenant;
  if (shape === 'rules') return rules(`${path}&limit=100`, token);
  const found = await everyPage<Known>(service, token, records?.path ?? path);
  return records ? found.filter(records.isShown) : found;
}

const rules = async (path: string, token: string): Promise<Known[]> =>
  ((await service.get(path, token)).data as { items: Known[] }).items;

/** Returns the ids in a search result. */
async function idsFor(route: string, side: 0 | 1, search: string): Promise<string[]> {
  const { path, shape } = searchOf(route, side);
  const { token } = sides[side].tenant;
  const address = `${path}&search=${encodeURIComponent(search)}`;
  const found =
    shape === 'page'
      ? await everyPage<Known>(service, token, address)
      : shape === 'rules'
        ? await rules(`${address}&limit=100`, token)
        : ((await service.get(address, token)).data as Known[]);
  return found.map(({ id }) => id);
}

const textOf = (record: Known, field: string): string | null => record[field] as string | null;
const textsOf = (record: Known, { fields }: Search): (string | null)[] => fields.map((field) => textOf(record, field));

/**
 * Expects the same result as from the simplest possible search over all records. A look-up returns at most twenty
 * records.
 */
async function expectFound(route: string, side: 0 | 1, search: string, records: readonly Known[]): Promise<number> {
  const ids = await idsFor(route, side, search);
  const wanted = searchOf(route, side);
  const expected = records.filter((record) => naivelyFinds(search, textsOf(record, wanted))).map(({ id }) => id);
  const isCut = wanted.shape === 'lookup' && expected.length > MOST_IN_LOOKUP;
  const shown = isCut ? [...new Set(ids.filter((id) => expected.includes(id)))] : ids.toSorted();
  expect([route, search, isCut ? shown.length : shown]).toEqual([
    route,
    search,
    isCut ? MOST_IN_LOOKUP : expected.toSorted(),
  ]);
  return expected.length;
}

test('The searches cover every search of a tenant', () => {
  const document = new ApiDocument(service.service.openApi());
  const searchable = routeTable.filter(
    (route) => route.method === 'GET' && route.who === 'tenant' && document.queryOf(route).includes('search'),
  );
  expect(searchable.map(({ path }) => path).toSorted()).toEqual([...ROUTES, AUDIT_LOGS].toSorted());
});

describe.each(ROUTES)('The search of %s', (route) => {
  test('finds every spelling of a city by every other spelling', async () => {
    const records = await everything(route, 0);
    const { fields } = searchOf(route, 0);
    const spelled = CITIES.map(
      (city) => records.find((record) => fields.some((field) => textOf(record, field)?.includes(city)))?.id,
    );
    expect(spelled).not.toContain(undefined);
    const answers = await Promise.all(CITIES.map((city) => idsFor(route, 0, city)));
    for (const ids of answers) {
      expect(ids).toEqual(answers[0]);
      expect(ids).toEqual(expect.arrayContaining(spelled));
    }
    for (const city of CITIES) expect(await expectFound(route, 0, city, records)).toBeGreaterThanOrEqual(CITIES.length);
  });

  test('finds every record by the prefix of each word in each of its fields', async () => {
    const records = await everything(route, 0);
    const search = searchOf(route, 0);
    // Each field must contain a word in some record. Otherwise, the test would not cover the field.
    for (const field of search.fields)
      expect([field, records.some((record) => naiveWords(textOf(record, field) ?? '').length > 0)]).toEqual([
        field,
        true,
      ]);
    const words = new Set(
      records.flatMap((record) => textsOf(record, search).flatMap((text) => naiveWords(text ?? ''))),
    );
    const beginnings = new Set(
      [...words]
        // Limits the prefixes of long words, because ids are random and a few of their prefixes are sufficient.
        .flatMap((word) => Array.from({ length: Math.min(word.length, 9) }, (_, at) => word.slice(0, at + 1))),
    );
    for (const beginning of beginnings)
      expect([beginning, await expectFound(route, 0, beginning, records)]).not.toEqual([beginning, 0]);
    for (const word of words) if (word.length > 1) await expectFound(route, 0, word.slice(1), records);
  });

  test('finds records with all words in any order, and no others', async () => {
    const records = await everything(route, 0);
    for (const record of records) {
      const words = textsOf(record, searchOf(route, 0)).flatMap((text) => naiveWords(text ?? ''));
      const reversed = words.toReversed().map((word) => word.slice(0, 3));
      const some = reversed.slice(0, 6).join(' ').toUpperCase();
      expect(await expectFound(route, 0, some, records)).toBeGreaterThan(0);
      expect(await expectFound(route, 0, `${some} zzz`, records)).toBe(0);
    }
  });

  test('shows nothing of another tenant with the same words', async () => {
    const [own, foreign] = [await everything(route, 0), await everything(route, 1)];
    expect(foreign).toHaveLength(own.length);
    const foreignIds = new Set(foreign.map(({ id }) => id));
    for (const search of [...CITIES, 'is', 'a', 'kira', 'person', '2026']) {
      expect((await idsFor(route, 0, search)).filter((id) => foreignIds.has(id))).toEqual([]);
      await expectFound(route, 1, search, foreign);
    }
    for (const { id } of foreign) expect(await idsFor(route, 0, id)).toEqual([]);
  });

  test('treats special characters as separators', async () => {
    const records = await everything(route, 0);
    for (const search of PUNCTUATED) await expectFound(route, 0, search, records);
  });

  test('handles any input: it responds, or reports the error', async () => {
    for (const search of ODD) await expectHarmless(route, `search=${encodeURIComponent(search)}`);
    for (const query of ODD_QUERIES) await expectHarmless(route, query);
    // These searches are too long for a request line.
    for (const letter of ['"', '😀', 'ı']) {
      const { path } = searchOf(route, 0);
      const address = `${path}&search=${encodeURIComponent(letter.repeat(10_000))}`;
      expect([400, 414, 431]).toContain((await service.get(address, sides[0].tenant.token)).status);
    }
    await expectFound(route, 0, 'istanbul', await everything(route, 0));
  });
});

/** Expects that the search succeeds or is rejected with a message. */
async function expectHarmless(route: string, query: string): Promise<void> {
  const { path, shape } = searchOf(route, 0);
  const { token } = sides[0].tenant;
  const paging = shape === 'page' ? '&pageNumber=1&pageSize=100' : '';
  const reply = await service.get(`${path}&${query}${paging}`, token);
  expect([query, [200, 400].includes(reply.status)]).toEqual([query, true]);
  if (reply.status === 400) {
    const { code, message } = reply.problem;
    expect([code, message.length > 0]).toEqual(['VALIDATION_FAILED', true]);
  }
}

test('Letters of other scripts form words, but emojis do not', async () => {
  for (const search of ['שלו', '東', '100', 'brien 東京', 'שלום 😀'])
    expect([search, (await idsFor('/api/customers', 0, search)).length]).toEqual([search, 1]);
  for (const search of ['😀', '%', "'"])
    expect([search, await idsFor('/api/customers', 0, search)]).toEqual([search, []]);
});

test('Searches of operators also support the spellings', async () => {
  const token = await service.operator();
  for (const [index, city] of CITIES.entries()) {
    const owner = { fullName: 'Owner', email: `owner${index}@city.test`, password: PASSWORD };
    const facts = { name: `Firma ${city}`, slug: `city-${index}`, currency: 'TRY', timeZone: 'Europe/Istanbul', owner };
    expect((await service.post('/api/platform/tenants', facts, token)).status).toBe(201);
    const operator = { fullName: `İlk ${city}`, email: `operator${index}@city.test`, password: PASSWORD };
    expect((await service.post('/api/platform/operators', operator, token)).status).toBe(201);
  }
  for (const path of ['/api/platform/tenants', '/api/platform/operators'])
    for (const city of [...CITIES, 'ıSt', 'İS']) {
      const found = await everyPage<Known>(service, token, `${path}?search=${encodeURIComponent(city)}`);
      expect([path, city, found.length]).toEqual([path, city, CITIES.length]);
    }
});

test('The tests above log no warnings', () => {
  expect(service.complaints).toEqual([]);
});
