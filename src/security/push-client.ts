import type { IncomingHttpHeaders } from 'node:http';
import type { Clock } from '../ports/time.js';
import { NOT_PUBLIC, OutboundClient, retryAfterMs, type Lookup, type OutboundAnswer } from './outbound-client.js';
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
  /** The push service stores only the last message for each topic and browser. At most 32 characters of base64url. */
  readonly topic: string;
};

/**
 * Result of a push. `gone`: the subscription no longer exists. `refused`: permanently rejected. `again`: may succeed
 * later, after `afterMs` if the push service has requested a delay. Codes contain neither the endpoint nor any content.
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
  /** Certificate authorities, in PEM format, that are trusted in addition to the default ones. */
  readonly ca?: string | undefined;
  readonly lookup?: Lookup | undefined;
  readonly timeoutMs?: number;
};
const MAX_IDLE = 64;
const TIMEOUT_MS = 10_000;

/** Sends push messages (RFC 8030) to allowed targets (see OutboundClient). */
export class PushClient {
  private readonly outbound: OutboundClient;

  constructor(private readonly options: PushClientOptions) {
    const { clock, allowPrivate, ca, lookup } = options;
    this.outbound = new OutboundClient({ clock, allowPrivate, ca, lookup, maxIdle: MAX_IDLE, keptBytes: 0 });
  }

  /** Returns the reason why an endpoint is invalid, or undefined if it is valid. */
  faultOf(endpoint: string): string | undefined {
    return this.outbound.faultOf(endpoint);
  }

  /**
   * Sends a message. The promise never rejects because of the push service. Aborting the signal ends the wait for the
   * response.
   */
  async send(
    { endpoint: url, keys }: PushReceiver,
    message: PushMessage,
    signal?: AbortSignal,
    timeoutMs = this.options.timeoutMs ?? TIMEOUT_MS,
  ): Promise<PushOutcome> {
    if (this.faultOf(url) !== undefined) return { kind: 'refused', code: NOT_PUBLIC };
    let body: Buffer;
    try {
      body = encryptedFor(keys, message.payload);
    } catch {
      return { kind: 'refused', code: 'KEY_NOT_VALID' };
    }
    const headers = {
      authorization: await this.options.vapid.authorizationFor(new URL(url).origin),
      ttl: String(message.ttlSeconds),
      urgency: message.urgency,
      topic: message.topic,
      'content-encoding': 'aes128gcm',
      'content-type': 'application/octet-stream',
    };
    return outcomeOf(await this.outbound.post({ url, headers, body, timeoutMs, signal }), this.options.clock.nowMs());
  }

  close(): void {
    this.outbound.close();
  }
}

function outcomeOf(answer: OutboundAnswer, nowMs: number): PushOutcome {
  if (answer.status !== null) return outcomeOfResponse(answer.status, answer.headers, nowMs);
  const { code } = answer;
  return code === NOT_PUBLIC ? { kind: 'refused', code } : { kind: 'again', code, afterMs: undefined };
}

function outcomeOfResponse(status: number, headers: IncomingHttpHeaders, nowMs: number): PushOutcome {
  const code = `HTTP_${status}`;
  if (status >= 200 && status < 300) return { kind: 'delivered' };
  if (status === 404 || status === 410) return { kind: 'gone' };
  if (status === 408 || status === 429 || status >= 500)
    return { kind: 'again', code, afterMs: retryAfterMs(headers['retry-after'], nowMs) };
  return { kind: 'refused', code };
}
