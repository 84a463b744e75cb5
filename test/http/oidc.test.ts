import { createHmac, generateKeyPairSync } from 'node:crypto';
import { decodeJwt, decodeProtectedHeader, SignJWT } from 'jose';
import { updateUser, user, type UpdateUser } from '../../src/aggregates/user.aggregate.js';
import { readConfig } from '../../src/config.js';
import { emailClaim } from '../../src/aggregates/credentials.js';
import { Claims } from '../../src/eventsourcing/claims.js';
import { CommandRunner } from '../../src/eventsourcing/command-runner.js';
import { asService, inContext } from '../../src/eventsourcing/context.js';
import { DomainError } from '../../src/eventsourcing/domain-error.js';
import { isTrustworthy, OidcTokens } from '../../src/security/oidc.js';
import { ManualClock } from '../support/manual-clock.js';
import { OidcIssuer } from '../support/oidc-issuer.js';
import { OPERATOR, PASSWORD, TestService, type TestTenant } from '../support/service.js';
import { ShiftedClock } from '../support/shifted-clock.js';

let issuer: OidcIssuer;
beforeEach(async () => {
  issuer = await OidcIssuer.start();
});
afterEach(() => issuer.close());

describe('A token of an OpenID issuer', () => {
  let clock: ManualClock;
  let tokens: OidcTokens;
  let said: string[];
  beforeEach(() => {
    clock = new ManualClock(Date.now());
    said = [];
    const warn = ({ err }: { err?: Error }): void => void said.push(String(err?.message));
    const logger = { info: noop, error: noop, warn };
    const limits = { timeoutMs: 5_000, cooldownMs: 5_000 };
    tokens = new OidcTokens({ issuer: issuer.url, audience: 'kontor-api', clock, logger, ...limits });
  });
  const told = async (token: string): Promise<string> => {
    if (!tokens.isFor(token)) return 'not its';
    try {
      return (await tokens.verify(token)).email;
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      return error.code;
    }
  };
  const email = 'ada@acme.test';
  const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

  test('provides the address, and identifies the session by issuer, subject and session', async () => {
    const token = await issuer.token(email);
    expect(await told(token)).toBe(email);
    const { sessionId } = await tokens.verify(token);
    expect(sessionId).toMatch(/^oidc:[\w-]{43}$/);
    const later = await issuer.token(email, { jti: 'another' });
    expect((await tokens.verify(later)).sessionId).toBe(sessionId);
    expect((await tokens.verify(await issuer.token(email, { sid: 's' }))).sessionId).not.toBe(sessionId);
  });

  test('is verified with a single request to the issuer', async () => {
    const all = await Promise.all(
      Array.from({ length: 20 }, async (_, index) => told(await issuer.token(`${index}@a.b`))),
    );
    expect(new Set(all).size).toBe(20);
    expect(issuer.asked).toEqual(['/.well-known/openid-configuration', '/keys']);
  });

  test.each<[string, () => Promise<string> | string]>([
    ['for another audience', () => issuer.token(email, { aud: 'kontor' })],
    ['for no audience', () => issuer.token(email, { aud: undefined })],
    ['that has expired', () => issuer.token(email, { exp: Math.floor(Date.now() / 1_000) - 1 })],
    ['that never expires', () => issuer.token(email, { exp: undefined })],
    ['not valid yet', () => issuer.token(email, { nbf: Math.floor(Date.now() / 1_000) + 3_600 })],
    ['of nobody', () => issuer.token(email, { sub: undefined })],
    ['without an address', () => issuer.token(email, { email: undefined })],
    ['with an unverified address', () => issuer.token(email, { email_verified: false })],
    ['that does not say whether it is', () => issuer.token(email, { email_verified: undefined })],
    ['that says so as a text', () => issuer.token(email, { email_verified: 'true' })],
    ['of another type', () => issuer.token(email, {}, { typ: 'logout+jwt' })],
    ['of no type of its own', () => issuer.token(email, {}, { typ: 'JWT' })],
    ['of no type at all', () => issuer.token(email, {}, { typ: undefined })],
    ['with a nonce, as ID tokens have one', () => issuer.token(email, { nonce: 'n' })],
    ['with a hash of another token', () => issuer.token(email, { at_hash: 'h' })],
    ['of a key unknown to the issuer', () => issuer.token(email, {}, { kid: 'other' })],
    [
      'signed by somebody else under the same name',
      async () => {
        const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
        const token = await issuer.token(email);
        return new SignJWT(decodeJwt(token))
          .setProtectedHeader(decodeProtectedHeader(token) as { alg: string })
          .sign(privateKey);
      },
    ],
    [
      'unsigned',
      async () => {
        const token = await issuer.token(email);
        return `${encoded({ alg: 'none', typ: 'at+jwt' })}.${encoded(decodeJwt(token))}.`;
      },
    ],
    [
      'signed with the public key as if it were a shared secret',
      async () => {
        const token = await issuer.token(email);
        const text = `${encoded({ alg: 'HS256', typ: 'at+jwt', kid: issuer.publicJwk.kid })}.${encoded(decodeJwt(token))}`;
        const secret = Buffer.from(issuer.publicJwk.x ?? '', 'base64url');
        return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`;
      },
    ],
  ])('is rejected: %s', async (_, make) => {
    expect(await told(await make())).toBe('UNAUTHENTICATED');
    expect(said).toEqual([]);
  });

  test('of a provider without access token types is accepted, unless it is an ID token', async () => {
    const logger = { info: noop, warn: noop, error: noop };
    tokens = new OidcTokens({ issuer: issuer.url, audience: 'kontor-api', tokenType: 'jwt', clock, logger });
    const accepted = [{ typ: 'JWT' }, { typ: undefined }, { typ: 'at+jwt' }];
    for (const header of accepted) expect(await told(await issuer.token(email, { azp: 'app' }, header))).toBe(email);
    const ofIdTokens = [{ nonce: 'n' }, { at_hash: 'h' }, { c_hash: 'h' }, { typ: 'ID' }, { azp: 'kontor-api' }];
    for (const claims of ofIdTokens)
      expect(await told(await issuer.token(email, claims, { typ: 'JWT' }))).toBe('UNAUTHENTICATED');
    expect(await told(await issuer.token(email, {}, { typ: 'logout+jwt' }))).toBe('UNAUTHENTICATED');
  });

  test('belongs to another issuer if it contains one, or none is configured', async () => {
    expect(await told(await issuer.token(email, { iss: `${issuer.url}/` }))).toBe('not its');
    expect(await told('garbage')).toBe('not its');
    const none = new OidcTokens({ audience: 'kontor-api', clock, logger: { info: noop, warn: noop, error: noop } });
    expect(none.isFor(await issuer.token(email))).toBe(false);
    expect(issuer.asked).toEqual([]);
  });

  test('expires on time, cached or not', async () => {
    const token = await issuer.token(email);
    expect(await told(token)).toBe(email);
    await clock.advance(299_000);
    expect(await told(token)).toBe(email);
    await clock.advance(2_000);
    expect(await told(token)).toBe('UNAUTHENTICATED');
  });

  test('signed with a new key is accepted, and the keys are not fetched repeatedly', async () => {
    tokens = new OidcTokens({
      ...{ issuer: issuer.url, audience: 'kontor-api', clock, cooldownMs: 0 },
      logger: { info: noop, warn: noop, error: noop },
    });
    expect(await told(await issuer.token(email))).toBe(email);
    await issuer.rotate();
    expect(await told(await issuer.token('eve@acme.test'))).toBe('eve@acme.test');
    expect(issuer.asked).toEqual(['/.well-known/openid-configuration', '/keys', '/keys']);
  });

  test('cannot be verified while the issuer is unavailable, which then gets no request for a while', async () => {
    issuer.away = true;
    for (let time = 0; time < 3; time += 1) expect(await told(await issuer.token(email))).toBe('UNAVAILABLE');
    expect(issuer.asked).toHaveLength(1);
    expect(said).toHaveLength(1);
    issuer.away = false;
    await clock.advance(5_001);
    expect(await told(await issuer.token(email))).toBe(email);
    issuer.away = true;
    expect(await told(await issuer.token('eve@acme.test'))).toBe('eve@acme.test');
  });

  test.each<[string, () => object, RegExp]>([
    ['is another’s', () => ({ issuer: 'https://elsewhere.test' }), /belongs to another issuer/],
    ['names keys without encryption', () => ({ jwks_uri: 'http://elsewhere.test/keys' }), /does not use https/],
    ['names no keys', () => ({ jwks_uri: undefined }), /jwks_uri/],
    ['is too large', () => ({ more: 'x'.repeat(1_100_000) }), /exceeds 1 MiB/],
    ['names invalid keys', () => ({ jwks_uri: `${issuer.url}/nothing` }), /200 OK/],
  ])('is not trusted if the discovery document %s', async (_, document, why) => {
    issuer.discovery = document();
    expect(await told(await issuer.token(email))).toBe('UNAVAILABLE');
    expect(said).toEqual([expect.stringMatching(why)]);
  });

  test.each<[string, boolean]>([
    ['https://login.acme.test', true],
    ['http://localhost:8080/realm', true],
    ['http://127.0.0.1', true],
    ['http://[::1]:3', true],
    ['http://login.acme.test', false],
    ['http://localhost.acme.test', false],
    ['http://127.0.0.1.acme.test', false],
    ['ftp://localhost', false],
    ['nothing', false],
  ])('can come from an issuer at %s: %s', (address, expected) => {
    expect(isTrustworthy(address)).toBe(expected);
  });
});

const noop = (): void => undefined;

test.each<[string, object]>([
  ['at an address without encryption', { OIDC_ISSUER: 'http://login.acme.test' }],
  ['at none', { OIDC_ISSUER: 'acme' }],
  ['that has the name of this service', { OIDC_ISSUER: 'https://acme.test', JWT_ISSUER: 'https://acme.test' }],
])('An OpenID issuer %s is rejected at start', (_, environment) => {
  expect(() => readConfig(environment as NodeJS.ProcessEnv)).toThrow('OIDC_ISSUER');
});

describe('With an OpenID issuer the service', () => {
  const clock = new ShiftedClock();
  let service: TestService;
  let tenant: TestTenant;
  beforeEach(async () => {
    const environment = { OIDC_ISSUER: issuer.url, OIDC_AUDIENCE: 'kontor-api' };
    service = await TestService.start({ clock, environment });
    tenant = await service.createTenant();
    const body = { oidcDomains: [{ issuer: issuer.url, domain: `${tenant.slug}.test` }] };
    expect((await service.call('PATCH', '/api/settings', { token: tenant.token, body })).status).toBe(200);
  });
  afterEach(() => service.close());
  const use = async (token: string): Promise<string> => (await service.get('/api/auth/me', token)).told;

  test('accepts its tokens for operators and for users of listed domains, in addition to its own tokens', async () => {
    const token = await issuer.token(tenant.email.toUpperCase());
    expect((await service.get('/api/auth/me', token)).data).toMatchObject({
      user: { email: tenant.email, role: 'OWNER' },
      tenant: { id: tenant.id },
    });
    expect((await service.get('/api/customers?pageNumber=1&pageSize=1', token)).status).toBe(200);
    expect(await use(await issuer.token(OPERATOR.email))).toBe('200');
    expect(await use(tenant.token)).toBe('200');
    expect(await use(await issuer.token('nobody@acme.test'))).toBe('401 UNAUTHENTICATED');
    expect(await use(await issuer.token(tenant.email, { aud: 'other' }))).toBe('401 UNAUTHENTICATED');
  });

  test('records the session of each action, and has no session to end at sign-out', async () => {
    const token = await issuer.token(tenant.email);
    const body = { name: 'Shop', sourceId: 'shop' };
    expect((await service.post('/api/integration-keys', body, token)).status).toBe(201);
    const [made] = await service.service.engines.events.readAll({
      filter: { on: 'type', prefixes: ['IntegrationKeyCreated'] },
    });
    expect((made?.metadata as { sessionId: string }).sessionId).toMatch(/^oidc:/);
    const left = await service.post('/api/auth/logout', {}, token);
    expect(left.data).toMatchObject({ success: true, revision: 0 });
    expect(await use(token)).toBe('200');
  });

  /** Changes a user with the command that also handles requests from the tenant's users. */
  const update = (id: string, data: UpdateUser): Promise<unknown> => {
    const commandId = service.service.engines.ids.next();
    const actor = { kind: 'system', name: 'test' } as const;
    const context = { tenantId: tenant.id, actor, requestId: 'r', correlationId: 'r', commandId };
    const runner = service.service.app.get(CommandRunner);
    return inContext(context, () => runner.execute(user, { tenantId: tenant.id, id }, data, updateUser));
  };

  test('keeps the binding of a user, regardless of address changes', async () => {
    const { sub: id = '' } = decodeJwt(tenant.token);
    const same = { sub: 'ada at the issuer' };
    expect(await use(await issuer.token(tenant.email, same))).toBe('200');
    await update(id, { email: `new@${tenant.slug}.test` });
    clock.pass(1_000);
    expect(await use(await issuer.token(tenant.email, same))).toBe('200');
    expect(await use(await issuer.token('ada@elsewhere.test', same))).toBe('200');
    expect(await use(await issuer.token(`new@${tenant.slug}.test`, { sub: 'eve' }))).toBe('401 UNAUTHENTICATED');
  });

  test('rejects them for an address claimed for a user who was never created', async () => {
    const { ids } = service.service.engines;
    const own = { tenantId: tenant.id, name: 'test', commandId: ids.next() };
    const owner = { stream: `user-${tenant.id}_${ids.next()}`, revision: -1 };
    await asService(own, () => service.service.app.get(Claims).acquire(emailClaim('lost@acme.test'), owner));
    clock.pass(6_000);
    expect(await use(await issuer.token('lost@acme.test'))).toBe('401 UNAUTHENTICATED');
  });

  test('rejects them for an address claimed for a user who never received it', async () => {
    const { sub: id = '' } = decodeJwt(await service.createUser(tenant, 'ADMIN'));
    const email = `ada@${tenant.slug}.test`;
    const own = { tenantId: tenant.id, name: 'test', commandId: service.service.engines.ids.next() };
    const owner = { stream: `user-${tenant.id}_${id}`, revision: 0 };
    await asService(own, () => service.service.app.get(Claims).acquire(emailClaim(email), owner));
    expect(await use(await issuer.token(email))).toBe('401 UNAUTHENTICATED');
    await update(id, { email });
    expect(await use(await issuer.token(email))).toBe('200');
  });

  test('rejects them when the user is deactivated', async () => {
    const token = await issuer.token(tenant.email);
    const { sub: id = '' } = decodeJwt(await service.signIn(tenant.email));
    await service.createUser(tenant, 'OWNER');
    expect(await use(token)).toBe('200');
    await update(id, { isActive: false });
    clock.pass(1_000);
    expect(await use(token)).toBe('401 UNAUTHENTICATED');
  });

  test('rejects them when the tenant is deactivated', async () => {
    const token = await issuer.token(tenant.email);
    expect(await use(token)).toBe('200');
    const path = `/api/platform/tenants/${tenant.id}`;
    const closed = await service.call('PATCH', path, { token: await service.operator(), body: { isActive: false } });
    expect(closed.status).toBe(200);
    clock.pass(1_000);
    expect(await use(token)).toBe('401 UNAUTHENTICATED');
  });

  test('lets users change their Kontor password, which ends sessions started with it', async () => {
    const token = await issuer.token(tenant.email);
    const { data } = await service.post('/api/auth/login', { email: tenant.email, password: PASSWORD });
    const { refreshToken } = data as { refreshToken: string };
    const change = { currentPassword: PASSWORD, newPassword: 'quite another one' };
    expect((await service.post('/api/auth/change-password', change, token)).status).toBe(200);
    expect(await use(token)).toBe('200');
    expect((await service.post('/api/auth/refresh', { refreshToken })).told).toBe('401 UNAUTHENTICATED');
  });
});
