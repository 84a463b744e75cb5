import { z } from 'zod';
import { technical, type Aggregate, type EventOf } from '../platform/aggregate.js';
import { Instant } from './fields.js';

const Failed = z.object({ subscriptionId: z.string(), code: z.string() });
export type FailedPush = z.output<typeof Failed>;

const PushesDelivered = z.object({
  /** Where the next stretch begins: everything before it is done. */
  cursor: z.string(),
  delivered: z.int().min(0),
  gone: z.int().min(0),
  /** Given up, with the last reason. */
  failed: z.array(Failed),
  /** Those of the delivered whose last use, as it is shown, is older than an hour. */
  used: z.array(z.string()),
  /** Nobody is left to be pushed to. */
  isLast: z.boolean(),
  at: Instant,
});
export type PushStretch = Omit<z.output<typeof PushesDelivered>, 'at'>;

const FailedPushesRetried = z.object({
  delivered: z.int().min(0),
  /** Given up once more. */
  failed: z.array(Failed),
  /** Whose turn came: the others are given up as before. Older events have none: it was everybody's. */
  tried: z.exactOptional(z.array(z.string())),
  at: Instant,
});
export type RetriedPushes = Required<Omit<z.output<typeof FailedPushesRetried>, 'at'>>;

export const pushDeliveryEvents = {
  PushesDelivered: technical(PushesDelivered),
  /** What had been given up was tried again. */
  FailedPushesRetried: technical(FailedPushesRetried),
};
export type PushDeliveryEvent = EventOf<typeof pushDeliveryEvents>;
export type PushDelivery = {
  readonly cursor: string;
  readonly isDone: boolean;
  readonly failed: readonly FailedPush[];
};

/** How far the pushes of one notification have come, in stretches of at most a thousand; with the notification's id. */
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
        // Who fails again goes to the end: the next replay begins with the others.
        return { ...state, failed: [...(tried ? without(tried, state.failed) : []), ...failed] };
      }
    }
  },
};

/** `after`: the cursor from which the stretch was delivered. A second leader's tale of the same stretch changes nothing. */
export function recordPushes(
  state: PushDelivery,
  { after, ...stretch }: PushStretch & { readonly after: string },
  now: Date,
): PushDeliveryEvent[] {
  if (state.isDone || state.cursor !== after) return [];
  return [{ type: 'PushesDelivered', data: { ...stretch, at: now.toISOString() } }];
}

/** What another process has settled meanwhile, by a replay of its own, is settled. */
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
