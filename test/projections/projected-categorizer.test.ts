import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { EmbeddedReadStore } from '../../src/adapters/embedded/read-store.js';
import { RULE_DEFAULTS } from '../../src/aggregates/category-rule.aggregate.js';
import type { Recorded } from '../../src/eventsourcing/event-catalogue.js';
import { RecordReader } from '../../src/eventsourcing/record-reader.js';
import { Progress } from '../../src/projecting/progress.js';
import type { AnyProjection } from '../../src/projecting/projection.js';
import { project } from '../../src/projecting/project.js';
import { Projector } from '../../src/projecting/projector.js';
import { ReadModels } from '../../src/queries/query.js';
import { streamName } from '../../src/eventsourcing/stream-name.js';
import { ReadStoreUnavailable, type AnyTable, type ReadStore } from '../../src/ports/read-store.js';
import { categoryRuleSetProjection } from '../../src/projections/category-rule-set.projection.js';
import { categoryRuleProjection } from '../../src/projections/category-rule.projection.js';
import { categoryProjection } from '../../src/projections/category.projection.js';
import { Categorizer } from '../../src/queries/category.queries.js';
import { catalogue } from '../support/club.toy.js';
import { ManualClock } from '../support/manual-clock.js';
import { fixedTables } from '../support/fixed-tables.js';

const TENANT = '0199d3a0-0000-7000-8000-000000000001';
const OTHER_TENANT = '0199d3a0-0000-7000-8000-000000000002';
const PROJECTIONS: readonly AnyProjection[] = [categoryProjection, categoryRuleProjection, categoryRuleSetProjection];

/** A history and the three read models that the categorizer uses. A test advances each read model separately. */
class Rules {
  readonly calls = { get: 0, list: 0 };
  /** Called after the next read of the rules, before the caller receives the result. */
  afterRules: (() => Promise<void>) | undefined;
  readonly categorizer: Categorizer;
  private readonly events: Recorded[] = [];
  private readonly clock = new ManualClock();
  private readonly progress = new Progress(this.clock);
  private readonly reader: RecordReader;
  private readonly feeds: readonly { projector: Projector; position: number }[];

  private constructor(
    private readonly store: ReadStore,
    tables: readonly AnyTable[],
    private readonly isFollowed: boolean,
  ) {
    this.feeds = tables.map((table, index) => ({
      projector: new Projector(store, { projection: PROJECTIONS[index] as AnyProjection, table }),
      position: -1,
    }));
    const models = new ReadModels(this.watched(), fixedTables(tables));
    const nothing = { readStream: () => Promise.resolve({ events: [], exists: false, revision: -1 }) };
    this.reader = new RecordReader(nothing, catalogue, this.clock);
    if (isFollowed) {
      this.reader.follow(-1);
      this.reader.confirm(this.clock.monotonicMs());
    }
    this.categorizer = new Categorizer(models, this.progress, this.reader);
  }

  /**
   * If `isFollowed` is true, the process learns of every event immediately, like a replica that follows the history.
   */
  static async over(store: EmbeddedReadStore, generation: number, isFollowed: boolean): Promise<Rules> {
    const tables = PROJECTIONS.map(({ model }) => ({ model, generation }));
    await store.prepare(tables);
    return new Rules(store, tables, isFollowed);
  }

  get head(): number {
    return this.events.at(-1)?.position ?? -1;
  }

  /** Appends an event that no model has processed yet. Returns its position. */
  happens(entity: string, recordId: string, type: string, data: object = {}, tenantId = TENANT): number {
    const position = this.head + 3;
    const metadata = { tenantId, timestamp: '2026-01-01T00:00:00.000Z', commandId: 'c', requestId: 'r', version: 1 };
    const about = {
      id: `event-${position}`,
      stream: streamName(entity, tenantId, recordId),
      entity,
      tenantId,
      recordId,
    };
    this.events.push({ type, data, ...about, revision: 0, position, metadata: { ...metadata, $correlationId: 'r' } });
    if (this.isFollowed) this.reader.changes.note(about.stream, position);
    return position;
  }

  makesCategory(name: string, tenantId = TENANT): number {
    const data = { name, direction: 'BOTH', color: null, icon: null, parentId: null, isSystem: false };
    return this.happens('category', name, 'CategoryCreated', data, tenantId);
  }

  /** Creates a rule for a word. The word is also the rule's id. */
  makesRule(word: string, categoryId: string, tenantId = TENANT): number {
    const data = { ...RULE_DEFAULTS, keyword: word, categoryId, source: 'MANUAL' };
    return this.happens('category-rule', word, 'CategoryRuleCreated', data, tenantId);
  }

  /** Feeds all events up to and including a position to one of the models (0 to 2). */
  async feed(model: number, upTo = this.head): Promise<void> {
    const feed = this.feeds[model];
    if (!feed || upTo <= feed.position) return;
    const batch = this.events.filter(({ position }) => position > feed.position && position <= upTo);
    await project(this.store, [feed.projector], batch, upTo);
    feed.position = upTo;
    this.progress.advance(feed.projector.name, upTo);
  }

  async feedAll(): Promise<void> {
    for (const model of this.feeds.keys()) await this.feed(model);
  }

  /** Appends an event of another tenant. The models advance, but nothing changes for this tenant. */
  async nothingHappens(): Promise<void> {
    this.happens('category', 'elsewhere', 'CategoryRestored', {}, OTHER_TENANT);
    await this.feedAll();
  }

  fallsBehind(): Promise<void> {
    return this.clock.advance(2_000);
  }

  /**
   * The position that all models have reached. Clients may already have responses to all changes up to this position.
   */
  get settled(): number {
    return Math.min(...this.feeds.map(({ position }) => position));
  }

  async ruleFor(word: string, tenantId = TENANT): Promise<string | undefined> {
    const subject = { merchant: null, description: word, amount: '1.00', direction: null, accountIds: [] };
    return (await this.categorizer.rulesOf(tenantId)).resolve(subject)?.categorizedBy.ruleId;
  }

  private watched(): ReadStore {
    return new Proxy(this.store, {
      get: (target, name: keyof ReadStore) => {
        const method = (target[name] as (...given: unknown[]) => Promise<unknown>).bind(target);
        return async (...given: unknown[]) => {
          const found = await method(...given);
          if (name === 'get' || name === 'list') this.calls[name] += 1;
          const after = this.afterRules;
          if (name !== 'list' || (given[0] as AnyTable).model.name !== 'category_rules' || !after) return found;
          this.afterRules = undefined;
          await after();
          return found;
        };
      },
    });
  }
}

let directory: string;
let store: EmbeddedReadStore;
let generations = 0;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'kontor-'));
  store = await EmbeddedReadStore.open({ directory, mode: 'readwrite' });
});
afterAll(async () => {
  await store.close();
  await rm(directory, { recursive: true, force: true });
});

const newRules = (isFollowed = false): Promise<Rules> => Rules.over(store, (generations += 1), isFollowed);

/** Creates one category and one rule, and brings all models up to date. */
async function rulesWithOne(isFollowed = false): Promise<Rules> {
  const rules = await newRules(isFollowed);
  rules.makesCategory('food');
  rules.makesRule('bread', 'food');
  await rules.feedAll();
  return rules;
}

describe('The rules of a tenant', () => {
  test('contain category, rule and source', async () => {
    const rules = await rulesWithOne();
    const subject = { merchant: null, description: 'Bread', amount: '1.00', direction: null, accountIds: [] };
    expect((await rules.categorizer.rulesOf(TENANT)).resolve(subject)).toEqual({
      categoryId: 'food',
      categorizedBy: { ruleId: 'bread', source: 'MANUAL' },
    });
    expect(await rules.ruleFor('wine')).toBeUndefined();
  });

  test('are separate from the rules of other tenants', async () => {
    const rules = await rulesWithOne();
    rules.makesCategory('drink', OTHER_TENANT);
    rules.makesRule('wine', 'drink', OTHER_TENANT);
    await rules.feedAll();
    expect([await rules.ruleFor('wine'), await rules.ruleFor('wine', OTHER_TENANT)]).toEqual([undefined, 'wine']);
    expect(await rules.ruleFor('bread', OTHER_TENANT)).toBeUndefined();
  });

  test('are not read at all while the models have not advanced', async () => {
    const rules = await rulesWithOne();
    await rules.ruleFor('bread');
    const before = { ...rules.calls };
    for (let count = 0; count < 100; count += 1) expect(await rules.ruleFor('bread')).toBe('bread');
    expect(rules.calls).toEqual(before);
  });

  test('are checked once, and not read, if the models have advanced and no rule has changed', async () => {
    const rules = await rulesWithOne();
    await rules.ruleFor('bread');
    const before = { ...rules.calls };
    await rules.nothingHappens();
    for (let count = 0; count < 100; count += 1) expect(await rules.ruleFor('bread')).toBe('bread');
    expect(rules.calls).toEqual({ get: before.get + 1, list: before.list });
  });

  test('are not even checked by a process that follows the history, until a rule or a category changes', async () => {
    const rules = await rulesWithOne(true);
    await rules.ruleFor('bread');
    const before = { ...rules.calls };
    await rules.nothingHappens();
    expect(await rules.ruleFor('bread')).toBe('bread');
    expect(rules.calls).toEqual(before);
    rules.makesRule('cake', 'food');
    await rules.feedAll();
    expect([await rules.ruleFor('cake'), await rules.ruleFor('cake')]).toEqual(['cake', 'cake']);
    expect(rules.calls).toEqual({ get: before.get + 1, list: before.list + 2 });
  });

  test('are checked again while the process does not keep up with the history', async () => {
    const rules = await rulesWithOne(true);
    await rules.ruleFor('bread');
    const { get } = rules.calls;
    await rules.fallsBehind();
    await rules.nothingHappens();
    await rules.ruleFor('bread');
    expect(rules.calls.get).toBe(get + 1);
  });

  test('are cached even if there are none', async () => {
    const rules = await newRules();
    await rules.nothingHappens();
    await rules.ruleFor('bread');
    const { list } = rules.calls;
    await rules.nothingHappens();
    await rules.ruleFor('bread');
    expect(rules.calls.list).toBe(list);
  });

  test('are read again, once, after a rule or a category has changed', async () => {
    const rules = await rulesWithOne();
    await rules.ruleFor('bread');
    const { list } = rules.calls;
    rules.makesRule('cake', 'food');
    await rules.feedAll();
    expect([await rules.ruleFor('cake'), await rules.ruleFor('cake')]).toEqual(['cake', 'cake']);
    expect(rules.calls.list).toBe(list + 2);
    rules.happens('category', 'food', 'CategoryArchived');
    await rules.feedAll();
    expect([await rules.ruleFor('cake'), await rules.ruleFor('cake')]).toEqual([undefined, undefined]);
    expect(rules.calls.list).toBe(list + 4);
  });

  test('are read once for all concurrent callers', async () => {
    const rules = await rulesWithOne();
    const found = await Promise.all(Array.from({ length: 50 }, () => rules.ruleFor('bread')));
    expect(new Set(found)).toEqual(new Set(['bread']));
    expect(rules.calls).toEqual({ get: 1, list: 2 });
  });

  test('include a rule that all models received just after a read for another one', async () => {
    const rules = await rulesWithOne();
    let asked: Promise<string | undefined> | undefined;
    rules.afterRules = async () => {
      rules.makesCategory('drink');
      rules.makesRule('wine', 'drink');
      await rules.feedAll();
      asked = rules.ruleFor('wine');
    };
    expect(await rules.ruleFor('wine')).toBeUndefined();
    expect(await asked).toBe('wine');
    expect(await rules.ruleFor('wine')).toBe('wine');
  });

  test('are read by the next caller if the read store was unavailable', async () => {
    const rules = await rulesWithOne();
    rules.afterRules = () => Promise.reject(new ReadStoreUnavailable('away'));
    await expect(rules.ruleFor('bread')).rejects.toThrow(ReadStoreUnavailable);
    expect(await rules.ruleFor('bread')).toBe('bread');
  });
});

// All permutations of the three models: categories, rules, and the model that reports changes to both.
const ORDERS = [0, 1, 2].flatMap((first) =>
  [0, 1, 2].filter((second) => second !== first).map((second) => [first, second, 3 - first - second]),
);
test.each(ORDERS)('A rule counts when the last of the models has it, in the order %d, %d, %d', async (...order) => {
  const rules = await rulesWithOne();
  rules.makesCategory('drink');
  rules.makesRule('wine', 'drink');
  for (const model of order) {
    await rules.feed(model);
    await rules.ruleFor('wine');
  }
  expect(await rules.ruleFor('wine')).toBe('wine');
  const { list } = rules.calls;
  await rules.nothingHappens();
  await rules.ruleFor('wine');
  expect(rules.calls.list).toBe(list);
});

type Step = { readonly what: 'rule' | 'archive' | 'feed' | 'ask'; readonly which: number; readonly share: number };
const steps = fc.array(
  fc.record<Step>({
    what: fc.constantFrom('rule', 'archive', 'feed', 'feed', 'feed', 'ask', 'ask'),
    which: fc.nat(2),
    share: fc.constantFrom(1, 1, 0.9, 0.6, 0.2),
  }),
  { minLength: 10, maxLength: 40 },
);
const CATEGORIES = ['food', 'drink', 'rent'];

test('Whatever each of the models has, a rule counts once all have it, and not after its category was archived', async () => {
  await fc.assert(
    fc.asyncProperty(steps, fc.boolean(), async (plan, isFollowed) => {
      const rules = await newRules(isFollowed);
      for (const name of CATEGORIES) rules.makesCategory(name);
      const made = new Map<string, { position: number; categoryId: string }>();
      const archived = new Map<string, number>();
      const check = async () => {
        const { settled } = rules;
        for (const [word, { position, categoryId }] of made) {
          const archivedAt = archived.get(categoryId);
          if (archivedAt !== undefined && archivedAt <= settled)
            expect([word, await rules.ruleFor(word)]).toEqual([word, undefined]);
          else if (position <= settled && archivedAt === undefined)
            expect([word, await rules.ruleFor(word)]).toEqual([word, word]);
        }
        // This read may happen while the effect of a change is still uncertain. Its result must then not be cached.
        await rules.ruleFor('nothing');
      };
      for (const [index, { what, which, share }] of plan.entries()) {
        const category = CATEGORIES[which] ?? '';
        if (what === 'rule') {
          const word = `word${String.fromCharCode(97 + (index % 26))}${String.fromCharCode(97 + Math.floor(index / 26))}`;
          made.set(word, { position: rules.makesRule(word, category), categoryId: category });
        }
        if (what === 'archive' && !archived.has(category) && share < 0.3)
          archived.set(category, rules.happens('category', category, 'CategoryArchived'));
        if (what === 'feed') await rules.feed(which, Math.ceil(rules.head * share));
        if (what === 'ask') await check();
      }
      await rules.feedAll();
      await check();
    }),
    { numRuns: 100 },
  );
});
