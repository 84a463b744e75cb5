import fc from 'fast-check';
import { z } from 'zod';
import { markedFields, secret } from '../../src/aggregates/personal.js';
import { Secrets } from '../../src/aggregates/secrets.js';
import { catalogue } from '../../src/app/catalogue.js';
import { domain } from '../../src/eventsourcing/aggregate.js';
import type { Recorded } from '../../src/eventsourcing/event-catalogue.js';
import { RecordShape } from '../../src/queries/record-changes.js';
import { auditLogProjection } from '../../src/projections/audit-log.projection.js';
import { SECRET, histories } from './event-samples.js';

const seed = Number(process.env['SEED'] ?? Date.now() % 2_147_483_647);

const TENANT = '0199d3a0-0000-7000-8000-000000000001';
const ID = '0199d3a0-0000-7000-8000-000000000002';

const recorded = (entity: string, history: readonly { type: string; data: object }[]): Recorded[] =>
  history.map(({ type, data }, revision) => ({
    type,
    data,
    id: `event-${revision}`,
    stream: `${entity}-${TENANT}_${ID}`,
    entity,
    tenantId: TENANT,
    recordId: ID,
    revision,
    position: revision,
    metadata: {
      tenantId: TENANT,
      timestamp: '2026-03-04T10:00:00.000Z',
      version: 1,
      commandId: 'c',
      requestId: 'r',
      $correlationId: 'r',
    },
    audit: catalogue.types.get(type)?.audit ?? null,
  }));

const aggregates = catalogue.aggregates.map(({ name }) => [name] as const);
const declarationsOf = (name: string) => catalogue.aggregateOf(name)?.events ?? {};

/** Returns everything that operators can see of a record, after each event in its history. */
function shownOf(name: string, history: readonly Recorded[]): string {
  const aggregate = catalogue.aggregateOf(name);
  if (!aggregate) throw new Error(name);
  const secrets = new Secrets(aggregate.events);
  const shape = new RecordShape(aggregate, {
    carrier: { entity: name, recordId: ID },
    entity: name,
    entityId: ID,
  });
  let state = aggregate.initial;
  const shown: unknown[] = [];
  for (const event of history) {
    secrets.learn(event);
    shape.apply(event);
    state = aggregate.evolve(state, event);
    for (const part of [event.data, state, shape.view(), shape.own()]) shown.push(secrets.without(part));
    for (const id of auditLogProjection.documents(event)) shown.push(auditLogProjection.evolve(undefined, event, id));
  }
  return JSON.stringify(shown);
}

describe.each(aggregates)('The data that operators see of a %s', (name) => {
  test(`contains no secret of its history, for any history (seed ${seed})`, () => {
    fc.assert(
      fc.property(histories(declarationsOf(name)), (history) => {
        expect(shownOf(name, recorded(name, history))).not.toContain(SECRET);
      }),
      { numRuns: 50, seed },
    );
  });
});

test('Secrets are in histories, in states, and would be in the output if nothing removed them', () => {
  const holding = catalogue.aggregates.filter(({ name }) =>
    Object.values(declarationsOf(name)).some(({ schema }) => markedFields(schema, 'secret').length > 0),
  );
  expect(holding.map(({ name }) => name).sort()).toEqual([
    'factor',
    'integration-key',
    'operator',
    'push-subscription',
    'session',
    'tenant',
    'user',
  ]);
  const [session] = holding.filter(({ name }) => name === 'session');
  const started = { userId: 'u', refreshTokenHash: `${SECRET}a`, startedAt: 's', expiresAt: 'e' };
  const state = session?.evolve(session.initial as never, { type: 'SessionStarted', data: started } as never);
  expect(JSON.stringify(state)).toContain(SECRET);
});

describe('A secret', () => {
  const schema = z.object({
    list: z.array(z.object({ token: secret(z.string()) })),
    either: z.union([z.object({ key: secret(z.string()) }), z.string()]),
    byName: z.record(z.string(), secret(z.string())),
    maybe: secret(z.string()).nullable().optional(),
    whole: secret(z.object({ a: z.string(), b: z.array(z.string()) })),
    pair: z.tuple([z.string(), secret(z.string())]),
    piped: z.string().pipe(secret(z.string())),
  });
  const data = {
    list: [{ token: 'one' }, { token: 'two' }],
    either: { key: 'three' },
    byName: { a: 'four' },
    maybe: 'five',
    whole: { a: 'six', b: ['seven'] },
    pair: ['open', 'eight'],
    piped: 'nine',
  };
  const secrets = new Secrets({ Told: domain('CREATE', 'thing', schema) });
  secrets.learn({ type: 'Told', data });

  test('is removed wherever it occurs: members, list items, names of members', () => {
    expect(secrets.without(data)).toEqual({
      list: [{}, {}],
      either: {},
      byName: {},
      whole: { b: [] },
      pair: ['open'],
    });
    expect(secrets.without({ one: 1, kept: ['two', 'open', { deep: 'nine' }], eight: { x: 1 } })).toEqual({
      kept: ['open', {}],
    });
  });

  test('includes only marked values, and none of a type that is not declared', () => {
    const others = new Secrets({ Told: domain('CREATE', 'thing', schema) });
    others.learn({ type: 'Heard', data });
    others.learn({ type: 'Told', data: { maybe: '', whole: null } });
    expect(others.without(data)).toBe(data);
  });
});
