import { TestService, type TestTenant } from '../support/service.js';

const PATH = '/api/transaction-categories';
const RULES = `${PATH}/rules`;

type Category = {
  id: string;
  name: string;
  isArchived: boolean;
  isSystem: boolean;
  ruleCount: number;
  revision: number;
};
type Rule = { id: string; categoryName: string | null; priority: number; isEnabled: boolean; merchant: string | null };
type RuleList = { items: Rule[]; page: number; limit: number; total: number; totalPages: number };

describe('Categories and rules', () => {
  let service: TestService;
  let tenant: TestTenant;
  beforeAll(async () => {
    service = await TestService.start();
  });
  afterAll(() => service.close());
  beforeEach(async () => {
    tenant = await service.createTenant();
  });

  const post = (path: string, body: unknown) => service.post(path, body, tenant.token);
  const patch = (path: string, body: unknown, headers = {}) =>
    service.call('PATCH', path, { token: tenant.token, body, headers });
  const remove = (path: string) => service.call('DELETE', path, { token: tenant.token });
  const create = async (name: string, more: object = {}): Promise<string> => (await post(PATH, { name, ...more })).id;
  const createRule = async (categoryId: string, more: object = { keyword: 'coffee' }): Promise<string> =>
    (await post(RULES, { categoryId, ...more })).id;
  /** Lists categories other than the tenant's initial ones. */
  const list = async (query = '', { token } = tenant): Promise<Category[]> =>
    ((await service.get(`${PATH}${query}`, token)).data as Category[]).filter(({ isSystem }) => !isSystem);
  const rules = async (query = ''): Promise<RuleList> =>
    (await service.get(`${RULES}${query}`, tenant.token)).data as RuleList;
  const codeOf = ({ body }: { body: unknown }): string | undefined => (body as { code?: string }).code;

  describe('a category', () => {
    test('has defaults, and is listed by name', async () => {
      await create('Rent');
      const id = await create('Coffee', { color: '#AA5500', icon: 'cup', direction: 'OUT' });
      const [coffee, rent] = await list();
      expect(coffee).toMatchObject({
        id,
        name: 'Coffee',
        direction: 'OUT',
        color: '#AA5500',
        icon: 'cup',
        revision: 0,
      });
      expect(rent).toMatchObject({
        ...{ name: 'Rent', direction: 'BOTH', color: null, icon: null, parentId: null },
        ...{ isArchived: false, isSystem: false, ruleCount: 0 },
      });
    });

    test('has a unique name among active ones, ignoring case and accents', async () => {
      const id = await create('Çay');
      expect(codeOf(await post(PATH, { name: 'CAY' }))).toBe('CATEGORY_NAME_TAKEN');
      await remove(`${PATH}/${id}`);
      const other = await create('cay');
      const restored = await patch(`${PATH}/${id}/restore`, {});
      expect([restored.status, codeOf(restored)]).toEqual([409, 'CATEGORY_NAME_TAKEN']);
      await patch(`${PATH}/${other}`, { name: 'Tea' });
      expect((await patch(`${PATH}/${id}/restore`, {})).status).toBe(200);
    });

    test('can be archived repeatedly, and is hidden by default', async () => {
      const id = await create('Old');
      const first = await remove(`${PATH}/${id}`);
      const again = await remove(`${PATH}/${id}`);
      expect([first.status, again.status]).toEqual([200, 200]);
      expect((again.data as { revision: number }).revision).toBe((first.data as { revision: number }).revision);
      expect(await list()).toEqual([]);
      expect(await list('?includeArchived=true')).toMatchObject([{ id, isArchived: true }]);
    });

    test('can have a parent, but never itself', async () => {
      const top = await create('Costs');
      const below = await create('Rent', { parentId: top });
      expect((await patch(`${PATH}/${top}`, { parentId: below })).told).toContain('parentId');
      expect((await post(PATH, { name: 'X', parentId: 'nothing' })).told).toContain('parentId');
      expect((await patch(`${PATH}/${below}`, { parentId: null })).status).toBe(200);
    });

    test.each([
      [{}, 'name'],
      [{ name: ' ' }, 'name'],
      [{ name: 'x', direction: 'SIDEWAYS' }, 'direction'],
      [{ name: 'x', color: 'red' }, 'color'],
      [{ name: 'x', isSystem: true }, 'isSystem'],
    ])('cannot be created from %j', async (body, path) => {
      const reply = await post(PATH, body);
      expect([reply.status, reply.told.includes(path)]).toEqual([400, true]);
    });

    test('changes only at the revision in If-Match', async () => {
      const id = await create('Rent');
      await patch(`${PATH}/${id}`, { name: 'Office' });
      expect(codeOf(await patch(`${PATH}/${id}`, { name: 'Late' }, { 'if-match': '"0"' }))).toBe('REVISION_CONFLICT');
      expect((await patch(`${PATH}/${id}`, { name: 'Later' }, { 'if-match': '"1"' })).status).toBe(200);
      expect((await patch(`${PATH}/${id}`, {})).data).toMatchObject({ revision: 2 });
    });
  });

  describe('a rule', () => {
    test('can be created manually, with defaults, and counts in its category', async () => {
      const categoryId = await create('Coffee');
      const id = await createRule(categoryId);
      expect((await service.get(`${RULES}/${id}`, tenant.token)).data).toMatchObject({
        ...{ id, categoryId, categoryName: 'Coffee', merchant: null, keyword: 'coffee', matchType: 'CONTAINS' },
        ...{ direction: null, amountMin: null, amountMax: null, accountId: null, notes: null, source: 'MANUAL' },
        ...{ priority: 100, isEnabled: true, revision: 0 },
      });
      expect(await list()).toMatchObject([{ ruleCount: 1 }]);
    });

    test.each<[object, string]>([
      [{}, 'merchant'],
      [{ keyword: 'x', priority: 1001 }, 'priority'],
      [{ keyword: 'x', priority: 0.5 }, 'priority'],
      [{ keyword: 'x', amountMin: '-1' }, 'amountMin'],
      [{ keyword: 'x', amountMin: '2', amountMax: '1' }, 'amountMin'],
      [{ keyword: 'x', matchType: 'REGEX' }, 'matchType'],
      [{ keyword: 'x', source: 'SEED' }, 'source'],
      [{ keyword: 'x', accountId: 'nothing' }, 'accountId'],
    ])('cannot be created from %j', async (body, path) => {
      const categoryId = await create('Coffee');
      const reply = await post(RULES, { categoryId, ...body });
      expect([[400, 404].includes(reply.status), reply.told.includes(path)]).toEqual([true, true]);
    });

    test('requires an existing active category', async () => {
      expect((await post(RULES, { categoryId: 'nothing', keyword: 'x' })).told).toContain('categoryId');
      const archived = await create('Old');
      await remove(`${PATH}/${archived}`);
      expect(codeOf(await post(RULES, { categoryId: archived, keyword: 'x' }))).toBe('CATEGORY_ARCHIVED');
    });

    test('can be changed, prioritized, disabled, enabled and deleted', async () => {
      const id = await createRule(await create('Coffee'));
      expect((await patch(`${RULES}/${id}`, { keyword: null })).told).toContain('keyword');
      await patch(`${RULES}/${id}`, { keyword: null, merchant: 'Roastery' });
      await patch(`${RULES}/${id}/priority`, { priority: 7 });
      await patch(`${RULES}/${id}/disable`, { isEnabled: false });
      const { items } = await rules('?source=MANUAL');
      expect(items).toMatchObject([{ merchant: 'Roastery', priority: 7, isEnabled: false }]);
      const again = await patch(`${RULES}/${id}/disable`, { isEnabled: false });
      expect(again.data).toMatchObject({ revision: 3 });
      await patch(`${RULES}/${id}/disable`, { isEnabled: true });
      expect((await remove(`${RULES}/${id}`)).status).toBe(200);
      expect((await remove(`${RULES}/${id}`)).status).toBe(404);
      expect((await service.get(`${RULES}/${id}`, tenant.token)).status).toBe(404);
    });

    test('is listed newest first, by page, search, category, source and state', async () => {
      const [coffee, rent] = [await create('Coffee'), await create('Rent')];
      const espresso = await createRule(coffee, { merchant: 'Espresso Bar' });
      const office = await createRule(rent, { keyword: 'office', notes: 'the landlord', isEnabled: false });
      const idsOf = async (query: string) => (await rules(query)).items.map(({ id }) => id);
      expect((await idsOf('')).slice(0, 2)).toEqual([office, espresso]);
      expect(await idsOf('?source=MANUAL')).toEqual([office, espresso]);
      expect(await rules('?source=MANUAL&page=2&limit=1')).toMatchObject({
        items: [{ id: espresso }],
        page: 2,
        limit: 1,
        total: 2,
        totalPages: 2,
      });
      expect(await idsOf('?search=landlord')).toEqual([office]);
      expect(await idsOf('?search=espresso')).toEqual([espresso]);
      expect(await idsOf(`?categoryId=${coffee}`)).toEqual([espresso]);
      expect(await idsOf('?isEnabled=false')).toEqual([office]);
      expect(await idsOf('?source=MANUAL&isEnabled=true')).toEqual([espresso]);
      expect(await idsOf('?source=LEARNED')).toEqual([]);
      expect((await service.get(`${RULES}?limit=101`, tenant.token)).status).toBe(400);
      expect((await service.get(`${RULES}?pageNumber=1`, tenant.token)).status).toBe(400);
    });
  });

  describe('testing the rules', () => {
    type Result = {
      matched: boolean;
      rule: { id: string } | null;
      category: { name: string } | null;
      candidates: { rule: { id: string; source: string }; matched: boolean; reasons: string[] }[];
      normalizedText: string;
    };
    const attempt = async (body: object): Promise<Result> => (await post(`${RULES}/test`, body)).data as Result;

    test('shows the deciding rule, its category, and why others did not match', async () => {
      const coffee = await create('Coffee', { direction: 'OUT' });
      const near = await createRule(coffee, { keyword: 'coffee', amountMin: '100' });
      const winner = await createRule(coffee, { keyword: 'COFFEE' });
      const result = await attempt({ description: 'Two  Coffees', amount: '7.50', direction: 'OUT' });
      expect(result).toMatchObject({ matched: true, rule: { id: winner }, category: { name: 'Coffee' } });
      const byHand = result.candidates.filter(({ rule: { source } }) => source === 'MANUAL');
      expect(result.candidates.slice(0, 2)).toEqual(byHand);
      expect(byHand.map(({ rule: { id }, matched, reasons }) => ({ id, matched, reasons }))).toEqual([
        { id: winner, matched: true, reasons: [] },
        { id: near, matched: false, reasons: ['amountMin'] },
      ]);
      expect(result.normalizedText).toBe('two coffees');
    });

    test('evaluates a draft with the existing rules, and stores nothing', async () => {
      const rent = await create('Rent');
      const rule = { categoryId: rent, merchant: 'landlord', matchType: 'STARTS_WITH' };
      expect(await attempt({ merchant: 'Landlord Ltd', rule })).toMatchObject({
        matched: true,
        category: { name: 'Rent' },
      });
      expect(await attempt({ merchant: 'Landlord Ltd' })).toMatchObject({ matched: false, rule: null, category: null });
      expect((await rules('?source=MANUAL')).total).toBe(0);
      const lost = await post(`${RULES}/test`, { rule: { ...rule, categoryId: 'nothing' } });
      expect([lost.status, lost.told.includes('rule.categoryId')]).toEqual([404, true]);
    });

    test('handles long and unusual texts', async () => {
      await createRule(await create('Any'), { keyword: '(a+)+$' });
      const result = await attempt({ description: `${'a'.repeat(900)}!` });
      expect(result.matched).toBe(false);
    });
  });

  test('are not accessible to other tenants', async () => {
    const categoryId = await create('Secret');
    const ruleId = await createRule(categoryId);
    const other = await service.createTenant();
    const { token } = other;
    expect(await list('?includeArchived=true', other)).toEqual([]);
    expect((await service.get(`${RULES}/${ruleId}`, token)).status).toBe(404);
    for (const path of [`${PATH}/${categoryId}`, `${RULES}/${ruleId}`])
      expect((await service.call('DELETE', path, { token })).status).toBe(404);
    expect((await service.post(RULES, { categoryId, keyword: 'x' }, token)).status).toBe(404);
  });

  test('are read-only for users without the permission to change them', async () => {
    const token = await service.createUser(tenant, 'USER');
    expect((await service.get(PATH, token)).status).toBe(200);
    expect((await service.post(PATH, { name: 'x' }, token)).status).toBe(403);
    expect((await service.post(`${RULES}/test`, { description: 'x' }, token)).status).toBe(200);
  });
});
