import { join } from 'node:path';
import type { Config } from '../config.js';
import { CheckpointFiles } from '../integrity/checkpoint-files.js';
import { INTEGRITY, storedCheckpoints, TreeFollower, type FollowerParts } from '../integrity/tree-follower.js';
import { Witness, WITNESS } from '../integrity/witness.js';
import type { QueueMeters } from '../observability/queue-meters.js';
import { marksIn } from '../projecting/marks.js';
import { IntegrityKeys } from '../security/integrity-keys.js';

/** Settings of the tamper-evident tree. They can be sent to a worker thread. */
export type IntegritySettings = {
  readonly directory: string;
  readonly key: string | undefined;
  readonly witnessUrl: string | undefined;
  readonly checkpointEveryMs: number;
};
export const integritySettings = (config: Config): IntegritySettings => ({
  directory: config.DATA_DIR,
  key: config.INTEGRITY_KEY,
  witnessUrl: config.INTEGRITY_WITNESS_URL,
  checkpointEveryMs: config.INTEGRITY_CHECKPOINT_SECONDS * 1_000,
});

export const checkpointFiles = (directory: string): CheckpointFiles =>
  new CheckpointFiles(join(directory, 'checkpoints'));

/** Starts maintaining the tree. @throws UnusableKey */
export async function followTree(
  { directory, key, witnessUrl, checkpointEveryMs }: IntegritySettings,
  {
    meters,
    ...parts
  }: Omit<FollowerParts, 'keys' | 'files' | 'witness' | 'meter' | 'checkpointEveryMs'> & {
    readonly meters: QueueMeters;
  },
): Promise<TreeFollower> {
  const { clock, logger, store } = parts;
  const witnessOf = (url: string): Witness =>
    new Witness({
      ...{ url, clock, logger, marks: marksIn(store), meter: meters.of(WITNESS, 'integrity') },
      checkpoints: (from) => storedCheckpoints(parts, from),
    });
  const follower = new TreeFollower({
    ...{ ...parts, checkpointEveryMs },
    keys: await IntegrityKeys.open(directory, key),
    files: checkpointFiles(directory),
    witness: witnessUrl === undefined ? undefined : witnessOf(witnessUrl),
    meter: meters.of(INTEGRITY, 'integrity'),
  });
  follower.start();
  return follower;
}
