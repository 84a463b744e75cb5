import { eventually } from '../support/eventually.js';
import type { Reply } from '../support/reply.js';
import { saleOf, TestService, type Books } from '../support/service.js';
import { messagesIn } from '../support/stored-messages.js';

const PATIENCE_MS = 20_000;
const FORWARDER = '/api/platform/forwarders/integration-events';

type Rewind = { readonly upTo: number; readonly published: number | null; readonly status: string };
type Row = {
  readonly state: string;
  readonly pausedAt: string | null;
  readonly rewind: (Rewind & { readonly progress: number; readonly position: number }) | null;
  readonly waitingRewinds: number;
  readonly lastRewind: Rewind | null;
};

let service: TestService;
let books: Books;
let operator: string;
beforeAll(async () => {
  service = await TestService.start();
  books = await service.openBooks();
  operator = await service.operator();
});
afterAll(() => service.close());

const ask = (what: string, body?: object) => service.post(`${FORWARDER}/${what}`, body, operator);
const cancel = () => service.call('DELETE', `${FORWARDER}/rewind`, { token: operator });
const row = async (): Promise<Row> => {
  const { data } = await service.get('/api/platform/redis/queues', operator);
  const { queues } = data as { queues: { kind: string; forwarder: Row | null }[] };
  const rows = queues.flatMap(({ kind, forwarder }) => (kind === 'forwarder' && forwarder ? [forwarder] : []));
  expect(queues.filter(({ forwarder }) => forwarder !== null)).toHaveLength(1);
  return rows[0] as Row;
};
const codeOf = ({ body }: Reply): unknown => (body as { code?: unknown }).code;
const head = (): Promise<number> => service.service.engines.events.head();
const messages = () => Promise.resolve(messagesIn(service.directory));
const until = (look: () => Promise<boolean>): Promise<boolean> => eventually(look, PATIENCE_MS);

describe('A rewind', () => {
  test('that starts beyond the end of the history, or in the future, is rejected', async () => {
    const beyond = await ask('rewind', { position: (await head()) + 1 });
    expect([beyond.status, codeOf(beyond)]).toEqual([400, 'VALIDATION_FAILED']);
    expect(JSON.stringify(beyond.body)).toContain('beyond the end of the history');
    const future = await ask('rewind', { instant: '2999-01-01T00:00:00.000Z' });
    expect([future.status, JSON.stringify(future.body)]).toEqual([400, expect.stringContaining('in the future')]);
  });

  test('of an unknown forwarder is not found', async () => {
    const other = '/api/platform/forwarders/other';
    for (const what of ['rewind', 'pause', 'resume']) {
      const body = what === 'rewind' ? { position: 0 } : {};
      expect((await service.post(`${other}/${what}`, body, operator)).status).toBe(404);
    }
    expect((await service.call('DELETE', `${other}/rewind`, { token: operator })).status).toBe(404);
  });

  test('shows its progress until it is cancelled, and cannot be cancelled twice', async () => {
    expect((await ask('pause')).status).toBe(201);
    expect((await ask('rewind', { position: 0 })).status).toBe(201);
    expect((await ask('rewind', { instant: '2026-01-01T00:00:00.000Z' })).status).toBe(201);
    const before = await row();
    expect(before).toMatchObject({ state: 'PAUSED', waitingRewinds: 1, rewind: { published: 0, progress: 0 } });
    expect(before.rewind?.upTo).toBeGreaterThan(0);
    const cancelled = await cancel();
    expect([cancelled.status, cancelled.body]).toEqual([
      200,
      { statusCode: 200, data: { success: true, id: 'integration-events', revision: expect.any(Number) as number } },
    ]);
    expect(await row()).toMatchObject({ rewind: null, waitingRewinds: 0, lastRewind: { status: 'CANCELLED' } });
    const twice = await cancel();
    expect([twice.status, codeOf(twice)]).toEqual([409, 'NO_REWIND']);
    expect((await ask('resume')).status).toBe(201);
  });

  test('shows the number of published events when done', async () => {
    const { saleId } = await service.sell(books.partner, saleOf('told again'));
    const isBooked = ({ payload }: { payload: string }) =>
      payload.includes('transaction.rec') && payload.includes(saleId);
    await until(async () => (await messages()).some(isBooked));
    const count = (await messages()).length;
    expect((await ask('rewind', { position: 0 })).status).toBe(201);
    await until(async () => (await row()).lastRewind?.status === 'DONE');
    const { lastRewind } = await row();
    expect(lastRewind?.published).toBeGreaterThan(3);
    const stored = await messages();
    expect(stored.length).toBe(2 * count);
    expect(stored.filter(({ payload }) => payload.includes('"replayed":true'))).toHaveLength(count);
  });
});

describe('A rewind of some messages', () => {
  const repeatsSince = async (before: number) =>
    (await messages())
      .slice(before)
      .map(({ payload }) => JSON.parse(payload) as { type: string; tenantid: string; replayed?: true })
      .filter(({ replayed }) => replayed);
  const rewound = async (body: object) => {
    await service.quiet();
    const before = (await messages()).length;
    const reply = await ask('rewind', { position: 0, ...body });
    expect([reply.status, reply.told]).toEqual([201, reply.told]);
    await until(async () => {
      const { rewind, lastRewind } = await row();
      return rewind === null && lastRewind?.status === 'DONE';
    });
    return { repeats: await repeatsSince(before), last: (await row()).lastRewind };
  };

  test('repeats only those of the tenant and of the types', async () => {
    const other = await service.openBooks();
    for (const { partner } of [books, other]) await service.sell(partner, saleOf('of two tenants'));
    const all = await rewound({});
    expect(new Set(all.repeats.map(({ tenantid }) => tenantid)).size).toBeGreaterThan(1);
    const ofOther = all.repeats.filter(({ tenantid }) => tenantid === other.tenant.id);
    expect(ofOther.length).toBeGreaterThan(3);
    const { repeats, last } = await rewound({ tenantId: other.tenant.id });
    expect(repeats).toEqual(ofOther);
    expect(last).toMatchObject({ tenantId: other.tenant.id, types: null });
    const booked = await rewound({ tenantId: other.tenant.id, types: ['kontor.sale.*', 'kontor.branch.created.v1'] });
    expect(booked.repeats).toEqual(ofOther.filter(({ type }) => /sale|branch.created/.test(type)));
    expect(booked.repeats.length).toBeGreaterThan(0);
    expect(booked.last).toMatchObject({ types: ['kontor.sale.*', 'kontor.branch.created.v1'] });
  });

  test('is rejected for an unknown tenant or type', async () => {
    const unknown = await ask('rewind', { position: 0, tenantId: '00000000-0000-7000-8000-000000000000' });
    expect([unknown.status, codeOf(unknown)]).toEqual([404, 'NOT_FOUND']);
    for (const types of [['kontor.sale.boked.v1'], [], ['KONTOR'], 'kontor.*', [7]]) {
      const reply = await ask('rewind', { position: 0, types });
      expect([types, reply.status, codeOf(reply)]).toEqual([types, 400, 'VALIDATION_FAILED']);
    }
  });
});

describe('A forwarder', () => {
  test('that is paused publishes nothing until resumed, then everything', async () => {
    const first = await ask('pause');
    const again = await ask('pause');
    expect([first.status, again.status, again.data]).toEqual([201, 201, first.data]);
    expect((await row()).pausedAt).not.toBeNull();
    const count = (await messages()).length;
    await service.sell(books.partner, saleOf('while it is paused'));
    await service.restart();
    operator = await service.operator();
    await service.quiet();
    expect(await messages()).toHaveLength(count);
    expect((await ask('resume')).status).toBe(201);
    await until(async () => (await messages()).some(({ payload }) => payload.includes('while it is paused')));
    expect(await row()).toMatchObject({ state: 'RUNNING', pausedAt: null });
  });

  test('that is resumed from now skips events of the pause', async () => {
    await ask('pause');
    await service.sell(books.partner, saleOf('skipped'));
    expect((await ask('resume', { from: 'now' })).status).toBe(201);
    await service.sell(books.partner, saleOf('told'));
    await until(async () => (await messages()).some(({ payload }) => payload.includes('"told"')));
    expect((await messages()).filter(({ payload }) => payload.includes('skipped'))).toEqual([]);
  });

  test('can be moved only while paused, and not beyond the end', async () => {
    const running = await ask('resume', { from: 0 });
    expect([running.status, codeOf(running)]).toEqual([409, 'NOT_PAUSED']);
    expect((await ask('resume')).status).toBe(201);
    await ask('pause');
    const beyond = await ask('resume', { from: (await head()) + 100 });
    expect([beyond.status, codeOf(beyond)]).toEqual([400, 'VALIDATION_FAILED']);
    expect((await ask('resume', { from: 'later' })).status).toBe(400);
    expect((await ask('resume', {})).status).toBe(201);
  });
});
