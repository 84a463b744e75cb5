import { existsSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const REASONS: Readonly<Record<string, string>> = {
  EROFS: 'the file system is read-only',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  ENOSPC: 'no space left on the disk',
  EDQUOT: 'the disk quota is exceeded',
  ENOENT: 'the system does not allow this directory',
  ENOTDIR: 'part of the path is not a directory',
  EEXIST: 'it is not a directory',
  EIO: 'input/output error',
};
/** Size of the test write: enough for a few pages in the files of each embedded engine. */
const PROBE_BYTES = 65_536;

/**
 * Creates a directory and its parents. Node.js's recursive `mkdir` never returns if the system rejects the directory
 * with ENOENT, as in /proc.
 */
function makeDirectory(directory: string): void {
  const parent = dirname(directory);
  if (parent !== directory && !existsSync(parent)) makeDirectory(parent);
  try {
    mkdirSync(directory);
  } catch (error) {
    if (statSync(directory, { throwIfNoEntry: false })?.isDirectory() !== true) throw error;
  }
}

/** Like `makeDirectory`, but leaves errors other than ENOENT to the parts that use the directory. */
export function ensurePossible(directory: string): void {
  try {
    makeDirectory(directory);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') throw error;
  }
}

/** Returns the reason why a setting's directory is not writable, for operators; undefined if it is writable. */
export function whyUnwritable(directory: string, setting = 'DATA_DIR'): string | undefined {
  const file = join(directory, `.write-probe-${process.pid}`);
  try {
    makeDirectory(directory);
    writeFileSync(file, Buffer.alloc(PROBE_BYTES));
    return undefined;
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    return `${setting} ${directory} is not writable: ${REASONS[code] ?? 'unknown error'} (${code}).`;
  } finally {
    remove(file);
  }
}

function remove(file: string): void {
  try {
    rmSync(file, { force: true });
  } catch {
    // The file might not exist.
  }
}
