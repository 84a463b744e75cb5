import { chmod, readdir, stat } from 'node:fs/promises';
import type { Logger } from '../ports/log.js';

const OTHERS = 0o077;
/**
 * Names of the files and folders that Kontor keeps in its data folder, and of the folder that `fsck` creates on a
 * volume.
 */
const OWN =
  /^(?:(?:history|models|broker)\.|\.write-probe-)|^(?:backups|checkpoints|alert-webhook-secret|lost\+found)$|-key\b/;

/**
 * Removes other accounts' access to the existing data folder. Leaves the folder unchanged if it belongs to another
 * account or also contains other files, such as `/tmp`. Kontor's files are private in any case.
 */
export async function closeToOthers(directory: string, logger: Logger): Promise<void> {
  const folder = await stat(directory).catch(() => undefined);
  // Windows has no POSIX file modes. A missing folder is created later, with permissions restricted by the umask.
  if (process.getuid === undefined || !folder?.isDirectory() || (folder.mode & OTHERS) === 0) return;
  const mode = (folder.mode & 0o777).toString(8);
  if (folder.uid !== process.getuid()) {
    logger.warn({ directory, mode }, 'other accounts can read the data folder, and this account cannot restrict it');
    return;
  }
  const other = (await readdir(directory)).find((name) => !OWN.test(name));
  if (other !== undefined) {
    logger.warn({ directory, mode, other }, 'other accounts can read the data folder, which also contains other files');
    return;
  }
  await chmod(directory, 0o700);
  logger.warn({ directory, mode }, 'other accounts could read the data folder; their access was removed');
}
