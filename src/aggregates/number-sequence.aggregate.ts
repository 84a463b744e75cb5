import { z } from 'zod';
import { technical, type Aggregate, type EventOf } from '../eventsourcing/aggregate.js';

export const numberSequenceEvents = {
  /** Reserves numbers up to and including `upTo` for the process that appends the event. Gaps are allowed. */
  NumbersReserved: technical(z.object({ upTo: z.int() })),
};
export type NumberSequenceEvent = EventOf<typeof numberSequenceEvents>;
export type NumberSequence = { readonly upTo: number };

/** A tenant's number sequence, allocated in blocks. */
export const numberSequence: Aggregate<NumberSequence, NumberSequenceEvent> = {
  name: 'number-sequence',
  events: numberSequenceEvents,
  initial: { upTo: 0 },
  evolve: (_, { data }) => ({ upTo: data.upTo }),
};

export const reserveNumbers = ({ upTo }: NumberSequence, { count }: { count: number }): NumberSequenceEvent[] => [
  { type: 'NumbersReserved', data: { upTo: upTo + count } },
];
