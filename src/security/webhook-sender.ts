import { LRUCache } from 'lru-cache';
import { Webhook } from 'standardwebhooks';
import { atMost } from '../ports/entry-limit.js';
import type { Clock } from '../ports/time.js';
import { OutboundClient, retryAfterMs, type Lookup } from './outbound-client.js';
import type { WebhookKeys, WebhookSecretName } from './webhook-keys.js';

/** A receiver and the secrets with which messages to it are currently signed. */
export type WebhookReceiver = { readonly url: string; readonly secrets: readonly string[] };
/** `id` is the same in every attempt, so that receivers can use it to deduplicate. `body` is JSON text. */
export type WebhookMessage = { readonly id: string; readonly body: string };

/**
 * Result of an attempt. `status` is null if there was no response. `code` is null after a success. `body` is the
 * beginning of the response. `afterMs` is the retry delay that the receiver requested.
 */
export type WebhookAnswer = {
  readonly status: number | null;
  readonly code: string | null;
  readonly body: string | null;
  readonly afterMs: number | undefined;
};

export type WebhookSenderOptions = {
  readonly clock: Clock;
  readonly keys: WebhookKeys;
  /** Allows targets in private networks and unencrypted connections. */
  readonly allowPrivate: boolean;
  readonly ca?: string | undefined;
  readonly lookup?: Lookup | undefined;
  readonly timeoutMs?: number;
};

const TIMEOUT_MS = 15_000;
const MAX_IDLE = 512;
/** Number of response bytes to keep. */
const KEPT_BYTES = 1_024;
const MAX_SIGNERS = 10_000;

/** Signs messages as specified in Standard Webhooks 1.0 and sends them to allowed targets (see OutboundClient). */
export class WebhookSender {
  private readonly outbound: OutboundClient;
  private readonly signers = new LRUCache<string, Webhook>(atMost(MAX_SIGNERS));

  constructor(private readonly options: WebhookSenderOptions) {
    const { clock, allowPrivate, ca, lookup } = options;
    const limits = { maxIdle: MAX_IDLE, keptBytes: KEPT_BYTES };
    this.outbound = new OutboundClient({ clock, allowPrivate, allowHttp: allowPrivate, ca, lookup, ...limits });
  }

  get keyFingerprint(): string {
    return this.options.keys.fingerprint;
  }

  secretOf(name: WebhookSecretName): string {
    return this.options.keys.secretOf(name);
  }

  /** Returns the reason why a target is invalid, or undefined if it is valid. */
  faultOf(url: string): string | undefined {
    return this.outbound.faultOf(url);
  }

  /**
   * Sends a message. The promise never rejects because of the receiver. Aborting the signal ends the wait for the
   * response.
   */
  async send({ url, secrets }: WebhookReceiver, { id, body }: WebhookMessage, signal?: AbortSignal) {
    const { clock, timeoutMs = TIMEOUT_MS } = this.options;
    const sentAt = new Date(clock.nowMs());
    const headers = {
      'content-type': 'application/cloudevents+json; charset=utf-8',
      'user-agent': 'Kontor',
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(sentAt.getTime() / 1_000)),
      'webhook-signature': secrets.map((secret) => this.signerOf(secret).sign(id, sentAt, body)).join(' '),
    };
    const answer = await this.outbound.post({ url, headers, body: Buffer.from(body), timeoutMs, signal });
    return answer.status === null
      ? { status: null, code: answer.code, body: null, afterMs: undefined }
      : this.answerOf(answer.status, answer.body, answer.headers['retry-after']);
  }

  close(): void {
    this.outbound.close();
  }

  private answerOf(status: number, body: Buffer, retryAfter: string | undefined): WebhookAnswer {
    const code = status >= 200 && status < 300 ? null : `HTTP_${status}`;
    const afterMs = code === null ? undefined : retryAfterMs(retryAfter, this.options.clock.nowMs());
    return { status, code, body: textOf(body), afterMs };
  }

  private signerOf(secret: string): Webhook {
    const known = this.signers.get(secret);
    if (known) return known;
    const signer = new Webhook(secret);
    this.signers.set(secret, signer);
    return signer;
  }
}

/**
 * Returns printable text. Removes control characters, which a receiver may send by mistake or with malicious intent.
 */
const textOf = (body: Buffer): string => body.toString('utf8').replaceAll(/[^\P{Cc}\n\r\t]|\p{Cs}/gu, '\ufffd');
