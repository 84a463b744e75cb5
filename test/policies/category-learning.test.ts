import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EmbeddedEventStore } from '../../src/adapters/embedded/event-store.js';
import { SystemClock, Uuid7Ids } from '../../src/adapters/system-time.js';
import {
  categoryRule,
  deleteCategoryRule,
  updateCategoryRule,
  type PresentCategoryRule,
} from '../../src/aggregates/category-rule.aggregate.js';
import { archiveCategory, category, createCategory, restoreCategory } from '../../src/aggregates/category.aggregate.js';
import { normalizedText } from '../../src/aggregates/category-rule-matching.js';
import { createCustomer, customer } from '../../src/aggregates/customer.aggregate.js';
import { collection } from '../../src/aggregates/ledger.js';
import {
  learnedRuleId,
  merchantChoices,
  merchantChoicesId,
  noteChoice,
} from '../../src/aggregates/merchant-choices.aggregate.js';
import { catalogue } from '../../src/app/catalogue.js';
import type { Aggregate, Decision, DomainEvent } from '../../src/eventsourcing/aggregate.js';
import { Appender } from '../../src/eventsourcing/appender.js';
import { Claims } from '../../src/eventsourcing/claims.js';
import { CommandRunner } from '../../src/eventsourcing/command-runner.js';
import { inContext } from '../../src/eventsourcing/context.js';
import { Memberships } from '../../src/eventsourcing/memberships.js';
import { RecordReader } from '../../src/eventsourcing/record-reader.js';
import { streamName } from '../../src/eventsourcing/stream-name.js';
import { CategoryLearningPolicy } from '../../src/policies/category-learning.policy.js';

type Choice = Parameters<CategoryLearningPolicy['react']>[0];
const START_MS = Date.UTC(2026, 0, 1);
const [clock, ids] = [new SystemClock(), new Uuid7Ids()];

let directory: string;
let events: EmbeddedEventStore;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'kontor-'));
  events = EmbeddedEventStore.open({ directory, clock });
});
afterAll(async () => {
  await events.close();
  await rm(directory, { recursive: true, force: true });
});

/** Creates a replica, which shares no memory with other replicas. */
function newReplica() {
  const [reader, appender] = [new RecordReader(events, catalogue, clock), new Appender(events, catalogue, clock)];
  const claims = new Claims(reader, appender, catalogue, clock, ids);
  const memberships = new Memberships(reader, appender, catalogue, clock, ids);
  const runner = new CommandRunner(reader, appender, claims, memberships, clock);
  return { reader, runner, policy: new CategoryLearningPolicy(runner, reader) };
}

let tenantId: string;
let replica: ReturnType<typeof newReplica>;
let acme: string;
let food: string;
let rent: string;
let choices: number;
beforeEach(async () => {
  [tenantId, replica, choices] = [ids.next(), newReplica(), 0];
  acme = await newCustomer('Acme Trading', 'C-1');
  [food, rent] = [await newCategory('Food'), await newCategory('Rent')];
});

const within = <T>(work: () => Promise<T>): Promise<T> => {
  const [id, actor] = [ids.next(), { kind: 'system', name: 'test' } as const];
  return inContext({ tenantId, actor, requestId: id, correlationId: id, commandId: id }, work);
};
const execute = async <S, E extends DomainEvent, D>(
  aggregate: Aggregate<S, E>,
  id: string,
  data: D,
  decide: Decision<S, D, E>,
) => {
  await within(() => replica.runner.execute(aggregate, { tenantId, id }, data, decide));
  return id;
};
const newCustomer = (name: string, code: string): Promise<string> => {
  const id = ids.next();
  const data = { id, input: { name }, code, tenantCurrency: 'EUR', openingBalancesAccountId: 'opening' };
  return execute(customer, id, data, createCustomer);
};
const newCategory = (name: string): Promise<string> =>
  execute(category, ids.next(), { name, direction: 'BOTH' }, createCategory);

/** Creates an event that records a choice. By default, a person made the choice. */
function told(entity: string, type: string, data: object, metadata: object = { userId: 'ada' }): Choice {
  const at = new Date(START_MS + (choices += 1) * 1_000).toISOString();
  const recordId = `record-${choices}`;
  const about = { id: ids.next(), stream: streamName(entity, tenantId, recordId), entity, tenantId, recordId };
  const origin = { tenantId, timestamp: at, version: 1, commandId: 'c', requestId: 'r', $correlationId: 'r' };
  return { ...about, type, data, revision: 1, position: choices, metadata: { ...origin, ...metadata } } as Choice;
}
const chosen = (transactionId: string, categoryId: string | null, customerId: string | null = acme): Choice =>
  told('transaction', 'TransactionCategorized', { transactionId, categoryId, customerId });
const recorded = (transactionId: string, categoryId: string | null, more: object = {}, metadata?: object): Choice => {
  const facts = { id: transactionId, date: '2026-03-04', currency: 'EUR', categoryId };
  const transaction = collection(facts, { customerId: acme, accountId: 'cash', amount: '1.00' });
  const data = { transaction, categorizedBy: null, fieldHashes: null, ...more };
  return told('transaction', 'TransactionRecorded', data, metadata);
};

const react = async (...delivered: readonly Choice[]): Promise<void> => {
  for (const event of delivered) await replica.policy.react(event);
};
const streak = (categoryId: string | null, ...transactions: readonly string[]): Choice[] =>
  transactions.map((id) => chosen(id, categoryId));
const ruleId = (categoryId: string, merchant = 'Acme Trading'): string =>
  learnedRuleId(merchantChoicesId(tenantId, normalizedText(merchant)), categoryId);
const ruleFor = async (categoryId: string, merchant?: string): Promise<PresentCategoryRule | undefined> => {
  const { state } = await newReplica().reader.read(categoryRule, tenantId, ruleId(categoryId, merchant));
  return state.status === 'absent' ? undefined : state;
};
const written = async (entity: string): Promise<string[]> => {
  const found = await events.readAll({ filter: { on: 'stream', prefixes: [`${entity}-${tenantId}_`] } });
  return found.map(({ type }) => type);
};

describe('The choices of users for a merchant', () => {
  test('become a rule with the third transaction, for exactly that merchant', async () => {
    await react(...streak(food, 't1', 't2'));
    expect(await ruleFor(food)).toBeUndefined();
    await react(chosen('t3', food));
    expect(await ruleFor(food)).toMatchObject({
      ...{ status: 'present', source: 'LEARNED', categoryId: food, merchant: 'Acme Trading', matchType: 'EXACT' },
      ...{ keyword: null, priority: 100, isEnabled: true },
    });
  });

  test('count wherever they are made: with the transaction, for one of a sale, for an opening balance', async () => {
    await react(
      recorded('t1', food),
      told('sale', 'SaleTransactionCategorized', { transactionId: 't2', categoryId: food, customerId: acme }),
      told('customer', 'OpeningBalanceCategorized', { transactionId: 't3', categoryId: food, customerId: acme }),
    );
    expect(await ruleFor(food)).toMatchObject({ source: 'LEARNED' });
  });

  test('exclude categories from rules, transactions without a choice, and transactions without a known customer', async () => {
    const before = await events.head();
    const hit = { categorizedBy: { ruleId: 'r', source: 'SEED' } };
    await react(
      recorded('t1', food, hit),
      recorded('t2', null),
      recorded('t3', food, {}, { system: 'import' }),
      told('transaction', 'TransactionCategorized', { transactionId: 't4', categoryId: food, customerId: acme }, {}),
      chosen('t5', food, null),
      chosen('t6', food, 'nobody'),
    );
    expect(await events.head()).toBe(before);
  });

  test('belong to one merchant in any spelling, and to no other', async () => {
    const [shouted, bcme] = [await newCustomer('  ACME   Tradıng ', 'C-2'), await newCustomer('Bcme', 'C-3')];
    await react(chosen('t1', food), chosen('t2', food, bcme), chosen('t3', food, shouted));
    expect(await written('category-rule')).toEqual([]);
    await react(chosen('t4', food));
    expect(await written('category-rule')).toEqual(['CategoryRuleCreated']);
    expect(await ruleFor(food, 'Bcme')).toBeUndefined();
  });

  test('create no rule for a category that was archived meanwhile, until it is chosen again', async () => {
    const third = chosen('t3', food);
    await react(...streak(food, 't1', 't2'));
    await execute(category, food, {}, archiveCategory);
    await react(third);
    expect(await written('category-rule')).toEqual([]);
    await execute(category, food, {}, restoreCategory);
    await react(chosen('t4', food));
    expect(await ruleFor(food)).toMatchObject({ isEnabled: true });
  });

  test('disable the rule when two transactions contradict it, and enable it when three support it again', async () => {
    await react(...streak(food, 't1', 't2', 't3'), chosen('t4', rent));
    expect(await ruleFor(food)).toMatchObject({ isEnabled: true });
    await react(chosen('t5', null));
    expect(await ruleFor(food)).toMatchObject({ isEnabled: false });
    await react(...streak(food, 't6', 't7', 't8'));
    expect(await ruleFor(food)).toMatchObject({ isEnabled: true });
    const happened = ['CategoryRuleCreated', 'CategoryRuleDisputed', 'CategoryRuleConfirmed'];
    expect(await written('category-rule')).toEqual(happened);
  });

  test('can create a rule for another category', async () => {
    await react(...streak(food, 't1', 't2', 't3'), ...streak(rent, 't4', 't5', 't6'));
    expect([await ruleFor(food), await ruleFor(rent)]).toMatchObject([{ isEnabled: false }, { isEnabled: true }]);
  });

  test('do not affect a rule that a user has changed, disabled or deleted', async () => {
    await react(...streak(food, 't1', 't2', 't3'));
    await execute(categoryRule, ruleId(food), { priority: 7 }, updateCategoryRule);
    await react(...streak(null, 't4', 't5'));
    expect(await ruleFor(food)).toMatchObject({ isEnabled: true, priority: 7 });
    await execute(categoryRule, ruleId(food), {}, deleteCategoryRule);
    await react(...streak(food, 't6', 't7', 't8'));
    expect(await ruleFor(food)).toMatchObject({ status: 'deleted' });
  });
});

describe('Redelivered choices', () => {
  const life = (): Choice[] => [
    ...streak(food, 't1', 't2', 't3'),
    ...[chosen('t4', rent), chosen('t4', food), chosen('t5', null), chosen('t6', rent)],
    ...streak(food, 't7', 't8', 't9'),
    ...streak(rent, 't10', 't11', 't12'),
  ];

  test('change nothing, whichever they are, and whichever process gets them', async () => {
    const delivered = life();
    await react(...delivered);
    const before = await events.head();
    for (const { policy } of [replica, newReplica()])
      for (const event of [...delivered, ...delivered.toReversed()]) await policy.react(event);
    expect(await events.head()).toBe(before);
  });

  test('change nothing if each is redelivered at once, with all earlier ones', async () => {
    const delivered = life();
    await react(...delivered);
    const expected = await written('category-rule');
    [tenantId, replica] = [ids.next(), newReplica()];
    acme = await newCustomer('Acme Trading', 'C-1');
    [food, rent] = [await newCategory('Food'), await newCategory('Rent')];
    const again = life();
    for (const index of again.keys()) await react(...again.slice(0, index + 1));
    expect(await written('category-rule')).toEqual(expected);
    expect(await written('merchant-choices')).toHaveLength(again.length + 5);
  });

  test('do not overrule later decisions of users about the rule', async () => {
    const delivered = [...streak(food, 't1', 't2', 't3'), ...streak(null, 't4', 't5')];
    await react(...delivered);
    await execute(categoryRule, ruleId(food), { isEnabled: true }, updateCategoryRule);
    await react(...delivered);
    expect(await ruleFor(food)).toMatchObject({ isEnabled: true });
  });

  test('complete the work that a crash interrupted after the choice was recorded', async () => {
    const delivered = streak(food, 't1', 't2', 't3');
    const noteOnly = async ({ id: choiceId, metadata: { timestamp: chosenAt } }: Choice, transactionId: string) => {
      const [data, id] = [
        { transactionId, categoryId: food, choiceId, chosenAt },
        merchantChoicesId(tenantId, 'acme trading'),
      ];
      await execute(merchantChoices, id, data, noteChoice);
    };
    for (const [index, event] of delivered.entries()) await noteOnly(event, `t${index + 1}`);
    await react(delivered[2] as Choice);
    expect(await ruleFor(food)).toMatchObject({ isEnabled: true });
    expect(await written('merchant-choices')).toHaveLength(4);
  });

  test('are counted once if two processes handle them concurrently', async () => {
    const others = [replica.policy, newReplica().policy, newReplica().policy];
    for (const event of life()) await Promise.all(others.map((policy) => policy.react(event)));
    const notes = (await written('merchant-choices')).filter((type) => type === 'MerchantChoiceNoted');
    expect(notes).toHaveLength(13);
    expect((await written('category-rule')).sort()).toEqual([
      ...['CategoryRuleConfirmed', 'CategoryRuleCreated', 'CategoryRuleCreated'],
      ...['CategoryRuleDisputed', 'CategoryRuleDisputed'],
    ]);
  });
});
