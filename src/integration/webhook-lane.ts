import { setImmediate as nextTurn } from 'node:timers/promises';
import type { PresentWebhook } from '../aggregates/webhook.aggregate.js';
import type { Recorded } from '../eventsourcing/event-catalogue.js';
import { KeyedQueue } from '../eventsourcing/keyed-queue.js';
import { retryForever } from '../eventsourcing/retry-forever.js';
import { streamPrefix } from '../eventsourcing/stream-name.js';
import type { StoredLane } from '../observability/delivery-log.js';
import { BEFORE_ALL, type EventFilter, type Position, type RecordedEvent } from '../ports/event-store.js';
import { publicEventTypes } from './translations.js';
import { type DeliveryParts, WebhookAttempts, type WebhookAddress } from './webhook-attempts.js';
import { type Entry, type EntryKind, entryOf, savedOf, type SavedEntry } from './webhook-entries.js';
import { MAX_FIRST, OpenEntries } from './webhook-open-entries.js';

/** Maximum number of events of a recovery to take at a time. Live events take precedence over them. */
const MAX_RECOVERING = 64;
/** Minimum room for the lane to read events from the history. */
const MIN_ROOM = MAX_FIRST / 2;
const MIN_ROOM_TO_RECOVER = MAX_FIRST - MAX_RECOVERING;

/** A user's request to redeliver the events from an instant to a position, both inclusive. */
export type Recovery = { readonly since: string; readonly upTo: Position; readonly after: Position };

/** The stored progress of a webhook. */
export type SavedLane = StoredLane & {
  readonly tenantId: string;
  /**
   * If true, every event up to and including the router's checkpoint is open, delivered or parked. If false, this
   * applies only to events up to and including `after`.
   */
  readonly isAttached: boolean;
  readonly after: Position;
  readonly open: readonly SavedEntry[];
  /** URL to which the failures and the retry times apply; null before the first attempt. */
  readonly url: string | null;
  readonly nextNumber: number;
  readonly failures: number;
  readonly failingSinceMs: number | null;
  readonly recovery: Recovery | null;
};

export const newLane = ({ tenantId, id }: WebhookAddress, after: Position): SavedLane => ({
  ...{ id, tenantId, isAttached: false, after, open: [], nextNumber: 0 },
  ...{ url: null, failures: 0, failingSinceMs: null, recovery: null },
});

/** Discards the failures and the retry times of a previous URL. */
const atUrl = (saved: SavedLane, url: string): SavedLane =>
  typeof saved.url !== 'string' || saved.url === url
    ? saved
    : { ...saved, open: saved.open.map((entry) => ({ ...entry, dueMs: 0 })), failures: 0, failingSinceMs: null };

/** Combines a request for a recovery with the requests before it. */
export function combined(known: Recovery | null, { since, upTo }: Pick<Recovery, 'since' | 'upTo'>): Recovery {
  return known !== null && known.since <= since ? { ...known, upTo } : { since, upTo, after: BEFORE_ALL };
}

const publicTypes = new Set(publicEventTypes);

type LaneParts = DeliveryParts & {
  /** The router has offered every event up to and including this position. */
  readonly routed: () => Position;
  /** Returns the messages that, according to the log, have already been delivered to the webhook. */
  readonly deliveredTo: (address: WebhookAddress) => Promise<ReadonlySet<string>>;
};

/**
 * Delivers the events of one webhook at least once, in order for each record. While the lane is attached, the router
 * offers new events to it. When too many events are open, the lane detaches, and reads the history from its own
 * position until it has caught up. A lane never delays other webhooks.
 */
export class WebhookLane {
  readonly attempts: WebhookAttempts;
  /** Whether the stored progress is outdated. */
  isDirty = true;
  private readonly saved: SavedLane;
  private readonly open = new OpenEntries();
  private readonly queue = new KeyedQueue();
  private readonly filter: EventFilter;
  private readonly stopping = new AbortController();
  private isAttached: boolean;
  private after: Position;
  private recovery: Recovery | null;
  /** Positions that were open when the recovery began. */
  private underway: ReadonlySet<Position> = new Set();
  /** Position of the tenant's last event that the router has offered. */
  private offered: Position = BEFORE_ALL;
  private running: Promise<unknown> = Promise.resolve();
  private wake: () => void = () => undefined;

  constructor(
    private readonly parts: LaneParts,
    readonly address: WebhookAddress,
    webhook: PresentWebhook,
    stored: SavedLane,
  ) {
    const saved = (this.saved = atUrl(stored, webhook.url));
    const { gate } = (this.attempts = new WebhookAttempts(parts, address, webhook, saved.nextNumber));
    gate.failures = saved.failures;
    gate.failingSinceMs = saved.failingSinceMs;
    this.isAttached = saved.isAttached;
    this.after = saved.isAttached ? Math.max(saved.after, parts.routed()) : saved.after;
    this.recovery = saved.recovery;
    const entities = parts.catalogue.aggregates.filter(({ events }) => Object.keys(events).some(isPublic));
    this.filter = { on: 'stream', prefixes: entities.map(({ name }) => streamPrefix(name, address.tenantId)) };
  }

  start(): void {
    for (const entry of this.saved.open) this.take({ ...entry, event: undefined });
    const { clock, logger } = this.parts;
    this.running = retryForever(
      clock,
      this.stopping.signal,
      (gotOn) => this.read(gotOn),
      (error) => {
        logger.warn({ err: error, webhook: this.address.id }, 'a webhook cannot read the history; retrying');
      },
    );
  }

  /** Stops the lane. Events whose attempts do not end in time remain open. */
  async stop(withinMs: number): Promise<void> {
    this.stopping.abort();
    await this.attempts.stop(withinMs);
    this.wake();
    await this.running;
    // After this turn of the event loop, the entries of attempts that have just ended are up to date.
    await nextTurn();
  }

  /** Uses the changed settings of the webhook. If the URL has changed, all open events are due. */
  use(webhook: PresentWebhook): void {
    if (webhook.url !== this.attempts.url) for (const entry of this.open) entry.dueMs = 0;
    this.isDirty = true;
    this.attempts.use(webhook);
  }

  /** Accepts a new event of the tenant. `before`: a position before the event. */
  offer(event: Recorded, before: Position): void {
    this.offered = event.position;
    if (!this.isAttached || event.position <= this.after) return;
    if (this.open.room > 0) this.takeEvent('live', event, event, before);
    else this.detach(before);
  }

  /** Accepts an event that the router cannot decode. The lane parks it. */
  offerUnreadable(event: RecordedEvent, before: Position): void {
    this.offered = event.position;
    if (this.isAttached && event.position > this.after)
      this.take({ ...entryOf('live', event, before), event: undefined });
  }

  /** Resends one message. If the message's delivery is still waiting, makes its next attempt due instead. */
  resend(entry: SavedEntry): void {
    const open = [...this.open].find(({ logged }) => logged !== null && logged.id === entry.logged?.id);
    if (!open) this.take({ ...entry, event: undefined });
    else {
      open.dueMs = 0;
      this.isDirty = true;
      this.attempts.gate.hasten();
    }
  }

  /**
   * Redelivers the events in a range, except those that, according to the log, have already been delivered. Overlapping
   * requests are combined.
   */
  recover({ since, upTo }: Pick<Recovery, 'since' | 'upTo'>): void {
    this.recovery = combined(this.recovery, { since, upTo });
    this.isDirty = true;
    this.wake();
  }

  /** Whether a user's request for a recovery or a resend is still pending. */
  get isRedelivering(): boolean {
    return this.recovery !== null || [...this.open].some(({ kind }) => kind !== 'live');
  }

  /** Every event up to and including this position has been delivered or parked, apart from recoveries and resends. */
  get doneUpTo(): Position {
    for (const { kind, before } of this.open) if (kind === 'live') return before;
    return this.isAttached ? this.parts.routed() : this.after;
  }

  snapshot(): SavedLane {
    const { gate, log, url } = this.attempts;
    const { nextNumber } = log;
    const { failures, failingSinceMs } = gate;
    return {
      ...{ id: this.address.id, tenantId: this.address.tenantId, isAttached: this.isAttached, after: this.after },
      open: [...this.open].map(savedOf),
      ...{ nextNumber, url, failures, failingSinceMs, recovery: this.recovery },
    };
  }

  private detach(before: Position): void {
    this.isAttached = false;
    this.after = before;
    this.isDirty = true;
    this.wake();
  }

  private takeEvent(kind: EntryKind, event: Recorded, stored: Parameters<typeof entryOf>[1], before: Position): void {
    if (this.attempts.wantsAny(event)) this.take({ ...entryOf(kind, stored, before), event });
  }

  private take(entry: Entry): void {
    if (!this.open.add(entry)) return;
    this.isDirty = true;
    const attempted = () => {
      this.open.update(entry);
      this.wakeIfRoom();
    };
    const settle = () => this.attempts.settle(entry, attempted);
    const settled = this.queue.run(entry.stream, settle, entry.also ?? undefined);
    void settled.then((isDone) => {
      this.isDirty = true;
      if (!isDone) return;
      this.open.delete(entry);
      this.wakeIfRoom();
    });
  }

  private wakeIfRoom(): void {
    if (this.open.room > MIN_ROOM) this.wake();
  }

  private async read(gotOn: () => void): Promise<void> {
    while (!this.stopping.signal.aborted) {
      const { room } = this.open;
      if (!this.isAttached && room > MIN_ROOM) await this.catchUp();
      else if (this.isAttached && this.recovery && room > MIN_ROOM_TO_RECOVER) await this.readAgain(this.recovery);
      else await new Promise<void>((wake) => (this.wake = wake));
      gotOn();
      // Embedded engines return without waiting, so yield to other work.
      await nextTurn();
    }
  }

  private async catchUp(): Promise<void> {
    const routed = this.parts.routed();
    const maxCount = this.open.room;
    const page = await this.parts.events.readAll({ from: this.after, filter: this.filter, maxCount });
    for (const event of page) {
      this.takeStored('live', event, this.after);
      this.after = event.position;
    }
    this.isDirty = true;
    if (page.length === maxCount) return;
    // Every event up to and including `routed` was stored before this read.
    this.after = Math.max(this.after, routed);
    this.isAttached = this.offered <= this.after;
  }

  private async readAgain(recovery: Recovery): Promise<void> {
    const { upTo, after } = recovery;
    if (after === BEFORE_ALL || !this.attempts.delivered) {
      this.underway = new Set(this.open.positions);
      this.attempts.delivered = await this.parts.deliveredTo(this.address);
    }
    const page = await this.parts.events.readAll({ from: after, filter: this.filter, maxCount: MAX_RECOVERING });
    // Another request may have arrived in the meantime.
    if (this.recovery !== recovery) return;
    for (const event of page) if (this.isDue(event, recovery)) this.takeStored('recovery', event, after);
    const last = page.at(-1)?.position ?? upTo;
    this.recovery = page.length < MAX_RECOVERING || last >= upTo ? null : { ...recovery, after: last };
    this.isDirty = true;
  }

  private isDue({ position, metadata }: RecordedEvent, { since, upTo }: Recovery): boolean {
    const { timestamp } = metadata as { readonly timestamp: string };
    return position <= upTo && timestamp >= since && !this.underway.has(position);
  }

  private takeStored(kind: EntryKind, event: RecordedEvent, before: Position): void {
    if (!publicTypes.has(event.type)) return;
    try {
      this.takeEvent(kind, this.parts.catalogue.decode(event), event, before);
    } catch {
      this.take({ ...entryOf(kind, event, before), event: undefined });
    }
  }
}

const isPublic = (type: string): boolean => publicTypes.has(type);
