import { setMaxListeners } from 'node:events';
import { receiverOf, wantedBy } from '../aggregates/webhook-receiver.js';
import type { DisabledReason, PresentWebhook, WebhookReport } from '../aggregates/webhook.aggregate.js';
import { Backoff } from '../eventsourcing/backoff.js';
import { DomainError } from '../eventsourcing/domain-error.js';
import { type EventCatalogue, NewerEvent, type Recorded } from '../eventsourcing/event-catalogue.js';
import type { FairQueue } from '../eventsourcing/fair-queue.js';
import { retryForever } from '../eventsourcing/retry-forever.js';
import { eventAt } from '../eventsourcing/stream-events.js';
import { type Delivery, type DeliveryStatus, KEPT_DELIVERIES } from '../observability/delivery-log.js';
import type { EventReader, RecordedEvent } from '../ports/event-store.js';
import type { Logger } from '../ports/log.js';
import type { Clock, Ids } from '../ports/time.js';
import { Complaints } from '../projecting/complaints.js';
import type { WebhookAnswer, WebhookSender } from '../security/webhook-sender.js';
import type { ParkRequest } from './dead-letters.js';
import { type Entry, type LoggedAt, type Outgoing, outgoingOf } from './webhook-entries.js';
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

type Answer = Pick<WebhookAnswer, 'status' | 'code' | 'body' | 'afterMs'>;
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
  /** Log entries that have not been stored yet, by slot. */
  logged = new Map<number, Delivery>();
  /** Ids of delivered messages, which a recovery skips. Undefined until a recovery reads them. */
  delivered: ReadonlySet<string> | undefined;
  private wants: (type: string) => boolean;
  private readonly retries = new Backoff(RETRY_PAUSES);
  private readonly underway = new Set<Promise<Outcome>>();
  private readonly stopping = new AbortController();
  private readonly complaints: Complaints;

  constructor(
    private readonly parts: DeliveryParts,
    private readonly address: WebhookAddress,
    private webhook: PresentWebhook,
    /** Number of the next log entry. */
    public nextNumber: number,
  ) {
    // Every attempt in progress adds a listener to the signal.
    setMaxListeners(0, this.stopping.signal);
    this.gate = new WebhookGate(parts.clock, new Backoff(DOWN_PAUSES));
    this.wants = wantedBy(webhook);
    this.complaints = new Complaints(parts.clock);
  }

  use(webhook: PresentWebhook): void {
    this.webhook = webhook;
    this.wants = wantedBy(webhook);
  }

  wantsAny(event: Recorded): boolean {
    return outgoingOf(event).some(({ type }) => this.wants(type));
  }

  /** Prevents further attempts. Abandons attempts in progress that do not end in time. */
  async stop(withinMs: number): Promise<void> {
    this.gate.close();
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
    const answer = await turns.run({ group: this.address.tenantId }, async () => {
      const beganMs = clock.monotonicMs();
      const received = await this.send(entry, message);
      this.gate.leave(resultOf(received), beganMs, received.afterMs);
      return received;
    });
    if (this.stopping.signal.aborted) return 'stopped';
    entry.attempts += 1;
    if (answer.code !== null) return this.failed(entry, event, message, answer);
    this.note(entry, message, 'DELIVERED', answer);
    return 'done';
  }

  private async send({ kind }: Entry, message: Outgoing): Promise<Answer> {
    const { sender, clock } = this.parts;
    try {
      const receiver = receiverOf(sender, this.address, this.webhook, clock.nowMs());
      const body = kind === 'live' ? message.body : message.again;
      return await sender.send(receiver, { id: message.id, body }, this.stopping.signal);
    } catch (error) {
      if (error instanceof DomainError) return failure(error.code);
      throw error;
    }
  }

  private async failed(entry: Entry, event: Recorded, message: Outgoing, answer: Answer): Promise<Outcome> {
    const nowMs = this.parts.clock.nowMs();
    entry.failedAtMs ??= nowMs;
    if (answer.status === 410) return this.disable(entry, message, answer, 'GONE');
    // A single failure long after an earlier one is not sufficient, because nothing may have been sent in the meantime.
    const isConfirmed = nowMs - entry.failedAtMs >= CONFIRMED_AFTER_MS;
    if (isConfirmed && nowMs - (this.gate.failingSinceMs ?? nowMs) >= FAILING_FOR_MS)
      return this.disable(entry, message, answer, 'FAILING');
    if (nowMs - entry.failedAtMs >= RETRIED_FOR_MS) return this.giveUp(entry, event, message, answer);
    const pauseMs = Math.max(this.retries.pauseMs(entry.attempts), answer.afterMs ?? 0);
    entry.dueMs = nowMs + Math.min(MAX_WAIT_MS, pauseMs);
    this.note(entry, message, 'PENDING', answer, this.gate.opensAtMs(entry.dueMs));
    return 'again';
  }

  private async disable(entry: Entry, message: Outgoing, answer: Answer, reason: DisabledReason): Promise<Outcome> {
    this.note(entry, message, 'FAILED', answer);
    // The dispatcher ends the webhook's open deliveries when it reads the event that this report appends.
    await this.surely(() => this.parts.report(this.address, { kind: 'disabled', reason }));
    return 'stopped';
  }

  private async giveUp(entry: Entry, event: Recorded, message: Outgoing, answer: Answer): Promise<Outcome> {
    const text = `The receiver did not accept ${message.type} within three days (${answer.code ?? ''}).`;
    this.note(entry, message, 'FAILED', answer);
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

  private note(entry: Entry, message: Outgoing, status: DeliveryStatus, answer: Answer, nextMs?: number): void {
    const { clock } = this.parts;
    const lastAttemptAt = new Date(clock.nowMs()).toISOString();
    const { id, number, createdAt } = (entry.logged = this.placeOf(entry.logged, lastAttemptAt));
    const { eventId, stream, revision, position, attempts } = entry;
    this.logged.set(number % KEPT_DELIVERIES, {
      ...{ id, number, webhookId: this.address.id, messageId: message.id, eventType: message.type },
      ...{ subject: message.subject, source: { eventId, stream, revision, position } },
      ...{ status, attempts, responseStatus: answer.status, responseBody: answer.body, code: answer.code },
      ...{ createdAt, lastAttemptAt, nextAttemptAt: nextMs === undefined ? null : new Date(nextMs).toISOString() },
    });
  }

  /** A delivery moves to a new slot if a later delivery has taken its slot. */
  private placeOf(known: LoggedAt | null, now: string): LoggedAt {
    if (known && this.nextNumber - known.number <= KEPT_DELIVERIES) return known;
    const number = this.nextNumber;
    this.nextNumber += 1;
    return { id: known?.id ?? this.parts.ids.next(), number, createdAt: known?.createdAt ?? now };
  }
}
