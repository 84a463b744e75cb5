import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT, type CryptoKey, type JWK } from 'jose';

type Key = { readonly kid: string; readonly privateKey: CryptoKey; readonly jwk: JWK };

/** A small OpenID provider on the loopback interface: discovery, keys, and tokens with arbitrary claims. */
export class OidcIssuer {
  /** Received requests, in order. */
  readonly asked: string[] = [];
  /** While true, the provider responds with 503. */
  away = false;
  /** Members that override those in the discovery document. */
  discovery: object = {};
  private keys: Key[] = [];

  private constructor(private readonly server: Server) {}

  static async start(): Promise<OidcIssuer> {
    const server = createServer();
    const issuer = new OidcIssuer(server);
    server.on('request', (request, response) => {
      issuer.asked.push(request.url ?? '');
      const body = issuer.away ? undefined : issuer.answer(request.url ?? '');
      response.writeHead(body ? 200 : 503, { 'content-type': 'application/json' }).end(JSON.stringify(body ?? {}));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    await issuer.rotate();
    return issuer;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Adds a key, which signs all later tokens. Keeps earlier keys. */
  async rotate(): Promise<void> {
    const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true });
    const kid = `key-${this.keys.length}`;
    this.keys.unshift({ kid, privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg: 'ES256', use: 'sig' } });
  }

  get publicJwk(): JWK {
    const [key] = this.keys;
    if (!key) throw new Error('No key yet.');
    return key.jwk;
  }

  /** Creates a token that is valid except for the given changes. */
  async token(email: string, changes: object = {}, header: object = {}): Promise<string> {
    const [key] = this.keys;
    if (!key) throw new Error('No key yet.');
    const claims = { sub: `sub of ${email}`, email, email_verified: true, iss: this.url, aud: 'kontor-api' };
    const times = { iat: Math.floor(Date.now() / 1_000), exp: Math.floor(Date.now() / 1_000) + 300 };
    return new SignJWT({ ...claims, ...times, ...changes })
      .setProtectedHeader({ alg: 'ES256', kid: key.kid, typ: 'at+jwt', ...header })
      .sign(key.privateKey);
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private answer(path: string): object | undefined {
    if (path === '/.well-known/openid-configuration')
      return { issuer: this.url, jwks_uri: `${this.url}/keys`, ...this.discovery };
    return path === '/keys' ? { keys: this.keys.map(({ jwk }) => jwk) } : undefined;
  }
}
