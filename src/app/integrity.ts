import { join } from 'node:path';
import type { Config } from '../config.js';
import { CheckpointFiles } from '../integrity/checkpoint-files.js';
import { TreeFollower, type FollowerParts } from '../integrity/tree-follower.js';
import { Witness } from '../integrity/witness.js';
import { IntegrityKeys } from '../security/integrity-keys.js';

/** Settings of the tamper-evident tree, serializable for a worker thread. */
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

/** Starts to maintain the tree. @throws UnusableKey */
export async function followTree(
  { directory, key, witnessUrl, checkpointEveryMs }: IntegritySettings,
  parts: Omit<FollowerParts, 'keys' | 'files' | 'witness' | 'checkpointEveryMs'>,
): Promise<TreeFollower> {
  const { clock, logger } = parts;
  const follower = new TreeFollower({
    ...{ ...parts, checkpointEveryMs },
    keys: await IntegrityKeys.open(directory, key),
    files: checkpointFiles(directory),
    witness: witnessUrl === undefined ? undefined : new Witness(witnessUrl, clock, logger),
  });
  follower.start();
  return follower;
}
