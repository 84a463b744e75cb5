import { z } from 'zod';
import { eventsOf, ownStreams } from '../eventsourcing/stream-events.js';
import { CheckpointFiles } from '../integrity/checkpoint-files.js';
import { publishedRoot, recordedRoot } from '../integrity/checkpoint-reading.js';
import { TileStore, TreeBehind } from '../integrity/tile-store.js';
import { TREE_STREAM } from '../integrity/tree-follower.js';
import { TreeVerification, type KnownLeaves, type KnownRoot } from '../integrity/tree-verification.js';
import { BEFORE_ALL, type EventReader } from '../ports/event-store.js';
import { readVerifiers, type NoteVerifier } from '../security/integrity-keys.js';
import type { HistoryWork, Job, JobOutcome, TaskControl, TaskParts } from './job.js';

/** `verifiers`: public keys that verify checkpoints, one per line. `checkpoints`: folder of the checkpoint files. */
export type IntegrityTask = {
  readonly kind: 'integrity';
  readonly verifiers: string;
  readonly checkpoints: string;
};

const BATCH = { own: 1_000, shared: 50 } as const;

/** Compares the whole history with the tree and with all checkpoints. */
export const integrityVerify = (
  work: HistoryWork<IntegrityTask>,
  settings: () => Promise<Omit<IntegrityTask, 'kind'>>,
): Job => ({
  name: 'integrity-verify',
  description: 'Compares every event with the signed checkpoints. Fails if an event was changed, removed or inserted.',
  schedule: '30 4 * * *',
  parameters: z.strictObject({}),
  run: async ({ signal, report }) => work({ kind: 'integrity', ...(await settings()) }, { signal, report }),
});

/** @throws TamperedHistory, CorruptEvent, EventStoreUnavailable, ReadStoreUnavailable, the signal's reason */
export async function verifyIntegrity(
  { verifiers: keys, checkpoints }: IntegrityTask,
  { events, reads, catalogue, sharesThread }: TaskParts,
  { signal, report }: TaskControl,
): Promise<JobOutcome> {
  const roots = await rootsOf(events, new CheckpointFiles(checkpoints), readVerifiers(keys, 'INTEGRITY_KEY'));
  // Determined after the checkpoints have been read, because each is stored after the events that it covers.
  const upTo = await events.head();
  const tiles = new TileStore(reads);
  await tiles.prepare();
  const verification = new TreeVerification(roots, leavesIn(tiles));
  const filter = ownStreams(catalogue);
  const maxBatchSize = sharesThread ? BATCH.shared : BATCH.own;
  let count = 0;
  const asked = { after: BEFORE_ALL, filter, maxBatchSize, textOnly: true, signal };
  for await (const batch of events.subscribeToAll(asked)) {
    const until = batch.events.filter(({ position }) => position <= upTo);
    await verification.add(until);
    count += until.length;
    report(Math.min(99, Math.floor(((batch.position + 1) / (upTo + 1)) * 100)), `${count} events`);
    if (batch.position >= upTo || batch.caughtUp) break;
  }
  signal.throwIfAborted();
  const { size, covered, checkpoints: compared, damagedLeaf } = await verification.end();
  const rebuild = damagedLeaf === undefined ? '' : ` The stored tree is damaged at event ${damagedLeaf}.`;
  return {
    message: `${size} events match ${compared} checkpoints, the last of which covers ${covered} events.${rebuild}`,
  };
}

/** Returns the checkpoints in the history and in the files. */
async function rootsOf(
  events: EventReader,
  files: CheckpointFiles,
  verifiers: readonly NoteVerifier[],
): Promise<KnownRoot[]> {
  const roots: KnownRoot[] = [];
  for await (const event of eventsOf(events, TREE_STREAM)) {
    const root = recordedRoot(event, verifiers);
    if (root) roots.push(root);
  }
  for (const checkpoint of await files.all()) roots.push(publishedRoot(checkpoint, verifiers));
  return roots;
}

const leavesIn =
  (tiles: TileStore): KnownLeaves =>
  async (tile) => {
    try {
      return await tiles.tile(0, tile);
    } catch (error) {
      if (error instanceof TreeBehind) return [];
      throw error;
    }
  };
