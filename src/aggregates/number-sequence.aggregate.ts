import { z } from 'zod';
import { technical, type Aggregate, type EventOf } from '../platform/aggregate.js';

export const numberSequenceEvents = {
  /** Numbers up to and including `upTo` belong to whoever appended this; gaps are allowed. */
  NumbersReserved: technical(z.object({ upTo: z.int() })),
};
export type NumberSequenceEvent = EventOf<typeof numberSequenceEvents>;
export type NumberSequence = { readonly upTo: number };

/** One sequence of numbers of a tenant, handed out in blocks. */
export const numberSequence: Aggregate<NumberSequence, NumberSequenceEvent> = {
  name: 'number-sequence',
  events: numberSequenceEvents,
  initial: { upTo: 0 },
  evolve: (_, { data }) => ({ upTo: data.upTo }),
};

export const reserveNumbers = ({ upTo }: NumberSequence, { count }: { count: number }): NumberSequenceEvent[] => [
  { type: 'NumbersReserved', data: { upTo: upTo + count } },
];
