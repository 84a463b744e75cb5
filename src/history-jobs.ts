import { join } from 'node:path';
import type { Config } from './config.js';
import type { Engines } from './engines.js';
import { TaskThreads } from './job.thread.js';
import { databaseBackup } from './jobs/database-backup.job.js';
import { carryOut, type HistoryTask } from './jobs/history-tasks.js';
import type { HistoryWork } from './jobs/history-work.js';
import type { Job } from './jobs/job.js';
import { projectionVerify } from './jobs/projection-verify.job.js';
import { storeSettings } from './open-engines.js';
import { version } from './version.js';

/** Where backups are kept. */
export const backupDirectory = ({ BACKUP_DIR, DATA_DIR }: Pick<Config, 'BACKUP_DIR' | 'DATA_DIR'>): string =>
  BACKUP_DIR ?? join(DATA_DIR, 'backups');

/** The jobs that read the whole history: in threads of their own, or in the serving one where that serves all. */
export function historyJobs(config: Config, engines: Pick<Engines, 'events' | 'reads' | 'clock'>): Job[] {
  const { events, reads, clock } = engines;
  const inline: HistoryWork<HistoryTask> = {
    carryOut: (task, control) => carryOut(task, { events, reads, clock, sharesThread: true }, control),
  };
  const threads = new TaskThreads({ stores: storeSettings(config), logLevel: config.LOG_LEVEL });
  const work = config.SUBSCRIBERS === 'worker' ? threads : inline;
  const settings = { directory: backupDirectory(config), kept: config.BACKUPS_KEPT, service: version };
  return [databaseBackup(work, settings), projectionVerify(work)];
}
