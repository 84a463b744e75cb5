import { lookup as systemLookup, type LookupAddress } from 'node:dns';
import type { IncomingMessage } from 'node:http';
import { Agent, request, type RequestOptions } from 'node:https';
import type { LookupFunction } from 'node:net';
import { createSecureContext, rootCertificates } from 'node:tls';
import type { Clock } from '../ports/time.js';
import { hostOf, isPrivateHost, isPublicAddress } from './addresses.js';
import type { VapidKeys } from './vapid-keys.js';
import { encryptedFor, type BrowserKeys } from './web-push-encryption.js';

/** A browser's push subscription. */
export type PushReceiver = { readonly endpoint: string; readonly keys: BrowserKeys };
/** A push message before encryption. */
export type PushMessage = {
  readonly payload: Buffer;
  /** Time for which the push service stores the message for an offline browser. */
  readonly ttlSeconds: number;
  readonly urgency: 'normal' | 'high';
  /** The push service stores only the last message per topic and browser. Up to 32 characters of base64url. */
  readonly topic: string;
};

/**
 * Result of a push. `gone`: the subscription no longer exists. `refused`: permanently rejected. `again`: may succeed
 * later; `afterMs` is the push service's own delay, if any. Codes contain neither endpoint nor content.
 */
export type PushOutcome =
  | { readonly kind: 'delivered' | 'gone' }
  | { readonly kind: 'refused'; readonly code: string }
  | { readonly kind: 'again'; readonly code: string; readonly afterMs: number | undefined };

export type PushClientOptions = {
  readonly vapid: VapidKeys;
  readonly clock: Clock;
  /** Allows endpoints in private networks, for self-hosted push services. */
  readonly allowPrivate: boolean;
  /** PEM of certificate authorities trusted in addition to the default ones. */
  readonly ca?: string | undefined;
  readonly lookup?: Lookup;
  readonly timeoutMs?: number;
};
/** Resolves host names as `dns.lookup` with `all` does. */
export type Lookup = (
  host: string,
  options: { readonly all: true },
  done: (error: NodeJS.ErrnoException | null, addresses?: LookupAddress[]) => void,
) => void;

/** Maximum number of open connections, idle ones included. */
const MAX_SOCKETS = 64;
const TIMEOUT_MS = 10_000;
/** Response bodies are discarded; a larger one closes the connection. */
const MAX_ANSWER_BYTES = 65_536;

class NotPublic extends Error {
  readonly code = 'ADDRESS_NOT_PUBLIC';
}

/**
 * Sends push messages (RFC 8030): only over https and to public addresses, without redirects or proxies. The addresses
 * of a name are checked when it is resolved, and again on the connection. Memory for responses is bounded.
 */
export class PushClient {
  private readonly agent: Agent;

  constructor(private readonly options: PushClientOptions) {
    const { ca } = options;
    this.agent = new Agent({
      keepAlive: true,
      maxTotalSockets: MAX_SOCKETS,
      // `ca` replaces the default authorities, so both are passed. A shared context parses them only once.
      ...(ca !== undefined && { secureContext: createSecureContext({ ca: [...rootCertificates, ca] }) }),
    });
  }

  /** Why an endpoint is invalid; undefined if it is valid. */
  faultOf(endpoint: string): string | undefined {
    const url = URL.canParse(endpoint) ? new URL(endpoint) : undefined;
    if (url?.protocol !== 'https:' || url.username !== '' || url.password !== '') return 'Must be an https address.';
    if (!this.options.allowPrivate && isPrivateHost(hostOf(url))) return 'Must be a public address.';
    return undefined;
  }

  /** Never rejects because of the push service. An abort of the signal stops the wait for the response. */
  async send(
    { endpoint, keys }: PushReceiver,
    message: PushMessage,
    signal?: AbortSignal,
    timeoutMs = this.options.timeoutMs ?? TIMEOUT_MS,
  ): Promise<PushOutcome> {
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
    const options = { method: 'POST', headers, agent: this.agent, lookup: this.lookup };
    return this.post(url, options, body, timeoutMs, signal);
  }

  close(): void {
    this.agent.destroy();
  }

  private post(
    url: URL,
    options: RequestOptions,
    body: Buffer,
    timeoutMs: number,
    signal?: AbortSignal,
  ): Promise<PushOutcome> {
    const { clock, allowPrivate } = this.options;
    const over = new AbortController();
    const end = () => {
      over.abort();
    };
    signal?.addEventListener('abort', end);
    return new Promise<PushOutcome>((resolve) => {
      const sent = request(url, options);
      // Also ends a response that never completes.
      void clock.sleep(timeoutMs, over.signal).then(() => {
        resolve({ kind: 'again', code: 'TIMED_OUT', afterMs: undefined });
        if (!sent.closed) sent.destroy();
      });
      sent.on('socket', (socket) => {
        // A reused connection has been checked before.
        if (!socket.connecting) return;
        // Runs before TLS starts, so no data has been sent.
        socket.once('connect', () => {
          if (!allowPrivate && !isPublicAddress(socket.remoteAddress ?? '')) sent.destroy(new NotPublic());
        });
      });
      sent.on('response', (response) => {
        resolve(outcomeOf(response, clock.nowMs()));
        discard(response);
      });
      sent.on('error', (error: NodeJS.ErrnoException) => {
        const code = error.code ?? 'FAILED';
        resolve(error instanceof NotPublic ? { kind: 'refused', code } : { kind: 'again', code, afterMs: undefined });
      });
      sent.once('close', () => {
        signal?.removeEventListener('abort', end);
        end();
      });
      if (signal?.aborted) end();
      sent.end(body);
    });
  }

  /** Rejects a name if any of its addresses is private. */
  private readonly lookup: LookupFunction = (host, { all }, done) => {
    const { lookup = systemLookup, allowPrivate } = this.options;
    lookup(host, { all: true }, (error, addresses) => {
      // On an error there are no addresses.
      const first = addresses?.[0];
      if (error || !addresses || !first) {
        done(error ?? new Error('The name does not resolve to an address.'), '');
        return;
      }
      if (!allowPrivate && !addresses.every(({ address }) => isPublicAddress(address))) done(new NotPublic(), '');
      else if (all === true) done(null, addresses);
      else done(null, first.address, first.family);
    });
  };
}

/** Reads the rest of a response up to a limit, so that its connection can be reused. */
function discard(response: IncomingMessage): void {
  let bytes = 0;
  response.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > MAX_ANSWER_BYTES) response.destroy();
  });
  response.on('error', () => undefined);
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

/** Parses seconds or an HTTP date (RFC 9110, section 10.2.3); undefined for any other value. */
export function retryAfterMs(value: string | undefined, nowMs: number): number | undefined {
  if (value === undefined) return undefined;
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1_000;
  const atMs = HTTP_DATE.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(atMs) ? undefined : Math.max(0, atMs - nowMs);
}
