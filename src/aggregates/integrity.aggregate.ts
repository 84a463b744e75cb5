import { z } from 'zod';
import { technical, type Aggregate, type EventOf } from '../eventsourcing/aggregate.js';

/** Id of the only record: the tree over the whole history. */
export const HISTORY_TREE = 'history';

export const integrityEvents = {
  /**
   * A checkpoint of the Merkle tree. Appended at the revision after the last checkpoint known to its signer, and
   * published only after the append. Therefore, two signers never publish contradictory checkpoints.
   */
  CheckpointSigned: technical(
    z.object({
      /** The checkpoint as a C2SP signed note. */
      note: z.string(),
      /** Number of events that the tree covers. */
      size: z.int().min(1),
      /** Root hash of the tree, in hexadecimal. */
      rootHash: z.string(),
      signedAt: z.iso.datetime(),
    }),
  ),
};
export type IntegrityEvent = EventOf<typeof integrityEvents>;
export type SignedCheckpoint = IntegrityEvent['data'];

/** The record of the tree. Its state is the last checkpoint. */
export const integrity: Aggregate<SignedCheckpoint | null, IntegrityEvent> = {
  name: 'integrity',
  events: integrityEvents,
  initial: null,
  evolve: (_, { data }) => data,
};
