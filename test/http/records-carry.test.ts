import type { JobExecutionView } from '../../src/projections/job-execution.projection.js';
import { eventually } from '../support/eventually.js';
import { saleOf, TestService, type Books } from '../support/service.js';

let service: TestService;
let books: Books;
let operator: string;
beforeAll(async () => {
  service = await TestService.start({ environment: { BACKUPS_KEPT: '1' } });
  books = await service.openBooks();
  operator = await service.operator();
});
afterAll(() => service.close());

const PAGE = 'pageNumber=1&pageSize=100';
const itemsOf = async <T>(path: string): Promise<T[]> =>
  ((await service.get(`${path}?${PAGE}`, operator)).body as { items: T[] }).items;
type Times = { readonly createdAt: string; readonly updatedAt: string };

describe('Creation and change times', () => {
  test('of an audit log entry never change', async () => {
    const entries = await itemsOf<Times & { readonly id: string; readonly occurredAt: string }>(
      '/api/platform/audit-logs',
    );
    expect(entries.length).toBeGreaterThan(0);
    for (const { createdAt, updatedAt, occurredAt } of entries)
      expect([createdAt, updatedAt]).toEqual([occurredAt, occurredAt]);
    const { data } = await service.get(`/api/platform/audit-logs/${entries[0]?.id ?? ''}`, operator);
    expect(data).toMatchObject({ createdAt: entries[0]?.occurredAt, updatedAt: entries[0]?.occurredAt });
  });

  test('of a dead letter change with each replay', async () => {
    const sale = saleOf('nowhere', { branchCode: 'NOWHERE' });
    await service.postSale(books.partner, sale);
    expect((await service.settled(books.partner, 'nowhere')).status).toBe('REJECTED');
    await service.quiet();
    const letters = () => itemsOf<Times & { readonly id: string; revision: number }>('/api/platform/dead-letters');
    const [letter] = await letters();
    expect(letter).toMatchObject({ revision: 0, createdAt: letter?.updatedAt });
    await service.post(`/api/platform/dead-letters/${letter?.id ?? ''}/replay`, {}, operator);
    const [after] = await letters();
    expect([after?.createdAt, after?.revision]).toEqual([letter?.createdAt, 1]);
    expect((after?.updatedAt ?? '') > (letter?.updatedAt ?? '')).toBe(true);
  });
});

const runs = (): Promise<(JobExecutionView & Times)[]> => itemsOf('/api/platform/jobs/logs');

test('A run has its start and change times, and its file while it can be downloaded', async () => {
  const backUp = async (): Promise<string> => {
    const reply = await service.post('/api/platform/jobs/trigger', { jobName: 'database-backup' }, operator);
    const { executionLogId } = reply.data as { executionLogId: string };
    await eventually(
      async () => (await runs()).find(({ id }) => id === executionLogId)?.status === 'SUCCEEDED',
      20_000,
    );
    return executionLogId;
  };
  const downloads = async (id: string): Promise<number> =>
    (await service.get(`/api/platform/jobs/execution/${id}/backup-download`, operator)).status;
  const first = await backUp();
  const [run] = await runs();
  expect(run).toMatchObject({ id: first, createdAt: run?.startedAt, updatedAt: run?.finishedAt });
  expect([await downloads(first), run?.artifact?.fileName]).toEqual([200, expect.stringContaining(first)]);

  const second = await backUp();
  expect([await downloads(first), await downloads(second)]).toEqual([404, 200]);
  const artifacts = (await runs()).map(({ id, artifact }) => [id, artifact !== null]);
  expect(artifacts).toEqual([
    [second, true],
    [first, false],
  ]);
});

test('An empty change of an integration key by an operator succeeds with the same revision', async () => {
  const path = `/api/platform/integration-keys/${books.partner.id}`;
  const change = async (body: object) => service.call('PATCH', path, { token: operator, body });
  const before = await change({ rateLimit: 70 });
  const { revision } = before.data as { revision: number };
  const empty = await change({});
  expect([empty.told, (empty.data as { revision: number }).revision]).toEqual(['200', revision]);
});
