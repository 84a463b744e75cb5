import { once, setMaxListeners } from 'node:events';
import { receiverOf, wantedBy } from '../aggregates/webhook-receiver.js';
import type { DisabledReason, PresentWebhook, WebhookReport } from '../aggregates/webhook.aggregate.js';
import { Backoff } from '../eventsourcing/backoff.js';
import { DomainError } from '../eventsourcing/domain-error.js';
import { type EventCatalogue, NewerEvent, type Recorded } from '../eventsourcing/event-catalogue.js';
import type { FairQueue } from '../eventsourcing/fair-queue.js';
import { retryForever } from '../eventsourcing/retry-forever.js';
import { eventAt } from '../eventsourcing/stream-events.js';
import type { EventReader, RecordedEvent } from '../ports/event-store.js';
import type { Logger } from '../ports/log.js';
import type { Clock, Ids } from '../ports/time.js';
import { Complaints } from '../projecting/complaints.js';
import type { WebhookSender } from '../security/webhook-sender.js';
import type { ParkRequest } from './dead-letters.js';
import { type Answer, AttemptLog } from './webhook-attempt-log.js';
import { type Entry, type Outgoing, outgoingOf } from './webhook-entries.js';
import { webhookSubscriber } from './webhook-redelivery.js';
import { type AttemptResult, MAX_WAIT_MS, WebhookGate } from './webhook-gate.js';

const DAY_MS = 24 * 60 * 60_000;
/** Time from the first failure until a message becomes a dead letter. */
export const RETRIED_FOR_MS = 3 * DAY_MS;
/** Time from the first failure after the last success until the webhook is disabled. */
export const FAILING_FOR_MS = 5 * DAY_MS;
/** Minimum time for which a message must have failed before its webhook is disabled. */
const CONFIRMED_AFTER_MS = 60 * 60_000;
const RETRY_PAUSES = { baseMs: 5_000, maxMs: MAX_WAIT_MS };
/**
 * Pauses between attempts while a receiver is down. They are shorter than the retry delays of a message, so that
 * messages arrive soon after the receiver recovers.
 */
const DOWN_PAUSES = { baseMs: 1_000, maxMs: 15 * 60_000 };

export type WebhookAddress = { readonly tenantId: string; readonly id: string };

/** Dependencies of deliveries. */
export type DeliveryParts = {
  readonly events: EventReader;
  readonly catalogue: EventCatalogue;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
  readonly sender: WebhookSender;
  /** Shares the connections of all webhooks fairly between tenants. */
  readonly turns: FairQueue;
  /** Durably parks an event that could not be delivered to a webhook. */
  readonly park: (subscriber: string, event: ParkRequest['event'], error: unknown) => Promise<void>;
  /** Appends a report about a webhook. */
  readonly report: (address: WebhookAddress, report: WebhookReport) => Promise<void>;
};

const failure = (code: string): Answer => ({ status: null, code, body: null, afterMs: undefined });
/** `unread`: nothing was sent, because the event could not be read, or contains no further message for the webhook. */
type Outcome = 'done' | 'again' | 'stopped' | 'unread';

/** Status codes 4xx with which a receiver requests a later attempt. */
const askingToWait = new Set([408, 425, 429]);

function resultOf({ status, code }: Answer): AttemptResult {
  if (code === null) return 'accepted';
  return status !== null && status >= 400 && status < 500 && !askingToWait.has(status) ? 'rejected' : 'failed';
}

/** Attempts to deliver the messages of one webhook and logs the attempts. */
export class WebhookAttempts {
  readonly gate: WebhookGate;
  readonly log: AttemptLog;
  /** Ids of delivered messages, which a recovery skips. Undefined until a recovery reads them. */
  delivered: ReadonlySet<string> | undefined;
  private wants: (type: string) => boolean;
  private readonly retries = new Backoff(RETRY_PAUSES);
  private readonly underway = new Set<Promise<Outcome>>();
  private readonly stopping = new AbortController();
  private isStopped = false;
  /** Aborted when the URL changes or the lane stops. */
  private replaced = new AbortController();
  private readonly complaints: Complaints;

  constructor(
    private readonly parts: DeliveryParts,
    private readonly address: WebhookAddress,
    private webhook: PresentWebhook,
    nextNumber: number,
  ) {
    // Every attempt in progress adds a listener to the signal.
    setMaxListeners(0, this.stopping.signal);
    setMaxListeners(0, this.replaced.signal);
    this.log = new AttemptLog(parts, address.id, nextNumber);
    this.gate = new WebhookGate(parts.clock, new Backoff(DOWN_PAUSES));
    this.wants = wantedBy(webhook);
    this.complaints = new Complaints(parts.clock);
  }

  get url(): string {
    return this.webhook.url;
  }

  use(webhook: PresentWebhook): void {
    const { url } = this;
    this.webhook = webhook;
    this.wants = wantedBy(webhook);
    if (url === webhook.url) return;
    this.gate.reset();
    this.replaced.abort();
    this.replaced = new AbortController();
    setMaxListeners(0, this.replaced.signal);
  }

  wantsAny(event: Recorded): boolean {
    return outgoingOf(event).some(({ type }) => this.wants(type));
  }

  /** Prevents further attempts. Abandons attempts in progress that do not end in time. */
  async stop(withinMs: number): Promise<void> {
    this.isStopped = true;
    this.gate.close();
    this.replaced.abort();
    const over = new AbortController();
    const ended = Promise.allSettled(this.underway);
    if (this.underway.size > 0) await Promise.race([ended, this.parts.clock.sleep(withinMs, over.signal)]);
    over.abort();
    this.stopping.abort();
    await ended;
  }

  /**
   * Delivers the messages of an event in order. Calls `attempted` after each attempt, when the entry is up to date.
   * Resolves to false if the lane stops before all messages are delivered.
   */
  async settle(entry: Entry, attempted: () => void): Promise<boolean> {
    for (;;) {
      if (entry.event && !this.nextOf(entry, entry.event)) return true;
      if (!(await this.gate.enter(entry))) return false;
      const attempt = this.attempt(entry);
      this.underway.add(attempt);
      const outcome = await attempt.finally(() => this.underway.delete(attempt));
      if (outcome === 'stopped') return false;
      if (outcome === 'unread') {
        entry.event = await this.read(entry);
        if (!entry.event) return !this.stopping.signal.aborted;
      } else {
        // The event of a waiting entry is read again later, so that thousands of waiting entries need little memory.
        if (outcome === 'again') entry.event = undefined;
        else Object.assign(entry, { done: entry.done + 1, attempts: 0, failedAtMs: null, dueMs: 0, logged: null });
        attempted();
      }
    }
  }

  private nextOf(entry: Entry, event: Recorded): Outgoing | undefined {
    const messages = outgoingOf(event);
    const index = messages.findIndex((message, at) => at >= entry.done && this.isDue(entry, message));
    entry.done = index < 0 ? messages.length : index;
    return messages[index];
  }

  private isDue({ kind, messageId }: Entry, message: Outgoing): boolean {
    if (messageId !== null) return message.id === messageId;
    return this.wants(message.type) && !(kind === 'recovery' && this.delivered?.has(message.id));
  }

  /** Makes an attempt that the gate has admitted. */
  private async attempt(entry: Entry): Promise<Outcome> {
    const { clock, turns } = this.parts;
    // A failure to read the event must not occupy a place at the gate.
    const event = entry.event ?? (await this.stored(entry).catch(() => undefined));
    const message = event && this.nextOf(entry, event);
    if (!message) {
      this.gate.skip();
      return 'unread';
    }
    entry.event = event;
    const { url, ...answer } = await turns.run({ group: this.address.tenantId }, async () => {
      const beganMs = clock.monotonicMs();
      const receiver = this.webhook;
      const received = await this.send(entry, message, receiver);
      if (receiver.url === this.url) this.gate.leave(resultOf(received), beganMs, received.afterMs);
      else this.gate.skip();
      return { ...received, url: receiver.url };
    });
    if (this.stopping.signal.aborted) return 'stopped';
    entry.attempts += 1;
    if (answer.code !== null) return this.failed(entry, event, message, answer, url === this.url);
    this.log.note(entry, message, 'DELIVERED', answer);
    return 'done';
  }

  private async send({ kind }: Entry, message: Outgoing, webhook: PresentWebhook): Promise<Answer> {
    const { sender, clock } = this.parts;
    try {
      const receiver = receiverOf(sender, this.address, webhook, clock.nowMs());
      const body = kind === 'live' ? message.body : message.again;
      return await sender.send(receiver, { id: message.id, body }, this.stopping.signal);
    } catch (error) {
      if (error instanceof DomainError) return failure(error.code);
      throw error;
    }
  }

  private async failed(
    entry: Entry,
    event: Recorded,
    message: Outgoing,
    answer: Answer,
    isCurrent: boolean,
  ): Promise<Outcome> {
    const nowMs = this.parts.clock.nowMs();
    entry.failedAtMs ??= nowMs;
    // A response of the previous receiver says nothing about the current one.
    if (!isCurrent) return this.retry(entry, message, answer, 0);
    if (answer.status === 410) return this.disable(entry, message, answer, 'GONE');
    // A single failure long after an earlier one is not sufficient, because nothing may have been sent in the meantime.
    const isConfirmed = nowMs - entry.failedAtMs >= CONFIRMED_AFTER_MS;
    if (isConfirmed && nowMs - (this.gate.failingSinceMs ?? nowMs) >= FAILING_FOR_MS)
      return this.disable(entry, message, answer, 'FAILING');
    if (nowMs - entry.failedAtMs >= RETRIED_FOR_MS) return this.giveUp(entry, event, message, answer);
    return this.retry(entry, message, answer, Math.max(this.retries.pauseMs(entry.attempts), answer.afterMs ?? 0));
  }

  private retry(entry: Entry, message: Outgoing, answer: Answer, pauseMs: number): Outcome {
    entry.dueMs = this.parts.clock.nowMs() + Math.min(MAX_WAIT_MS, pauseMs);
    this.log.note(entry, message, 'PENDING', answer, this.gate.opensAtMs(entry.dueMs));
    return 'again';
  }

  private async disable(entry: Entry, message: Outgoing, answer: Answer, reason: DisabledReason): Promise<Outcome> {
    const { url } = this;
    const { signal } = this.replaced;
    this.log.note(entry, message, 'FAILED', answer);
    await this.surely(() => this.parts.report(this.address, { kind: 'disabled', reason, url }));
    // The dispatcher stops the lane when it reads the event that this report appends. If the URL has changed meanwhile,
    // the report appends no event, and the dispatcher reads the change instead.
    if (!signal.aborted) await once(signal, 'abort');
    return this.isStopped ? 'stopped' : this.retry(entry, message, answer, 0);
  }

  private async giveUp(entry: Entry, event: Recorded, message: Outgoing, answer: Answer): Promise<Outcome> {
    const text = `The receiver did not accept ${message.type} within three days (${answer.code ?? ''}).`;
    this.log.note(entry, message, 'FAILED', answer);
    const isParked = await this.park(event, new DomainError('conflict', 'UNDELIVERED', text));
    return isParked ? 'done' : 'stopped';
  }

  private park(event: ParkRequest['event'], error: unknown): Promise<boolean> {
    return this.surely(() => this.parts.park(webhookSubscriber(this.address.id), event, error));
  }

  /**
   * Returns undefined if the event is missing or unreadable. Parks an unreadable event, except that it waits at an
   * event of a newer release.
   */
  private async read(entry: Entry): Promise<Recorded | undefined> {
    let decoded: Recorded | undefined;
    await this.surely(async () => {
      const found = await this.found(entry);
      decoded = found && (await this.decoded(found));
    });
    return decoded;
  }

  /** @throws Error if the event cannot be read or decoded now */
  private async stored(entry: Entry): Promise<Recorded | undefined> {
    const found = await this.found(entry);
    return found && this.parts.catalogue.decode(found);
  }

  private async found({ stream, revision, eventId }: Entry): Promise<RecordedEvent | undefined> {
    const found = await eventAt(this.parts.events, stream, revision);
    return found?.id === eventId ? found : undefined;
  }

  /** @throws NewerEvent */
  private async decoded(event: RecordedEvent): Promise<Recorded | undefined> {
    try {
      return this.parts.catalogue.decode(event);
    } catch (error) {
      if (error instanceof NewerEvent) throw error;
      await this.park(event, error);
      return undefined;
    }
  }

  /** Retries until the work succeeds. Returns false if the lane stops first. */
  private async surely(work: () => Promise<void>): Promise<boolean> {
    const { clock, logger } = this.parts;
    const { signal } = this.stopping;
    const isDone = await retryForever(
      clock,
      signal,
      () => work().then(() => true),
      (error) => {
        if (!this.complaints.isDue(error)) return;
        logger.warn({ err: error, webhook: this.address.id }, 'a webhook is waiting for an engine or an upgrade');
      },
    );
    return isDone === true;
  }
}
