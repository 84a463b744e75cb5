import { generateKeyPairSync, createPrivateKey } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { decodeJwt, decodeProtectedHeader, SignJWT, type JWK } from 'jose';
import { ShiftedClock } from '../support/shifted-clock.js';
import { TestService, type TestTenant } from '../support/service.js';

const clock = new ShiftedClock();
let service: TestService;
let other: TestService;
let tenant: TestTenant;
let signingKey: JWK;
beforeAll(async () => {
  [service, other] = await Promise.all([TestService.start({ clock }), TestService.start()]);
  tenant = await service.createTenant();
  signingKey = JSON.parse(await readFile(join(service.directory, 'signing-key.json'), 'utf8')) as JWK;
});
afterAll(() => Promise.all([service.close(), other.close()]));

const PATH = '/api/customers?pageNumber=1&pageSize=1';
const told = async (headers: Record<string, string>): Promise<string> =>
  (await service.call('GET', PATH, { headers })).told;
const withToken = (token: string): Promise<string> => told({ authorization: `Bearer ${token}` });

/** Returns the tenant's token with changed claims or header fields, signed with the given key. */
async function forged(
  changes: { claims?: object; header?: object },
  key: Parameters<SignJWT['sign']>[0] = createPrivateKey({ key: signingKey as never, format: 'jwk' }),
): Promise<string> {
  const header = { ...decodeProtectedHeader(tenant.token), ...changes.header } as { alg: string };
  return new SignJWT({ ...decodeJwt(tenant.token), ...changes.claims }).setProtectedHeader(header).sign(key);
}

const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

describe('A bearer token', () => {
  test('is accepted as issued, and identifies its key', async () => {
    expect(await withToken(tenant.token)).toBe('200');
    expect(decodeProtectedHeader(tenant.token)).toMatchObject({ alg: 'EdDSA', typ: 'at+jwt' });
    expect(Object.keys(decodeJwt(tenant.token)).sort()).toEqual(
      ['aud', 'exp', 'iat', 'iss', 'jti', 'scope', 'sid', 'sub', 'tid'].sort(),
    );
    // The service accepts a token re-signed without any change, so the forgeries below fail because of their changes.
    expect(await withToken(await forged({}))).toBe('200');
  });

  test('is required in the right form', async () => {
    for (const headers of [
      {},
      { authorization: '' },
      { authorization: tenant.token },
      { authorization: `Basic ${tenant.token}` },
      { authorization: 'Bearer' },
      { authorization: 'Bearer garbage' },
      { authorization: `Bearer ${tenant.token} ${tenant.token}` },
      { authorization: 'Bearer a.b.c' },
    ])
      expect(await told(headers)).toBe('401 UNAUTHENTICATED');
    const reply = await service.get(PATH);
    expect(reply.headers['www-authenticate']).toBe('Bearer');
    expect(reply.body).toMatchObject({ statusCode: 401, requestId: reply.headers['x-request-id'] });
  });

  test('is rejected when any part of it is tampered with', async () => {
    const [header = '', payload = '', signature = ''] = tenant.token.split('.');
    const claims = decodeJwt(tenant.token);
    const promoted = encoded({ ...claims, scope: 'platform', tid: undefined });
    expect(await withToken([header, promoted, signature].join('.'))).toBe('401 UNAUTHENTICATED');
    const flipped = `${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`;
    expect(await withToken([header, payload, flipped].join('.'))).toBe('401 UNAUTHENTICATED');
    expect(await withToken([header, payload, ''].join('.'))).toBe('401 UNAUTHENTICATED');
  });

  test('is rejected without a signature or with one of another algorithm', async () => {
    const payload = tenant.token.split('.')[1] ?? '';
    for (const alg of ['none', 'None', 'HS256']) {
      const header = encoded({ ...decodeProtectedHeader(tenant.token), alg });
      expect(await withToken(`${header}.${payload}.`)).toBe('401 UNAUTHENTICATED');
    }
    const publicKey = Buffer.from(signingKey.x ?? '', 'base64url');
    expect(await withToken(await forged({ header: { alg: 'HS256' } }, publicKey))).toBe('401 UNAUTHENTICATED');
  });

  test('is rejected from another service, or signed by another key', async () => {
    expect(await withToken(await other.operator())).toBe('401 UNAUTHENTICATED');
    const { privateKey } = generateKeyPairSync('ed25519');
    expect(await withToken(await forged({}, privateKey))).toBe('401 UNAUTHENTICATED');
  });

  test.each([
    ['another audience', { claims: { aud: 'elsewhere' } }],
    ['another issuer', { claims: { iss: 'elsewhere' } }],
    ['another type of token', { header: { typ: 'JWT' } }],
    ['no name of its key', { header: { kid: undefined } }],
    ['the name of another key', { header: { kid: 'A'.repeat(43) } }],
    ['another tenant', { claims: { tid: '01999999-0000-7000-8000-000000000000' } }],
    ['another user', { claims: { sub: '01999999-0000-7000-8000-000000000000' } }],
    ['another session', { claims: { sid: '01999999-0000-7000-8000-000000000000' } }],
    ['the scope of operators', { claims: { scope: 'platform', tid: undefined } }],
    ['a scope that does not fit', { claims: { scope: 'platform' } }],
    ['no end', { claims: { exp: undefined } }],
  ])('is rejected with %s, even if the signature is valid', async (_, changes) => {
    expect(await withToken(await forged(changes))).toBe('401 UNAUTHENTICATED');
  });

  test('is not a refresh token, and vice versa', async () => {
    const login = await service.post('/api/auth/login', { email: tenant.email, password: 'correct horse battery' });
    const { refreshToken } = login.data as { refreshToken: string };
    expect(await withToken(refreshToken)).toBe('401 UNAUTHENTICATED');
  });

  test('stays valid after a restart', async () => {
    await service.restart();
    expect(await withToken(tenant.token)).toBe('200');
  });

  test('expires after 15 minutes, even if just used', async () => {
    const token = await service.signIn(tenant.email);
    clock.pass(14 * 60_000);
    expect(await withToken(token)).toBe('200');
    clock.pass(61_000);
    expect(await withToken(token)).toBe('401 UNAUTHENTICATED');
    expect(await withToken(await service.signIn(tenant.email))).toBe('200');
  });
});

test('The tests above log no warnings', () => {
  expect(service.complaints).toEqual([]);
});
