import fc, { type Arbitrary } from 'fast-check';
import { z } from 'zod';
import { accountEvents } from '../../src/aggregates/account.aggregate.js';
import { branchEvents } from '../../src/aggregates/branch.aggregate.js';
import { customerEvents } from '../../src/aggregates/customer.aggregate.js';
import { saleEvents } from '../../src/aggregates/sale-events.js';
import { tenantEvents } from '../../src/aggregates/tenant.aggregate.js';
import { transactionEvents } from '../../src/aggregates/transaction.aggregate.js';
import { userEvents } from '../../src/aggregates/user.aggregate.js';
import { catalogue } from '../../src/app/catalogue.js';
import type { IntegrationEvent } from '../../src/integration/contracts-fields.js';
import { contracts, exampleOf, typeOf, type PublishedContract } from '../../src/integration/contracts.js';
import { publicEventTypes, translate } from '../../src/integration/translations.js';
import type { Recorded } from '../../src/eventsourcing/event-catalogue.js';
import { nameUuid } from '../../src/eventsourcing/name-uuid.js';
import { histories } from '../aggregates/event-samples.js';
import { ensureContract } from '../support/contract-check.js';
import { writeHistory } from '../support/history.js';
import { TestService, type Books } from '../support/service.js';
import { Team } from '../support/team.js';
import { messagesIn } from '../support/stored-messages.js';

let service: TestService;
let books: Books;
let published: readonly PublishedContract[];
/** The published JSON Schemas by type, as clients receive them. */
let readers: ReadonlyMap<string, z.ZodType>;
beforeAll(async () => {
  service = await TestService.start();
  books = await service.openBooks();
  published = (await service.get('/api/integration-events', books.tenant.token)).data as PublishedContract[];
  readers = new Map(published.map(({ type, schema }) => [type, z.fromJSONSchema(schema as never)]));
});
afterAll(() => service.close());

/** Returns an event's violations of the writer contract and of the reader contract. */
function faultsOf(message: IntegrationEvent): string[] {
  const { event } = JSON.parse(JSON.stringify(message)) as IntegrationEvent;
  const faults: string[] = [];
  try {
    ensureContract({ ...message, event });
  } catch (error) {
    faults.push((error as Error).message);
  }
  const read = (readers.get(event.type) ?? z.never()).safeParse(event);
  if (!read.success) faults.push(`${event.type} by its JSON Schema: ${read.error.message}`);
  return faults;
}

describe('The list of integration events', () => {
  test('contains all documented events with a description', () => {
    const types = published.map(({ type }) => type);
    expect(types).toEqual([...new Set(types)].sort());
    const promised = [
      ...['accepted', 'booked', 'rejected'].map((event) => `sale.${event}`),
      ...['created', 'updated', 'deleted'].flatMap((event) => [`customer.${event}`, `account.${event}`]),
      ...['recorded', 'cancelled', 'categorized', 'corrected'].map((event) => `transaction.${event}`),
      ...['user.created', 'user.deactivated', 'branch.created', 'branch.updated'],
    ];
    expect(types).toEqual(expect.arrayContaining(promised.map((name) => `kontor.${name}.v1`)));
    for (const { type, subject, description, schema, dataSchema } of published) {
      expect(subject).toBe(type.replace(/^kontor\.(.+)\.v1$/, 'kontor.{tenantId}.$1'));
      expect(description).toMatch(/^.{10,}\. Subject: .+ (?:No personal data|Personal data: .+)\.$/);
      for (const one of [schema, dataSchema])
        expect(one['$schema']).toBe('https://json-schema.org/draft/2020-12/schema');
      expect(schema).toMatchObject({ title: type, type: 'object' });
    }
  });

  test('is available to signed-in callers only', async () => {
    const tokens = [await service.createUser(books.tenant, 'USER'), await service.operator()];
    for (const token of tokens) {
      const reply = await service.get('/api/integration-events', token);
      expect([reply.status, reply.data]).toEqual([200, published]);
    }
    expect((await service.get('/api/integration-events')).told).toBe('401 UNAUTHENTICATED');
    expect((await service.get('/api/integration-events', books.partner.key)).told).toBe('401 UNAUTHENTICATED');
    expect((await service.get('/api/integration-events?type=x', tokens[0])).told).toBe('400 VALIDATION_FAILED type');
  });

  test('has an example of each event, which matches its schemas and needs all required members', () => {
    for (const { type, schema, dataSchema, example } of published) {
      const reader = z.fromJSONSchema(schema);
      expect([type, reader.safeParse(example).success]).toEqual([type, true]);
      for (const name of schema['required'] as string[]) {
        const { [name]: _, ...rest } = example as unknown as Record<string, unknown>;
        expect([type, name, reader.safeParse(rest).success]).toEqual([type, name, false]);
      }
      const ofData = z.fromJSONSchema(dataSchema);
      expect([type, ofData.safeParse(example.data).success]).toEqual([type, true]);
      for (const name of (dataSchema['required'] as string[] | undefined) ?? []) {
        const { [name]: _, ...rest } = example.data as Record<string, unknown>;
        expect([type, name, ofData.safeParse(rest).success]).toEqual([type, name, false]);
      }
    }
  });

  test('allows members to be added later', () => {
    for (const { type, schema, example } of published) {
      const later = { ...example, traceparent: 'x', data: { ...example.data, added: 1 } };
      expect([type, z.fromJSONSchema(schema as never).safeParse(later).success]).toEqual([type, true]);
    }
  });

  test('marks personal data, and contains no secrets', () => {
    const personal = Object.fromEntries(
      published.map(({ type, description }) => [type, /Personal data: (.+)\.$/.exec(description)?.[1] ?? '']),
    );
    expect(personal).toMatchObject({
      'kontor.user.created.v1': 'fullName, email, phone',
      'kontor.user.updated.v1': 'changes.fullName, changes.email, changes.phone',
      'kontor.customer.created.v1': 'name, taxNumber, nationalId, email, phone, address, city, notes',
      'kontor.transaction.recorded.v1': 'description, reference, postings[].description',
      'kontor.transaction.cancelled.v1': 'description, reference, postings[].description, reason',
      'kontor.sale.booked.v1': '',
      'kontor.user.deactivated.v1': '',
    });
    const text = JSON.stringify(published);
    expect(text).toContain('"x-personal":true');
    expect(text).not.toMatch(/password|secret|hash|refreshToken/i);
  });

  test('keeps every event ever listed', () => {
    const members = Object.fromEntries(
      published.map(({ type, dataSchema }) => {
        const { properties = {}, required = [] } = dataSchema as { properties?: object; required?: string[] };
        const names = Object.keys(properties).map((name) => (required.includes(name) ? name : `${name}?`));
        return [type.slice('kontor.'.length, -'.v1'.length), names.join(' ')];
      }),
    );
    const transaction =
      'id date documentDate? type documentEffect direction amount currency customerId accountId counterAccountId expenseItemId ' +
      'categoryId branchId description reference systemGenerated sourceId externalId saleId reversalOf postings';
    // Within a version, members may only be added, and optional members must stay optional.
    expect(members).toEqual({
      'account.created': 'code name type currency isActive isSystem',
      'account.deleted': '',
      'account.restored': 'code',
      'account.updated': 'changes',
      'branch.created': 'code name description address phone email isActive',
      'branch.updated': 'changes',
      'customer.created':
        'code name type taxNumber taxOffice nationalId email phone address city country branchId notes currency status isDefault',
      'customer.deleted': '',
      'customer.restored': 'code',
      'customer.updated': 'changes',
      'period.closed': 'through',
      'period.late-entries': 'closedThrough entries',
      'period.reopened': 'through',
      'sale.accepted': 'externalId sourceId type occurredAt currency total acceptedAt',
      'sale.booked': 'saleId? externalId? gross? customerId branchId date transactionIds',
      'sale.rejected': 'code message attempts',
      'transaction.cancelled': `${transaction} reason?`,
      'transaction.categorized': 'transactionId categoryId customerId',
      'transaction.corrected': 'transactionId correctedBy',
      'transaction.recorded': `${transaction} correctionOf?`,
      'user.created': 'fullName email phone role roleIds branchId branchIds isActive',
      'user.deactivated': '',
      'user.deleted': '',
      'user.reactivated': '',
      'user.updated': 'changes',
    });
  });
});

describe('Published events', () => {
  test('of a whole history match the contracts, for writers and readers', async () => {
    const team = await Team.of(service);
    const { token } = team;
    const roleIds = [await team.role(['reports.read'])];
    const user = await team.hire({ roleIds, phone: '123' });
    for (const patch of [{ phone: null, fullName: 'Ann' }, { isActive: false }, { isActive: true }])
      await team.change(user, patch);
    await team.delete(user);
    const change = (path: string, body: object) => service.call('PATCH', path, { token, body });
    const branchId = await team.branch({ address: '1 High Street' });
    for (const body of [{ name: 'Other', email: 'b@b.test' }, { isActive: false }, { isActive: true }])
      await change(`/api/branches/${branchId}`, body);
    const account = await service.post('/api/accounts', { type: 'EXPENSE', name: 'Rent' }, token);
    const customer = await service.post('/api/customers', { name: 'Ada', notes: 'a\nb' }, token);
    for (const body of [{ code: 'R-1' }, { isActive: false }, { isActive: true }])
      await change(`/api/accounts/${account.id}`, body);
    for (const body of [{ email: 'ada@ada.test' }, { status: 'PASSIVE' }, { status: 'ACTIVE' }])
      await change(`/api/customers/${customer.id}`, body);
    await service.call('DELETE', `/api/accounts/${account.id}`, { token });
    await service.call('DELETE', `/api/customers/${customer.id}`, { token });
    await service.post('/api/periods/close', { through: '2020-12-31' }, token);
    await service.post('/api/periods/reopen', { through: null, reason: 'A bill was missing.' }, token);
    await writeHistory(service, books, { seed: 11, sales: 30 });
    const debtor = await service.post('/api/customers', { name: 'Bob' }, token);
    const entry = { type: 'ADJUSTMENT', date: '2026-03-04', amount: '1.00', customerId: debtor.id, direction: 'OUT' };
    const { id } = await service.post('/api/transactions', entry, token);
    const replacement = { ...entry, amount: '2.00' };
    await service.post(`/api/transactions/${id}/correct`, { reason: 'Wrong amount', replacement }, token);
    await service.quiet();

    const history = await service.service.engines.events.readAll({ maxCount: 100_000 });
    const messages = history.flatMap((event) => translate(catalogue.decode(event)));
    expect(messages.flatMap(faultsOf)).toEqual([]);
    const seen = new Set(messages.map(({ event }) => event.type));
    // All event types have occurred except those that require a race.
    expect(published.map(({ type }) => type).filter((type) => !seen.has(type))).toEqual([
      'kontor.account.restored.v1',
      'kontor.customer.restored.v1',
      'kontor.period.late-entries.v1',
    ]);
    expect(messages.length).toBeGreaterThan(100);
    // The schemas above would detect a missing total, or an amount in the format of another currency.
    for (const { event } of messages.filter((one) => one.event.type.startsWith('kontor.transaction.recorded'))) {
      const { postings } = event.data as { postings: { amount: string }[] };
      expect(postings.length).toBeGreaterThan(1);
    }
  });

  const declarations = {
    account: accountEvents,
    branch: branchEvents,
    customer: customerEvents,
    sale: saleEvents,
    tenant: tenantEvents,
    transaction: transactionEvents,
    user: userEvents,
  };
  const NAMESPACE = '0199d3a0-0000-7000-8000-000000000001';
  /** Converts ids and amounts to the required formats, which the schemas of stored events do not enforce. */
  const inForm = (value: unknown, name = ''): unknown => {
    if (Array.isArray(value)) return value.map((item) => inForm(item, name.replace(/s$/, '')));
    if (typeof value === 'object' && value !== null)
      return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, inForm(inner, key)]));
    if (typeof value !== 'string') return value;
    if (/^id$|Id$|^(?:reversalOf|correctionOf|correctedBy)$/.test(name)) return nameUuid(value, NAMESPACE);
    return /^(?:amount|total|gross)$/.test(name) ? `${value.length % 2 === 0 ? '-' : ''}${value.length}.50` : value;
  };
  const anyEvent: Arbitrary<Recorded> = fc
    .oneof(
      ...Object.entries(declarations).map(([entity, events]) =>
        histories(events)
          .filter(({ length }) => length > 0)
          .map(([first]) => ({ entity, ...first })),
      ),
    )
    .map(({ entity, type = '', data = {} }) => {
      const tenantId = nameUuid('tenant', NAMESPACE);
      const [id, recordId] = [nameUuid(`${type} id`, NAMESPACE), nameUuid(entity, NAMESPACE)];
      const metadata = { tenantId, timestamp: '2026-01-31T08:30:00.000Z', version: 1, commandId: 'c', requestId: 'r' };
      const place = {
        stream: `${entity}-${tenantId}_${recordId}`,
        entity,
        tenantId,
        recordId,
        revision: 3,
        position: 9,
      };
      return { type, data: inForm(data) as object, id, ...place, metadata: { ...metadata, $correlationId: 'r' } };
    });

  test('match the contracts, whatever happens (property)', () => {
    const seen = new Set<string>();
    fc.assert(
      fc.property(anyEvent, (event) => {
        const messages = translate(event);
        for (const { event: made } of messages) seen.add(made.type);
        expect(messages.flatMap(faultsOf)).toEqual([]);
        expect(messages.length > 0).toBe(publicEventTypes.includes(event.type));
      }),
      { numRuns: 1_500 },
    );
    expect([...seen].sort()).toEqual(published.map(({ type }) => type));
  });

  test('contain only members of a contract, whatever else the history contains (property)', () => {
    const withMore = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(withMore);
      if (typeof value !== 'object' || value === null) return value;
      const members = Object.entries(value).map(([name, inner]) => [name, withMore(inner)]);
      return { ...Object.fromEntries(members), passwordHash: 'CONFIDENTIAL', added: { secret: 'CONFIDENTIAL' } };
    };
    fc.assert(
      fc.property(anyEvent, (event) => {
        const messages = translate({ ...event, data: withMore(event.data) as object });
        expect(JSON.stringify(messages)).not.toMatch(/CONFIDENTIAL|passwordHash/);
        expect(messages).toEqual(translate(event));
      }),
      { numRuns: 500 },
    );
  });
});

describe('An event that violates its contract', () => {
  const example = (type: string): IntegrationEvent => {
    const found = contracts.find((one) => typeOf(one) === type);
    if (!found) throw new Error(type);
    return exampleOf(found);
  };
  const told = (message: IntegrationEvent): unknown => {
    try {
      ensureContract(message);
      return 'as it should be';
    } catch (error) {
      return { code: (error as { code?: string }).code, message: (error as Error).message };
    }
  };
  const recorded = example('kontor.transaction.recorded.v1');
  const changed = (changes: object, data: object = {}): IntegrationEvent => ({
    ...recorded,
    event: { ...recorded.event, ...changes, data: { ...recorded.event.data, ...data } },
  });

  test('can be republished if it matches', () => {
    expect(told(recorded)).toBe('as it should be');
    expect(told(changed({ replayed: true }))).toBe('as it should be');
  });

  test.each([
    ['an unknown type', changed({ type: 'kontor.unicorn.seen.v1' }), 'type'],
    ['the next version', changed({ type: 'kontor.transaction.recorded.v2' }), 'type'],
    ['an invalid id', changed({ id: 'event-1' }), 'id'],
    ['another specification', changed({ specversion: '0.3' }), 'specversion'],
    ['a time without milliseconds', changed({ time: '2026-03-04T10:00:01Z' }), 'time'],
    ['a sequence that is a number', changed({ sequence: 1 }), 'sequence'],
    ['replayed: false', changed({ replayed: false }), 'replayed'],
    ['an unknown attribute', changed({ traceparent: 'VALUE' }), 'traceparent'],
    ['an amount that is a number', changed({}, { amount: 119 }), 'data.amount'],
    ['an invalid amount', changed({}, { amount: '1,50' }), 'data.amount'],
    ['a date instead of an instant', changed({}, { date: '2026-03-04T10:00:00.000Z' }), 'data.date'],
    ['an unknown direction', changed({}, { direction: 'UP' }), 'data.direction'],
    ['a missing member', changed({}, { currency: undefined }), 'data.currency'],
    ['a member that is not public', changed({}, { passwordHash: 'VALUE' }), 'data.passwordHash'],
    [
      'such a member of a posting',
      changed({}, { postings: [{ accountId: 'a', amount: '1', pin: 'VALUE' }] }),
      'data.postings.0.pin',
    ],
    ["another tenant's address", changed({ tenantid: '0199d3a0-0000-7000-8000-000000000002' }), 'subject'],
  ])('is not published with %s, and the error names the location without the value', (_, message, place) => {
    const refusal = told(message) as { code: string; message: string };
    expect(refusal.code).toBe('INVALID_EVENT');
    expect(refusal.message).toContain(place);
    expect(refusal.message).not.toMatch(/VALUE|unicorn|1,50|UP\b/);
  });
});

test('Events are not matched by a prefix of their name', () => {
  const types = [...catalogue.types.keys()];
  for (const type of publicEventTypes)
    expect([type, types.filter((other) => other !== type && other.startsWith(type))]).toEqual([type, []]);
});

describe('The AsyncAPI document', () => {
  type Document = {
    readonly asyncapi: string;
    readonly channels: Readonly<Record<string, { address: string; parameters: object; messages: object }>>;
    readonly operations: Readonly<Record<string, { action: string; channel: { $ref: string } }>>;
    readonly components: {
      readonly messages: Readonly<Record<string, { name: string; examples: { headers: object; payload: object }[] }>>;
      readonly schemas: Readonly<Record<string, unknown>>;
    };
  };

  test('is public, next to the OpenAPI document, and linked on the page', async () => {
    const reply = await service.get('/asyncapi.json');
    expect([reply.status, reply.headers['content-type']]).toEqual([200, 'application/json; charset=utf-8']);
    expect((await service.get('/docs')).text).toContain('href="/asyncapi.json"');
    expect((reply.body as Document).asyncapi).toMatch(/^3\./);
  });

  test('has a channel, an operation and a message per event, and all references resolve', async () => {
    const document = (await service.get('/asyncapi.json')).body as Document;
    const { channels, operations, components } = document;
    const subjects = published.map(({ subject }) => subject);
    expect(Object.values(channels).map(({ address }) => address)).toEqual(subjects);
    expect(Object.values(components.messages).map(({ name }) => name)).toEqual(published.map(({ type }) => type));
    expect(Object.values(operations).map(({ channel }) => channel.$ref)).toEqual(
      Object.keys(channels).map((name) => `#/channels/${name}`),
    );
    const references: string[] = [];
    JSON.stringify(document, (name, value: unknown) => {
      if (name === '$ref') references.push(value as string);
      return value;
    });
    expect(references.length).toBeGreaterThan(100);
    for (const reference of references) {
      const found = reference
        .slice(2)
        .split('/')
        .reduce((at: unknown, name) => (at as Record<string, unknown> | undefined)?.[name], document);
      expect([reference, typeof found]).toEqual([reference, 'object']);
    }
  });

  test('describes the published headers, and the same payloads as the list', async () => {
    const { components } = (await service.get('/asyncapi.json')).body as Document;
    const headers = z.fromJSONSchema(components.schemas['headers'] as never);
    const [message] = messagesIn(service.directory);
    expect(headers.safeParse({ 'Nats-Msg-Id': message?.id, ...message?.headers }).success).toBe(true);
    expect(headers.safeParse({ 'Nats-Msg-Id': message?.id }).success).toBe(false);
    for (const { type, example, schema } of published) {
      const [name, told] = Object.entries(components.messages).find(([, one]) => one.name === type) ?? [];
      expect(told?.examples).toEqual([
        { name: 'example', headers: { 'Nats-Msg-Id': example.id, ...message?.headers }, payload: example },
      ]);
      const { $schema: _, ...same } = schema;
      expect(components.schemas[name ?? '']).toEqual(same);
    }
  });
});

test('The tests above log no warnings', () => {
  expect(service.complaints).toEqual([]);
});
