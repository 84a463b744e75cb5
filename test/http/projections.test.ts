import { branchProjection } from '../../src/projections/tenant.projection.js';
import { projections } from '../../src/projections/projections.js';
import type { DeadLetterRecord } from '../../src/queries/dead-letter.queries.js';
import type { ProjectionRow } from '../../src/queries/operation.queries.js';
import { eventually } from '../support/eventually.js';
import type { Reply } from '../support/reply.js';
import { saleOf, TestService, type Books } from '../support/service.js';

let service: TestService;
let books: Books;
let operator: string;
beforeAll(async () => {
  service = await TestService.start();
  books = await service.openBooks();
  operator = await service.operator();
});
afterAll(() => service.close());

const codeOf = ({ status, body }: Reply): string => `${status} ${(body as { code?: string }).code ?? '-'}`;
const list = async (): Promise<ProjectionRow[]> =>
  (await service.get('/api/platform/projections', operator)).data as ProjectionRow[];
const one = async (name: string): Promise<ProjectionRow> => {
  const row = (await list()).find((row) => row.name === name);
  if (!row) throw new Error(`There is no ${name}`);
  return row;
};
const rebuild = (name: string): Promise<Reply> =>
  service.post(`/api/platform/projections/${name}/rebuild`, undefined, operator);
const cancel = (name: string): Promise<Reply> =>
  service.call('DELETE', `/api/platform/projections/${name}/rebuild`, { token: operator });

const until = <T>(look: () => Promise<T | undefined | false>): Promise<T> => eventually(look, 15_000);
const ended = (name: string): Promise<ProjectionRow> =>
  until(async () => {
    const row = await one(name);
    return row.rebuild === null && row.lastRebuild !== null && row;
  });
const letters = async (): Promise<DeadLetterRecord[]> =>
  ((await service.get('/api/platform/dead-letters?origin=PROJECTION', operator)).body as { items: DeadLetterRecord[] })
    .items;

describe('The list of projections', () => {
  test('shows all of them with their progress', async () => {
    await service.quiet();
    const rows = await list();
    expect(rows.map(({ name }) => name)).toEqual(projections.map(({ model }) => model.name).toSorted());
    for (const row of rows)
      expect(row).toMatchObject({ generation: 1, lag: 0, status: 'LIVE', rebuild: null, lastRebuild: null });
    expect(new Set(rows.map(({ head }) => head)).size).toBe(1);
  });
});

describe('A rebuild', () => {
  test('is compared and swapped while sales arrive, without visible effects for readers', async () => {
    const customers = async (): Promise<number> => (await service.customers(books.tenant.token)).totalCount;
    for (let at = 0; at < 5; at += 1) await service.sell(books.partner, saleOf(`before-${at}`));
    const before = await customers();
    const seen: number[] = [];
    const names = ['customers', 'transactions', 'balances'];
    for (const name of names) expect((await rebuild(name)).status).toBe(201);
    const over = { now: false };
    const reader = (async () => {
      while (!over.now) seen.push(await customers());
    })();
    for (let at = 0; at < 20; at += 1) await service.sell(books.partner, saleOf(`during-${at}`));
    for (const name of names)
      expect(await ended(name)).toMatchObject({
        generation: 2,
        lastRebuild: { status: 'DONE', changedDocuments: 0, reason: null },
      });
    over.now = true;
    await reader;
    expect(seen.every((count, at) => count >= (seen[at - 1] ?? before))).toBe(true);
    await service.sell(books.partner, saleOf('after'));
    const balance = await service.trialBalance(books.tenant.token);
    expect(balance.totalDebit).toBe(balance.totalCredit);
    expect((await service.transactions(books.tenant.token, 'search=after')).totalCount).toBeGreaterThan(0);
  });

  test('is rejected if unknown or already running, and cancelled only while running', async () => {
    expect(codeOf(await rebuild('nobody'))).toBe('404 NOT_FOUND');
    expect(codeOf(await cancel('nobody'))).toBe('404 NOT_FOUND');
    expect(codeOf(await cancel('roles'))).toBe('409 NO_REBUILD');
    const replies = await Promise.all([rebuild('roles'), rebuild('roles'), rebuild('roles')]);
    expect(replies.map(codeOf).toSorted()).toEqual(['201 -', '409 REBUILD_RUNNING', '409 REBUILD_RUNNING']);
    expect((await ended('roles')).lastRebuild?.status).toBe('DONE');
    expect((await rebuild('roles')).status).toBe(201);
    await until(async () => (await one('roles')).generation === 3);
  });

  test('takes no body', async () => {
    expect(codeOf(await service.post('/api/platform/projections/roles/rebuild', { now: true }, operator))).toBe(
      '400 VALIDATION_FAILED',
    );
  });
});

describe('An event that a projection cannot fold', () => {
  test('is a dead letter; others continue, and a replay repairs the document after a fix', async () => {
    const created = await service.post('/api/branches', { code: 'SICK', name: 'Sick' }, books.tenant.token);
    const { id } = created.data as { id: string };
    const { evolve } = branchProjection;
    const fragile = branchProjection as { evolve: typeof evolve };
    fragile.evolve = (view, event, document) => {
      if (event.type === 'BranchUpdated') throw new Error('This cannot be folded.');
      return evolve(view, event, document);
    };
    try {
      await service.call('PATCH', `/api/branches/${id}`, { token: books.tenant.token, body: { name: 'Well' } });
      const letter = await until(async () => (await letters()).find(({ subject }) => subject === id));
      expect(letter).toMatchObject({
        tenantId: books.tenant.id,
        subscriber: 'branches',
        eventType: 'BranchUpdated',
        status: 'PARKED',
        attempts: 1,
        reason: { message: 'This cannot be folded.' },
      });
      expect((await service.get(`/api/branches/${id}`, books.tenant.token)).data).toMatchObject({ name: 'Sick' });
      await service.post('/api/branches', { code: 'FINE', name: 'Fine' }, books.tenant.token);
      const found = await service.get('/api/branches?pageNumber=1&pageSize=10&search=fine', books.tenant.token);
      expect(found.body).toMatchObject({ totalCount: 1 });
      expect(await one('branches')).toMatchObject({ status: 'LIVE' });
      const again = await service.post(`/api/platform/dead-letters/${letter.id}/replay`, undefined, operator);
      expect(again.data).toMatchObject({ status: 'PARKED' });
      expect((await letters()).find(({ subject }) => subject === id)).toMatchObject({ attempts: 2 });
      fragile.evolve = evolve;
      const healed = await service.post(`/api/platform/dead-letters/${letter.id}/replay`, undefined, operator);
      expect(healed.data).toMatchObject({ status: 'REPLAYED' });
      await until(async () => {
        const { name } = (await service.get(`/api/branches/${id}`, books.tenant.token)).data as { name: string };
        return name === 'Well';
      });
    } finally {
      fragile.evolve = evolve;
    }
  });
});
