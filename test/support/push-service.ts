import { createDecipheriv, createECDH, hkdfSync, randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { importJWK, jwtVerify } from 'jose';
import { selfSigned } from './self-signed.js';

/**
 * Response to a push. With `hang`, the push service does not respond. With `isEndless`, the response body never ends.
 */
export type PushReply =
  'hang' | { readonly status: number; readonly headers?: Readonly<Record<string, string>>; readonly isEndless?: true };
/** A push as the push service received it. */
export type Push = {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
  readonly atMs: number;
};

/** A browser with its push subscription. Only the browser can decrypt its pushes. */
export class Browser {
  private readonly own = createECDH('prime256v1');
  private readonly auth = randomBytes(16);
  readonly keys: { readonly p256dh: string; readonly auth: string };

  constructor(readonly endpoint: string) {
    this.own.generateKeys();
    this.keys = { p256dh: this.own.getPublicKey('base64url'), auth: this.auth.toString('base64url') };
  }

  get subscription() {
    return { endpoint: this.endpoint, keys: this.keys };
  }

  /**
   * Decrypts a push with an independent implementation of RFC 8291 and RFC 8188. @throws Error if the push is for
   * another browser
   */
  read({ body }: Pick<Push, 'body'>): Record<string, unknown> {
    const salt = body.subarray(0, 16);
    const keyLength = body[20] ?? 0;
    const sender = body.subarray(21, 21 + keyLength);
    const record = body.subarray(21 + keyLength);
    const hkdf = (secret: Buffer, by: Buffer, info: Buffer | string, bytes: number) =>
      Buffer.from(hkdfSync('sha256', secret, by, info, bytes));
    const info = Buffer.concat([Buffer.from('WebPush: info\0'), this.own.getPublicKey(), sender]);
    const material = hkdf(this.own.computeSecret(sender), this.auth, info, 32);
    const key = hkdf(material, salt, 'Content-Encoding: aes128gcm\0', 16);
    const decipher = createDecipheriv('aes-128-gcm', key, hkdf(material, salt, 'Content-Encoding: nonce\0', 12));
    decipher.setAuthTag(record.subarray(-16));
    const padded = Buffer.concat([decipher.update(record.subarray(0, -16)), decipher.final()]);
    const end = padded.lastIndexOf(2);
    return JSON.parse(padded.subarray(0, end).toString()) as Record<string, unknown>;
  }
}

/** A local push service over TLS with its own certificate. */
export class PushService {
  readonly pushes: Push[] = [];
  /** Number of open connections. */
  connections = 0;
  private readonly plans = new Map<string, (PushReply | Promise<PushReply>)[]>();
  private made = 0;

  private constructor(
    private readonly server: Server,
    /** CA certificate to trust, in PEM format. */
    readonly ca: string,
  ) {
    // The server must not close idle connections. Only the client does.
    server.keepAliveTimeout = 0;
    server.on('connection', (socket) => {
      this.connections += 1;
      socket.on('close', () => (this.connections -= 1));
    });
    server.on('request', (request, response) => {
      this.receive(request, response);
    });
  }

  static async start(): Promise<PushService> {
    const { cert, key } = selfSigned(['localhost', 'push.test', '*.push.test'], ['127.0.0.1']);
    const server = createServer({ cert, key });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new PushService(server, cert);
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }
  get origin(): string {
    return `https://127.0.0.1:${this.port}`;
  }

  /**
   * Creates a browser. The push service answers its first pushes with the given replies, and all others with 201.
   */
  browser(...replies: (PushReply | Promise<PushReply>)[]): Browser {
    this.made += 1;
    const path = `/push/${this.made}`;
    this.plans.set(path, replies);
    return new Browser(`${this.origin}${path}`);
  }

  answer({ endpoint }: Browser, ...replies: PushReply[]): void {
    this.plans.set(new URL(endpoint).pathname, replies);
  }

  pushesTo({ endpoint }: Browser): Push[] {
    const { pathname } = new URL(endpoint);
    return this.pushes.filter(({ path }) => path === pathname);
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private receive(request: IncomingMessage, response: ServerResponse): void {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const path = request.url ?? '';
      this.pushes.push({ path, headers: request.headers, body: Buffer.concat(parts), atMs: performance.now() });
      void this.respond(this.plans.get(path)?.shift() ?? { status: 201 }, response);
    });
  }

  private async respond(planned: PushReply | Promise<PushReply>, response: ServerResponse): Promise<void> {
    const reply = await planned;
    if (reply === 'hang') return;
    response.writeHead(reply.status, reply.headers);
    if (reply.isEndless) response.write('{');
    else response.end();
  }
}

/**
 * Returns the claims in a push's VAPID token (RFC 8292). @throws Error unless the token was signed with the given key
 */
export async function vapidClaims({ headers }: Push, publicKey: string, nowMs: number) {
  const [, token = '', key = ''] = /^vapid t=([\w.-]+), k=([\w-]+)$/.exec(headers.authorization ?? '') ?? [];
  if (key !== publicKey) throw new Error(`Signed by ${key}`);
  const point = Buffer.from(publicKey, 'base64url');
  const [x = '', y = ''] = [point.subarray(1, 33), point.subarray(33)].map((half) => half.toString('base64url'));
  const jwk = await importJWK({ kty: 'EC', crv: 'P-256', x, y }, 'ES256');
  const verified = await jwtVerify(token, jwk, { algorithms: ['ES256'], currentDate: new Date(nowMs) });
  return verified.payload;
}
