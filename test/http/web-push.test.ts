import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DeadLetterRecord } from '../../src/queries/dead-letter.queries.js';
import { eventually } from '../support/eventually.js';
import { HurriedClock } from '../support/hurried-clock.js';
import { Browser, PushService, vapidClaims, type Push } from '../support/push-service.js';
import type { Reply } from '../support/reply.js';
import { TestService } from '../support/service.js';
import { Team, type Member } from '../support/team.js';

const PATH = '/api/notifications/push-subscriptions';
const PATIENCE_MS = 20_000;
/** Time runs at five times its normal speed, so a limit of ten seconds allows two real seconds. */
const HURRY = 5;
const clock = new HurriedClock(HURRY);

type Sent = { readonly notificationId: string; readonly recipientCount: number; readonly pushCount: number };
type Shown = { readonly id: string; readonly endpoint: string; readonly lastUsedAt: string | null };

let directory: string;
let pushes: PushService;
let service: TestService;
let team: Team;
let clerk: Member;
let operator: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'kontor-ca-'));
  pushes = await PushService.start();
  const file = join(directory, 'ca.pem');
  await writeFile(file, pushes.ca);
  const environment = {
    WEB_PUSH_ALLOW_PRIVATE: 'true',
    WEB_PUSH_CA_FILE: file,
    VAPID_SUBJECT: 'mailto:me@kontor.test',
  };
  service = await TestService.start({ environment, clock });
  operator = await service.operator();
});
beforeEach(async () => {
  operator = await service.operator();
  team = await Team.of(service);
  clerk = await team.signedIn();
});
afterAll(async () => {
  await service.close();
  await pushes.close();
  await rm(directory, { recursive: true });
});

const codeOf = ({ status, body }: Reply): string => `${status} ${(body as { code?: string }).code ?? '-'}`;
const until = <T>(look: () => Promise<T | false | undefined> | T | false | undefined): Promise<T> =>
  eventually(look, PATIENCE_MS, () => service.complaints.join('; '));
const subscribe = (browser: Browser, token = clerk.token, facts: object = {}): Promise<Reply> =>
  service.post(PATH, { ...browser.subscription, ...facts }, token);
const mine = async (token = clerk.token): Promise<Shown[]> => (await service.get(`${PATH}/me`, token)).data as Shown[];
const end = (endpoint: string, token = clerk.token): Promise<Reply> =>
  service.call('DELETE', PATH, { token, body: { endpoint } });
async function send(body: object = { broadcast: true }): Promise<Sent> {
  const reply = await service.post(
    '/api/notifications/admin/send',
    { title: 'Hello', body: 'There.', ...body },
    team.token,
  );
  if (reply.status !== 201) throw new Error(`${reply.told}: ${reply.text}`);
  return reply.data as Sent;
}
const arrived = (browser: Browser, count = 1): Promise<Push[]> =>
  until(() => {
    const found = pushes.pushesTo(browser);
    return found.length >= count && found;
  });
const letterOf = ({ notificationId }: Sent): Promise<DeadLetterRecord> =>
  until(async () => {
    const path = `/api/platform/dead-letters?origin=PUSH&search=${notificationId}`;
    return ((await service.get(path, operator)).body as { items: DeadLetterRecord[] }).items[0];
  });

describe('A push', () => {
  test('is delivered to the browsers of its recipients, signed by the service and encrypted for them', async () => {
    const [own, another, stranger] = [pushes.browser(), pushes.browser(), pushes.browser()];
    await subscribe(own);
    await subscribe(another, team.token);
    await subscribe(stranger, (await Team.of(service)).token);
    const sent = await send({ broadcast: true, type: 'WARNING', link: '/stock' });
    expect(sent).toMatchObject({ recipientCount: 2, pushCount: 2 });
    const [push] = await arrived(own);
    await arrived(another);
    const shown = { title: 'Hello', body: 'There.', type: 'WARNING', link: '/stock' };
    expect(own.read(push as Push)).toEqual({ ...shown, notificationId: sent.notificationId });
    expect(() => another.read(push as Push)).toThrow();
    expect(push?.headers).toMatchObject({ 'content-encoding': 'aes128gcm', urgency: 'high' });
    expect(Number(push?.headers['ttl'])).toBeGreaterThan(80_000);
    const { publicKey } = (await service.get(`${PATH}/public-key`, clerk.token)).data as { publicKey: string };
    const claims = await vapidClaims(push as Push, publicKey, clock.nowMs());
    expect(claims).toMatchObject({ aud: pushes.origin, sub: 'mailto:me@kontor.test' });
    const lifetime = (claims.exp ?? 0) * 1_000 - clock.nowMs();
    expect(lifetime > 0 && lifetime <= 24 * 60 * 60 * 1_000).toBe(true);
    expect(pushes.pushesTo(stranger)).toEqual([]);
    // After the push, the subscription must contain the time of the push.
    await until(async () => (await mine())[0]?.lastUsedAt);
  });

  test('is not a separate event: several share one', async () => {
    const browsers = Array.from({ length: 15 }, () => pushes.browser());
    for (const [n, browser] of browsers.entries()) await subscribe(browser, n % 2 === 0 ? clerk.token : team.token);
    const sent = await send();
    expect(sent.pushCount).toBe(15);
    for (const browser of browsers) await arrived(browser);
    await until(async () => (await service.queue('push'))?.lag === 0);
    const stream = `push-delivery-${team.tenant.id}_${sent.notificationId}`;
    const { events } = await service.service.engines.events.readStream(stream, { from: 0, maxCount: 100 });
    expect(events.map(({ type, data }) => [type, (data as { delivered: number }).delivered])).toEqual([
      ['PushesDelivered', 15],
    ]);
  });

  test('is truncated to the size of a record', async () => {
    const browser = pushes.browser();
    await subscribe(browser);
    await send({ userIds: [clerk.id], body: '😀'.repeat(1_000), link: `/${'l'.repeat(900)}` });
    const [push] = await arrived(browser);
    const { body } = browser.read(push as Push) as { body: string };
    expect(push?.body.length).toBeLessThanOrEqual(4_096);
    expect(body).toMatch(/^(😀){300,}…$/u);
  });

  test('is not sent to users suspended meanwhile', async () => {
    const browser = pushes.browser();
    await subscribe(browser);
    await service.call('PATCH', `/api/users/${clerk.id}`, { token: team.token, body: { isActive: false } });
    const other = pushes.browser();
    await subscribe(other, team.token);
    expect((await send()).pushCount).toBe(1);
    await arrived(other);
    expect(pushes.pushesTo(browser)).toEqual([]);
  });

  test.each([404, 410])('with the response %d ends the subscription', async (status) => {
    const browser = pushes.browser({ status });
    await subscribe(browser);
    await send();
    await until(async () => (await mine()).length === 0);
    expect((await send()).pushCount).toBe(0);
    expect(pushes.pushesTo(browser)).toHaveLength(1);
    expect((await subscribe(browser)).status).toBe(201);
    expect(await mine()).toHaveLength(1);
  });

  test('is retried when the push service allows it', async () => {
    const seconds = pushes.browser({ status: 429, headers: { 'retry-after': '6' } });
    await subscribe(seconds);
    await send();
    const [first, second] = await arrived(seconds, 2);
    expect((second?.atMs ?? 0) - (first?.atMs ?? 0)).toBeGreaterThanOrEqual(6_000 / HURRY - 10);
  });

  test('is retried after a date given by the push service', async () => {
    const at = new Date(clock.nowMs() + 20_000).toUTCString();
    const browser = pushes.browser({ status: 429, headers: { 'retry-after': at } });
    await subscribe(browser);
    await send();
    await arrived(browser, 2);
    expect(clock.nowMs()).toBeGreaterThanOrEqual(Date.parse(at));
  });

  test('is retried if the push service fails or does not respond', async () => {
    const browser = pushes.browser({ status: 500 }, 'hang', { status: 503 });
    await subscribe(browser);
    await send();
    expect(await arrived(browser, 4)).toHaveLength(4);
  });

  test('waits in a visible queue', async () => {
    const browser = pushes.browser({ status: 429, headers: { 'retry-after': '20' } });
    await subscribe(browser);
    await send();
    await arrived(browser);
    expect(await service.queue('push')).toMatchObject({ kind: 'push', inFlight: 1 });
    expect((await service.queue('push'))?.lag).toBeGreaterThan(0);
    await until(async () => (await service.queue('push'))?.lag === 0);
    const { text } = await service.get('/metrics');
    expect(text).toMatch(/kontor_pushes_total\{result="delivered"\} [1-9]/);
    expect(text).toMatch(/kontor_pushes_total\{result="again"\} [1-9]/);
  });
});

describe('A push that fails permanently', () => {
  const failing = (times: number) => Array.from({ length: times }, () => ({ status: 500 }));

  test('is a dead letter, whose replay delivers the rest', async () => {
    const [broken, refusing, working] = [
      pushes.browser(...failing(7)),
      pushes.browser({ status: 400 }),
      pushes.browser(),
    ];
    for (const browser of [broken, refusing, working]) await subscribe(browser);
    const sent = await send();
    const letter = await letterOf(sent);
    expect(letter).toMatchObject({
      tenantId: team.tenant.id,
      origin: 'PUSH',
      subscriber: 'push',
      eventType: 'NotificationSent',
      subject: sent.notificationId,
      status: 'PARKED',
      attempts: 1,
      payload: { notificationId: sent.notificationId, title: 'Hello', body: 'There.', type: 'INFO', link: null },
    });
    expect(letter.reason.code).toBe('PUSH_FAILED');
    expect(letter.reason.message).toContain('2 pushes');
    expect(pushes.pushesTo(broken)).toHaveLength(6);
    expect(pushes.pushesTo(refusing)).toHaveLength(1);
    const replay = () => service.post(`/api/platform/dead-letters/${letter.id}/replay`, undefined, operator);
    expect((await replay()).data).toMatchObject({ status: 'PARKED', revision: 1 });
    expect([pushes.pushesTo(broken), pushes.pushesTo(refusing)].map(({ length }) => length)).toEqual([7, 2]);
    expect((await replay()).data).toMatchObject({ status: 'REPLAYED', revision: 2 });
    expect([pushes.pushesTo(broken), pushes.pushesTo(refusing)].map(({ length }) => length)).toEqual([8, 2]);
    expect(codeOf(await replay())).toBe('409 ALREADY_RESOLVED');
    expect(pushes.pushesTo(working)).toHaveLength(1);
    expect(JSON.stringify(letter)).not.toContain('/push/');
    expect(service.complaints.join('\n')).not.toContain('/push/');
  });

  test('can be discarded', async () => {
    await subscribe(pushes.browser({ status: 403 }));
    const letter = await letterOf(await send());
    const reply = await service.post(`/api/platform/dead-letters/${letter.id}/discard`, { reason: 'Late.' }, operator);
    expect(reply.status).toBe(201);
  });
});

describe('A subscription', () => {
  test('is the same for the same browser, and its keys can change', async () => {
    const browser = pushes.browser();
    const first = await subscribe(browser, clerk.token, { userAgent: 'A browser' });
    const again = await subscribe(browser, clerk.token, { userAgent: 'A browser' });
    expect([first.data, again.data]).toEqual([first.data, first.data]);
    const renewed = new Browser(browser.endpoint);
    expect((await subscribe(renewed)).data).toMatchObject({ id: first.id, revision: 1 });
    const [shown, ...others] = await mine();
    expect(others).toEqual([]);
    expect(shown).toEqual({
      id: first.id,
      endpoint: browser.endpoint,
      userAgent: null,
      createdAt: expect.any(String) as string,
      updatedAt: expect.any(String) as string,
      lastUsedAt: null,
      revision: 1,
    });
    await send({ userIds: [clerk.id] });
    const [push] = await arrived(renewed);
    expect(renewed.read(push as Push)).toMatchObject({ title: 'Hello' });
  });

  test('moves with the browser to the next user who signs in, even of another tenant', async () => {
    const browser = pushes.browser();
    await subscribe(browser);
    await subscribe(browser, team.token);
    expect([(await mine()).length, (await mine(team.token)).length]).toEqual([0, 1]);
    const elsewhere = (await Team.of(service)).token;
    await subscribe(browser, elsewhere);
    expect([(await mine(team.token)).length, (await mine(elsewhere)).length]).toEqual([0, 1]);
    expect((await send()).pushCount).toBe(0);
    await subscribe(browser, team.token);
    expect([(await mine(team.token)).length, (await mine(elsewhere)).length]).toEqual([1, 0]);
    // The previous owner must no longer be able to end the subscription.
    await end(browser.endpoint, elsewhere);
    expect(await mine(team.token)).toHaveLength(1);
  });

  test('can be deleted by its user', async () => {
    const browser = pushes.browser();
    await subscribe(browser);
    expect(codeOf(await end(browser.endpoint, team.token))).toBe('404 NOT_FOUND');
    expect((await end(browser.endpoint)).status).toBe(200);
    expect(codeOf(await end(browser.endpoint))).toBe('404 NOT_FOUND');
    expect(await mine()).toEqual([]);
  });

  test('replaces the oldest if a user has twenty', async () => {
    const browsers = Array.from({ length: 21 }, () => pushes.browser());
    for (const browser of browsers) await subscribe(browser);
    const endpoints = (await mine()).map(({ endpoint }) => endpoint);
    expect(endpoints).toHaveLength(20);
    expect(endpoints).not.toContain(browsers[0]?.endpoint);
  });

  test('requires valid encryption keys', async () => {
    const { endpoint, keys } = pushes.browser();
    const off = Buffer.from(keys.p256dh, 'base64url');
    off[64] = (off[64] ?? 0) ^ 1;
    const wrong = [
      { endpoint, keys: { ...keys, p256dh: off.toString('base64url') } },
      { endpoint, keys: { ...keys, p256dh: keys.auth } },
      { endpoint, keys: { ...keys, auth: keys.p256dh } },
      { endpoint, keys: { ...keys, auth: '!' } },
      { endpoint: endpoint.replace('https', 'http'), keys },
      { endpoint: 'x', keys },
      { endpoint, keys: { p256dh: keys.p256dh } },
      { endpoint },
    ];
    for (const body of wrong) expect(codeOf(await service.post(PATH, body, clerk.token))).toBe('400 VALIDATION_FAILED');
    expect(await mine()).toEqual([]);
  });
});

test('A crash repeats at most pushes that were not recorded', async () => {
  const browser = pushes.browser();
  await subscribe(browser);
  await send();
  await until(async () => (await mine())[0]?.lastUsedAt);
  await until(async () => (await service.queue('push'))?.lag === 0);
  // Removes the checkpoint, so that all events are redelivered. The policy must recognize that their pushes have been
  // sent.
  const { events } = service.service.engines;
  const name = 'push';
  await service.restart(async () => {
    const { EmbeddedReadStore } = await import('../../src/adapters/embedded/read-store.js');
    const reads = await EmbeddedReadStore.open({ directory: service.directory, mode: 'readwrite' });
    expect(await reads.checkpoint(`subscriber:${name}`)).toBeGreaterThan(0);
    await reads.close();
    await rm(join(service.directory, 'models.sqlite'));
  });
  expect(events).toBeDefined();
  operator = await service.operator();
  await until(async () => (await service.queue('push'))?.lag === 0);
  expect(pushes.pushesTo(browser)).toHaveLength(1);
});
