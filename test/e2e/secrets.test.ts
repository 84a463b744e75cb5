import { generateKeyPairSync } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { parseIntegrationKey } from '../../src/aggregates/integration-key.aggregate.js';
import { Browser } from '../support/push-service.js';
import { call, KontorProcess, openBooks, OPERATOR, PLAIN, until, withDirectory, type Books } from './kontor-process.js';

/*
 * Passes valid and invalid secrets to the service in every possible way, at the lowest log level. Then searches for
 * these secrets in everything that the service has written or returned.
 */

const METRICS_TOKEN = 'metrics-token-5a1d0c77';
const NATS_PASSWORD = 'nats-password-90bd21';
const signing = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
const vapid = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const { x = '', y = '', d = '' } = vapid.privateKey.export({ format: 'jwk' });
const point = [4, ...Buffer.from(x, 'base64url'), ...Buffer.from(y, 'base64url')];

const SETTINGS = {
  ...PLAIN,
  LOG_LEVEL: 'trace',
  METRICS_TOKEN,
  // No server is listening at this URL, so the service logs errors.
  NATS_URL: `nats://shop:${NATS_PASSWORD}@127.0.0.1:1`,
  JWT_SIGNING_KEY: JSON.stringify(signing),
  VAPID_PUBLIC_KEY: Buffer.from(point).toString('base64url'),
  VAPID_PRIVATE_KEY: d,
};

/** A marker that is not secret. The test must find the marker, which proves that the search works. */
const CANARY = 'Canary Trading 4f7a';
const OWNER_PASSWORD = 'correct horse battery';
const PASSWORDS = {
  'a wrong password': 'wrong-password-e1b7',
  "a user's password": 'user-password-33c9',
  'a password that was reset': 'reset-password-7d42',
  'a password that was changed': 'changed-password-0a9e',
};

type Secrets = Map<string, string>;
type Tokens = { readonly accessToken: string; readonly refreshToken: string };
type Sent = { readonly method?: string; readonly body?: unknown; readonly headers?: Readonly<Record<string, string>> };

/** Sends a request and returns the response, regardless of its status. */
async function ask(url: string, { method = 'GET', body, headers = {} }: Sent = {}): Promise<Response> {
  const raw = typeof body === 'string' ? body : JSON.stringify(body);
  return fetch(url, {
    method,
    headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
    ...(body !== undefined && { body: raw }),
  });
}

/** Returns the secret part of a token or key, which is its last part. The other parts are only identifiers. */
const tailOf = (token: string): string => token.split('.').at(-1) ?? '';

async function signIn(url: string, email: string, password: string, secrets: Secrets, who: string): Promise<Tokens> {
  const { data } = await call<{ data: Tokens }>(`${url}/api/auth/login`, { body: { email, password } });
  secrets.set(`the access token of ${who}`, tailOf(data.accessToken));
  secrets.set(`the refresh token of ${who}`, tailOf(data.refreshToken));
  return data;
}

/** Signs in, changes and resets passwords, rotates keys, and subscribes a browser. */
async function useAsMeant(url: string, books: Books, secrets: Secrets): Promise<void> {
  const { token } = books;
  await call(`${url}/api/customers`, { token, body: { name: CANARY } });
  const user = {
    fullName: 'Uma User',
    email: 'uma@kontor.test',
    role: 'ADMIN',
    password: PASSWORDS["a user's password"],
  };
  const { data } = await call<{ data: { id: string } }>(`${url}/api/users`, { token, body: user });
  const first = await signIn(url, user.email, user.password, secrets, 'a user');
  const body = { refreshToken: first.refreshToken };
  const renewed = await call<{ data: Tokens }>(`${url}/api/auth/refresh`, { body });
  secrets.set('a renewed refresh token', tailOf(renewed.data.refreshToken));
  const change = { currentPassword: user.password, newPassword: PASSWORDS['a password that was changed'] };
  await call(`${url}/api/auth/change-password`, { token: first.accessToken, body: change });
  const reset = { newPassword: PASSWORDS['a password that was reset'] };
  await call(`${url}/api/users/${data.id}/password`, { token, body: reset });

  const rotated = await call<{ data: { key: string } }>(`${url}/api/integration-keys/${books.keyId}/rotate`, {
    token,
    body: {},
  });
  secrets.set("a partner's first key", parseIntegrationKey(books.key)?.secret ?? '');
  secrets.set("a partner's second key", parseIntegrationKey(rotated.data.key)?.secret ?? '');

  const browser = new Browser('https://push.invalid/secret-of-a-browser-81f0');
  await call(`${url}/api/notifications/push-subscriptions`, { token, body: browser.subscription });
  const notice = { title: 'A notice', body: 'For all.', broadcast: true };
  await call(`${url}/api/notifications/admin/send`, { token, body: notice });
  const cookie = await ask(`${url}/console/session`, {
    method: 'POST',
    body: { email: OPERATOR.email, password: OPERATOR.password },
  });
  const kept = /kontor-console=([\w.-]+)/.exec(cookie.headers.get('set-cookie') ?? '')?.[1] ?? '';
  secrets.set('the cookie of the console', tailOf(kept));
}

/** Sends secrets in the wrong places, as people and programs do by mistake. */
async function useByMistake(url: string, books: Books, secrets: Secrets): Promise<void> {
  const wrong = PASSWORDS['a wrong password'];
  const bearer = { authorization: `Bearer ${books.token}` };
  const statuses = await Promise.all(
    [
      ask(`${url}/api/auth/login`, { method: 'POST', body: { email: OPERATOR.email, password: wrong } }),
      ask(`${url}/api/auth/login`, { method: 'POST', body: { email: wrong, password: books.email } }),
      ask(`${url}/api/auth/login`, { method: 'POST', body: { email: books.email, password: wrong, again: wrong } }),
      ask(`${url}/api/auth/login`, { method: 'POST', body: `{"password":"${wrong}"` }),
      ask(`${url}/api/auth/login?password=${wrong}`, { method: 'POST', body: {} }),
      ask(`${url}/api/customers?access_token=${books.token}&key=${books.key}`),
      ask(`${url}/api/customers?pageNumber=1&pageSize=1`, { headers: { authorization: books.token } }),
      ask(`${url}/api/customers?pageNumber=1&pageSize=1`, { headers: { authorization: `Bearer ${books.key}` } }),
      ask(`${url}/api/integrations/v1/sales`, { headers: { 'x-integration-key': books.token } }),
      ask(`${url}/api/auth/refresh`, { method: 'POST', body: { refreshToken: books.token } }),
      ask(`${url}/api/users`, { method: 'POST', headers: bearer, body: { password: wrong, passwordHash: wrong } }),
      ask(`${url}/api/auth/change-password`, {
        method: 'POST',
        headers: bearer,
        body: { currentPassword: wrong, newPassword: wrong },
      }),
      ask(`${url}/metrics`, { headers: { authorization: `Bearer ${wrong}` } }),
    ].map(async (answer) => (await answer).status),
  );
  expect(statuses.filter((status) => status >= 500 || status < 400)).toEqual([]);
  for (const [name, secret] of Object.entries(PASSWORDS)) secrets.set(name, secret);
}

/** Returns the path and text of every response with information for operators, including the metrics. */
async function told(url: string, token: string): Promise<[string, string][]> {
  const paths = [
    ...['audit-logs?pageSize=100', 'error-logs?pageSize=100', 'dead-letters?pageSize=100', 'tenants', 'operators'],
    ...['jobs', 'jobs/logs?pageNumber=1&pageSize=20', 'projections', 'redis/status', 'redis/queues', 'redis/health'],
  ].map((path) => `/api/platform/${path}`);
  const all = [
    ...paths,
    '/api/system/health/system',
    '/api/auth/me',
    '/openapi.json',
    '/docs',
    '/.well-known/jwks.json',
  ];
  const asked = all.map(async (path): Promise<[string, string]> => {
    const answer = await ask(`${url}${path}`, { headers: { authorization: `Bearer ${token}` } });
    expect([path, answer.status]).toEqual([path, 200]);
    return [path, await answer.text()];
  });
  const metrics = await ask(`${url}/metrics`, { headers: { authorization: `Bearer ${METRICS_TOKEN}` } });
  return [...(await Promise.all(asked)), ['/metrics', await metrics.text()]];
}

/** Returns the names and contents of all files in the data directory. Decompresses compressed files. */
async function stored(directory: string): Promise<[string, string][]> {
  const names = await readdir(directory, { recursive: true, withFileTypes: true });
  return Promise.all(
    names
      .filter((entry) => entry.isFile())
      .map(async ({ parentPath, name }): Promise<[string, string]> => {
        const bytes = await readFile(join(parentPath, name));
        return [name, (name.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('latin1')];
      }),
  );
}

const spellings = (secret: string): string[] => [
  secret,
  encodeURIComponent(secret),
  Buffer.from(secret).toString('base64').replace(/=+$/, ''),
  Buffer.from(secret).toString('base64url'),
  Buffer.from(secret).toString('hex'),
];
const found = (secrets: Secrets, places: readonly [string, string][]): string[] =>
  [...secrets].flatMap(([name, secret]) =>
    places
      .filter(([, text]) => spellings(secret).some((one) => text.includes(one)))
      .map(([place]) => `${name} in ${place}`),
  );

test('No secret appears in a log, an event, a backup, the error log or a response', async () => {
  await withDirectory(async (directory) => {
    const secrets: Secrets = new Map([
      ['the password of the operator', OPERATOR.password],
      ['the password of the owner', OWNER_PASSWORD],
      ['the password of the broker', NATS_PASSWORD],
      ['the token of the scraper', METRICS_TOKEN],
      ['the key that signs tokens', signing.d ?? ''],
      ['the key that signs pushes', SETTINGS.VAPID_PRIVATE_KEY],
    ]);
    const kontor = await KontorProcess.ready(directory, SETTINGS);
    const url = await kontor.url();
    const books = await openBooks(url);
    secrets.set('the access token of the owner', tailOf(books.token));
    secrets.set('the access token of the operator', tailOf(books.operator));
    await useByMistake(url, books, secrets);
    await useAsMeant(url, books, secrets);

    const run = { jobName: 'database-backup' };
    await call(`${url}/api/platform/jobs/trigger`, { token: books.operator, body: run });
    const backups = async (): Promise<string[]> => readdir(join(directory, 'backups')).catch(() => []);
    await until(backups, (names) => names.some((name) => name.endsWith('.gz')));
    const answers = await until(
      () => told(url, books.operator),
      (all) => all.some(([, text]) => text.includes('NATS')) && all.some(([, text]) => text.includes('"SUCCEEDED"')),
    );
    await kontor.stopCleanly();

    const log: [string, string] = ['the log', kontor.stdout + kontor.stderr];
    const files = await stored(directory);
    expect([...secrets.values()].filter((secret) => secret.length < 10)).toEqual([]);
    expect(secrets.size).toBeGreaterThan(15);
    expect(found(secrets, [log, ...answers, ...files])).toEqual([]);

    // The URL for pushes to a browser must appear in the service's files, but neither in the log nor in any response.
    const browser: Secrets = new Map([["a browser's address", 'secret-of-a-browser-81f0']]);
    expect(found(browser, [log, ...answers])).toEqual([]);
    expect(found(browser, files)).not.toEqual([]);
    // Proves that the search works: it finds the marker in each of these places.
    const canary = found(new Map([['canary', CANARY]]), [...answers, ...files]);
    expect(canary).toContain('canary in /api/platform/audit-logs?pageSize=100');
    expect(canary.some((one) => one.endsWith('.gz'))).toBe(true);
    expect(canary.some((one) => /history\.sqlite/.test(one))).toBe(true);
    expect(log[1]).toMatch(/"path":"\/api\/auth\/login","status":401/);
  });
});

test('Every log line is one record and escapes all text from clients', async () => {
  await withDirectory(async (directory) => {
    const kontor = await KontorProcess.ready(directory, { ...PLAIN, LOG_LEVEL: 'trace' });
    const url = await kontor.url();
    const forged = '{"level":60,"msg":"forged"}';
    const breaks = ['%0a', '%0d%0a', '%e2%80%a8', '%c2%85', '%1b[2J', '%00'];
    for (const line of breaks) {
      await ask(`${url}/api/${line}${encodeURIComponent(forged)}`);
      await ask(`${url}/api/customers?search=${line}${encodeURIComponent(forged)}`);
      await ask(`${url}/livez`, { headers: { 'user-agent': forged, 'x-request-id': 'a"b', referer: forged } });
      const email = `${decodeURIComponent(line)}${forged}@kontor.test`;
      await ask(`${url}/api/auth/login`, { method: 'POST', body: { email, password: 'x' } });
    }
    await kontor.stopCleanly();
    const lines = kontor.stdout.split('\n').filter((line) => line !== '');
    const records = lines.map((line) => JSON.parse(line) as { level: number; msg: string });
    expect(records.filter(({ msg }) => msg === 'request').length).toBeGreaterThanOrEqual(4 * breaks.length);
    expect(records.filter(({ level, msg }) => level === 60 || msg === 'forged')).toEqual([]);
    // The log must contain no control characters except line feeds. Other control characters could move the cursor in a
    // reader's terminal.
    expect(/[^\P{Cc}\n]/u.test(kontor.stdout)).toBe(false);
    expect(kontor.stderr).toBe('');
  });
});
