import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { mkdir, open, readdir, readFile, rename, rm, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { UUID_PATTERN } from '../ports/uuid.js';
import type { EncryptedWriter, Write } from './backup-encryption.js';
import { BackupError, ENCRYPTED } from './backup-format.js';

/** A stored backup that is open for reading. It remains readable until it is closed, even if the file is removed. */
export type OpenBackup = {
  readonly fileName: string;
  readonly sizeBytes: number;
  /** Hexadecimal SHA-256 of the whole file. */
  readonly sha256: string;
  readonly file: FileHandle;
};

const NAME = new RegExp(`^kontor-(\\d{8}T\\d{6}Z)-(${UUID_PATTERN})\\.ndjson\\.gz(?:\\.age)?$`);
const OURS = new RegExp(`^kontor-\\d{8}T\\d{6}Z-${UUID_PATTERN}\\.ndjson\\.gz(\\.age)?(\\.sha256)?(\\.partial)?$`);
const PARTIAL = '.partial';
const DIGEST = '.sha256';
// Symbolic links are not followed, because they could point anywhere. `O_NOFOLLOW` does not exist on Windows.
const READ_NO_LINK = constants.O_RDONLY | ((constants.O_NOFOLLOW as number | undefined) ?? 0);
/** Backups contain the whole history, so only the service's own account may read them. */
const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;

/**
 * The backup directory, shared by all replicas. A file gets its final name only after it has been completely written to
 * disk. Its digest is stored in a second file, in the format of `sha256sum -c`. Files with any other name are neither
 * changed nor returned.
 */
export class BackupArchive {
  constructor(readonly directory: string) {}

  /**
   * Begins a backup and removes the leftovers of interrupted runs. Runs should not overlap. If they do, the earlier run
   * fails in `keep`, because its file has been removed. If a recipient is given, the file is encrypted.
   * @throws BackupError
   */
  async begin(executionId: string, nowMs: number, recipient?: string): Promise<BackupDraft> {
    const instant = new Date(nowMs).toISOString().replace(/\.\d+/, '').replace(/[-:]/g, '');
    const fileName = `kontor-${instant}-${executionId}.ndjson.gz${recipient === undefined ? '' : ENCRYPTED}`;
    if (!NAME.test(fileName)) throw new RangeError(`The execution id is invalid: ${executionId}`);
    return this.guarded(async () => {
      await mkdir(this.directory, { recursive: true, mode: FOLDER_MODE });
      await this.sweep();
      const file = await open(join(this.directory, `${fileName}${PARTIAL}`), 'wx', FILE_MODE);
      return new BackupDraft(this, fileName, file, await encryptionFor(recipient));
    });
  }

  /**
   * Returns the backup of a run; undefined if it has been pruned or was never completed. The caller must close the
   * file.
   */
  async open(executionId: string): Promise<OpenBackup | undefined> {
    const fileName = (await this.names()).find((name) => NAME.exec(name)?.[2] === executionId);
    if (fileName === undefined) return undefined;
    const sha256 = await this.digestOf(fileName);
    if (sha256 === undefined) return undefined;
    const file = await open(join(this.directory, fileName), READ_NO_LINK).catch(unlessGone);
    const about = await file?.stat();
    if (file && about?.isFile()) return { fileName, sizeBytes: about.size, sha256, file };
    await file?.close();
    return undefined;
  }

  /**
   * Returns a predicate that accepts the names of backups that no longer exist. If the directory is unreadable, the
   * predicate is true for every backup.
   */
  async gone(): Promise<(fileName: string) => boolean> {
    const names = await this.names().catch((): string[] => []);
    const kept = new Set(names.filter((name) => names.includes(`${name}${DIGEST}`)));
    return (fileName) => NAME.test(fileName) && !kept.has(fileName);
  }

  /**
   * Removes all but the `kept` newest backups, and never `own`, even if its name has an older time because the clock
   * has been set back. Counts the backups that could not be removed. Never throws.
   */
  async prune(kept: number, own: string): Promise<{ readonly removed: number; readonly failed: number }> {
    const all = await this.names().catch((): string[] => []);
    const others = all.filter((name) => NAME.test(name) && name !== own).toSorted();
    const surplus = others.slice(0, Math.max(0, others.length - (kept - 1)));
    let failed = 0;
    for (const name of surplus)
      try {
        await rm(join(this.directory, name), { force: true });
        await rm(join(this.directory, `${name}${DIGEST}`), { force: true });
      } catch {
        failed += 1;
      }
    return { removed: surplus.length - failed, failed };
  }

  /** @throws BackupError in place of known file system errors */
  async guarded<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw toBackupError(error, this.directory);
    }
  }

  /** Removes the leftovers of a crash: unfinished files, and digests of files that never received their final name. */
  private async sweep(): Promise<void> {
    const names = await this.names();
    const isLeft = (name: string): boolean =>
      name.endsWith(PARTIAL) || (name.endsWith(DIGEST) && !names.includes(name.slice(0, -DIGEST.length)));
    for (const name of names.filter(isLeft)) await rm(join(this.directory, name), { force: true });
  }

  private async names(): Promise<string[]> {
    return ((await readdir(this.directory).catch(unlessGone)) ?? []).filter((name) => OURS.test(name));
  }

  private async digestOf(fileName: string): Promise<string | undefined> {
    const text = await readFile(join(this.directory, `${fileName}${DIGEST}`), 'latin1').catch(unlessGone);
    return text === undefined ? undefined : /^([0-9a-f]{64}) /.exec(text)?.[1];
  }
}

async function encryptionFor(recipient: string | undefined) {
  if (recipient === undefined) return undefined;
  const { EncryptedWriter } = await import('./backup-encryption.js');
  return (write: Write) => new EncryptedWriter(recipient, write);
}

/** A backup in progress. End it with `keep` or `discard`. */
export class BackupDraft {
  private readonly digest = createHash('sha256');
  private sizeBytes = 0;
  private readonly encrypted: EncryptedWriter | undefined;

  constructor(
    private readonly archive: BackupArchive,
    readonly fileName: string,
    private readonly file: FileHandle,
    encryption?: (write: Write) => EncryptedWriter,
  ) {
    this.encrypted = encryption?.((bytes) => this.store(bytes));
  }

  /** @throws BackupError */
  write(bytes: Uint8Array): Promise<void> {
    return this.encrypted?.write(bytes) ?? this.store(bytes);
  }

  /**
   * Flushes the file to disk and gives it its final name. Returns its size and its hexadecimal SHA-256.
   * @throws BackupError
   */
  async keep(): Promise<{ readonly sizeBytes: number; readonly sha256: string }> {
    await this.encrypted?.end();
    const sha256 = this.digest.digest('hex');
    await this.archive.guarded(async () => {
      await this.file.sync();
      await this.file.close();
      await this.writeDigest(sha256);
      await rename(this.path(PARTIAL), this.path(''));
      await this.flushFolder();
    });
    return { sizeBytes: this.sizeBytes, sha256 };
  }

  private store(bytes: Uint8Array): Promise<void> {
    return this.archive.guarded(async () => {
      for (let from = 0; from < bytes.length;) from += (await this.file.write(bytes, from)).bytesWritten;
      this.digest.update(bytes);
      this.sizeBytes += bytes.length;
    });
  }

  /** Removes all files of the draft. Never throws, so that callers can report the original error. */
  async discard(): Promise<void> {
    await this.file.close().catch(() => undefined);
    for (const ending of ['', PARTIAL, `${DIGEST}${PARTIAL}`, DIGEST])
      await rm(this.path(ending), { force: true }).catch(() => undefined);
  }

  private async writeDigest(sha256: string): Promise<void> {
    const digest = await open(this.path(`${DIGEST}${PARTIAL}`), 'wx', FILE_MODE);
    try {
      await digest.writeFile(`${sha256}  ${this.fileName}\n`);
      await digest.sync();
    } finally {
      await digest.close();
    }
    await rename(this.path(`${DIGEST}${PARTIAL}`), this.path(DIGEST));
  }

  /** Makes the rename durable. On Windows, directories cannot be opened, and flushing them is not necessary. */
  private async flushFolder(): Promise<void> {
    if (process.platform === 'win32') return;
    const folder = await open(this.archive.directory);
    try {
      await folder.sync();
    } finally {
      await folder.close();
    }
  }

  private path(ending: string): string {
    return join(this.archive.directory, `${this.fileName}${ending}`);
  }
}

const FULL = ['ENOSPC', 'EDQUOT', 'EFBIG'];
const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'the service does not have permission to write to it',
  EPERM: 'the service does not have permission to write to it',
  EROFS: 'the file system is read-only',
  ENOTDIR: 'part of the path is not a directory',
  EEXIST: 'it is not a directory',
  ENOENT: 'the file was removed while it was being written',
};

function toBackupError(error: unknown, directory: string): unknown {
  const { code } = error as { code?: unknown };
  if (error instanceof BackupError || typeof code !== 'string') return error;
  const reason = FULL.includes(code) ? `there is not enough space (${code})` : REASONS[code];
  if (reason === undefined) return error;
  return new BackupError(`The backup cannot be written to ${directory}: ${reason}.`, { cause: error });
}

function unlessGone(error: unknown): undefined {
  const { code } = error as { code?: unknown };
  if (!['ENOENT', 'ENOTDIR', 'ELOOP'].includes(String(code))) throw error;
}
