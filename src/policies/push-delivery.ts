import { Inject, Injectable } from '@nestjs/common';
import type { Reason } from '../aggregates/dead-letter.aggregate.js';
import type { NotificationEvent } from '../aggregates/notification.aggregate.js';
import {
  pushDelivery,
  recordPushes,
  recordRetriedPushes,
  type FailedPush,
  type PushDelivery,
} from '../aggregates/push-delivery.aggregate.js';
import { pushSubscription, unsubscribeFromPush } from '../aggregates/push-subscription.aggregate.js';
import { CommandRunner } from '../platform/command-runner.js';
import { conflict } from '../platform/domain-error.js';
import type { Recorded } from '../platform/event-catalogue.js';
import { KeyedQueue } from '../platform/keyed-queue.js';
import { inReactionTo } from '../platform/policy.js';
import type { PushMessage } from '../platform/push-client.js';
import { RecordReader } from '../platform/record-reader.js';
import { CLOCK, type Clock } from '../ports/time.js';
import { PushTargets, type PushTarget } from '../queries/push-targets.js';
import { pushMessage, PUSH_WITHIN_MS } from './push-message.js';
import { PushSender, type PushResult } from './push-sender.js';

export type Sent = Recorded<NotificationEvent>;

/** Browsers that are tried or wait for their next try, of one notification: what its delivery keeps in memory. */
const MAX_OUTSTANDING = 2_000;
/** How exact it is shown when a browser was last pushed to. */
const USE_SHOWN_TO_MS = 60 * 60_000;
const NAME = 'push';

type Tally = { delivered: number; gone: number; readonly failed: FailedPush[]; readonly used: string[] };
type Stretch = { readonly cursor: string; readonly tally: Tally; left: number; readonly done: Promise<unknown> };

/**
 * Pushes a notification to the browsers of those whom it is for, each at least once. How far it has come is recorded in
 * stretches of a thousand, so a crash repeats two of them at most. What a push service does not take in the end is
 * recorded, too, and then thrown: the notification is one letter, however many browsers are concerned.
 */
@Injectable()
export class PushDeliveries {
  private readonly retries = new KeyedQueue();

  constructor(
    @Inject(CommandRunner) private readonly runner: CommandRunner,
    @Inject(RecordReader) private readonly reader: RecordReader,
    @Inject(PushTargets) private readonly targets: PushTargets,
    @Inject(PushSender) private readonly sender: PushSender,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @throws DomainError conflict PUSH_FAILED where some browsers are given up; what the signal was aborted with */
  async deliver(event: Sent, signal: AbortSignal): Promise<void> {
    const { tenantId, recordId: id } = event;
    if (this.ageOf(event) > PUSH_WITHIN_MS) return;
    const { state } = await this.reader.read(pushDelivery, tenantId, id);
    const { failed } = state.isDone ? state : await this.carryOn(event, state, signal);
    if (failed.length > 0) throw conflict('PUSH_FAILED', reasonOf(failed).message);
  }

  /** Tries once more what was given up, unless the browser is unsubscribed by now. Why some of it is given up again. */
  retry(event: Sent): Promise<Reason | undefined> {
    const { tenantId, recordId: id } = event;
    return this.retries.run(id, async () => {
      const { state } = await this.reader.read(pushDelivery, tenantId, id);
      if (state.failed.length === 0) return undefined;
      const targets = await this.targets.byId(
        tenantId,
        state.failed.map(({ subscriptionId }) => subscriptionId),
      );
      const message = this.messageOf(event);
      const tally = emptyTally();
      await Promise.all(
        targets.map(async (target) => this.note(event, target, tally, await this.sender.try(target, message))),
      );
      await inReactionTo(event, NAME, () =>
        this.runner.execute(pushDelivery, { tenantId, id }, tally, recordRetriedPushes),
      );
      return tally.failed.length === 0 ? undefined : reasonOf(tally.failed);
    });
  }

  private ageOf({ metadata }: Sent): number {
    return this.clock.nowMs() - Date.parse(metadata.timestamp);
  }

  private messageOf(event: Sent): PushMessage {
    return pushMessage(event.recordId, event.data, this.ageOf(event));
  }

  private async carryOn(event: Sent, from: PushDelivery, signal: AbortSignal): Promise<PushDelivery> {
    const { tenantId, recordId: id, position } = event;
    const message = this.messageOf(event);
    const open: Stretch[] = [];
    let state = from;
    const end = async (stretch: Stretch, isLast: boolean) => {
      await stretch.done;
      // What was given up because the process stops was not tried to the end.
      signal.throwIfAborted();
      state = await this.record(event, state, stretch, isLast);
    };
    try {
      for await (const { targets, cursor } of this.targets.of(tenantId, id, position, from.cursor)) {
        open.push(this.begin(event, { targets, cursor }, message, signal));
        for (let [oldest] = open; oldest && outstanding(open) > MAX_OUTSTANDING; [oldest] = open)
          await end(oldest, false).finally(() => open.shift());
        signal.throwIfAborted();
      }
      for (let stretch = open.shift(); stretch; stretch = open.shift()) await end(stretch, open.length === 0);
    } finally {
      await Promise.all(open.map(({ done }) => done));
    }
    return state;
  }

  private begin(
    event: Sent,
    { targets, cursor }: { readonly targets: readonly PushTarget[]; readonly cursor: string },
    message: PushMessage,
    signal: AbortSignal,
  ): Stretch {
    const tally = emptyTally();
    const stretch: { left: number } = { left: targets.length };
    const works = targets.map(async (target) => {
      const result = await this.sender.send(target, message, signal);
      if (!signal.aborted) await this.note(event, target, tally, result);
      stretch.left -= 1;
    });
    return Object.assign(stretch, { cursor, tally, done: Promise.all(works) });
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

  /** Nothing where nobody was pushed to and nothing was recorded before. */
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
const outstanding = (stretches: readonly Stretch[]): number => stretches.reduce((sum, { left }) => sum + left, 0);

function reasonOf(failed: readonly FailedPush[]): Reason {
  const codes = [...new Set(failed.map(({ code }) => code))].slice(0, 5).join(', ');
  return { code: 'PUSH_FAILED', message: `${failed.length} pushes were given up: ${codes}.` };
}
