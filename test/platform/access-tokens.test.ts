import { createHmac, generateKeyPairSync, sign as signBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join as pathOf } from 'node:path';
import { importJWK, SignJWT, type JWK } from 'jose';
import { ACCESS_TOKEN_SECONDS, AccessTokens, type TokenClaims } from '../../src/platform/access-tokens.js';
import { ManualClock } from '../support/manual-clock.js';
import { TENANT } from '../support/member.toy.js';

const ISSUER = 'kontor';
const AUDIENCE = 'kontor-api';
const ada: TokenClaims = { sub: 'ada', tid: TENANT, sid: 'session', scope: 'tenant' };

describe('An access token', () => {
  let directory: string;
  let clock: ManualClock;
  let tokens: AccessTokens;

  const open = (audience = AUDIENCE, issuer = ISSUER): Promise<AccessTokens> =>
    AccessTokens.open(directory, { issuer, audience, clock });
  const keyFile = (): string => pathOf(directory, 'signing-key.json');
  const nowSeconds = (): number => Math.floor(clock.nowMs() / 1_000);
  const refused = { kind: 'unauthenticated', code: 'UNAUTHENTICATED' };
  const encoded = (part: object | Buffer): string =>
    (Buffer.isBuffer(part) ? part : Buffer.from(JSON.stringify(part))).toString('base64url');
  const header = { alg: 'EdDSA', typ: 'at+jwt' };
  const payload = (changes: object = {}): object => ({
    ...ada,
    iss: ISSUER,
    aud: AUDIENCE,
    iat: nowSeconds(),
    exp: nowSeconds() + 60,
    ...changes,
  });
  /** Signed with the real key, whatever is in it. */
  const forged = async (claims: object, protectedHeader: { alg: string; typ?: string } = header): Promise<string> => {
    const key = await importJWK(JSON.parse(await readFile(keyFile(), 'utf8')) as JWK, 'EdDSA');
    return new SignJWT(claims as Record<string, unknown>).setProtectedHeader(protectedHeader).sign(key);
  };

  beforeEach(async () => {
    directory = await mkdtemp(pathOf(tmpdir(), 'kontor-tokens-'));
    clock = new ManualClock();
    tokens = await open();
  });
  afterEach(async () => {
    await rm(directory, { recursive: true });
  });

  test('proves who signed in, in which session and for which tenant', async () => {
    expect(await tokens.verify(await tokens.sign(ada))).toMatchObject(ada);
    const operator: TokenClaims = { sub: 'olga', sid: 'session', scope: 'platform' };
    const verified = await tokens.verify(await tokens.sign(operator));
    expect(verified).toMatchObject(operator);
    expect(verified.tid).toBeUndefined();
  });

  test('of our own making is what the forgeries below differ from', async () => {
    expect(await tokens.verify(await forged(payload()))).toMatchObject(ada);
  });

  test('is each time another', async () => {
    expect(await tokens.sign(ada)).not.toBe(await tokens.sign(ada));
  });

  test.each<[string, () => Promise<string> | string]>([
    ['nothing', () => ''],
    ['no token at all', () => 'ada'],
    ['too many parts', async () => `${await tokens.sign(ada)}.more`],
    ['unsigned (alg none)', () => `${encoded({ alg: 'none', typ: 'at+jwt' })}.${encoded(payload())}.`],
    ['unsigned under the name of the right algorithm', () => `${encoded(header)}.${encoded(payload())}.`],
    [
      'signed with the public key as if it were a shared secret',
      () => {
        const text = `${encoded({ alg: 'HS256', typ: 'at+jwt' })}.${encoded(payload())}`;
        const secret = Buffer.from(tokens.publicJwk.x ?? '', 'base64url');
        return `${text}.${encoded(createHmac('sha256', secret).update(text).digest())}`;
      },
    ],
    [
      'signed with a key of somebody else',
      () => {
        const text = `${encoded(header)}.${encoded(payload())}`;
        return `${text}.${encoded(signBytes(null, Buffer.from(text), generateKeyPairSync('ed25519').privateKey))}`;
      },
    ],
    [
      'signed with a key that it brings along',
      () => {
        const own = generateKeyPairSync('ed25519');
        const text = `${encoded({ ...header, jwk: own.publicKey.export({ format: 'jwk' }) })}.${encoded(payload())}`;
        return `${text}.${encoded(signBytes(null, Buffer.from(text), own.privateKey))}`;
      },
    ],
    [
      'changed after it was signed',
      async () => {
        const [head, , signature] = (await tokens.sign(ada)).split('.');
        return `${head ?? ''}.${encoded(payload({ sub: 'eve' }))}.${signature ?? ''}`;
      },
    ],
    ['of no type', () => forged(payload(), { alg: 'EdDSA' })],
    ['of another type', () => forged(payload(), { alg: 'EdDSA', typ: 'JWT' })],
    ['for another audience', () => forged(payload({ aud: 'other' }))],
    ['for no audience', () => forged(payload({ aud: undefined }))],
    ['from another issuer', () => forged(payload({ iss: 'other' }))],
    ['that has run out', () => forged(payload({ exp: nowSeconds() }))],
    ['that never runs out', () => forged(payload({ exp: undefined }))],
    ['without a session', () => forged(payload({ sid: undefined }))],
    ['of a user without a tenant', () => forged(payload({ tid: undefined }))],
    ['of an operator with a tenant', () => forged(payload({ scope: 'platform' }))],
    ['with a scope of its own', () => forged(payload({ scope: 'everything' }))],
    ['not valid before tomorrow', () => forged(payload({ nbf: nowSeconds() + 86_400 }))],
  ])('is refused: %s', async (_, make) => {
    await expect(tokens.verify(await make())).rejects.toMatchObject(refused);
  });

  test('is refused by a service of another audience or issuer that has the same key', async () => {
    const token = await tokens.sign(ada);
    await expect((await open('other')).verify(token)).rejects.toMatchObject(refused);
    await expect((await open(AUDIENCE, 'other')).verify(token)).rejects.toMatchObject(refused);
  });

  test('runs out on time, known from before or not', async () => {
    const token = await tokens.sign(ada);
    await tokens.verify(token);
    await clock.advance(ACCESS_TOKEN_SECONDS * 1_000 - 1);
    await tokens.verify(token);
    await clock.advance(1);
    await expect(tokens.verify(token)).rejects.toMatchObject(refused);
    await expect((await open()).verify(token)).rejects.toMatchObject(refused);
  });

  test('says nothing of why it was refused', async () => {
    const messages = new Set<string>();
    for (const token of ['', await forged(payload({ aud: 'other' })), await forged(payload({ exp: 1 }))])
      await tokens.verify(token).catch((error: unknown) => messages.add((error as Error).message));
    expect(messages.size).toBe(1);
  });

  describe('by the signing key', () => {
    test('is good after a restart too', async () => {
      const token = await tokens.sign(ada);
      expect(await (await open()).verify(token)).toMatchObject(ada);
    });

    test('which only the owner of the file may read', async () => {
      expect((await stat(keyFile())).mode & 0o777).toBe(0o600);
      expect(await readdir(directory)).toEqual(['signing-key.json']);
    });

    test('which is one, also when several processes start at once for the first time', async () => {
      await rm(keyFile());
      const all = await Promise.all(Array.from({ length: 8 }, () => open()));
      expect(new Set(all.map(({ publicJwk }) => publicJwk.kid)).size).toBe(1);
      expect((await open()).publicJwk.kid).toBe(all[0]?.publicJwk.kid);
      expect(await readdir(directory)).toEqual(['signing-key.json']);
    });

    test('may come from the settings: replicas that are given the same accept the tokens of each other', async () => {
      const signingKey = await readFile(keyFile(), 'utf8');
      const elsewhere = pathOf(directory, 'elsewhere');
      const replica = await AccessTokens.open(elsewhere, { issuer: ISSUER, audience: AUDIENCE, clock, signingKey });
      expect(await replica.verify(await tokens.sign(ada))).toMatchObject(ada);
      expect(await tokens.verify(await replica.sign(ada))).toMatchObject(ada);
      await expect(stat(elsewhere)).rejects.toThrow('ENOENT');
    });

    test('that is none is refused, and its text is not told', async () => {
      const options = { issuer: ISSUER, audience: AUDIENCE, clock };
      for (const signingKey of ['very-secret', '{"kty":"RSA","n":"very-secret"}'])
        await expect(AccessTokens.open(directory, { ...options, signingKey })).rejects.toThrow(
          /^JWT_SIGNING_KEY holds no Ed25519 signing key as a JWK\.$/,
        );
    });

    test('of which others see the public half only', () => {
      expect(tokens.publicJwk).toMatchObject({ kty: 'OKP', crv: 'Ed25519', alg: 'EdDSA', use: 'sig' });
      expect(tokens.publicJwk.d).toBeUndefined();
    });

    test.each(['', '{"kty":"OKP","crv":"Ed25519","x":"AAAA","d":"a-secret', '{"kty":"oct","k":"a-secret"}'])(
      'which, when damaged, is not replaced, and not shown',
      async (text) => {
        await writeFile(keyFile(), text);
        const opened = open();
        await expect(opened).rejects.toThrow('signing-key.json holds no Ed25519 signing key');
        await expect(opened).rejects.not.toThrow('a-secret');
        expect(await readFile(keyFile(), 'utf8')).toBe(text);
      },
    );
  });
});
