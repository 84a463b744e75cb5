import { decodeJwt } from 'jose';
import { operator as operatorAggregate, deleteOperator } from '../../src/aggregates/operator.aggregate.js';
import type { Page } from '../../src/queries/query.js';
import { PLATFORM_TENANT } from '../../src/eventsourcing/stream-name.js';
import type { OperatorView } from '../../src/projections/user.projection.js';
import { elsewhere } from '../support/elsewhere.js';
import { OPERATOR, PASSWORD, TestService } from '../support/service.js';
import { ShiftedClock } from '../support/shifted-clock.js';

const clock = new ShiftedClock();
let service: TestService;
/** Token of an operator whom no test removes. */
let token: string;
beforeAll(async () => {
  service = await TestService.start({ clock });
});
beforeEach(async () => {
  token = await service.operator();
});
afterAll(() => service.close());

const PATH = '/api/platform/operators';
const create = (body: object) => service.post(PATH, body, token);
const remove = (id: string, by: string, headers: Readonly<Record<string, string>> = {}) =>
  service.call('DELETE', `${PATH}/${id}`, { token: by, headers });
const list = async (query = '') => (await service.get(`${PATH}?${query}`, token)).body as Page<OperatorView>;
const emails = async (query = '') => (await list(query)).items.map(({ email }) => email);

/** Creates an operator and signs in. */
async function hired(fullName = 'Colleague'): Promise<{ id: string; email: string; token: string }> {
  const email = `${service.fresh('colleague')}@kontor.test`;
  const { id } = await create({ fullName, email, password: PASSWORD });
  return { id, email, token: await service.signIn(email) };
}
const may = async (by: string): Promise<string> => (await service.get(PATH, by)).told;
const signIn = async (email: string): Promise<string> =>
  (await service.post('/api/auth/login', { email, password: PASSWORD })).told;

describe('An operator', () => {
  test('is created by operators, and can sign in', async () => {
    const body = { fullName: ' Second ', email: 'second@kontor.test', password: PASSWORD };
    const reply = await create(body);
    expect(reply.body).toEqual({ statusCode: 201, data: { success: true, id: reply.id, revision: 0 } });
    expect(await may(await service.signIn('second@kontor.test'))).toBe('200');
    expect((await create({ ...body, email: 'SECOND@kontor.test' })).told).toBe('409 EMAIL_TAKEN');
    const { email } = await service.createTenant();
    expect((await create({ ...body, email })).told).toBe('201');
  });

  test('requires all fields', async () => {
    expect((await create({})).told).toBe('400 VALIDATION_FAILED fullName email password');
    const body = { fullName: 'A', email: 'a@kontor.test', password: PASSWORD, role: 'OWNER' };
    expect((await create(body)).told).toBe('400 VALIDATION_FAILED role');
  });

  test('is created once by concurrent requests with one address', async () => {
    const body = { fullName: 'Raced', email: 'raced@kontor.test', password: PASSWORD };
    const race = await Promise.all(Array.from({ length: 4 }, () => create(body)));
    expect(race.map(({ told }) => told).sort()).toEqual(['201', ...Array<string>(3).fill('409 EMAIL_TAKEN')]);
  });

  test('is not admitted to tenant routes', async () => {
    expect((await service.get('/api/customers?pageNumber=1&pageSize=1', token)).told).toBe('403 FORBIDDEN');
    expect((await service.get('/api/reports/trial-balance', token)).told).toBe('403 FORBIDDEN');
    expect((await service.post('/api/integration-keys', {}, token)).told).toBe('403 FORBIDDEN');
  });
});

describe('The list of operators', () => {
  test('shows details, newest first, without secrets', async () => {
    const { id, email } = await hired('Zoë');
    const [first] = (await list()).items;
    const { createdAt } = first as OperatorView;
    expect(first).toEqual({ id, fullName: 'Zoë', email, createdAt, updatedAt: createdAt, revision: 0 });
    expect((await emails('pageSize=100')).at(-1)).toBe(OPERATOR.email);
    expect(await list('pageSize=1&pageNumber=2')).toMatchObject({ pageSize: 1, hasPreviousPage: true });
  });

  test('can be searched by name and address', async () => {
    await create({ fullName: 'Ömer Çelik', email: 'boss@elsewhere.test', password: PASSWORD });
    for (const search of ['omer', 'CELIK', 'boss', 'elsewhere omer'])
      expect([search, await emails(`search=${encodeURIComponent(search)}`)]).toEqual([search, ['boss@elsewhere.test']]);
    expect(await emails('search=nobody')).toEqual([]);
  });
});

describe('Removing an operator', () => {
  test('ends access immediately, hides the operator, and frees the address', async () => {
    const { id, email, token: his } = await hired();
    expect([await may(his), await emails(`search=${email}`)]).toEqual(['200', [email]]);
    const reply = await remove(id, token);
    expect([reply.status, reply.data]).toEqual([200, { success: true, id, revision: 1 }]);
    expect([await may(his), await signIn(email)]).toEqual(['401 UNAUTHENTICATED', '401 UNAUTHENTICATED']);
    expect(await emails(`search=${email}`)).toEqual([]);
    expect((await remove(id, token)).told).toBe('404 NOT_FOUND');
    expect((await create({ fullName: 'New', email, password: PASSWORD })).told).toBe('201');
    expect([await may(his), await signIn(email)]).toEqual(['401 UNAUTHENTICATED', '200']);
  });

  test('takes effect on other replicas within a second', async () => {
    const { id, email, token: his } = await hired();
    expect(await may(his)).toBe('200');
    await elsewhere(service.service.engines, ({ runner }) =>
      runner.execute(operatorAggregate, { tenantId: PLATFORM_TENANT, id }, {}, deleteOperator),
    );
    clock.pass(1_000);
    expect([await may(his), await signIn(email)]).toEqual(['401 UNAUTHENTICATED', '401 UNAUTHENTICATED']);
  });

  test('is possible for the caller’s own account', async () => {
    const { id, token: his } = await hired();
    expect((await remove(id, his)).told).toBe('200');
    expect((await remove(id, his)).told).toBe('401 UNAUTHENTICATED');
  });

  test('is rejected for an unknown operator or another revision', async () => {
    const { ids } = service.service.engines;
    expect((await remove(ids.next(), token)).told).toBe('404 NOT_FOUND');
    expect((await remove('everybody', token)).told).toBe('404 NOT_FOUND');
    const { id } = await hired();
    expect((await remove(id, token, { 'if-match': '"7"' })).told).toBe('409 REVISION_CONFLICT');
    expect((await remove(id, token, { 'if-match': '"0"' })).told).toBe('200');
    const tenant = await service.createTenant();
    expect((await remove(tenant.id, token)).told).toBe('404 NOT_FOUND');
    expect((await remove(decodeJwt(tenant.token).sub ?? '', token)).told).toBe('404 NOT_FOUND');
  });
});

describe('The last operator', () => {
  let lonely: TestService;
  beforeAll(async () => {
    lonely = await TestService.start();
    // The list includes the new operator only once the read models are up to date.
    await lonely.quiet();
  });
  afterAll(() => lonely.close());
  const only = async (): Promise<OperatorView[]> =>
    ((await lonely.get(PATH, await lonely.operator())).body as { items: OperatorView[] }).items;
  const dismiss = async (id: string, by: string) => lonely.call('DELETE', `${PATH}/${id}`, { token: by });

  test('cannot be removed', async () => {
    const his = await lonely.operator();
    const [{ id }] = (await only()) as [OperatorView];
    expect((await dismiss(id, his)).told).toBe('409 LAST_OPERATOR');
    expect((await lonely.get(PATH, his)).told).toBe('200');
    const body = { fullName: 'Second', email: 'second@kontor.test', password: PASSWORD };
    const second = await lonely.post(PATH, body, his);
    expect((await dismiss(second.id, his)).told).toBe('200');
    expect((await dismiss(id, his)).told).toBe('409 LAST_OPERATOR');
  });

  test('remains when two operators remove each other concurrently', async () => {
    let stayed = { id: (await only())[0]?.id ?? '', token: await lonely.operator() };
    for (let round = 0; round < 12; round += 1) {
      const email = `rival-${round}@kontor.test`;
      const { id } = await lonely.post(PATH, { fullName: 'Rival', email, password: PASSWORD }, stayed.token);
      const rival = { id, token: await lonely.signIn(email) };
      const [his, mine] = await Promise.all([dismiss(stayed.id, rival.token), dismiss(rival.id, stayed.token)]);
      const told = [his.told, mine.told];
      // The first removal may lock out the other operator before the second request is checked.
      expect([round, told.filter((answer) => answer === '200')]).toEqual([round, ['200']]);
      expect(['409 LAST_OPERATOR', '401 UNAUTHENTICATED']).toContain(told.find((answer) => answer !== '200'));
      stayed = his.told === '200' ? rival : stayed;
      expect([round, (await lonely.get(PATH, stayed.token)).told]).toEqual([round, '200']);
    }
    await lonely.quiet();
    const { items } = (await lonely.get(PATH, stayed.token)).body as { items: OperatorView[] };
    expect(items.map(({ id }) => id)).toEqual([stayed.id]);
  });
});

test('The tests above log no warnings', () => {
  expect(service.complaints).toEqual([]);
});
