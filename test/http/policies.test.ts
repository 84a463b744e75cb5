import { eventually } from '../support/eventually.js';
import type { Reply } from '../support/reply.js';
import { saleOf, TestService, type Books } from '../support/service.js';

const PATIENCE_MS = 20_000;

type Queue = { readonly name: string; readonly kind: string; readonly pausedAt: string | null; readonly lag: number };

let service: TestService;
let books: Books;
let operator: string;
beforeAll(async () => {
  service = await TestService.start();
  books = await service.openBooks();
  operator = await service.operator();
});
afterAll(() => service.close());

const ask = (name: string, what: 'pause' | 'resume') =>
  service.post(`/api/platform/policies/${name}/${what}`, undefined, operator);
const codeOf = ({ status, body }: Reply): string => `${status} ${(body as { code?: string }).code ?? '-'}`;
const queues = async (): Promise<Queue[]> =>
  ((await service.get('/api/platform/redis/queues', operator)).data as { queues: Queue[] }).queues;
const paused = async (): Promise<string[]> =>
  (await queues()).filter(({ pausedAt }) => pausedAt !== null).map(({ name }) => name);
const statusOf = async (externalId: string): Promise<string> =>
  (await service.saleStatus(books.partner, externalId)).status;
const booked = (externalId: string) =>
  eventually(
    async () => (await statusOf(externalId)) === 'BOOKED',
    PATIENCE_MS,
    () => service.complaints.join('; '),
  );

describe('A policy', () => {
  test('that is paused handles nothing until it is resumed, then everything, even after a restart', async () => {
    const first = await ask('booking', 'pause');
    const again = await ask('booking', 'pause');
    expect([first.status, first.data]).toEqual([201, { success: true, id: 'booking', revision: 0 }]);
    expect([again.status, again.data]).toEqual([201, first.data]);
    await service.postSale(books.partner, saleOf('paused-1'));
    await service.quiet();
    expect(await statusOf('paused-1')).toBe('ACCEPTED');
    await service.restart();
    operator = await service.operator();
    await service.postSale(books.partner, saleOf('paused-2'));
    await service.quiet();
    expect([await statusOf('paused-1'), await statusOf('paused-2')]).toEqual(['ACCEPTED', 'ACCEPTED']);
    expect((await ask('booking', 'resume')).status).toBe(201);
    await booked('paused-1');
    await booked('paused-2');
    await service.sell(books.partner, saleOf('resumed'));
  });

  test('shows since when it is paused, in the queues and in the health of the system', async () => {
    expect(await paused()).toEqual([]);
    await ask('healing', 'pause');
    expect(await paused()).toEqual(['healing']);
    await service.post('/api/branches', { code: 'EAST', name: 'East' }, books.tenant.token);
    await eventually(async () => ((await queues()).find(({ name }) => name === 'healing')?.lag ?? 0) > 0, PATIENCE_MS);
    const { policies } = (await service.get('/api/system/health/system', operator)).data as { policies: Queue[] };
    expect(policies.map(({ name, pausedAt }) => [name, pausedAt !== null])).toEqual(
      expect.arrayContaining([
        ['healing', true],
        ['booking', false],
      ]),
    );
    const forwarder = '/api/platform/forwarders/integration-events';
    await service.post(`${forwarder}/pause`, undefined, operator);
    expect((await paused()).toSorted()).toEqual(['healing', 'integration-events']);
    await service.post(`${forwarder}/resume`, undefined, operator);
    await ask('healing', 'resume');
    expect(await paused()).toEqual([]);
  });

  test('is not found by an unknown name', async () => {
    for (const name of ['other', 'restoration-watch', 'integration-events'])
      for (const what of ['pause', 'resume'] as const) expect(codeOf(await ask(name, what))).toBe('404 NOT_FOUND');
  });

  test('that runs is not changed by a resume', async () => {
    const { status, data } = await ask('notification', 'resume');
    expect([status, data]).toEqual([201, { success: true, id: 'notification', revision: -1 }]);
  });
});
