import { z } from 'zod';
import { BackupArchive } from '../backup/backup-archive.js';
import { writeBackup } from '../backup/backup-writer.js';
import type { HistoryWork, Job, JobOutcome, TaskControl, TaskParts } from './job.js';

export type BackupSettings = {
  readonly directory: string;
  /** Number of backups to keep. Older backups are removed after a successful backup. */
  readonly kept: number;
  /** The age recipient for whom backups are encrypted. */
  readonly recipient?: string | undefined;
  /** Version of this service. */
  readonly service: string;
};

export type BackupTask = BackupSettings & { readonly kind: 'backup'; readonly executionId: string };

const DATABASE_BACKUP = 'database-backup';

/** Writes the whole history to a file that `npm run restore` can load. */
export const databaseBackup = (work: HistoryWork<BackupTask>, settings: BackupSettings): Job => ({
  name: DATABASE_BACKUP,
  description: 'Writes the whole history to a file that can be restored, and removes the oldest backups.',
  schedule: '15 2 * * *',
  parameters: z.strictObject({}),
  run: ({ executionId, signal, report }) => work({ kind: 'backup', executionId, ...settings }, { signal, report }),
});

/** @throws BackupError, EventStoreUnavailable, CorruptEvent, the signal's reason. A failed backup leaves no file. */
export async function backUp(task: BackupTask, parts: TaskParts, control: TaskControl): Promise<JobOutcome> {
  const { executionId, directory, service, kept, recipient } = task;
  const { events, catalogue, clock, sharesThread } = parts;
  const { signal, report } = control;
  const archive = new BackupArchive(directory);
  const draft = await archive.begin(executionId, clock.nowMs(), recipient);
  try {
    const options = { service, executionId, clock, signal, report, sharesThread, streams: catalogue.streamPrefixes };
    const count = await writeBackup(events, draft, options);
    signal.throwIfAborted();
    const { sizeBytes, sha256 } = await draft.keep();
    // From here on, the backup is complete, so nothing may fail the run.
    const { removed, failed } = await archive.prune(kept, draft.fileName);
    const pruned = removed === 0 ? '' : ` Old backups removed: ${removed}.`;
    const stuck = failed === 0 ? '' : ` Old backups that could not be removed: ${failed}.`;
    return {
      message: `${count} events, ${sizeBytes} bytes.${pruned}${stuck}`,
      artifact: { fileName: draft.fileName, sizeBytes, sha256 },
    };
  } catch (error) {
    await draft.discard();
    throw error;
  }
}
