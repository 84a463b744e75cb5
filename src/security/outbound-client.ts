import { lookup as systemLookup, type LookupAddress } from 'node:dns';
import { Agent as HttpAgent, request as httpRequest, type IncomingMessage, type OutgoingHttpHeaders } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { LookupFunction } from 'node:net';
import type { Duplex } from 'node:stream';
import { createSecureContext, rootCertificates } from 'node:tls';
import { DONE } from '../eventsourcing/with-timeout.js';
import type { Clock } from '../ports/time.js';
import { isPublicAddress, targetFault, type TargetLimits } from './addresses.js';
import { publicLookup } from './public-lookup.js';

/** Resolves host names like `dns.lookup` with the `all` option. */
export type Lookup = (
  host: string,
  options: { readonly all: true },
  done: (error: NodeJS.ErrnoException | null, addresses?: LookupAddress[]) => void,
) => void;

export type OutboundOptions = TargetLimits & {
  readonly clock: Clock;
  /** Certificate authorities, in PEM format, that are trusted in addition to the default ones. */
  readonly ca?: string | undefined;
  readonly lookup?: Lookup | undefined;
  /** Maximum number of idle connections. The caller limits the number of concurrent calls. */
  readonly maxIdle: number;
  /** Number of bytes of the response body to return. If 0, only the status counts, even if the body is incomplete. */
  readonly keptBytes: number;
};

/** A request to a target that a user has chosen. */
export type OutboundPost = {
  readonly url: string;
  readonly headers: OutgoingHttpHeaders;
  readonly body: Buffer;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
};
/** The response, or the reason why there is none. Codes contain neither the URL nor any content. */
export type OutboundAnswer =
  | { readonly status: number; readonly headers: IncomingMessage['headers']; readonly body: Buffer }
  | { readonly status: null; readonly code: string };

/** The target is not public. */
export const NOT_PUBLIC = 'ADDRESS_NOT_PUBLIC';
/** Time after which an idle connection is closed. */
const IDLE_MS = 5_000;
/** Maximum size of a response. If a response is longer, the connection is closed. */
const MAX_ANSWER_BYTES = 65_536;

class NotPublic extends Error {
  readonly code = NOT_PUBLIC;
}

/**
 * Sends POST requests to targets that tenants choose. By default, uses only HTTPS and public addresses. Never uses
 * redirects or proxies. The addresses of a name are checked when it is resolved, and again once the connection is
 * established. Response memory is limited.
 */
export class OutboundClient {
  private readonly secure: HttpsAgent;
  private readonly plain: HttpAgent;
  private readonly resolve: Lookup;

  constructor(private readonly options: OutboundOptions) {
    const { ca, maxIdle, allowPrivate } = options;
    // Names in private networks may depend on /etc/hosts and search domains.
    this.resolve = options.lookup ?? (allowPrivate ? systemLookup : publicLookup());
    // `maxTotalSockets` is not set. It would count idle connections, so one tenant's targets could use up the pool.
    const pool = { keepAlive: true, timeout: IDLE_MS };
    // `ca` replaces the default authorities, so both are passed. A shared context parses them only once.
    const trust = ca !== undefined && { secureContext: createSecureContext({ ca: [...rootCertificates, ca] }) };
    this.secure = withMaxIdle(maxIdle, new HttpsAgent({ ...pool, ...trust }));
    this.plain = withMaxIdle(maxIdle, new HttpAgent(pool));
  }

  /** Returns the reason why a target is invalid, or undefined if it is valid. */
  faultOf(target: string): string | undefined {
    return targetFault(target, this.options);
  }

  /** The promise never rejects because of the target. Aborting the signal ends the wait for the response. */
  post({ url, headers, body, timeoutMs, signal }: OutboundPost): Promise<OutboundAnswer> {
    if (this.faultOf(url) !== undefined) return Promise.resolve({ status: null, code: NOT_PUBLIC });
    const { clock, allowPrivate, keptBytes } = this.options;
    const over = new AbortController();
    const end = () => {
      over.abort(DONE);
    };
    signal?.addEventListener('abort', end);
    return new Promise((resolve) => {
      const sent = this.request(url, { ...headers, 'content-length': String(body.length) });
      let late: OutboundAnswer = { status: null, code: 'TIMED_OUT' };
      // The timeout also ends a response that never completes.
      void clock.sleep(timeoutMs, over.signal).then(() => {
        resolve(late);
        if (!sent.closed) sent.destroy();
      });
      sent.on('socket', (socket) => {
        // A reused connection has already been checked.
        if (!socket.connecting) return;
        // The check runs before TLS starts, so no data has been sent.
        socket.once('connect', () => {
          if (!allowPrivate && !isPublicAddress(socket.remoteAddress ?? '')) sent.destroy(new NotPublic());
        });
      });
      sent.on('response', (response) => {
        const { statusCode: status = 0, headers } = response;
        if (keptBytes === 0) late = { status, headers, body: Buffer.alloc(0) };
        this.read(response, resolve);
      });
      sent.on('error', (error: NodeJS.ErrnoException) => {
        resolve({ status: null, code: error.code ?? 'FAILED' });
      });
      sent.once('close', () => {
        signal?.removeEventListener('abort', end);
        end();
      });
      if (signal?.aborted) end();
      sent.end(body);
    });
  }

  close(): void {
    this.secure.destroy();
    this.plain.destroy();
  }

  private request(url: string, headers: OutgoingHttpHeaders) {
    const options = { method: 'POST', headers, lookup: this.lookup };
    // The URL may have an upper-case scheme.
    return new URL(url).protocol === 'http:'
      ? httpRequest(url, { ...options, agent: this.plain })
      : httpsRequest(url, { ...options, agent: this.secure });
  }

  /**
   * Reads the response up to a limit, so that its connection can be reused. Calls `resolve` when the connection is
   * free.
   */
  private read(response: IncomingMessage, resolve: (answer: OutboundAnswer) => void): void {
    const { keptBytes } = this.options;
    const { statusCode: status = 0, headers } = response;
    const parts: Buffer[] = [];
    let bytes = 0;
    const answer = () => {
      resolve({ status, headers, body: Buffer.concat(parts).subarray(0, keptBytes) });
    };
    response.on('data', (chunk: Buffer) => {
      if (bytes < keptBytes) parts.push(chunk);
      bytes += chunk.length;
      if (bytes > MAX_ANSWER_BYTES) response.destroy();
    });
    response.on('error', () => undefined);
    response.on('close', answer);
  }

  /** Rejects a name if any of its addresses is private. */
  private readonly lookup: LookupFunction = (host, { all }, done) => {
    const { allowPrivate } = this.options;
    this.resolve(host, { all: true }, (error, addresses) => {
      // If the lookup failed, there are no addresses.
      const first = addresses?.[0];
      if (error || !addresses || !first) {
        done(error ?? new Error('The name does not resolve to any address.'), '');
        return;
      }
      if (!allowPrivate && !addresses.every(({ address }) => isPublicAddress(address))) done(new NotPublic(), '');
      else if (all === true) done(null, addresses);
      else done(null, first.address, first.family);
    });
  };
}

/**
 * Closes connections instead of keeping them once the maximum number of connections is idle. `maxFreeSockets` limits
 * only the idle connections of each origin.
 */
function withMaxIdle<A extends HttpAgent>(maxIdle: number, agent: A): A {
  const keep: (socket: Duplex) => unknown = agent.keepSocketAlive.bind(agent);
  agent.keepSocketAlive = (socket) => Object.values(agent.freeSockets).flat().length < maxIdle && keep(socket);
  return agent;
}

const HTTP_DATE = /^[A-Z][a-z]{2,8}, .{1,30} GMT$/;

/** Parses a number of seconds or an HTTP date (RFC 9110, section 10.2.3). Returns undefined for any other value. */
export function retryAfterMs(value: string | undefined, nowMs: number): number | undefined {
  if (value === undefined) return undefined;
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1_000;
  const atMs = HTTP_DATE.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(atMs) ? undefined : Math.max(0, atMs - nowMs);
}
