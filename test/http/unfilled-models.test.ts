import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { filledKey } from '../../src/projecting/read-model-readiness.js';
import { branches } from '../../src/projections/tenant.projection.js';
import { eventually } from '../support/eventually.js';
import { Browser } from '../support/push-service.js';
import type { Reply } from '../support/reply.js';
import { saleOf, TestService } from '../support/service.js';
import { Team } from '../support/team.js';

let begin: (() => Promise<void>) | undefined;
let isHeld = false;
let service: TestService;
beforeEach(async () => {
  isHeld = false;
  service = await TestService.start({
    environment: { READ_WAIT_MS: '50', WEB_PUSH_ALLOW_PRIVATE: 'true' },
    between: (engines) => ({
      ...engines,
      startSubscribers: (callbacks) => {
        begin = () => engines.startSubscribers(callbacks);
        return isHeld ? Promise.resolve() : begin();
      },
    }),
  });
});
afterEach(() => service.close());

/** Creates the state after a restore, or after an upgrade to a release with other read models. */
const restartWithoutModels = (): Promise<void> =>
  service.restart(async () => {
    isHeld = true;
    const names = (await readdir(service.directory)).filter((name) => name.startsWith('models.sqlite'));
    await Promise.all(names.map((name) => rm(join(service.directory, name), { force: true })));
  });
async function isKept(): Promise<boolean> {
  const [position = -1] = await service.service.engines.reads.checkpoints([filledKey(branches)]);
  return position >= 0;
}
const told = ({ status, body, headers }: Reply): unknown[] => [
  status,
  (body as { code?: string } | undefined)?.code,
  headers['retry-after'],
];

test('Records missing from an incomplete read model are reported as not known yet, not as absent', async () => {
  const { tenant, partner } = await service.openBooks();
  const { id } = await service.post('/api/branches', { code: 'HQ', name: 'Head callbacks' }, tenant.token);
  await service.sell(partner, saleOf('sold'));
  await service.quiet();
  await restartWithoutModels();
  const { token } = tenant;
  const operator = await service.operator();
  const list = '?pageNumber=1&pageSize=10';
  const reads = await Promise.all([
    service.get(`/api/branches/${id}`, token),
    service.get(`/api/branches${list}`, token),
    service.get(`/api/transactions${list}`, token),
    service.get('/api/reports/trial-balance', token),
    service.get(`/api/platform/tenants${list}`, operator),
    service.get(`/api/platform/dead-letters${list}`, operator),
  ]);
  for (const reply of reads) expect(told(reply)).toEqual([503, 'READ_MODEL_BEHIND', '1']);
  expect((await service.get('/readyz')).status).toBe(503);

  // Stream reads, writes and build progress are available.
  expect((await service.get('/api/auth/me', token)).status).toBe(200);
  expect((await service.get('/api/platform/projections', operator)).status).toBe(200);
  expect((await service.get('/api/platform/redis/queues', operator)).status).toBe(200);
  const made = await service.post('/api/branches', { code: 'NEW', name: 'New' }, token);
  expect([made.status, made.headers['x-read-model']]).toEqual([201, 'behind']);

  const waiting = service.get(`/api/branches/${id}`, token);
  await begin?.();
  expect((await waiting).data).toMatchObject({ code: 'HQ' });
  await service.quiet();
  const branches = (await service.get(`/api/branches${list}`, token)).body as { totalCount: number };
  expect(branches.totalCount).toBe(3);
  expect((await service.get('/readyz')).status).toBe(200);
});

test('A read model that was complete once is readable after a restart, however far it lags', async () => {
  const { tenant } = await service.openBooks();
  await service.post('/api/branches', { code: 'HQ', name: 'Head callbacks' }, tenant.token);
  await service.quiet();
  await eventually(isKept, 10_000);
  isHeld = true;
  await service.restart();
  const reply = await service.get('/api/branches?pageNumber=1&pageSize=10', tenant.token);
  expect([reply.status, (reply.body as { totalCount: number }).totalCount]).toEqual([200, 2]);
  // The service is ready despite the lag, because its read models were complete before the restart.
  expect((await service.get('/readyz')).status).toBe(200);
  await begin?.();
  await service.quiet();
  expect((await service.get('/readyz')).status).toBe(200);
});

test('A read model that stopped before it was complete responds with the documents that it has', async () => {
  const { tenant } = await service.openBooks();
  await service.post('/api/branches', { code: 'HQ', name: 'Head callbacks' }, tenant.token);
  await restartWithoutModels();
  service.service.engines.progress.stop('branches');
  const reply = await service.get('/api/branches?pageNumber=1&pageSize=10', tenant.token);
  expect([reply.status, (reply.body as { totalCount: number }).totalCount]).toEqual([200, 0]);
  await begin?.();
});

test('Users deleted while read models are built get no more pushes', async () => {
  const team = await Team.of(service);
  const clerk = await team.signedIn();
  const browser = new Browser('https://127.0.0.1:9/browser');
  const { id } = await service.post('/api/notifications/push-subscriptions', browser.subscription, clerk.token);
  await restartWithoutModels();
  expect((await service.call('DELETE', `/api/users/${clerk.id}`, { token: team.token })).status).toBe(200);
  const policy = service.service.engines.queues.of('notification', 'policy');
  await eventually(() => policy.read().handled > 0 || policy.read().failures > 0, 10_000);
  await begin?.();
  const path = `/api/platform/streams/push-subscription/${id}/events?tenantId=${team.tenant.id}`;
  const operator = await service.operator();
  const types = async (): Promise<string[]> =>
    ((await service.get(path, operator)).body as { items: { type: string }[] }).items.map(({ type }) => type);
  await eventually(async () => (await types()).includes('PushUnsubscribed'), 10_000);
});
