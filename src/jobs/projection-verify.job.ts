import { crc32 } from 'node:zlib';
import { z } from 'zod';
import { verifyProjections, type Difference, type Verification } from '../projecting/projection-verifier.js';
import { projections } from '../projections/projections.js';
import type { HistoryWork, Job, JobOutcome, TaskControl, TaskParts } from './job.js';

const parameters = z.strictObject({
  share: z.number().gt(0).max(1).default(1),
  seed: z.int().min(0).max(0xffff_ffff).optional(),
});

export type VerifyTask = { readonly kind: 'verify'; readonly share: number; readonly seed: number };

const PROJECTION_VERIFY = 'projection-verify';

/**
 * Compares a sample of the read models with the history. The `share` parameter is the fraction of documents to compare.
 * It is reduced for models whose sample would exceed 2,000 documents. The `seed` parameter determines which documents
 * are compared. By default, the seed differs for each run.
 */
export const projectionVerify = (work: HistoryWork<VerifyTask>): Job => ({
  name: PROJECTION_VERIFY,
  description:
    'Rebuilds a sample of the read models from the history and compares it with the live ones. Fails if they differ.',
  schedule: '45 3 * * *',
  parameters,
  run: ({ executionId, parameters: given, signal, report }) => {
    const { share, seed = crc32(executionId) } = parameters.parse(given);
    return work({ kind: 'verify', share, seed }, { signal, report });
  },
});

const MOST_OF_A_MODEL = 2_000;
const BATCH = { own: 1_000, shared: 50 } as const;
const NAMED = 20;

/** @throws ReadModelsDiffer, EventStoreUnavailable, ReadStoreUnavailable, the signal's reason */
export async function verify(
  { share, seed }: VerifyTask,
  { events, reads, catalogue, sharesThread }: TaskParts,
  { signal, report }: TaskControl,
): Promise<JobOutcome> {
  const batchSize = sharesThread ? BATCH.shared : BATCH.own;
  const options = { share, seed, most: MOST_OF_A_MODEL, batchSize, signal, report };
  const verification = await verifyProjections(events, reads, catalogue, projections, options);
  const summary = summaryOf(verification, seed);
  if (verification.differences.length > 0) throw new ReadModelsDiffer(verification.differences, summary);
  return { message: `${summary} All compared documents match the history.` };
}

function summaryOf({ compared, models, events, upTo, leftOut }: Verification, seed: number): string {
  const skipped =
    leftOut.length === 0
      ? ''
      : ` Skipped because they were not built, or were cut over in the meantime: ${leftOut.join(', ')}.`;
  return (
    `${compared} documents of ${models.length} read models compared with ${events} events ` +
    `up to position ${upTo} (seed ${seed}).${skipped}`
  );
}

/** The read models differ from the history. The message names the models to rebuild. */
export class ReadModelsDiffer extends Error {
  constructor(differences: readonly Difference[], summary: string) {
    const named = differences
      .slice(0, NAMED)
      .map(({ model, scope, id, reason }) => `${model} ${scope} ${id}: ${reason}`);
    const more = differences.length > NAMED ? `; and ${differences.length - NAMED} more` : '';
    super(`${differences.length} documents differ: ${named.join('; ')}${more}. ${summary}`);
    this.name = 'ReadModelsDiffer';
  }
}
