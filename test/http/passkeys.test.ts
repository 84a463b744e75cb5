import { PASSWORD, TestService, type TestTenant } from '../support/service.js';
import type { Reply } from '../support/reply.js';
import { ShiftedClock } from '../support/shifted-clock.js';
import { SoftAuthenticator } from '../support/soft-authenticator.js';

const MINUTE_MS = 60_000;
const HOST = 'kontor.test';
const ORIGIN = `https://${HOST}`;
const REFUSED = '401 UNAUTHENTICATED';

const clock = new ShiftedClock();
let service: TestService;
let home: TestTenant;
let addresses = 0;
beforeAll(async () => {
  service = await TestService.start({ clock, environment: { TRUST_PROXY: 'true' } });
  home = await service.createTenant();
});
afterAll(() => service.close());

type Creation = { readonly id: string; readonly options: Parameters<SoftAuthenticator['create']>[0] };
type Challenge = {
  readonly factorToken: string;
  readonly methods: string[];
  readonly options: Parameters<SoftAuthenticator['get']>[0];
};

/** Headers of a request that a page on the host sends from a new IP address. */
const from = (host = HOST): Record<string, string> => {
  addresses += 1;
  const address = `10.3.${addresses >> 8}.${addresses & 255}`;
  return { 'x-forwarded-for': address, 'x-forwarded-host': host };
};
const begin = async (token: string, host?: string): Promise<Creation> =>
  (await service.post('/api/auth/factors', { type: 'PASSKEY' }, token, from(host))).data as Creation;
const confirm = (id: string, credential: object, token: string): Promise<Reply> =>
  service.post(`/api/auth/factors/${id}/confirm`, { credential }, token, from());
const challengeOf = async (email: string, host?: string): Promise<Challenge> =>
  (await service.post('/api/auth/login', { email, password: PASSWORD }, undefined, from(host))).data as Challenge;
const complete = (factorToken: string, credential: object): Promise<Reply> =>
  service.post('/api/auth/login/factor', { factorToken, credential }, undefined, from());

async function newUser(): Promise<{ email: string; token: string }> {
  const email = `${service.fresh('person')}@kontor.test`;
  const body = { fullName: 'A person', email, password: PASSWORD, role: 'USER' };
  const reply = await service.post('/api/users', body, await service.signIn(home.email));
  if (reply.status !== 201) throw new Error(reply.told);
  return { email, token: await service.signIn(email) };
}

/** Creates a user with a passkey. */
async function person(passkey = new SoftAuthenticator(ORIGIN)) {
  const { email, token } = await newUser();
  const { id, options } = await begin(token);
  const confirmed = await confirm(id, passkey.create(options), token);
  if (confirmed.status !== 200) throw new Error(confirmed.told);
  return { email, token, id, passkey };
}

describe('A passkey', () => {
  test('is added with options for the host, and signs in once for each challenge', async () => {
    const { email, token } = await newUser();
    const passkey = new SoftAuthenticator(ORIGIN);
    const { id, options } = await begin(token);
    expect(options).toMatchObject({ rp: { id: HOST, name: 'Kontor' }, user: { name: email }, attestation: 'none' });
    const confirmed = await confirm(id, passkey.create(options), token);
    expect((confirmed.data as { recoveryCodes: string[] }).recoveryCodes).toHaveLength(10);
    expect((await service.get('/api/auth/factors', token)).data).toMatchObject([{ id, type: 'PASSKEY' }]);

    const { factorToken, methods, options: asked } = await challengeOf(email);
    expect([methods, asked]).toMatchObject([
      ['PASSKEY', 'RECOVERY_CODE'],
      { rpId: HOST, allowCredentials: [{ id: passkey.id, type: 'public-key', transports: ['internal'] }] },
    ]);
    const assertion = passkey.get(asked);
    expect((await complete(factorToken, assertion)).data).toMatchObject({ tokenType: 'Bearer' });
    // Replays the assertion and sends a different assertion for the same challenge.
    expect((await complete(factorToken, assertion)).told).toBe(REFUSED);
    expect((await complete(factorToken, passkey.get(asked))).told).toBe(REFUSED);
    const next = await challengeOf(email);
    expect((await complete(next.factorToken, assertion)).told).toBe(REFUSED);
    expect((await complete(next.factorToken, passkey.get(next.options))).status).toBe(200);
  });

  test('is accepted once for a challenge even from concurrent requests', async () => {
    const { email, passkey } = await person();
    const { factorToken, options } = await challengeOf(email);
    const assertion = passkey.get(options);
    const replies = await Promise.all(Array.from({ length: 8 }, () => complete(factorToken, assertion)));
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
  });

  test('is rejected when its challenge has expired', async () => {
    const { email, passkey } = await person();
    const { factorToken, options } = await challengeOf(email);
    clock.pass(5 * MINUTE_MS + 1_000);
    expect((await complete(factorToken, passkey.get(options))).told).toBe(REFUSED);
  });

  test('is rejected on a page of another origin, and for another relying party', async () => {
    const passkey = new SoftAuthenticator(ORIGIN);
    const { email } = await person(passkey);
    const { factorToken, options } = await challengeOf(email);
    for (const origin of ['https://evil.test', 'https://kontor.test.evil.test', 'https://kontor.test:444', 'null']) {
      const assertion = passkey.get(options, false, origin);
      expect([origin, (await complete(factorToken, assertion)).told]).toEqual([origin, REFUSED]);
    }
    expect((await complete(factorToken, passkey.get({ ...options, rpId: 'evil.test' }))).told).toBe(REFUSED);
    expect((await complete(factorToken, passkey.get(options))).status).toBe(200);
  });

  test('is rejected when its counter does not increase, as that of a clone', async () => {
    const passkey = new SoftAuthenticator(ORIGIN, 7);
    const { email } = await person(passkey);
    const first = await challengeOf(email);
    expect((await complete(first.factorToken, passkey.get(first.options))).status).toBe(200);
    for (const counter of [8, 7, 1, 0]) {
      passkey.counter = counter;
      const { factorToken, options } = await challengeOf(email);
      expect([counter, (await complete(factorToken, passkey.get(options, false))).told]).toEqual([counter, REFUSED]);
    }
    passkey.counter = 8;
    const last = await challengeOf(email);
    expect((await complete(last.factorToken, passkey.get(last.options))).status).toBe(200);
  });

  test('is rejected with a signature by another key, altered data, or the id of an unknown passkey', async () => {
    const { email, passkey } = await person();
    const { factorToken, options } = await challengeOf(email);
    const stranger = new SoftAuthenticator(ORIGIN);
    expect((await complete(factorToken, stranger.get(options))).told).toBe(REFUSED);
    const impostor = { ...stranger.get(options), id: passkey.id, rawId: passkey.id };
    expect((await complete(factorToken, impostor)).told).toBe(REFUSED);
    const own = passkey.get(options) as { response: { authenticatorData: string } };
    const data = Buffer.from(own.response.authenticatorData, 'base64url');
    data[36] = 99;
    const altered = { ...own, response: { ...own.response, authenticatorData: data.toString('base64url') } };
    expect((await complete(factorToken, altered)).told).toBe(REFUSED);
    for (const broken of [
      { ...own, response: { ...own.response, clientDataJSON: '!' } },
      { ...own, rawId: 'x' },
    ])
      expect((await complete(factorToken, broken)).told).toBe(REFUSED);
    expect((await complete(factorToken, { id: 'x' })).told).toMatch(/^400 VALIDATION_FAILED credential/);
  });

  test("of one user does not sign in another, with the other's challenge", async () => {
    const [one, other] = [await person(), await person()];
    const { factorToken, options } = await challengeOf(other.email);
    expect((await complete(factorToken, one.passkey.get(options))).told).toBe(REFUSED);
  });

  test('is not offered on other hosts of the service', async () => {
    const { email } = await person();
    const { methods, options } = await challengeOf(email, 'other.test');
    expect([methods, options]).toEqual([['RECOVERY_CODE'], null]);
  });
});

describe('A new passkey', () => {
  test('is rejected for the challenge of another request, an old one, another origin or another relying party', async () => {
    const { token } = await newUser();
    const passkey = new SoftAuthenticator(ORIGIN);
    const { options: earlier } = await begin(token);
    const { id, options } = await begin(token);
    const wrong = '400 VALIDATION_FAILED credential';
    expect((await confirm(id, passkey.create(earlier), token)).told).toBe(wrong);
    expect((await confirm(id, new SoftAuthenticator('https://evil.test').create(options), token)).told).toBe(wrong);
    expect((await confirm(id, passkey.create({ ...options, rp: { id: 'evil.test' } }), token)).told).toBe(wrong);
    expect((await confirm(id, passkey.get({ ...options, rpId: HOST, allowCredentials: [] }), token)).told).toMatch(
      wrong,
    );
    clock.pass(9 * MINUTE_MS);
    const created = passkey.create(options);
    expect((await confirm(id, created, token)).status).toBe(200);
    expect((await confirm(id, created, token)).told).toBe('409 FACTOR_CONFIRMED');
  });

  test('is rejected with an attestation certificate, whose verification could call any address', async () => {
    const { token } = await newUser();
    const { id, options } = await begin(token);
    const attestation = new Map<string, unknown>([
      ['alg', -7],
      ['sig', Buffer.alloc(70)],
      ['x5c', new Map()],
    ]);
    const credential = new SoftAuthenticator(ORIGIN).create(options, attestation);
    expect((await confirm(id, credential, token)).told).toBe('400 VALIDATION_FAILED credential');
  });

  test('excludes those that the account has, and is added once', async () => {
    const { token, passkey } = await person();
    const { id, options } = await begin(token);
    expect(options).toMatchObject({ excludeCredentials: [{ id: passkey.id }] });
    expect((await confirm(id, passkey.create(options), token)).told).toBe('409 PASSKEY_TAKEN');
  });
});
