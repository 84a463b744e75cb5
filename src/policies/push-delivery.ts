import { Inject, Injectable } from '@nestjs/common';
import type { Reason } from '../aggregates/dead-letter.aggregate.js';
import type { NewNotification, NotificationEvent } from '../aggregates/notification.aggregate.js';
import {
  type FailedPush,
  pushDelivery,
  type PushDelivery,
  pushSubscription,
  recordPushes,
  recordRetriedPushes,
  unsubscribeFromPush,
} from '../aggregates/push-subscription.aggregate.js';
import { CommandRunner } from '../eventsourcing/command-runner.js';
import { conflict } from '../eventsourcing/domain-error.js';
import type { Recorded } from '../eventsourcing/event-catalogue.js';
import { FairQueue } from '../eventsourcing/fair-queue.js';
import { KeyedQueue } from '../eventsourcing/keyed-queue.js';
import { inReactionTo } from '../eventsourcing/policy.js';
import { RecordReader } from '../eventsourcing/record-reader.js';
import { CLOCK, type Clock } from '../ports/time.js';
import { type PushStretchTargets, type PushTarget, PushTargets } from '../queries/notification-recipients.js';
import type { PushMessage } from '../security/push-client.js';
import { type PushResult, PushSender, type PushTry } from './push-sender.js';

/** Maximum size of a payload. An encrypted record could hold more, but some push services reject larger payloads. */
export const MAX_PAYLOAD_BYTES = 3_000;
/** Maximum age of a pushed notification. Older notifications appear only in the list. */
export const PUSH_WITHIN_MS = 24 * 60 * 60 * 1_000;

const bytesOf = (content: object): number => Buffer.byteLength(JSON.stringify(content));

/**
 * Returns the payload for the browser. Truncates a body that is too long, and omits a link that would leave no room for
 * the body.
 */
export function pushPayload(notificationId: string, { title, body, type, link }: NewNotification): Buffer {
  const fixed = { title, type, notificationId };
  const shownLink = bytesOf({ ...fixed, link }) > MAX_PAYLOAD_BYTES / 2 ? null : link;
  const withBody = (text: string) => ({ ...fixed, body: text, link: shownLink });
  if (bytesOf(withBody(body)) <= MAX_PAYLOAD_BYTES) return Buffer.from(JSON.stringify(withBody(body)));
  const characters = Array.from(body);
  let [fits, tooLong] = [0, characters.length];
  while (tooLong - fits > 1) {
    const middle = Math.floor((fits + tooLong) / 2);
    if (bytesOf(withBody(`${characters.slice(0, middle).join('')}…`)) <= MAX_PAYLOAD_BYTES) fits = middle;
    else tooLong = middle;
  }
  return Buffer.from(JSON.stringify(withBody(`${characters.slice(0, fits).join('')}…`)));
}

/** `ageMs`: time since the notification was sent. */
export const pushMessage = (id: string, content: NewNotification, ageMs: number): PushMessage => ({
  payload: pushPayload(id, content),
  ttlSeconds: Math.max(60, Math.floor((PUSH_WITHIN_MS - Math.max(0, ageMs)) / 1_000)),
  urgency: content.type === 'ERROR' || content.type === 'WARNING' ? 'high' : 'normal',
  // A repeated push replaces an earlier one that the push service has not delivered yet.
  topic: id.replaceAll('-', '').slice(0, 32),
});

export type Sent = Recorded<Extract<NotificationEvent, { type: 'NotificationSent' }>>;

/**
 * Maximum number of notifications delivered concurrently across all tenants. A single tenant uses at most half of them.
 */
const NOTIFICATIONS_AT_ONCE = 16;
/**
 * Maximum number of notifications that wait for their turn. Beyond this number, the newest notification of the tenant
 * with the most waiting notifications becomes a dead letter.
 */
const MAX_WAITING = 4_000;
/** Maximum number of open notifications, including those that are becoming dead letters. */
export const NOTIFICATIONS_IN_HAND = MAX_WAITING + 1_000;
/**
 * Maximum number of batches in flight for one notification. These batches are in memory, and are repeated after a
 * crash.
 */
const MAX_OPEN = 2;
/** Time limit for a replay, because a caller waits for the response. */
const RETRY_WITHIN_MS = 5_000;
/** Maximum number of browsers recorded by one replay event. */
const RETRY_STRETCH = 1_000;
/** Precision of a browser's last-use time. Further uses within this period after a recorded use are not recorded. */
const USE_SHOWN_TO_MS = 60 * 60_000;
const NAME = 'push';

/** Failure code of a push that was never attempted. */
const NOT_TRIED = 'NOT_TRIED';

type Push = (target: PushTarget) => Promise<PushResult>;
type Tally = { delivered: number; gone: number; readonly failed: FailedPush[]; readonly used: string[] };
type Stretch = { readonly cursor: string; readonly tally: Tally; readonly done: Promise<void> };

/**
 * Pushes a notification to its recipients' browsers, at least once each. Records progress in batches of at most 1,000
 * browsers. At most two batches are in flight, so at most two are repeated after a crash. A slow browser delays only
 * the batches after the next one. After recording failed pushes, throws a single error, so that each notification has
 * at most one dead letter.
 */
@Injectable()
export class PushDeliveries {
  private readonly retries = new KeyedQueue();
  /** Prevents one tenant's slow notifications from delaying those of other tenants. */
  private readonly turns = new FairQueue(
    { atOnce: NOTIFICATIONS_AT_ONCE, leavesRoom: true, maxWaiting: MAX_WAITING },
    tooMany,
  );

  constructor(
    @Inject(CommandRunner) private readonly runner: CommandRunner,
    @Inject(RecordReader) private readonly reader: RecordReader,
    @Inject(PushTargets) private readonly targets: Pick<PushTargets, 'of' | 'byId'>,
    @Inject(PushSender) private readonly sender: PushSender,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * @throws DomainError conflict PUSH_FAILED if pushes to some browsers were abandoned; conflict TOO_MANY_PUSHES if too
   * many notifications of the tenant are waiting; the signal's reason
   */
  deliver(event: Sent, signal: AbortSignal): Promise<void> {
    return this.turns.run({ group: event.tenantId }, () => this.deliverNow(event, signal));
  }

  private async deliverNow(event: Sent, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const { tenantId, recordId: id } = event;
    if (this.ageOf(event) > PUSH_WITHIN_MS) return;
    const { state } = await this.reader.read(pushDelivery, tenantId, id);
    const message = this.messageOf(event);
    const push: Push = (target) => this.sender.send(target, message, signal);
    const { failed } = state.isDone ? state : await this.carryOn(event, state, signal, push);
    if (failed.length > 0) throw conflict('PUSH_FAILED', reasonOf(failed).message);
  }

  /**
   * Retries failed pushes whose browsers are still subscribed, as many as possible within RETRY_WITHIN_MS. Pushes that
   * were never attempted count as failed. Returns the reason if some pushes still fail. The next replay begins with the
   * pushes that this one did not reach.
   */
  retry(event: Sent): Promise<Reason | undefined> {
    return this.retries.run(event.recordId, async () => {
      let failed = await this.failedOf(event);
      const over = new AbortController();
      const end = () => {
        over.abort();
      };
      void this.clock.sleep(RETRY_WITHIN_MS, over.signal).then(end);
      const once = this.sender.round(over.signal);
      try {
        for (let left = failed.length; left > 0 && !over.signal.aborted; left -= RETRY_STRETCH)
          failed = await this.retrySome(event, failed.slice(0, Math.min(left, RETRY_STRETCH)), once);
      } finally {
        end();
      }
      return failed.length === 0 ? undefined : reasonOf(failed);
    });
  }

  /** Returns the failed pushes. First records pushes that were never attempted as failed. */
  private async failedOf(event: Sent): Promise<readonly FailedPush[]> {
    const { state } = await this.reader.read(pushDelivery, event.tenantId, event.recordId);
    const skip: Push = () => Promise.resolve({ kind: 'failed', code: NOT_TRIED });
    const done = state.isDone ? state : await this.carryOn(event, state, new AbortController().signal, skip);
    return done.failed;
  }

  /** Returns all pushes that still fail. */
  private async retrySome(event: Sent, some: readonly FailedPush[], once: PushTry): Promise<readonly FailedPush[]> {
    const { tenantId, recordId: id } = event;
    const tried = new Set(some.map(({ subscriptionId }) => subscriptionId));
    const targets = await this.targets.byId(tenantId, [...tried]);
    const message = this.messageOf(event);
    const tally = emptyTally();
    await settled(
      targets.map(async (target) => {
        const result = await once(target, message);
        if (result) await this.note(event, target, tally, result);
        else tried.delete(target.id);
      }),
    );
    const retried = { ...tally, tried: [...tried] };
    const done = await inReactionTo(event, NAME, () =>
      this.runner.execute(pushDelivery, { tenantId, id }, retried, recordRetriedPushes),
    );
    return done.state.failed;
  }

  private ageOf({ metadata }: Sent): number {
    return this.clock.nowMs() - Date.parse(metadata.timestamp);
  }

  private messageOf(event: Sent): PushMessage {
    return pushMessage(event.recordId, event.data, this.ageOf(event));
  }

  private async carryOn(event: Sent, from: PushDelivery, signal: AbortSignal, push: Push): Promise<PushDelivery> {
    const { tenantId, recordId: id, position } = event;
    const open: Stretch[] = [];
    let state = from;
    const endOldest = async (isLast: boolean) => {
      const oldest = open.shift();
      if (!oldest) return;
      await oldest.done;
      // Do not record the batch, because some of its pushes were interrupted when the process stopped.
      signal.throwIfAborted();
      state = await this.record(event, state, oldest, isLast);
    };
    try {
      for await (const stretch of this.targets.of(tenantId, id, position, from.cursor)) {
        open.push(this.begin(event, stretch, push, signal));
        if (open.length === MAX_OPEN) await endOldest(false);
        signal.throwIfAborted();
      }
      while (open.length > 0) await endOldest(open.length === 1);
    } finally {
      await Promise.allSettled(open.map(({ done }) => done));
    }
    return state;
  }

  private begin(event: Sent, { targets, cursor }: PushStretchTargets, push: Push, signal: AbortSignal): Stretch {
    const tally = emptyTally();
    const works = targets.map(async (target) => {
      const result = await push(target);
      if (!signal.aborted) await this.note(event, target, tally, result);
    });
    const done = settled(works);
    // Prevents an unhandled rejection while an older batch is still awaited.
    done.catch(() => undefined);
    return { cursor, tally, done };
  }

  private async note(event: Sent, target: PushTarget, tally: Tally, result: PushResult): Promise<void> {
    const { id, userId, lastUsedAt } = target;
    if (result.kind === 'failed') tally.failed.push({ subscriptionId: id, code: result.code });
    else if (result.kind === 'delivered') {
      tally.delivered += 1;
      const isShown = lastUsedAt !== null && this.clock.nowMs() - Date.parse(lastUsedAt) < USE_SHOWN_TO_MS;
      if (!isShown) tally.used.push(id);
    } else {
      tally.gone += 1;
      const ended = { userId, reason: 'GONE' } as const;
      const target = { tenantId: event.tenantId, id };
      await inReactionTo(event, NAME, () => this.runner.execute(pushSubscription, target, ended, unsubscribeFromPush));
    }
  }

  /** Records a batch. An empty batch is recorded only if it is the last one and earlier batches were recorded. */
  private async record(
    event: Sent,
    state: PushDelivery,
    { tally, cursor }: Stretch,
    isLast: boolean,
  ): Promise<PushDelivery> {
    const { tenantId, recordId: id } = event;
    const isEmpty = tally.delivered + tally.gone + tally.failed.length === 0;
    if (isEmpty && (!isLast || state.cursor === '')) return state;
    const stretch = { ...tally, cursor, isLast, after: state.cursor };
    const done = await inReactionTo(event, NAME, () =>
      this.runner.execute(pushDelivery, { tenantId, id }, stretch, recordPushes),
    );
    return done.state;
  }
}

const emptyTally = (): Tally => ({ delivered: 0, gone: 0, failed: [], used: [] });

/** Waits until all promises have settled. @throws the first rejection */
async function settled(works: readonly Promise<void>[]): Promise<void> {
  await Promise.allSettled(works);
  await Promise.all(works);
}

const tooMany = (): Error =>
  conflict('TOO_MANY_PUSHES', 'Too many notifications of the tenant are waiting to be pushed. Replay this one later.');

function reasonOf(failed: readonly FailedPush[]): Reason {
  const codes = [...new Set(failed.map(({ code }) => code))].slice(0, 5).join(', ');
  return { code: 'PUSH_FAILED', message: `${failed.length} pushes failed permanently: ${codes}.` };
}
