import { setTimeout as delay } from 'node:timers/promises';
import { pushDelivery, recordPushes } from '../../src/aggregates/push-subscription.aggregate.js';
import { catalogue } from '../../src/app/catalogue.js';
import { CommandRunner } from '../../src/eventsourcing/command-runner.js';
import { asService } from '../../src/eventsourcing/context.js';
import { hashOf, rebuild } from '../support/rebuilt-table.js';
import { project } from '../../src/projecting/project.js';
import { Projector } from '../../src/projecting/projector.js';
import { projections } from '../../src/projections/projections.js';
import { Browser } from '../support/push-service.js';
import { writeHistory } from '../support/history.js';
import { TestService, type Books, type TestTenant } from '../support/service.js';
import { Team } from '../support/team.js';

let service: TestService;
let books: Books;
beforeAll(async () => {
  service = await TestService.start();
  books = await service.openBooks({ timeZone: 'Europe/Istanbul' });
  const other = await service.openBooks();
  const team = await Team.of(service);
  const roleIds = [await team.role(['reports.read'])];
  await team.delete(await team.hire({ roleIds }));
  await team.change(await team.hire({ roleIds }), { phone: '123' });
  await service.post('/api/platform/jobs/trigger', { jobName: 'session-cleanup' }, await service.operator());
  await notify(books.tenant);
  const hook = { url: 'https://receiver.invalid/', types: ['kontor.period.closed.v1'] };
  await service.post('/api/webhooks', hook, books.tenant.token);
  service.service.engines.errors.note({ fingerprint: 'f', level: 'WARN', message: 'It is tried again.' });
  await Promise.all([
    writeHistory(service, books, { seed: 4, sales: 40 }),
    writeHistory(service, other, { seed: 5, sales: 20 }),
  ]);
  await applyRule(books.tenant);
  while (!(await isErrorRecorded())) await delay(50);
});
afterAll(() => service.close());

/** Creates and applies a rule that assigns a category to a customer's transactions. */
async function applyRule({ token }: TestTenant): Promise<void> {
  const path = '/api/transaction-categories';
  const { id: categoryId } = await service.post(path, { name: 'Applied' }, token);
  const { items } = await service.customers(token);
  const merchant = items.find(({ balance }) => balance.amount !== '0.00')?.name ?? '';
  const rule = (await service.post(`${path}/rules`, { categoryId, merchant }, token)).id;
  const { data } = await service.post(`${path}/rules/${rule}/apply`, { dryRun: false, replace: 'RULE_SET' }, token);
  const { applicationId } = data as { applicationId: string };
  while ((await service.post(`${path}/rules/applications/${applicationId}/undo`, {}, token)).status === 409)
    await delay(10);
}

/** Sends a notification, reads it, and records that it was pushed to a browser. */
async function notify({ id: tenantId, token }: TestTenant): Promise<void> {
  const path = '/api/notifications';
  const sent = await service.post(`${path}/admin/send`, { title: 'a', body: 'b', broadcast: true }, token);
  const { notificationId: id } = sent.data as { notificationId: string };
  await service.call('PATCH', `${path}/${id}/read`, { token });
  const { subscription } = new Browser('https://push.invalid/1');
  const subscriptionId = (await service.post(`${path}/push-subscriptions`, subscription, token)).id;
  const own = { tenantId, name: 'test', commandId: id };
  const stretch = { cursor: 'c', delivered: 1, gone: 0, failed: [], used: [subscriptionId], isLast: true, after: '' };
  const runner = service.service.app.get(CommandRunner);
  await asService(own, () => runner.execute(pushDelivery, { tenantId, id }, stretch, recordPushes));
}

async function isErrorRecorded(): Promise<boolean> {
  const filter = { on: 'type', prefixes: ['ErrorOccurred'] } as const;
  return (await service.service.engines.events.readAll({ filter })).length > 0;
}

const LIVE = 1;
const ANEW = 2;
const all = projections.map((projection) => [projection.model.name, projection] as const);

describe.each(all)('The read model %s', (_, projection) => {
  const { model } = projection;

  test('is the same when it is rebuilt from the history', async () => {
    const { events, reads } = service.service.engines;
    const head = await service.quiet();
    expect(await reads.liveGeneration(model.name, model.version)).toBe(LIVE);
    expect(await rebuild(events, reads, catalogue, projection, ANEW, head)).toBeGreaterThan(0);
    expect(await hashOf(reads, { model, generation: ANEW })).toBe(await hashOf(reads, { model, generation: LIVE }));
  });

  test('is not changed when the whole history is redelivered', async () => {
    const { events, reads } = service.service.engines;
    const head = await service.quiet();
    const table = { model, generation: LIVE };
    const before = await hashOf(reads, table);
    const history = await events.readAll({ maxCount: 100_000 });
    const projector = new Projector(reads, { projection, table });
    await project(
      reads,
      [projector],
      history.map((event) => catalogue.decode(event)),
      head,
    );
    expect(await hashOf(reads, table)).toBe(before);
  });

  test('is the same if a new process continues after each event, and receives that event again', async () => {
    const { events, reads } = service.service.engines;
    const head = await service.quiet();
    const table = { model, generation: ANEW };
    await reads.drop(table);
    await reads.prepare([table]);
    const history = (await events.readAll({ maxCount: 100_000 })).map((event) => catalogue.decode(event));
    for (let from = 0; from < history.length; from += 1) {
      const part = history.slice(from, from + 2);
      await project(reads, [new Projector(reads, { projection, table })], part, part.at(-1)?.position ?? head);
    }
    expect(await hashOf(reads, table)).toBe(await hashOf(reads, { model, generation: LIVE }));
  });
});

test('A read model rebuilt up to an earlier position is different, so the comparison can fail', async () => {
  const { events, reads } = service.service.engines;
  const head = await service.quiet();
  const differing: string[] = [];
  for (const projection of projections) {
    const { model } = projection;
    await rebuild(events, reads, catalogue, projection, ANEW, Math.floor(head / 2));
    const [anew, live] = [
      await hashOf(reads, { model, generation: ANEW }),
      await hashOf(reads, { model, generation: LIVE }),
    ];
    if (anew !== live) differing.push(model.name);
  }
  expect(differing).toEqual(
    expect.arrayContaining(['customers', 'accounts', 'balances', 'account_days', 'transactions']),
  );
});

test('The tests above log no warnings', () => {
  expect(service.complaints).toEqual([]);
});
