import { execFile } from 'node:child_process';
import { createHmac, generateKeyPairSync, sign as signBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join as pathOf } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { calculateJwkThumbprint, decodeProtectedHeader, importJWK, SignJWT, type JWK } from 'jose';
import { SystemClock } from '../../src/adapters/system-time.js';
import { ACCESS_TOKEN_SECONDS, AccessTokens, type TokenClaims } from '../../src/security/access-tokens.js';
import { silentLogger } from '../../src/ports/log.js';
import { ManualClock } from '../support/manual-clock.js';
import { TENANT } from '../support/member.toy.js';

const ROTATE = pathOf(import.meta.dirname, '../../scripts/rotate-signing-key.mjs');
const ISSUER = 'kontor';
const AUDIENCE = 'kontor-api';
const ada: TokenClaims = { sub: 'ada', tid: TENANT, sid: 'session', scope: 'tenant' };

describe('An access token', () => {
  let directory: string;
  let clock: ManualClock;
  let tokens: AccessTokens;
  let published: JWK;
  let header: { alg: string; typ: string; kid: string };

  const open = (audience = AUDIENCE, issuer = ISSUER): Promise<AccessTokens> =>
    AccessTokens.open(directory, { issuer, audience, clock });
  const publishedBy = async (by: AccessTokens): Promise<JWK> => {
    const [first] = (await by.published()).keys;
    if (!first) throw new Error('No key is published.');
    return first;
  };
  const keyFile = (): string => pathOf(directory, 'signing-key.json');
  const nowSeconds = (): number => Math.floor(clock.nowMs() / 1_000);
  const refused = { kind: 'unauthenticated', code: 'UNAUTHENTICATED' };
  const encoded = (part: object | Buffer): string =>
    (Buffer.isBuffer(part) ? part : Buffer.from(JSON.stringify(part))).toString('base64url');
  const payload = (changes: object = {}): object => ({
    ...ada,
    iss: ISSUER,
    aud: AUDIENCE,
    iat: nowSeconds(),
    exp: nowSeconds() + 60,
    ...changes,
  });
  /** Creates a token with arbitrary claims, signed with the real key. */
  const forged = async (
    claims: object,
    protectedHeader: { alg: string; typ?: string; kid?: string } = header,
  ): Promise<string> => {
    const key = await importJWK(JSON.parse(await readFile(keyFile(), 'utf8')) as JWK, 'EdDSA');
    return new SignJWT(claims as Record<string, unknown>).setProtectedHeader(protectedHeader).sign(key);
  };

  const signedByForeignKey = async (): Promise<string> => {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519');
    const kid = await calculateJwkThumbprint(publicKey.export({ format: 'jwk' }));
    return new SignJWT(payload() as Record<string, unknown>).setProtectedHeader({ ...header, kid }).sign(privateKey);
  };
  const until = async (condition: () => boolean): Promise<void> => {
    const endMs = performance.now() + 10_000;
    while (!condition()) {
      if (performance.now() > endMs) throw new Error('It never came.');
      await delay(1);
    }
  };

  beforeEach(async () => {
    directory = await mkdtemp(pathOf(tmpdir(), 'kontor-tokens-'));
    clock = new ManualClock();
    tokens = await open();
    published = await publishedBy(tokens);
    header = { alg: 'EdDSA', typ: 'at+jwt', kid: published.kid ?? '' };
  });
  afterEach(async () => {
    await rm(directory, { recursive: true });
  });

  test('proves the user, the session and the tenant', async () => {
    expect(await tokens.verify(await tokens.sign(ada))).toMatchObject(ada);
    const operator: TokenClaims = { sub: 'olga', sid: 'session', scope: 'platform' };
    const verified = await tokens.verify(await tokens.sign(operator));
    expect(verified).toMatchObject(operator);
    expect(verified.tid).toBeUndefined();
  });

  test('issued by the tests is valid before it is forged below', async () => {
    expect(await tokens.verify(await forged(payload()))).toMatchObject(ada);
  });

  test('is unique unless requested otherwise', async () => {
    expect(await tokens.sign(ada)).not.toBe(await tokens.sign(ada));
    const signing = { key: await tokens.keys.current(), issuedAtMs: clock.nowMs() - 500, id: 'x' };
    const token = await tokens.sign(ada, signing);
    await clock.advance(2_000);
    expect(await tokens.sign(ada, signing)).toBe(token);
  });

  test.each<[string, () => Promise<string> | string]>([
    ['nothing', () => ''],
    ['no token at all', () => 'ada'],
    ['too many parts', async () => `${await tokens.sign(ada)}.more`],
    ['unsigned (alg none)', () => `${encoded({ ...header, alg: 'none' })}.${encoded(payload())}.`],
    ['unsigned under the name of the right algorithm', () => `${encoded(header)}.${encoded(payload())}.`],
    [
      'signed with the public key as if it were a shared secret',
      () => {
        const text = `${encoded({ ...header, alg: 'HS256' })}.${encoded(payload())}`;
        const secret = Buffer.from(published.x ?? '', 'base64url');
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
      'signed with a key that it contains',
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
    ['of no type', () => forged(payload(), { alg: 'EdDSA', kid: header.kid })],
    ['of another type', () => forged(payload(), { ...header, typ: 'JWT' })],
    ['that does not name its key', () => forged(payload(), { alg: 'EdDSA', typ: 'at+jwt' })],
    ['that names an invalid key', () => forged(payload(), { ...header, kid: '../signing-key' })],
    ['for another audience', () => forged(payload({ aud: 'other' }))],
    ['for no audience', () => forged(payload({ aud: undefined }))],
    ['from another issuer', () => forged(payload({ iss: 'other' }))],
    ['that has expired', () => forged(payload({ exp: nowSeconds() }))],
    ['that never expires', () => forged(payload({ exp: undefined }))],
    ['without a session', () => forged(payload({ sid: undefined }))],
    ['of a user without a tenant', () => forged(payload({ tid: undefined }))],
    ['of an operator with a tenant', () => forged(payload({ scope: 'platform' }))],
    ['with a scope of its own', () => forged(payload({ scope: 'everything' }))],
    ['not valid before tomorrow', () => forged(payload({ nbf: nowSeconds() + 86_400 }))],
  ])('is rejected: %s', async (_, make) => {
    await expect(tokens.verify(await make())).rejects.toMatchObject(refused);
  });

  test('is rejected by a service with another audience or issuer and the same key', async () => {
    const token = await tokens.sign(ada);
    await expect((await open('other')).verify(token)).rejects.toMatchObject(refused);
    await expect((await open(AUDIENCE, 'other')).verify(token)).rejects.toMatchObject(refused);
  });

  test('expires on time, cached or not', async () => {
    const token = await tokens.sign(ada);
    await tokens.verify(token);
    await clock.advance(ACCESS_TOKEN_SECONDS * 1_000 - 1);
    await tokens.verify(token);
    await clock.advance(1);
    await expect(tokens.verify(token)).rejects.toMatchObject(refused);
    await expect((await open()).verify(token)).rejects.toMatchObject(refused);
  });

  test('is rejected without the reason', async () => {
    const messages = new Set<string>();
    for (const token of ['', await forged(payload({ aud: 'other' })), await forged(payload({ exp: 1 }))])
      await tokens.verify(token).catch((error: unknown) => messages.add((error as Error).message));
    expect(messages.size).toBe(1);
  });

  describe('and its signing key', () => {
    test('stay valid after a restart', async () => {
      const token = await tokens.sign(ada);
      expect(await (await open()).verify(token)).toMatchObject(ada);
    });

    test('are protected by file permissions', async () => {
      expect((await stat(keyFile())).mode & 0o777).toBe(0o600);
      expect(await readdir(directory)).toEqual(['signing-key.json']);
    });

    test('are unique, even if several processes start concurrently for the first time', async () => {
      await rm(keyFile());
      const all = await Promise.all(Array.from({ length: 8 }, async () => publishedBy(await open())));
      expect(new Set(all.map(({ kid }) => kid)).size).toBe(1);
      expect((await publishedBy(await open())).kid).toBe(all[0]?.kid);
      expect(await readdir(directory)).toEqual(['signing-key.json']);
    });

    test("can come from the settings: replicas with equal settings accept each other's tokens", async () => {
      const signingKey = await readFile(keyFile(), 'utf8');
      const elsewhere = pathOf(directory, 'elsewhere');
      const replica = await AccessTokens.open(elsewhere, { issuer: ISSUER, audience: AUDIENCE, clock, signingKey });
      expect(await replica.verify(await tokens.sign(ada))).toMatchObject(ada);
      expect(await tokens.verify(await replica.sign(ada))).toMatchObject(ada);
      await expect(stat(elsewhere)).rejects.toThrow('ENOENT');
    });

    test('reject an invalid key without showing it', async () => {
      const options = { issuer: ISSUER, audience: AUDIENCE, clock };
      for (const signingKey of ['very-secret', '{"kty":"RSA","n":"very-secret"}'])
        await expect(AccessTokens.open(directory, { ...options, signingKey })).rejects.toThrow(
          /^JWT_SIGNING_KEY contains no Ed25519 signing key as a JWK or JWKS\.$/,
        );
    });

    test('publish only the public half', () => {
      expect(published).toMatchObject({ kty: 'OKP', crv: 'Ed25519', alg: 'EdDSA', use: 'sig' });
      expect(published.d).toBeUndefined();
    });

    test.each(['', '{"kty":"OKP","crv":"Ed25519","x":"AAAA","d":"a-secret', '{"kty":"oct","k":"a-secret"}'])(
      'are neither replaced nor shown when the file is damaged',
      async (text) => {
        await writeFile(keyFile(), text);
        const opened = open();
        await expect(opened).rejects.toThrow('signing-key.json contains no Ed25519 signing key');
        await expect(opened).rejects.not.toThrow('a-secret');
        expect(await readFile(keyFile(), 'utf8')).toBe(text);
      },
    );
  });

  describe('after a key rotation', () => {
    const rotated = async (env: Record<string, string> = {}): Promise<void> => {
      const run = promisify(execFile);
      await run(process.execPath, [ROTATE], { env: { ...process.env, DATA_DIR: directory, ...env } });
    };
    const kidOf = (token: string): string => decodeProtectedHeader(token).kid ?? '';

    test('is signed with the new key within seconds, and one of the old key stays valid', async () => {
      const old = await tokens.sign(ada);
      await rotated();
      expect(kidOf(await tokens.sign(ada))).toBe(kidOf(old));
      await clock.advance(10_000);
      const token = await tokens.sign(ada);
      expect(kidOf(token)).not.toBe(kidOf(old));
      for (const each of [old, token]) expect(await tokens.verify(each)).toMatchObject(ada);
      expect((await tokens.published()).keys.map(({ kid }) => kid)).toEqual([kidOf(token), kidOf(old)]);
    });

    test('is signed with the new key even if the file for JWT_SIGNING_KEY is empty, but not if it contains keys', async () => {
      const file = pathOf(directory, 'secret');
      await writeFile(file, '\n');
      await rotated({ JWT_SIGNING_KEY_FILE: file });
      const keys = await readFile(keyFile(), 'utf8');
      for (const [content, message] of [
        ['{"keys":[]}', 'JWT_SIGNING_KEY is set'],
        [undefined, 'JWT_SIGNING_KEY_FILE: cannot be read (ENOENT)'],
      ] as const) {
        if (content === undefined) await rm(file);
        else await writeFile(file, content);
        await expect(rotated({ JWT_SIGNING_KEY_FILE: file })).rejects.toThrow(message);
        expect(await readFile(keyFile(), 'utf8')).toBe(keys);
      }
    });

    test('is accepted immediately by a process that has not reloaded, also concurrently', async () => {
      await clock.advance(5_000);
      await rotated();
      const token = await (await open()).sign(ada);
      const all = await Promise.all(Array.from({ length: 50 }, () => tokens.verify(token)));
      expect(all).toHaveLength(50);
    });

    test('is accepted a second later if the file was just read, so that nobody can cause rejections', async () => {
      await clock.advance(5_000);
      const foreign = await signedByForeignKey();
      await expect(tokens.verify(foreign)).rejects.toMatchObject(refused);
      await rotated();
      const token = await (await open()).sign(ada);
      const verifying = tokens.verify(token);
      await until(() => clock.sleeping === 1);
      await clock.advance(999);
      expect(clock.sleeping).toBe(1);
      await clock.advance(1);
      expect(await verifying).toMatchObject(ada);
    });

    test('is never rejected, whichever process signs it and whichever verifies it', async () => {
      const options = { issuer: ISSUER, audience: AUDIENCE, clock: new SystemClock() };
      const processes = [await AccessTokens.open(directory, options), await AccessTokens.open(directory, options)];
      const issued: string[] = [];
      for (let rotation = 0; rotation < 3; rotation += 1) {
        await rotated();
        processes.push(await AccessTokens.open(directory, options));
        for (const signer of processes) issued.push(await signer.sign(ada));
        const all = processes.flatMap((verifier) => issued.map((token) => verifier.verify(token)));
        for (const verified of await Promise.all(all)) expect(verified).toMatchObject(ada);
      }
      expect(new Set(issued.map(kidOf)).size).toBe(4);
    });

    test('reloads the file at most once a second, whatever the number of unknown keys', async () => {
      await clock.advance(5_000);
      await expect(tokens.verify(await signedByForeignKey())).rejects.toMatchObject(refused);
      let answered = 0;
      const strangers = await Promise.all(Array.from({ length: 30 }, signedByForeignKey));
      const verifying = strangers.map((token) =>
        tokens.verify(token).catch(() => {
          answered += 1;
        }),
      );
      await until(() => clock.sleeping > 0);
      expect([clock.sleeping, answered]).toEqual([1, 0]);
      await clock.advance(2_000);
      await until(() => answered === 30 || clock.sleeping > 0);
      await clock.advance(2_000);
      await Promise.all(verifying);
      expect(answered).toBe(30);
    });

    test('is rejected when its key is removed, cached or not', async () => {
      const token = await tokens.sign(ada);
      expect(await tokens.verify(token)).toMatchObject(ada);
      await rotated();
      const { keys } = JSON.parse(await readFile(keyFile(), 'utf8')) as { keys: JWK[] };
      await writeFile(keyFile(), JSON.stringify({ keys: keys.slice(0, 1) }));
      await clock.advance(10_000);
      await tokens.published();
      await expect(tokens.verify(token)).rejects.toMatchObject(refused);
    });

    test('uses the known keys while the file is damaged, and logs it', async () => {
      const said: string[] = [];
      const logger = { ...silentLogger, error: (_: object, message: string) => said.push(message) };
      const listening = await AccessTokens.open(directory, { issuer: ISSUER, audience: AUDIENCE, clock, logger });
      const token = await listening.sign(ada);
      await writeFile(keyFile(), '{"keys":[]}');
      await clock.advance(10_000);
      expect(await listening.verify(await listening.sign(ada))).toMatchObject(ada);
      expect(await listening.verify(token)).toMatchObject(ada);
      expect(said).toEqual(['the signing keys could not be reread']);
    });

    test('of a superseded key is valid for half an hour, cached or not, and no longer', async () => {
      const token = await forged(payload({ exp: nowSeconds() + 7_200 }));
      const before = await tokens.sign(ada);
      const old = JSON.parse(await readFile(keyFile(), 'utf8')) as JWK;
      await rotated();
      const { keys } = JSON.parse(await readFile(keyFile(), 'utf8')) as { keys: JWK[] };
      const supersededAt = new Date(clock.nowMs()).toISOString();
      const signingKey = JSON.stringify({ keys: [keys[0], { ...old, supersededAt }] });
      await writeFile(keyFile(), signingKey);
      const given = await AccessTokens.open(directory, { issuer: ISSUER, audience: AUDIENCE, clock, signingKey });
      await clock.advance(29 * 60_000);
      for (const verifier of [tokens, given]) expect(await verifier.verify(token)).toMatchObject(ada);
      await clock.advance(2 * 60_000);
      for (const verifier of [tokens, given, await open()]) {
        const verifying = verifier.verify(token);
        const refusal = expect(verifying).rejects.toMatchObject(refused);
        await clock.advance(1_000);
        await refusal;
        expect((await verifier.published()).keys.map(({ kid }) => kid)).not.toContain(kidOf(before));
        expect(await verifier.verify(await verifier.sign(ada))).toMatchObject(ada);
      }
    });

    test('is signed with the first key, even if that was superseded and moved to the front again', async () => {
      const supersededAt = new Date(clock.nowMs() - 86_400_000).toISOString();
      const jwk = JSON.parse(await readFile(keyFile(), 'utf8')) as JWK;
      await writeFile(keyFile(), JSON.stringify({ keys: [{ ...jwk, supersededAt }] }));
      const opened = await open();
      const token = await opened.sign(ada);
      expect(await opened.verify(token)).toMatchObject(ada);
      await rotated();
      await clock.advance(10_000);
      await opened.published();
      expect(await opened.verify(token)).toMatchObject(ada);
    });

    test('keeps keys until their tokens have expired, and no longer', async () => {
      await rotated();
      await rotated();
      const file = JSON.parse(await readFile(keyFile(), 'utf8')) as { keys: (JWK & { supersededAt?: string })[] };
      expect(file.keys.map(({ supersededAt }) => supersededAt !== undefined)).toEqual([false, true, true]);
      const [first, second, third] = file.keys;
      const minutesAgo = (minutes: number): string => new Date(Date.now() - minutes * 60_000).toISOString();
      const aged = [first, { ...second, supersededAt: minutesAgo(29) }, { ...third, supersededAt: minutesAgo(31) }];
      await writeFile(keyFile(), JSON.stringify({ keys: aged }));
      await rotated();
      const { keys } = JSON.parse(await readFile(keyFile(), 'utf8')) as { keys: JWK[] };
      expect(keys.slice(1).map(({ x }) => x)).toEqual([first?.x, second?.x]);
      expect((await stat(keyFile())).mode & 0o777).toBe(0o600);
      expect(await readdir(directory)).toEqual(['signing-key.json']);
    });

    test('keeps a file without a key, or with a rotation in progress', async () => {
      const text = await readFile(keyFile(), 'utf8');
      await writeFile(`${keyFile()}.lock`, '');
      await expect(rotated()).rejects.toThrow('Another rotation is running');
      expect(await readFile(keyFile(), 'utf8')).toBe(text);
      await rm(`${keyFile()}.lock`);
      await writeFile(keyFile(), '{"kty":"OKP","d":"a-secret"}');
      await expect(rotated()).rejects.toThrow('contains no Ed25519 signing key');
      await expect(rotated()).rejects.not.toThrow('a-secret');
      expect(await readdir(directory)).toEqual(['signing-key.json']);
    });

    test('can have its keys in the settings: the first key signs, all verify', async () => {
      const old = await tokens.sign(ada);
      await rotated();
      const signingKey = await readFile(keyFile(), 'utf8');
      const options = { issuer: ISSUER, audience: AUDIENCE, clock, signingKey };
      const replica = await AccessTokens.open(pathOf(directory, 'elsewhere'), options);
      expect(await replica.verify(old)).toMatchObject(ada);
      expect(kidOf(await replica.sign(ada))).not.toBe(kidOf(old));
      await expect(replica.verify(await signedByForeignKey())).rejects.toMatchObject(refused);
    });
  });
});
