import { mkdtemp, mkdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliDecompressSync, brotliCompressSync, gunzipSync, gzipSync } from 'node:zlib';
import type { FastifyInstance } from 'fastify';
import { installConsole } from '../../src/http/console-page.js';
import { installKernel } from '../../src/http/kernel.js';
import { createServer } from '../../src/http/server.js';
import { OPERATOR, TestService } from '../support/service.js';
import { ShiftedClock } from '../support/shifted-clock.js';
import type { Reply } from '../support/reply.js';

const SESSION = '/console/session';

describe('A browser session', () => {
  let service: TestService;
  let clock: ShiftedClock;
  beforeEach(async () => {
    clock = new ShiftedClock();
    service = await TestService.start({ clock, environment: { TRUST_PROXY: 'true' } });
  });
  afterEach(() => service.close());

  type Headers = Readonly<Record<string, string>>;
  const signIn = (headers: Headers = {}, credentials: object = OPERATOR): Promise<Reply> =>
    service.post(SESSION, credentials, undefined, headers);
  const refresh = (cookie?: string, headers: Headers = {}): Promise<Reply> =>
    service.post(`${SESSION}/refresh`, {}, undefined, { ...(cookie !== undefined && { cookie }), ...headers });
  const cookieOf = ({ headers }: Reply): string => headers['set-cookie']?.split(';')[0] ?? '';
  const tokenOf = ({ data }: Reply): string => (data as { accessToken: string }).accessToken;
  const statusOfMe = async (token: string): Promise<number> => (await service.get('/api/auth/me', token)).status;

  test('gives scripts only the access token; the refresh token is in an HttpOnly cookie', async () => {
    const reply = await signIn();
    expect(reply.data).toEqual({ accessToken: expect.any(String) as string, tokenType: 'Bearer', expiresIn: 900 });
    expect(await statusOfMe(tokenOf(reply))).toBe(200);
    const attributes = (reply.headers['set-cookie'] ?? '').split('; ').slice(1);
    expect(attributes).toEqual(['Path=/console/session', 'Max-Age=2592000', 'HttpOnly', 'SameSite=Strict']);
    expect((await refresh(cookieOf(reply))).text).not.toContain('refreshToken');
  });

  test('restricts its cookie to HTTPS if created over HTTPS', async () => {
    const reply = await signIn({ 'x-forwarded-proto': 'https' });
    const attributes = (reply.headers['set-cookie'] ?? '').split('; ').slice(1);
    expect(attributes).toEqual(['Path=/', 'Secure', 'Max-Age=2592000', 'HttpOnly', 'SameSite=Strict']);
    expect(cookieOf(reply)).toMatch(/^__Host-kontor-console=/);
  });

  test('ignores over HTTPS a cookie that a sibling host or plain HTTP could have set', async () => {
    const https = { 'x-forwarded-proto': 'https' };
    const own = cookieOf(await signIn(https));
    const plain = own.replace('__Host-', '');
    expect((await refresh(plain, https)).data).toBeNull();
    expect((await refresh(`${plain}; ${own}`, https)).data).not.toBeNull();
  });

  test.each(['https', 'http'])('rejects two cookies of the same name over %s', async (protocol) => {
    const headers = { 'x-forwarded-proto': protocol };
    const [own, other] = [cookieOf(await signIn(headers)), cookieOf(await signIn(headers))];
    for (const cookie of [`${own}; ${other}`, `${own};${own}`, `x=y; ${other}; z; ${own}`])
      expect((await refresh(cookie, headers)).data).toBeNull();
    expect((await refresh(`x=y; ${own}; z`, headers)).data).not.toBeNull();
  });

  test('is refreshed by its cookie, which works once', async () => {
    const first = cookieOf(await signIn());
    const renewed = await refresh(first);
    const second = cookieOf(renewed);
    expect(second).not.toBe(first);
    expect(await statusOfMe(tokenOf(renewed))).toBe(200);
    // If another tab sends the same cookie within a few seconds, it must receive the same response.
    expect(cookieOf(await refresh(first))).toBe(second);
    clock.pass(11_000);
    expect((await refresh(first)).data).toBeNull();
    // The service has treated the cookie as stolen, and has ended the session.
    expect((await refresh(second)).data).toBeNull();
  });

  test('without a cookie is reported as absent, not as an error, and the cookie is removed', async () => {
    for (const cookie of [undefined, 'kontor-console=', 'kontor-console=nonsense', 'other=x']) {
      const reply = await refresh(cookie);
      expect([reply.status, reply.data]).toEqual([200, null]);
      expect(reply.headers['set-cookie']).toMatch(/^kontor-console=; .*Max-Age=0/);
    }
  });

  test('ends at sign-out, for the cookie and the token', async () => {
    const reply = await signIn();
    const out = await service.call('DELETE', SESSION, { token: tokenOf(reply) });
    expect(out.headers['set-cookie']).toMatch(/^kontor-console=; .*Max-Age=0/);
    expect((await refresh(cookieOf(reply))).data).toBeNull();
    expect(await statusOfMe(tokenOf(reply))).toBe(401);
  });

  test('begins with a password or with a factor, and rejects fields of the other step by name', async () => {
    const { email, password } = OPERATOR;
    const { body } = await service.call('POST', SESSION, { body: { email, password, code: '123456' } });
    expect(body).toMatchObject({ code: 'VALIDATION_FAILED', errors: [{ path: 'code', message: 'Unknown field.' }] });
  });

  test('cannot be created, refreshed or ended by another site', async () => {
    const reply = await signIn();
    const foreign: Headers[] = [
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { origin: 'https://elsewhere.example' },
      { origin: 'null' },
    ];
    for (const headers of foreign) {
      expect((await signIn(headers)).told).toBe('403 FORBIDDEN');
      expect((await refresh(cookieOf(reply), headers)).told).toBe('403 FORBIDDEN');
      const out = await service.call('DELETE', SESSION, { token: tokenOf(reply), headers });
      expect(out.told).toBe('403 FORBIDDEN');
    }
    const proxied = { 'sec-fetch-site': 'same-origin', origin: 'https://books.example' };
    expect((await signIn(proxied)).status).toBe(200);
    const own = { origin: new URL(await service.service.app.getUrl()).origin };
    expect((await refresh(cookieOf(reply), own)).data).not.toBeNull();
  });

  test('cannot be refreshed by a form: it requires JSON', async () => {
    const cookie = cookieOf(await signIn());
    const form = { cookie, 'content-type': 'application/x-www-form-urlencoded' };
    expect((await service.call('POST', `${SESSION}/refresh`, { headers: form, raw: 'a=b' })).status).toBe(415);
    expect((await service.call('POST', `${SESSION}/refresh`, { headers: { cookie } })).status).toBe(400);
  });

  test('rejects wrong passwords with the same rate limit as the API', async () => {
    const wrong = { ...OPERATOR, password: 'not the password' };
    for (let count = 0; count < 10; count += 1) expect((await signIn({}, wrong)).told).toBe('401 UNAUTHENTICATED');
    expect((await signIn({}, wrong)).told).toBe('429 RATE_LIMITED');
    expect((await service.post('/api/auth/login', OPERATOR)).told).toBe('429 RATE_LIMITED');
  });
});

describe('The console page', () => {
  const SCRIPT = `console.log('${'k'.repeat(3_000)}');`;
  let folder: string;
  let server: FastifyInstance;
  const servingFrom = (built: string): FastifyInstance => {
    const serving = createServer();
    installKernel(serving, { ids: { next: () => 'id' } } as never);
    installConsole(serving, built);
    return serving;
  };
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'kontor-console-'));
    await mkdir(join(folder, 'assets'));
    await writeFile(join(folder, 'index.html'), '<meta name="style-nonce" content="__STYLE_NONCE__">');
    await writeFile(join(folder, 'secret.js'), 'no');
    await writeFile(join(folder, 'assets', 'index-abc.js'), SCRIPT);
    await writeFile(join(folder, 'assets', 'index-abc.js.br'), brotliCompressSync(SCRIPT));
    await writeFile(join(folder, 'assets', 'index-abc.js.gz'), gzipSync(SCRIPT));
    server = servingFrom(folder);
  });
  afterAll(async () => {
    await server.close();
    await rm(folder, { recursive: true });
  });

  const get = (url: string, encoding = 'identity') =>
    server.inject({ method: 'GET', url, headers: { 'accept-encoding': encoding } });

  test('explains how to build the console if it is not built', async () => {
    const bare = servingFrom(join(folder, 'nothing'));
    const { statusCode, headers, body } = await bare.inject({ method: 'GET', url: '/console/jobs' });
    expect([statusCode, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect(body).toContain('npm run build');
    await bare.close();
  });

  const policyOf = (answer: Awaited<ReturnType<typeof get>>): Map<string, string> =>
    new Map(
      String(answer.headers['content-security-policy'])
        .split('; ')
        .map((directive) => [directive.replace(/ .*/, ''), directive.replace(/^\S+ ?/, '')] as const),
    );

  test('is served at every address below it, and never cached', async () => {
    for (const path of ['/console', '/console/', '/console/dead-letters/1?x=y', '/console/no/such/page']) {
      const answer = await get(path);
      expect([path, answer.statusCode, answer.headers['cache-control']]).toEqual([path, 200, 'no-store']);
      expect(answer.headers['content-type']).toBe('text/html; charset=utf-8');
    }
  });

  test('allows no inline scripts, no foreign content, and styles only with a nonce per response', async () => {
    const [first, second] = [await get('/console'), await get('/console/jobs')];
    const nonce = /content="([\w+/=]{24})"/.exec(first.body)?.[1] ?? '';
    const policy = policyOf(first);
    expect(policy.get('style-src')).toBe(`'self' 'nonce-${nonce}'`);
    expect(policyOf(second).get('style-src')).not.toBe(policy.get('style-src'));
    expect([...policy.values()].join(' ')).not.toMatch(/unsafe|\*|https?:/);
    expect(policy.get('default-src')).toBe("'none'");
    expect(policy.get('script-src')).toBe("'self'");
    expect(policy.get('frame-ancestors')).toBe("'none'");
    expect(policy.get('require-trusted-types-for')).toBe("'script'");
  });

  test('has assets that are cached permanently, in the best accepted encoding', async () => {
    const sent = async (encoding: string) => {
      const answer = await get('/console/assets/index-abc.js', encoding);
      return [answer.headers['content-encoding'], answer.rawPayload] as const;
    };
    const [plain, content] = await sent('identity');
    expect([plain, String(content)]).toEqual([undefined, SCRIPT]);
    const [br, small] = await sent('gzip, deflate, br');
    expect([br, String(brotliDecompressSync(small))]).toEqual(['br', SCRIPT]);
    const [gzip, zipped] = await sent('br;q=0, gzip');
    expect([gzip, String(gunzipSync(zipped))]).toEqual(['gzip', SCRIPT]);
    const { headers } = await get('/console/assets/index-abc.js');
    expect(headers).toMatchObject({
      'cache-control': 'public, max-age=31536000, immutable',
      'content-type': 'text/javascript; charset=utf-8',
      'x-content-type-options': 'nosniff',
      vary: 'accept-encoding',
    });
  });

  test('serves only asset files', async () => {
    for (const name of ['missing.js', '..%2fsecret.js', '..%2findex.html', '%2e%2e%2fsecret.js', 'index-abc.js.br'])
      expect([name, (await get(`/console/assets/${name}`)).statusCode]).toEqual([name, 404]);
  });
});
