import { lookup as systemLookup, type LookupAddress } from 'node:dns';
import type { IncomingMessage } from 'node:http';
import { Agent, request, type RequestOptions } from 'node:https';
import type { LookupFunction } from 'node:net';
import { createSecureContext, rootCertificates } from 'node:tls';
import type { Clock } from '../ports/time.js';
import { hostOf, isPrivateHost, isPublicAddress } from './public-addresses.js';
import type { VapidKeys } from './vapid-keys.js';
import { encryptedFor, type BrowserKeys } from './web-push-encryption.js';

/** A browser, as it subscribed. */
export type PushReceiver = { readonly endpoint: string; readonly keys: BrowserKeys };
/** A push before it is encrypted. */
export type PushMessage = {
  readonly payload: Buffer;
  /** How long the push service keeps it for a browser that is away. */
  readonly ttlSeconds: number;
  readonly urgency: 'normal' | 'high';
  /** Of messages with the same topic the push service keeps the last one for a browser: up to 32 of base64url. */
  readonly topic: string;
};

/**
 * What became of a push. `gone`: the push service does not know the browser any more. `refused`: it never will take
 * this. `again`: it may take it later, where it says so after `afterMs`. Codes name neither endpoint nor content.
 */
export type PushOutcome =
  | { readonly kind: 'delivered' | 'gone' }
  | { readonly kind: 'refused'; readonly code: string }
  | { readonly kind: 'again'; readonly code: string; readonly afterMs: number | undefined };

/** Whom pushes may go to, and for how long an answer is waited for. */
export type PushClientOptions = {
  readonly vapid: VapidKeys;
  readonly clock: Clock;
  /** Whether endpoints may be in private networks: for a push service of one's own. */
  readonly allowPrivate: boolean;
  /** PEM of authorities that are trusted beside the usual ones. */
  readonly ca?: string | undefined;
  readonly lookup?: Lookup;
  readonly timeoutMs?: number;
};
/** How names become addresses: as `dns.lookup` with `all`. */
export type Lookup = (
  host: string,
  options: { readonly all: true },
  done: (error: NodeJS.ErrnoException | null, addresses?: LookupAddress[]) => void,
) => void;

/** Connections that are open at once, whatever they do. */
const MAX_SOCKETS = 32;
const TIMEOUT_MS = 10_000;
/** Nobody reads what push services say; one that says much is hung up on. */
const MAX_ANSWER_BYTES = 65_536;

class NotPublic extends Error {
  readonly code = 'ADDRESS_NOT_PUBLIC';
}

/**
 * Sends push messages (RFC 8030) and nothing else: only https, to public addresses only (those that names stand for
 * are checked when they are connected to, and once more on the connection), without following redirects and without
 * proxies. Takes no more memory for what an endpoint answers.
 */
export class PushClient {
  private readonly agent: Agent;

  constructor(private readonly options: PushClientOptions) {
    const { ca } = options;
    this.agent = new Agent({
      keepAlive: true,
      maxTotalSockets: MAX_SOCKETS,
      // Authorities that are given replace the usual ones. All are parsed here, not again for each connection.
      ...(ca !== undefined && { secureContext: createSecureContext({ ca: [...rootCertificates, ca] }) }),
    });
  }

  /** Why an endpoint cannot be taken; undefined where it can. */
  faultOf(endpoint: string): string | undefined {
    const url = URL.canParse(endpoint) ? new URL(endpoint) : undefined;
    if (url?.protocol !== 'https:' || url.username !== '' || url.password !== '') return 'Must be an https address.';
    if (!this.options.allowPrivate && isPrivateHost(hostOf(url))) return 'Must be a public address.';
    return undefined;
  }

  /** Never throws for what the other side does. When the signal aborts, the answer is not waited for any more. */
  async send({ endpoint, keys }: PushReceiver, message: PushMessage, signal?: AbortSignal): Promise<PushOutcome> {
    if (this.faultOf(endpoint) !== undefined) return { kind: 'refused', code: 'ADDRESS_NOT_PUBLIC' };
    const url = new URL(endpoint);
    let body: Buffer;
    try {
      body = encryptedFor(keys, message.payload);
    } catch {
      return { kind: 'refused', code: 'KEY_NOT_VALID' };
    }
    const headers = {
      authorization: await this.options.vapid.authorizationFor(url.origin),
      ttl: String(message.ttlSeconds),
      urgency: message.urgency,
      topic: message.topic,
      'content-encoding': 'aes128gcm',
      'content-type': 'application/octet-stream',
      'content-length': String(body.length),
    };
    return this.post(url, { method: 'POST', headers, agent: this.agent, lookup: this.lookup }, body, signal);
  }

  /** Ends the connections. */
  close(): void {
    this.agent.destroy();
  }

  private async post(url: URL, options: RequestOptions, body: Buffer, signal?: AbortSignal): Promise<PushOutcome> {
    const { clock, timeoutMs = TIMEOUT_MS, allowPrivate } = this.options;
    const done = new AbortController();
    const end = () => {
      done.abort();
    };
    if (signal?.aborted) end();
    signal?.addEventListener('abort', end);
    const answered = new Promise<PushOutcome>((resolve) => {
      const sent = request(url, options);
      void clock.sleep(timeoutMs, done.signal).then(() => {
        resolve({ kind: 'again', code: 'TIMED_OUT', afterMs: undefined });
        if (!sent.closed) sent.destroy();
      });
      sent.on('socket', (socket) => {
        // One that is used again was checked before.
        if (!socket.connecting) return;
        // Before TLS begins: nothing has been said to whoever is there.
        socket.once('connect', () => {
          if (!allowPrivate && !isPublicAddress(socket.remoteAddress ?? '')) sent.destroy(new NotPublic());
        });
      });
      sent.on('response', (response) => {
        resolve(outcomeOf(response, clock.nowMs()));
        discard(response, clock, timeoutMs);
      });
      sent.on('error', (error: NodeJS.ErrnoException) => {
        const code = error.code ?? 'FAILED';
        resolve(error instanceof NotPublic ? { kind: 'refused', code } : { kind: 'again', code, afterMs: undefined });
      });
      sent.end(body);
    });
    try {
      return await answered;
    } finally {
      end();
      signal?.removeEventListener('abort', end);
    }
  }

  /** Of a name that stands for anything private, no address is connected to. */
  private readonly lookup: LookupFunction = (host, { all }, done) => {
    const { lookup = systemLookup, allowPrivate } = this.options;
    lookup(host, { all: true }, (error, addresses) => {
      // There are none with an error.
      const first = addresses?.[0];
      if (error || !addresses || !first) {
        done(error ?? new Error('The name stands for nothing.'), '');
        return;
      }
      if (!allowPrivate && !addresses.every(({ address }) => isPublicAddress(address))) done(new NotPublic(), '');
      else if (all === true) done(null, addresses);
      else done(null, first.address, first.family);
    });
  };
}

/** What goes on and on is hung up on. */
function discard(response: IncomingMessage, clock: Clock, timeoutMs: number): void {
  const ended = new AbortController();
  let bytes = 0;
  response.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > MAX_ANSWER_BYTES) response.destroy();
  });
  response.on('error', () => undefined);
  response.once('close', () => {
    ended.abort();
  });
  void clock.sleep(timeoutMs, ended.signal).then(() => {
    if (!response.closed) response.destroy();
  });
}

function outcomeOf({ statusCode = 0, headers }: IncomingMessage, nowMs: number): PushOutcome {
  const code = `HTTP_${statusCode}`;
  if (statusCode >= 200 && statusCode < 300) return { kind: 'delivered' };
  if (statusCode === 404 || statusCode === 410) return { kind: 'gone' };
  if (statusCode === 408 || statusCode === 429 || statusCode >= 500)
    return { kind: 'again', code, afterMs: retryAfterMs(headers['retry-after'], nowMs) };
  return { kind: 'refused', code };
}

const HTTP_DATE = /^[A-Z][a-z]{2,8}, .{1,30} GMT$/;

/** Seconds or an HTTP date (RFC 9110, section 10.2.3); undefined where it is neither. */
export function retryAfterMs(value: string | undefined, nowMs: number): number | undefined {
  if (value === undefined) return undefined;
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1_000;
  const atMs = HTTP_DATE.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(atMs) ? undefined : Math.max(0, atMs - nowMs);
}
