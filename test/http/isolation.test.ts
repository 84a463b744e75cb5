import fc from 'fast-check';
import { Browser } from '../support/push-service.js';
import { ApiDocument, routeTable, type Route } from '../support/route-table.js';
import { saleOf, TestService, type Books } from '../support/service.js';

/*
 * Creates random histories of two tenants through HTTP. Each tenant then sends every possible query, once with its own
 * words and ids, and once with the other tenant's. No response may contain the other tenant's data. The other tenant's
 * ids must behave like unknown ids.
 */

/** `RUNS=20 npm run jest -- test/http/isolation` runs the long form. */
const RUNS = Number(process.env['RUNS'] ?? 1);
const seed = Number(process.env['SEED'] ?? Date.now() % 2_147_483_647);

let service: TestService;
let document: ApiDocument;
/** The GET routes that a tenant's credentials can access, for users and for partners. */
let questions: readonly Route[];
beforeAll(async () => {
  process.stdout.write(`seed ${seed}\n`);
  service = await TestService.start();
  document = new ApiDocument(service.service.openApi());
  questions = routeTable.filter(({ method, who }) => method === 'GET' && ['tenant', 'any', 'partner'].includes(who));
});
afterAll(() => service.close());

type Side = {
  readonly books: Books;
  /** The prefix of all of the tenant's strings. None of the other tenant's strings has this prefix. */
  readonly mark: string;
  readonly externalIds: string[];
  made: number;
};

async function newSide(): Promise<Side> {
  // The mark is long enough that no key contains it by chance.
  const mark = service.fresh('qvwkz').replace('-', 'x');
  const tenant = await service.createTenant({ slug: `${mark}-slug` });
  const books = { tenant, partner: await service.createKey(tenant, { sourceId: `${mark}-source` }) };
  return { books, mark, externalIds: [], made: 0 };
}

/** A write request. Its strings are marked, except for strings that both tenants share. */
type Step = { readonly side: 0 | 1; readonly what: (typeof KINDS)[number]; readonly number: number };
const KINDS = [
  'customer',
  'branch',
  'sale',
  'unmarked sale',
  'user',
  'role',
  'account',
  'category',
  'rename',
  'close',
  'notice',
  'browser',
] as const;
/** Every kind of request in both tenants, in random order. */
const steps: fc.Arbitrary<readonly Step[]> = fc
  .tuple(...([0, 1] as const).flatMap((side) => KINDS.map((what) => stepOf(side, what))))
  .chain((all) => fc.shuffledSubarray(all, { minLength: all.length }));

function stepOf(side: Step['side'], what: Step['what']): fc.Arbitrary<Step> {
  return fc.nat({ max: 3 }).map((number) => ({ side, what, number }));
}

/**
 * @throws Error if the request is rejected with a status other than 409. A 409 means that the tenant may already have
 * the same record
 */
async function post(side: Side, path: string, body: object): Promise<void> {
  const { status, told } = await service.post(path, body, side.books.tenant.token);
  if (status >= 400 && status !== 409) throw new Error(`${path}: ${told}`);
}

async function sell(side: Side, externalId: string, name: string, code: string): Promise<void> {
  const { partner } = side.books;
  side.externalIds.push(externalId);
  const payments = [{ method: 'CASH', amount: '10.00' }];
  const sale = saleOf(externalId, { customer: { name, code }, payments });
  // The idempotency key is the external id, so both tenants' partners may use the same key.
  const { status } = await service.postSale(partner, sale, externalId);
  if (status < 300) await service.settled(partner, externalId);
}

/** Creates a rule for the category that is listed last. */
async function classify(side: Side, keyword: string): Promise<void> {
  const { data } = await service.get('/api/transaction-categories', side.books.tenant.token);
  const categoryId = (data as readonly { id: string }[]).at(-1)?.id;
  await post(side, '/api/transaction-categories/rules', { categoryId, keyword });
}

/** Returns the id of the first item in a list of any format. */
async function first(side: Side, path: string): Promise<string> {
  const paging = document.queryOf({ method: 'GET', path }, 'required').length > 0 ? '?pageNumber=1&pageSize=1' : '';
  const { body } = await service.get(`${path}${paging}`, side.books.tenant.token);
  const { items, data } = body as Partial<Record<'items' | 'data', { id: string }[] | { items: { id: string }[] }>>;
  const shown = items ?? data ?? [];
  return (Array.isArray(shown) ? shown : shown.items)[0]?.id ?? 'none';
}

async function change(side: Side, path: string, body: object): Promise<void> {
  const id = await first(side, path);
  const { token } = side.books.tenant;
  const { status, told } = await service.call('PATCH', `${path}/${id}`, { token, body });
  if (status >= 400) throw new Error(`${path}: ${told}`);
}

async function take({ what, number }: Step, side: Side): Promise<void> {
  side.made += 1;
  const name = `${side.mark} ${side.made}`;
  const shared = `shared-${number}`;
  const email = `${side.mark}.${side.made}@${side.mark}.test`;
  switch (what) {
    case 'customer': {
      const openingBalance = { amount: '5.00', direction: 'IN', date: '2026-01-01' };
      return post(side, '/api/customers', { name, code: shared, email, notes: name, openingBalance });
    }
    case 'branch':
      return post(side, '/api/branches', { name, code: shared, address: name, email });
    case 'sale':
      return sell(side, `${side.mark}-sale-${side.made}`, name, shared);
    case 'unmarked sale':
      return sell(side, `sale-${number}`, 'Somebody', shared);
    case 'user':
      return post(side, '/api/users', { fullName: name, email, password: `${name} of length`, role: 'ADMIN' });
    case 'role':
      return post(side, '/api/roles', { name, description: name, permissions: ['customers.read'] });
    case 'account':
      return post(side, '/api/accounts', { type: 'EXPENSE', name, code: shared });
    case 'category':
      await post(side, '/api/transaction-categories', { name });
      return classify(side, name);
    case 'rename':
      return change(side, '/api/branches', { name, description: name });
    case 'notice':
      return post(side, '/api/notifications/admin/send', { title: name, body: name, broadcast: true });
    case 'browser': {
      const { subscription } = new Browser(`https://push.invalid/${side.mark}/${side.made}`);
      return post(side, '/api/notifications/push-subscriptions', { ...subscription, userAgent: name });
    }
    case 'close':
      return change(side, '/api/branches', { isActive: number === 0 });
  }
}

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

type Known = {
  /** Ids of every record, including records that no route returns. */
  readonly ids: readonly string[];
  /** Every id in the tenant's events. */
  readonly secrets: readonly string[];
  readonly words: readonly string[];
  readonly externalIds: readonly string[];
};

async function knownOf({ mark, externalIds, books: { tenant } }: Side): Promise<Known> {
  const history = await service.service.engines.events.readAll({ maxCount: 100_000 });
  const own = history.filter(({ stream }) => stream.includes(tenant.id));
  const idsIn = (texts: readonly string[]): string[] => [...new Set(texts.flatMap((text) => text.match(UUID) ?? []))];
  return {
    ids: idsIn(own.map(({ stream }) => stream)),
    secrets: idsIn(own.map(({ stream, data }) => `${stream} ${JSON.stringify(data)}`)),
    words: [mark, `${mark} 1`, `${mark}.1@${mark}.test`, tenant.slug, 'shared', 'shared-1', 'owner'],
    externalIds: [...new Set(externalIds)],
  };
}

/** If `address` contains the id of a record, `stranger` is the same URL with an unknown id. */
type Question = {
  readonly route: Route;
  readonly address: string;
  readonly stranger?: string;
  readonly accept?: string;
};

const STRANGER = '01900000-0000-7000-8000-000000000000';
const namesOf = ({ path }: Route): string[] => [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '');

/**
 * Returns the queries for a route: one for each known value, as a path parameter or filter, and one with only the
 * required parameters.
 */
function questionsOn(route: Route, known: Known): Question[] {
  const needed = document
    .queryOf(route, 'required')
    .map((name) => (name === 'search' ? 'search=shared' : `${name}=${name === 'pageSize' ? 100 : 1}`));
  const ask = (path: string, ...more: readonly string[]): string => `${path}?${[...needed, ...more].join('&')}`;
  const [parameter, ...others] = namesOf(route);
  if (others.length > 0) throw new Error(`${route.name}: say how to ask with two parameters.`);
  if (parameter !== undefined) {
    const at = (value: string): string => ask(route.path.replace(/\{\w+\}/, encodeURIComponent(value)));
    const values = parameter === 'id' ? known.ids : known.externalIds;
    return values.map((value) => ({ route, address: at(value), stranger: at(STRANGER) }));
  }
  const filtered = document.queryOf(route).flatMap((name): Question[] => {
    const by = (value: string): string => ask(route.path, `${name}=${encodeURIComponent(value)}`);
    if (name === 'search') return known.words.map((word) => ({ route, address: by(word) }));
    if (!name.endsWith('Id')) return [];
    return known.ids.map((id) => ({ route, address: by(id), stranger: by(STRANGER) }));
  });
  return [{ route, address: ask(route.path) }, ...filtered];
}

/** Returns every possible query with the known values, as JSON and as CSV. */
const all = (known: Known): Question[] =>
  questions
    .flatMap((route) => questionsOn(route, known))
    .flatMap((question) => {
      const hasTable = /reports|statement/.test(question.route.path);
      return hasTable ? [question, { ...question, accept: 'text/csv' }] : [question];
    });

type Heard = { readonly status: number; readonly text: string };
async function ask({ books: { tenant, partner } }: Side, { route, address, accept }: Question): Promise<Heard> {
  const credential = route.who === 'partner' ? { key: partner.key } : { token: tenant.token };
  const headers = accept === undefined ? {} : { accept };
  const { status, text } = await service.call('GET', address, { ...credential, headers });
  return { status, text: text.replace(/"requestId":"[^"]+"/, '') };
}

const AT_ONCE = 16;
async function each<T>(from: readonly T[], work: (one: T) => Promise<void>): Promise<void> {
  for (let begin = 0; begin < from.length; begin += AT_ONCE)
    await Promise.all(from.slice(begin, begin + AT_ONCE).map(work));
}

/** Returns the other tenant's data that a response contains. */
const leaksIn = ({ text }: Heard, { mark }: Side, { secrets }: Known): string[] => {
  const told = text.toLowerCase();
  return [mark, ...secrets].filter((secret) => told.includes(secret));
};

async function compare(asking: Side, other: Side, own: Known, foreign: Known): Promise<void> {
  const heard: string[] = [];
  const hear = async (question: Question): Promise<Heard> => {
    const answer = await ask(asking, question);
    expect([question.address, answer.status < 500]).toEqual([question.address, true]);
    expect([question.address, leaksIn(answer, other, foreign)]).toEqual([question.address, []]);
    if (answer.status === 200) heard.push(answer.text.toLowerCase());
    return answer;
  };
  await each(all(own), async (question) => {
    await hear(question);
  });
  // Proves that the search for leaks works: it finds the tenant's own data.
  const isShown = (secret: string): boolean => heard.some((text) => text.includes(secret));
  expect([asking.mark, isShown(asking.mark)]).toEqual([asking.mark, true]);
  expect(own.secrets.filter(isShown).length).toBeGreaterThan(5);

  const toStrangers = new Map<string, Promise<Heard>>();
  const ownSales = own.externalIds.map(encodeURIComponent);
  await each(all(foreign), async (question) => {
    const { stranger, address, accept = '' } = question;
    const answer = await hear(question);
    if (stranger === undefined || ownSales.some((id) => address.includes(`/${id}?`))) return;
    const key = `${stranger} ${accept}`;
    const expected = toStrangers.get(key) ?? ask(asking, { ...question, address: stranger });
    toStrangers.set(key, expected);
    expect([address, answer]).toEqual([address, await expected]);
  });
  expect(toStrangers.size).toBeGreaterThan(5);
}

test('The requests cover every route of a tenant', () => {
  expect(questions.length).toBeGreaterThan(10);
  expect(questions.map(({ name }) => name)).toEqual(
    expect.arrayContaining([
      'GET /api/customers/{id}',
      'GET /api/branches',
      'GET /api/integrations/v1/sales/{externalId}',
    ]),
  );
});

test('Tenants never see data of each other, whatever they do (property)', async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (taken) => {
      const sides = [await newSide(), await newSide()] as const;
      for (const side of sides) await take({ side: 0, what: 'customer', number: 0 }, side);
      for (const one of taken) await take(one, sides[one.side]);
      await service.quiet();
      const [a, b] = sides;
      const [ofA, ofB] = [await knownOf(a), await knownOf(b)];
      expect(ofA.secrets.filter((id) => ofB.secrets.includes(id))).toEqual([]);
      await compare(a, b, ofA, ofB);
      await compare(b, a, ofB, ofA);
    }),
    { numRuns: RUNS, seed, endOnFailure: true },
  );
}, 240_000);

test('The tests above log no warnings', () => {
  expect(service.complaints).toEqual([]);
});
