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

export const pushDeliveryEvents = {
  PushesDelivered: technical(PushesDelivered),
  /** What had been given up was tried again; `failed`: what is given up once more. */
  FailedPushesRetried: technical(z.object({ delivered: z.int().min(0), failed: z.array(Failed), at: Instant })),
};
export type PushDeliveryEvent = EventOf<typeof pushDeliveryEvents>;
export type PushDelivery = {
  readonly cursor: string;
  readonly isDone: boolean;
  readonly failed: readonly FailedPush[];
};

/** How far the pushes of one notification have come, in stretches of some hundred; with the notification's id. */
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
      case 'FailedPushesRetried':
        return { ...state, failed: event.data.failed };
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

export type RetriedPushes = { readonly delivered: number; readonly failed: FailedPush[] };
export const recordRetriedPushes = (
  _: PushDelivery,
  { delivered, failed }: RetriedPushes,
  now: Date,
): PushDeliveryEvent[] => [{ type: 'FailedPushesRetried', data: { delivered, failed, at: now.toISOString() } }];
