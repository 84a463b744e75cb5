import { chmod, stat } from 'node:fs/promises';
import type { Logger } from '../ports/log.js';

const OTHERS = 0o077;

/** Removes other accounts' access to an existing folder. Leaves a folder that belongs to another account unchanged. */
export async function closeToOthers(directory: string, logger: Logger): Promise<void> {
  const folder = await stat(directory).catch(() => undefined);
  // Windows has no POSIX file modes. A missing folder is created later, with permissions restricted by the umask.
  if (process.getuid === undefined || folder === undefined || (folder.mode & OTHERS) === 0) return;
  const mode = (folder.mode & 0o777).toString(8);
  if (folder.uid !== process.getuid()) {
    logger.warn({ directory, mode }, 'other accounts can read the data folder, and this account cannot restrict it');
    return;
  }
  await chmod(directory, 0o700);
  logger.warn({ directory, mode }, 'other accounts could read the data folder; their access was removed');
}
