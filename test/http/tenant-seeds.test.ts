import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EmbeddedEventStore } from '../../src/adapters/embedded/event-store.js';
import { SystemClock, Uuid7Ids } from '../../src/adapters/system-time.js';
import {
  categoryRule,
  CreateCategoryRule,
  deleteCategoryRule,
  ensureSound,
  RULE_DEFAULTS,
} from '../../src/aggregates/category-rule.aggregate.js';
import {
  archiveCategory,
  category,
  createCategory,
  CreateTransactionCategory,
} from '../../src/aggregates/category.aggregate.js';
import { seedCategories } from '../../src/aggregates/tenant-seed-categories.js';
import type { NewTenant } from '../../src/aggregates/tenant.aggregate.js';
import { catalogue } from '../../src/app/catalogue.js';
import { TenantSeeder } from '../../src/commands/tenant.commands.js';
import { Appender } from '../../src/eventsourcing/appender.js';
import { Claims } from '../../src/eventsourcing/claims.js';
import { CommandRunner } from '../../src/eventsourcing/command-runner.js';
import { inContext } from '../../src/eventsourcing/context.js';
import { Memberships } from '../../src/eventsourcing/memberships.js';
import { RecordReader } from '../../src/eventsourcing/record-reader.js';
import { PLATFORM_TENANT } from '../../src/eventsourcing/stream-name.js';
import { fold } from '../../src/ports/search.js';
import { TestService } from '../support/service.js';

const PATH = '/api/transaction-categories';
type Category = { id: string; name: string; isSystem: boolean; isArchived: boolean; ruleCount: number };
type Rule = { id: string; keyword: string; source: string; isEnabled: boolean; categoryName: string; priority: number };

const ONE = '0199d3a0-0000-7000-8000-000000000001';
const OTHER = '0199d3a0-0000-7000-8000-000000000002';

describe('The seed categories', () => {
  const seeds = seedCategories(ONE);

  test('number about a dozen, most with a rule or two', () => {
    expect(seeds.length).toBeGreaterThanOrEqual(12);
    expect(seeds.filter(({ rules }) => rules.length > 0).length).toBeGreaterThanOrEqual(10);
    expect(new Set(seeds.map(({ category: { direction } }) => direction))).toEqual(new Set(['IN', 'OUT', 'BOTH']));
  });

  test('are valid as if created by a person', () => {
    for (const { category: made, rules } of seeds) {
      const { isSystem, ...input } = made;
      expect(isSystem).toBe(true);
      expect(CreateTransactionCategory.parse(input)).toEqual(input);
      for (const { rule } of rules) {
        const { source, ...given } = rule;
        expect(source).toBe('SEED');
        expect(CreateCategoryRule.parse(given)).toEqual(given);
        ensureSound({ ...RULE_DEFAULTS, ...given });
      }
    }
  });

  test('have unique names and deterministic ids per tenant', () => {
    const idsOf = (tenantId: string) =>
      seedCategories(tenantId).flatMap(({ id, rules }) => [id, ...rules.map((rule) => rule.id)]);
    expect(new Set(seeds.map(({ category: { name } }) => fold(name))).size).toBe(seeds.length);
    expect(idsOf(ONE)).toEqual(idsOf(ONE));
    expect(new Set([...idsOf(ONE), ...idsOf(OTHER)]).size).toBe(idsOf(ONE).length * 2);
  });

  test('match long words or several words, to avoid chance matches', () => {
    for (const keyword of seeds.flatMap(({ rules }) => rules.map(({ rule }) => rule.keyword ?? '')))
      expect([keyword, keyword.length >= 7 && (keyword.includes(' ') || keyword.length < 16)]).toEqual([keyword, true]);
  });
});

describe('A new tenant', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await TestService.start();
  });
  afterAll(() => service.close());

  test('has its categories and rules as soon as it is created', async () => {
    const { token } = await service.createTenant();
    const categories = (await service.get(PATH, token)).data as Category[];
    const { items } = (await service.get(`${PATH}/rules?limit=100`, token)).data as { items: Rule[] };
    const seeds = seedCategories(ONE);
    expect(categories.map(({ name }) => name).sort()).toEqual(seeds.map(({ category: { name } }) => name).sort());
    expect(categories.every(({ isSystem, isArchived }) => isSystem && !isArchived)).toBe(true);
    const named = seeds.flatMap(({ category: { name }, rules }) => rules.map(({ rule }) => [rule.keyword, name]));
    expect(items.map(({ keyword, categoryName }) => [keyword, categoryName]).sort()).toEqual(named.sort());
    expect(items.every(({ source, isEnabled }) => source === 'SEED' && isEnabled)).toBe(true);
  });

  test('has transactions categorized by its seed rules, until its own rules override them', async () => {
    const { token } = await service.createTenant();
    const account = async (search: string, type?: string): Promise<string> => {
      if (type) return (await service.post('/api/accounts', { type, name: search }, token)).id;
      const { body } = await service.get(`/api/accounts?pageNumber=1&pageSize=1&search=${search}`, token);
      return (body as { items: { id: string }[] }).items[0]?.id ?? '';
    };
    const [expenseItemId, accountId] = [await account('Costs', 'EXPENSE'), await account('Bank')];
    const pay = async (description: string): Promise<object> => {
      const entry = { type: 'PAYMENT', date: '2026-03-04', amount: '80.00', expenseItemId, accountId, description };
      const { id } = await service.post('/api/transactions', entry, token);
      return (await service.get(`/api/transactions/${id}`, token)).data as object;
    };
    expect(await pay('ELECTRICITY, March')).toMatchObject({
      categoryName: 'Energy and water',
      categorizedBy: { source: 'SEED' },
    });
    const { id: categoryId } = await service.post(PATH, { name: 'Power' }, token);
    await service.post(`${PATH}/rules`, { categoryId, keyword: 'electricity', priority: 50 }, token);
    expect(await pay('Electricity, April')).toMatchObject({
      categoryName: 'Power',
      categorizedBy: { source: 'MANUAL' },
    });
  });

  test('can change and archive its seeds', async () => {
    const { token } = await service.createTenant();
    const [first, second] = (await service.get(PATH, token)).data as [Category, Category];
    const renamed = await service.call('PATCH', `${PATH}/${first.id}`, { token, body: { name: 'Ours' } });
    const archived = await service.call('DELETE', `${PATH}/${second.id}`, { token });
    expect([renamed.status, archived.status]).toEqual([200, 200]);
  });
});

describe('The seeds of an interrupted tenant creation', () => {
  const [clock, ids] = [new SystemClock(), new Uuid7Ids()];
  const seeds = seedCategories(ONE);
  const ruleCount = seeds.flatMap(({ rules }) => rules).length;
  let directory: string;
  let events: EmbeddedEventStore;
  let tenantId: string;
  let data: NewTenant;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'kontor-'));
    events = EmbeddedEventStore.open({ directory, clock });
  });
  afterAll(async () => {
    await events.close();
    await rm(directory, { recursive: true, force: true });
  });
  beforeEach(() => {
    tenantId = ids.next();
    data = newTenant(`t-${tenantId}`);
  });

  const newTenant = (slug: string): NewTenant => {
    const accounts = { cash: ids.next(), bank: ids.next(), card: ids.next(), sales: ids.next(), tax: ids.next() };
    return {
      ...{ name: slug, slug, currency: 'EUR', timeZone: 'UTC' },
      owner: { userId: ids.next(), fullName: 'G', email: `g@${slug}.test`, passwordHash: 'none' },
      seeds: {
        branchId: ids.next(),
        customerId: ids.next(),
        accounts: { ...accounts, openingBalances: ids.next(), adjustments: ids.next() },
      },
    };
  };
  /** Creates another replica's command runner, which shares no memory with the service. */
  const newRunner = (): CommandRunner => {
    const [reader, appender] = [new RecordReader(events, catalogue, clock), new Appender(events, catalogue, clock)];
    const claims = new Claims(reader, appender, catalogue, clock, ids);
    return new CommandRunner(reader, appender, claims, new Memberships(reader, appender, catalogue, clock, ids), clock);
  };
  const cause = () => {
    const origin = { commandId: 'c', requestId: 'r', $correlationId: 'r', version: 1 };
    const metadata = { ...origin, tenantId: PLATFORM_TENANT, timestamp: '2026-01-01T00:00:00.000Z' };
    return { id: tenantId, tenantId: PLATFORM_TENANT, metadata };
  };
  const seed = (runner = newRunner()) => new TenantSeeder(runner).seed(cause(), tenantId, data);
  const within = <T>(work: () => Promise<T>): Promise<T> => {
    const [id, actor] = [ids.next(), { kind: 'system', name: 'test' } as const];
    return inContext({ tenantId, actor, requestId: id, correlationId: id, commandId: id }, work);
  };
  const eventsOf = (entity: string) =>
    events.readAll({ filter: { on: 'stream', prefixes: [`${entity}-${tenantId}_`] } });
  const happened = async (entity: string): Promise<string[]> => (await eventsOf(entity)).map(({ type }) => type);

  test('are created once by two concurrent attempts', async () => {
    const runner = newRunner();
    await Promise.all([seed(runner), seed(runner), seed(), seed()]);
    expect(await happened('category')).toEqual(seeds.map(() => 'CategoryCreated'));
    expect(await happened('category-rule')).toEqual(Array.from({ length: ruleCount }, () => 'CategoryRuleCreated'));
  });

  test('are waited for: the returned position includes them', async () => {
    const position = await seed();
    for (const entity of ['user', 'branch', 'customer', 'account', 'defaults', 'category', 'category-rule'])
      expect((await eventsOf(entity)).at(-1)?.position).toBeLessThanOrEqual(position);
  });

  test('are not created again, whatever happened to them', async () => {
    await seed();
    const [first] = seedCategories(tenantId).filter(({ rules }) => rules.length > 0);
    const runner = newRunner();
    await within(() => runner.execute(category, { tenantId, id: first?.id ?? '' }, {}, archiveCategory));
    await within(() =>
      runner.execute(categoryRule, { tenantId, id: first?.rules[0]?.id ?? '' }, {}, deleteCategoryRule),
    );
    const before = await events.head();
    expect(await seed()).toBe(before);
    expect(await events.head()).toBe(before);
  });

  test('skip a name taken by users, and the others are created', async () => {
    const mine = { name: 'INSURANCE premiums', direction: 'OUT' as const };
    await within(() => newRunner().execute(category, { tenantId, id: ids.next() }, mine, createCategory));
    await seed();
    expect(await happened('category')).toEqual(seeds.map(() => 'CategoryCreated'));
    expect(await happened('category-rule')).toHaveLength(ruleCount - 1);
  });
});
