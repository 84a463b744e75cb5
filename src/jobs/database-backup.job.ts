import { promisify } from 'node:util';
import { gzip, gzipSync } from 'node:zlib';
import { z } from 'zod';
import { catalogue } from '../catalogue.js';
import { BackupArchive } from '../platform/backup-archive.js';
import { writeBackup } from '../platform/backup-writer.js';
import type { HistoryWork, TaskControl, TaskParts } from './history-work.js';
import type { Job, JobOutcome } from './job.js';

export type BackupSettings = {
  readonly directory: string;
  /** Backups that stay; older ones are removed after a success. */
  readonly kept: number;
  /** Version of this service. */
  readonly service: string;
};

export type BackupTask = BackupSettings & { readonly kind: 'backup'; readonly executionId: string };

const DATABASE_BACKUP = 'database-backup';

/** The whole history as a file that `npm run restore` loads again. Its artifact is the file's name in the archive. */
export const databaseBackup = (work: HistoryWork<BackupTask>, settings: BackupSettings): Job => ({
  name: DATABASE_BACKUP,
  description: 'Writes the whole history to a file that can be restored, and removes the oldest of such files.',
  schedule: '15 2 * * *',
  parameters: z.strictObject({}),
  run: ({ executionId, signal, report }) =>
    work.carryOut({ kind: 'backup', executionId, ...settings }, { signal, report }),
});

// About as small as the default level makes it, in two thirds of the time.
const LEVEL = 4;
const inPool = promisify(gzip);

/** In a thread of its own nothing is handed to Node's pool of threads, which requests need and which has no niceness. */
const OWN_THREAD = {
  batchSize: 1_000,
  blockBytes: 1024 * 1024,
  compress: (block: Uint8Array): Uint8Array => gzipSync(block, { level: LEVEL }),
};
const SHARED_THREAD = {
  batchSize: 50,
  blockBytes: 128 * 1024,
  compress: (block: Uint8Array): Promise<Uint8Array> => inPool(block, { level: LEVEL }),
};

/** @throws BackupNotWritten, EventStoreUnavailable, CorruptEvent, the signal's reason; then no file remains */
export async function backUp(task: BackupTask, parts: TaskParts, control: TaskControl): Promise<JobOutcome> {
  const { executionId, directory, service, kept } = task;
  const { events, clock, sharesThread } = parts;
  const { signal, report } = control;
  const archive = new BackupArchive(directory);
  const draft = await archive.begin(executionId, clock.nowMs());
  try {
    const written = await writeBackup(events, draft, {
      ...{ service, executionId, clock, signal, report },
      ...(sharesThread ? SHARED_THREAD : OWN_THREAD),
      streams: catalogue.streamPrefixes,
    });
    signal.throwIfAborted();
    await draft.keep(written.sha256);
    const removed = await archive.prune(kept);
    const { count, sizeBytes, sha256 } = written;
    const pruned = removed === 0 ? '' : ` Older backups removed: ${removed}.`;
    return {
      message: `${count} events, ${sizeBytes} bytes.${pruned}`,
      artifact: { fileName: draft.fileName, sizeBytes, sha256 },
    };
  } catch (error) {
    await draft.discard();
    throw error;
  }
}
