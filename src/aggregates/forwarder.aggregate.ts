import { z } from 'zod';
import { domain, type Aggregate, type EventOf } from '../platform/aggregate.js';

/** The one forwarder. */
export const FORWARDER = 'integration-events';

// Where to begin: at an event's position, or at the first event that was recorded at an instant or later.
export const RewindStart = z.union([z.object({ position: z.number() }), z.object({ instant: z.string() })]);
export type RewindStart = z.output<typeof RewindStart>;

export const forwarderEvents = {
  /** All that was public from `from` up to this event is published once more. */
  ForwarderRewindRequested: domain('OTHER', 'forwarder', z.object({ from: RewindStart })),
};
export type ForwarderEvent = EventOf<typeof forwarderEvents>;
export type Forwarder = { readonly rewinds: number };

/** A forwarder as operators see it: its stream holds what they asked of it, in order. */
export const forwarder: Aggregate<Forwarder, ForwarderEvent> = {
  name: 'forwarder',
  events: forwarderEvents,
  initial: { rewinds: 0 },
  evolve: ({ rewinds }) => ({ rewinds: rewinds + 1 }),
};

export const rewindForwarder = (_: Forwarder, from: RewindStart): ForwarderEvent[] => [
  { type: 'ForwarderRewindRequested', data: { from } },
];
