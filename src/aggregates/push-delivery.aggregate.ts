import { z } from 'zod';
import { technical, type Aggregate, type EventOf } from '../eventsourcing/aggregate.js';
import { Instant } from './fields.js';

const Failed = z.object({ subscriptionId: z.string(), code: z.string() });
export type FailedPush = z.output<typeof Failed>;

const PushesDelivered = z.object({
  /** Start of the next batch: everything before it is done. */
  cursor: z.string(),
  delivered: z.int().min(0),
  gone: z.int().min(0),
  /** Pushes that were given up, with the last reason. */
  failed: z.array(Failed),
  /** Delivered subscriptions whose displayed last use is more than an hour old. */
  used: z.array(z.string()),
  /** No recipients remain. */
  isLast: z.boolean(),
  at: Instant,
});
export type PushStretch = Omit<z.output<typeof PushesDelivered>, 'at'>;

const FailedPushesRetried = z.object({
  delivered: z.int().min(0),
  /** Pushes that were given up again. */
  failed: z.array(Failed),
  /** Subscriptions that were retried; the others remain failed. Older events lack it: they retried all of them. */
  tried: z.exactOptional(z.array(z.string())),
  at: Instant,
});
export type RetriedPushes = Required<Omit<z.output<typeof FailedPushesRetried>, 'at'>>;

export const pushDeliveryEvents = {
  PushesDelivered: technical(PushesDelivered),
  /** Failed pushes were retried. */
  FailedPushesRetried: technical(FailedPushesRetried),
};
export type PushDeliveryEvent = EventOf<typeof pushDeliveryEvents>;
export type PushDelivery = {
  readonly cursor: string;
  readonly isDone: boolean;
  readonly failed: readonly FailedPush[];
};

/** Push progress of one notification, in batches of at most a thousand. It has the notification's id. */
export const pushDelivery: Aggregate<PushDelivery, PushDeliveryEvent> = {
  name: 'push-delivery',
  events: pushDeliveryEvents,
  initial: { cursor: '', isDone: false, failed: [] },
  evolve: (state, event) => {
    switch (event.type) {
      case 'PushesDelivered': {
        const { cursor, isLast, failed } = event.data;
        return { cursor, isDone: isLast, failed: [...state.failed, ...failed] };
      }
      case 'FailedPushesRetried': {
        const { tried, failed } = event.data;
        // Repeated failures move to the end, so the next replay starts with the others.
        return { ...state, failed: [...(tried ? without(tried, state.failed) : []), ...failed] };
      }
    }
  },
};

/** `after` is the cursor where the batch started. Returns `[]` if another leader already recorded the batch. */
export function recordPushes(
  state: PushDelivery,
  { after, ...stretch }: PushStretch & { readonly after: string },
  now: Date,
): PushDeliveryEvent[] {
  if (state.isDone || state.cursor !== after) return [];
  return [{ type: 'PushesDelivered', data: { ...stretch, at: now.toISOString() } }];
}

/** Pushes that another process settled meanwhile by its own replay remain settled. */
export function recordRetriedPushes(
  state: PushDelivery,
  { delivered, failed, tried }: RetriedPushes,
  now: Date,
): PushDeliveryEvent[] {
  const left = new Set(state.failed.map(({ subscriptionId }) => subscriptionId));
  if (!tried.some((id) => left.has(id))) return [];
  const still = failed.filter(({ subscriptionId }) => left.has(subscriptionId));
  return [{ type: 'FailedPushesRetried', data: { delivered, failed: still, tried, at: now.toISOString() } }];
}

function without(ids: readonly string[], failed: readonly FailedPush[]): FailedPush[] {
  const known = new Set(ids);
  return failed.filter(({ subscriptionId }) => !known.has(subscriptionId));
}
