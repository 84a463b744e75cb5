import { setTimeout as delay } from 'node:timers/promises';
import { catalogue } from '../../src/app/catalogue.js';
import { OidcIdentities } from '../../src/commands/session-accounts.js';
import { StreamAuthenticator } from '../../src/http/authenticator.js';
import { AccessTokens } from '../../src/security/access-tokens.js';
import { DomainError } from '../../src/eventsourcing/domain-error.js';
import { OidcTokens } from '../../src/security/oidc.js';
import { RecordReader } from '../../src/eventsourcing/record-reader.js';
import { silentLogger } from '../../src/ports/log.js';
import type { IntegrationKeyRecord } from '../../src/queries/integration-key.queries.js';
import type { Reply } from '../support/reply.js';
import { ShiftedClock } from '../support/shifted-clock.js';
import { TestService, type TestKey, type TestTenant } from '../support/service.js';

const PATH = '/api/integration-keys';
const clock = new ShiftedClock();
let service: TestService;
let tenant: TestTenant;
let other: TestTenant;
beforeAll(async () => {
  service = await TestService.start({ clock });
  tenant = await service.createTenant();
  other = await service.createTenant();
});
afterAll(() => service.close());

const keysOf = async ({ token }: TestTenant): Promise<IntegrationKeyRecord[]> =>
  (await service.get(PATH, token)).data as IntegrationKeyRecord[];
const shown = async ({ id }: { id: string }): Promise<IntegrationKeyRecord> => {
  const found = (await keysOf(tenant)).find((key) => key.id === id);
  if (!found) throw new Error(`The key ${id} is not in the list.`);
  return found;
};
const revoke = (id: string, headers: Record<string, string> = {}, { token } = tenant): Promise<Reply> =>
  service.call('DELETE', `${PATH}/${id}`, { token, headers });
const rotate = (id: string, { token } = tenant, body?: object): Promise<Reply> =>
  service.call('POST', `${PATH}/${id}/rotate`, { token, body });
const secretOf = (key: string): string => key.split('_').slice(2).join('_');
/** Requests a sale that does not exist. The status is 404 if the service accepts the key. */
const use = async (key: string): Promise<string> =>
  (await service.call('GET', '/api/integrations/v1/sales/none', { key })).told;
/** Signs in again, because access tokens expire when the clock advances. */
const renewed = async (): Promise<void> => {
  tenant = { ...tenant, token: await service.signIn(tenant.email) };
  other = { ...other, token: await service.signIn(other.email) };
};
const LET_IN = '404 NOT_FOUND';
const REFUSED = '401 INVALID_KEY';

/** Returns a function that uses a key on another replica, which shares no memory with the service. */
async function replica(): Promise<(key: string) => Promise<string>> {
  const { events } = service.service.engines;
  const reader = new RecordReader(events, catalogue, clock);
  const tokens = await AccessTokens.open(service.directory, { issuer: 'kontor', audience: 'kontor', clock });
  const oidc = new OidcTokens({ audience: 'kontor', clock, logger: silentLogger });
  const identities = service.service.app.get(OidcIdentities);
  const uses = { note: () => undefined };
  const authenticator = new StreamAuthenticator(tokens, oidc, reader, identities, clock, uses, {
    mustOperatorsHaveFactor: false,
  });
  return (key) =>
    authenticator.partner(key).then(
      ({ rateLimit }) => `limit ${rateLimit}`,
      (error: unknown) => (error instanceof DomainError ? error.code : String(error)),
    );
}

describe('The list of integration keys', () => {
  test('contains every key, newest first, with all details and no secret', async () => {
    const empty = await service.createTenant();
    expect(await keysOf(empty)).toEqual([]);
    const made = [
      await service.post(PATH, { name: 'Web shop', sourceId: 'web', rateLimit: 30 }, empty.token),
      await service.post(PATH, { name: 'Till', sourceId: 'web' }, empty.token),
    ];
    const [first, second] = made.map(({ data }) => data as { id: string; key: string });
    const listed = await keysOf(empty);
    const instant = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as string;
    const common = {
      ...{ createdAt: instant, updatedAt: instant, lastUsedAt: null, revokedAt: null, revision: 0 },
      ...{ expiresAt: null, previousSecretExpiresAt: null },
    };
    expect(listed).toEqual([
      { id: second?.id, name: 'Till', sourceId: 'web', rateLimit: 60, ...common },
      { id: first?.id, name: 'Web shop', sourceId: 'web', rateLimit: 30, ...common },
    ]);
    for (const { key } of [first, second].filter((one) => one !== undefined))
      expect(JSON.stringify(listed)).not.toContain(secretOf(key));
  });

  test('shows a rate limit set by an operator, and rejects unknown parameters', async () => {
    const { id } = await service.createKey(tenant, { rateLimit: 500 });
    expect(await shown({ id })).toMatchObject({ rateLimit: 500, revision: 1 });
    expect((await service.get(`${PATH}?pageNumber=1`, tenant.token)).told).toBe('400 VALIDATION_FAILED pageNumber');
  });

  test('has several pages, and no keys of another tenant', async () => {
    const many = await service.createTenant();
    const body = { name: 'K', sourceId: 's' };
    const made = await Promise.all(Array.from({ length: 25 }, () => service.post(PATH, body, many.token)));
    const listed = (await keysOf(many)).map(({ id }) => id);
    expect([...listed].sort()).toEqual(made.map(({ data }) => (data as { id: string }).id).sort());
    expect((await keysOf(tenant)).filter(({ id }) => listed.includes(id))).toEqual([]);
  });
});

describe('A revoked key', () => {
  test('stops working immediately and permanently', async () => {
    const elsewhere = await replica();
    const { id, key } = await service.createKey(tenant, { rateLimit: null });
    expect([await use(key), await elsewhere(key)]).toEqual([LET_IN, 'limit 60']);
    const revoked = await revoke(id);
    expect(revoked.status).toBe(200);
    expect(revoked.data).toEqual({ success: true, id, revision: 1 });
    expect(await use(key)).toBe(REFUSED);
    clock.pass(1_000);
    expect(await elsewhere(key)).toBe('INVALID_KEY');
    const { revokedAt } = await shown({ id });
    expect(Date.parse(revokedAt ?? '')).toBeLessThanOrEqual(clock.nowMs());

    const again = await revoke(id);
    expect([again.status, again.data]).toEqual([200, revoked.data]);
    expect(await shown({ id })).toMatchObject({ revokedAt, revision: 1 });
    expect((await rotate(id)).told).toBe('409 KEY_REVOKED');
    expect((await service.setRateLimit(id, 5)).told).toBe('409 KEY_REVOKED');
    expect(await use(key)).toBe(REFUSED);
  });

  test('requires the revision in If-Match', async () => {
    const { id, key } = await service.createKey(tenant);
    expect((await revoke(id, { 'if-match': '"0"' })).told).toBe('409 REVISION_CONFLICT');
    expect((await revoke(id, { 'if-match': '1' })).told).toBe('400 VALIDATION_FAILED If-Match');
    expect(await use(key)).toBe(LET_IN);
    expect((await revoke(id, { 'if-match': '"1"' })).status).toBe(200);
  });

  test('is rejected on concurrent requests of any caller', async () => {
    const { id, key } = await service.createKey(tenant);
    const before = Array.from({ length: 20 }, () => use(key));
    expect((await revoke(id)).status).toBe(200);
    for (const told of await Promise.all(before)) expect([LET_IN, REFUSED]).toContain(told);
    expect(new Set(await Promise.all(Array.from({ length: 20 }, () => use(key))))).toEqual(new Set([REFUSED]));
  });
});

describe('A rotated key', () => {
  test('has a new secret, shown once; the old one stops working immediately', async () => {
    const elsewhere = await replica();
    const { id, key: old } = await service.createKey(tenant, { sourceId: 'till', rateLimit: 70 });
    expect(await elsewhere(old)).toBe('limit 70');
    const reply = await rotate(id);
    expect(reply.status).toBe(201);
    const { key } = reply.data as TestKey;
    expect(reply.data).toEqual({ id, name: 'A shop', sourceId: 'till', rateLimit: 70, expiresAt: null, key });
    expect(Number(reply.headers['x-event-position'])).toBeGreaterThan(0);
    expect(key).not.toBe(old);
    expect([await use(key), await use(old)]).toEqual([LET_IN, REFUSED]);
    clock.pass(1_000);
    expect([await elsewhere(key), await elsewhere(old)]).toEqual(['limit 70', 'INVALID_KEY']);
    expect(await shown({ id })).toMatchObject({ revokedAt: null, revision: 2 });
    const history = JSON.stringify(await service.service.engines.events.readAll({ maxCount: 100_000 }));
    for (const secret of [secretOf(old), secretOf(key)]) expect(history).not.toContain(secret);
  });

  test('rotated concurrently has the secret of one rotation', async () => {
    const { id } = await service.createKey(tenant);
    const replies = await Promise.all([rotate(id), rotate(id)]);
    expect(replies.map(({ status }) => status)).toEqual([201, 201]);
    const told = await Promise.all(replies.map(({ data }) => use((data as TestKey).key)));
    expect(told.sort()).toEqual([REFUSED, LET_IN]);
  });

  test('keeps its rate limit window', async () => {
    const { id, key } = await service.createKey(tenant, { rateLimit: 2 });
    expect([await use(key), await use(key)]).toEqual([LET_IN, LET_IN]);
    const { key: next } = (await rotate(id)).data as TestKey;
    expect(await use(next)).toBe('429 RATE_LIMITED');
  });
});

describe('A key rotated with an overlap', () => {
  test('accepts both secrets until the overlap ends, on every replica', async () => {
    const elsewhere = await replica();
    const { id, key: old } = await service.createKey(tenant, { rateLimit: null });
    const rotated = await rotate(id, tenant, { overlapHours: 24 });
    expect(rotated.status).toBe(201);
    const { key } = rotated.data as TestKey;
    const untilMs = clock.nowMs() + 24 * 3_600_000;
    expect([await use(key), await use(old), await elsewhere(old)]).toEqual([LET_IN, LET_IN, 'limit 60']);
    const { previousSecretExpiresAt } = await shown({ id });
    expect(Math.abs(Date.parse(previousSecretExpiresAt ?? '') - untilMs)).toBeLessThan(60_000);
    clock.pass(24 * 3_600_000);
    await renewed();
    expect([await use(key), await use(old), await elsewhere(old)]).toEqual([LET_IN, REFUSED, 'INVALID_KEY']);
  });

  test('accepts no secret older than the previous one, and none once it is revoked', async () => {
    const { id, key: first } = await service.createKey(tenant);
    const { key: second } = (await rotate(id, tenant, { overlapHours: 168 })).data as TestKey;
    const { key: third } = (await rotate(id, tenant, { overlapHours: 1 })).data as TestKey;
    expect([await use(first), await use(second), await use(third)]).toEqual([REFUSED, LET_IN, LET_IN]);
    const { key: fourth } = (await rotate(id, tenant, {})).data as TestKey;
    expect([await use(second), await use(third), await use(fourth)]).toEqual([REFUSED, REFUSED, LET_IN]);
    await rotate(id, tenant, { overlapHours: 1 });
    expect((await revoke(id)).status).toBe(200);
    expect(await use(fourth)).toBe(REFUSED);
  });

  test('rejects an overlap of more than a week', async () => {
    const { id } = await service.createKey(tenant);
    for (const overlapHours of [169, -1, 0.5, '5'])
      expect((await rotate(id, tenant, { overlapHours })).told).toBe('400 VALIDATION_FAILED overlapHours');
  });
});

describe('A key with an expiry', () => {
  const create = (body: object) => service.post(PATH, { name: 'Season', sourceId: 'season', ...body }, tenant.token);
  const message = async (key: string): Promise<string> => {
    const { body } = await service.call('GET', '/api/integrations/v1/sales/none', { key });
    return (body as { error: { message: string } }).error.message;
  };

  test('works until then, and is then refused with the reason on every replica', async () => {
    const elsewhere = await replica();
    const expiresAt = new Date(clock.nowMs() + 3_600_000).toISOString();
    const { id, key } = (await create({ expiresAt })).data as TestKey;
    expect(await shown({ id })).toMatchObject({ expiresAt });
    expect([await use(key), await elsewhere(key)]).toEqual([LET_IN, 'limit 60']);
    clock.pass(3_600_000);
    await renewed();
    expect([await use(key), await elsewhere(key)]).toEqual([REFUSED, 'INVALID_KEY']);
    expect(await message(key)).toBe(`The integration key expired at ${expiresAt}. Get a new one.`);
    // Only a caller that knows the secret may learn that the key once existed.
    expect(await message(`${key.slice(0, -4)}AAAA`)).toBe('The integration key is invalid.');
    expect((await rotate(id)).told).toBe('409 KEY_EXPIRED');
  });

  test('can get another expiry, or none, from an operator', async () => {
    const expiresAt = new Date(clock.nowMs() + 3_600_000).toISOString();
    const { id, key } = (await create({ expiresAt })).data as TestKey;
    const set = async (body: object): Promise<Reply> =>
      service.call('PATCH', `/api/platform/integration-keys/${id}`, { token: await service.operator(), body });
    clock.pass(3_700_000);
    await renewed();
    expect(await use(key)).toBe(REFUSED);
    expect((await set({ expiresAt: null })).status).toBe(200);
    expect(await use(key)).toBe(LET_IN);
    expect((await set({ expiresAt })).told).toBe('400 VALIDATION_FAILED expiresAt');
    const later = new Date(clock.nowMs() + 60_000).toISOString();
    expect((await set({ expiresAt: later, rateLimit: 30 })).status).toBe(200);
    expect(await shown({ id })).toMatchObject({ expiresAt: later, rateLimit: 30 });
  });

  test('cannot expire in the past, or at an instant that does not exist', async () => {
    for (const expiresAt of [new Date(clock.nowMs()).toISOString(), '2026-02-30T00:00:00Z', 'tomorrow', 5])
      expect((await create({ expiresAt })).told).toBe('400 VALIDATION_FAILED expiresAt');
  });
});

describe('Access to a key', () => {
  test('fails for unknown, malformed and foreign ids', async () => {
    const { id, key } = await service.createKey(tenant);
    for (const wrong of [service.service.engines.ids.next(), 'no-id', `${id}0`]) {
      expect((await revoke(wrong)).told).toBe('404 NOT_FOUND');
      expect((await rotate(wrong)).told).toBe('404 NOT_FOUND');
    }
    expect((await revoke(id, {}, other)).told).toBe('404 NOT_FOUND');
    expect((await rotate(id, other)).told).toBe('404 NOT_FOUND');
    expect(await use(key)).toBe(LET_IN);
    expect(await shown({ id })).toMatchObject({ revokedAt: null, revision: 1 });
  });

  test('requires the permission to manage integrations', async () => {
    const { id } = await service.createKey(tenant);
    const user = { ...tenant, token: await service.createUser(tenant, 'USER') };
    const replies = [await service.get(PATH, user.token), await revoke(id, {}, user), await rotate(id, user)];
    expect(replies.map(({ told }) => told)).toEqual(Array.from({ length: 3 }, () => '403 FORBIDDEN'));
    const operator = { ...tenant, token: await service.operator() };
    expect((await rotate(id, operator)).told).toBe('403 FORBIDDEN');
  });
});

test('Unknown input is rejected', async () => {
  const { id } = await service.createKey(tenant);
  const { token } = tenant;
  const body = { rateLimit: 61 };
  expect((await service.call('DELETE', `${PATH}/${id}`, { token, body })).told).toBe('400 VALIDATION_FAILED rateLimit');
  expect((await service.post(`${PATH}/${id}/rotate`, body, token)).told).toBe('400 VALIDATION_FAILED rateLimit');
  expect((await service.post(`${PATH}/${id}/rotate?force=true`, {}, token)).told).toBe('400 VALIDATION_FAILED force');
  expect((await service.call('POST', `${PATH}/${id}/rotate`, { token, raw: '{' })).told).toBe('400 VALIDATION_FAILED');
  const limit = (value: unknown) =>
    service.call('PATCH', `/api/platform/integration-keys/${id}`, { token: operatorToken, body: value });
  const operatorToken = await service.operator();
  expect((await limit({ rateLimit: '5' })).told).toBe('400 VALIDATION_FAILED rateLimit');
  expect((await limit({ rateLimit: 5, sourceId: 'x' })).told).toBe('400 VALIDATION_FAILED sourceId');
  expect(await shown({ id })).toMatchObject({ revision: 1 });
});

test('Changes to a key are audited, but its uses are not', () => {
  const audited = [...catalogue.types]
    .filter(([type]) => type.startsWith('IntegrationKey'))
    .map(([type, { audit }]) => [type, audit && `${audit.action} ${audit.entity}`]);
  expect(Object.fromEntries(audited)).toEqual({
    IntegrationKeyCreated: 'CREATE integration-key',
    IntegrationKeyRotated: 'UPDATE integration-key',
    IntegrationKeyRevoked: 'DELETE integration-key',
    IntegrationKeyRateLimitSet: 'UPDATE integration-key',
    IntegrationKeyExpirySet: 'UPDATE integration-key',
    IntegrationKeyUsed: null,
  });
});

describe('The last use of a key', () => {
  const recordedUses = async (id: string): Promise<number> => {
    const filter = { on: 'type', prefixes: ['IntegrationKeyUsed'] } as const;
    const events = await service.service.engines.events.readAll({ filter, maxCount: 100_000 });
    return events.filter(({ stream }) => stream.endsWith(id)).length;
  };
  const lastUseOf = async (id: string, isMeant: (at: string) => boolean = () => true): Promise<string> => {
    for (let waitedMs = 0; waitedMs < 15_000; waitedMs += 10) {
      const { lastUsedAt } = await shown({ id });
      if (lastUsedAt !== null && isMeant(lastUsedAt)) return lastUsedAt;
      await delay(10);
    }
    throw new Error('The use of the key never showed.');
  };

  test('appears immediately, then once a minute, and keeps the revision', async () => {
    const { id, key } = await service.createKey(tenant, { rateLimit: null });
    expect((await shown({ id })).lastUsedAt).toBeNull();
    const beganAt = new Date(clock.nowMs()).toISOString();
    for (let count = 0; count < 20; count += 1) expect(await use(key)).toBe(LET_IN);
    const first = await lastUseOf(id);
    expect(first >= beganAt).toBe(true);
    expect(await recordedUses(id)).toBe(1);

    clock.pass(61_000);
    const laterAt = new Date(clock.nowMs()).toISOString();
    expect(await use(key)).toBe(LET_IN);
    await lastUseOf(id, (at) => at >= laterAt);
    expect((await recordedUses(id)) - 1).toBeLessThanOrEqual(2);
    expect(await shown({ id })).toMatchObject({ revision: 0 });
    expect((await revoke(id, { 'if-match': '"0"' })).status).toBe(200);
  });

  test('is recorded at shutdown; rejected requests do not count', async () => {
    const { id, key } = await service.createKey(tenant);
    expect(await use(key)).toBe(LET_IN);
    await lastUseOf(id);
    clock.pass(10_000);
    const at = new Date(clock.nowMs()).toISOString();
    expect(await use(key)).toBe(LET_IN);
    await service.restart();
    tenant = { ...tenant, token: await service.signIn(tenant.email) };
    other = { ...other, token: await service.signIn(other.email) };
    const { lastUsedAt } = await shown({ id });
    expect((lastUsedAt ?? '') >= at).toBe(true);

    await revoke(id);
    clock.pass(61_000);
    tenant = { ...tenant, token: await service.signIn(tenant.email) };
    other = { ...other, token: await service.signIn(other.email) };
    expect(await use(key)).toBe(REFUSED);
    await service.quiet();
    expect((await shown({ id })).lastUsedAt).toBe(lastUsedAt);
  });
});

test('The tests above log no warnings', () => {
  expect(service.complaints).toEqual([]);
});
