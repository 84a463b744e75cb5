import { statSync } from 'node:fs';
import { EventStoreUnavailable } from '../../ports/event-store.js';

/** The files that store commits: the database and its write-ahead log. */
const ENDINGS = ['', '-wal'];
const GONE = 'history.sqlite was deleted or replaced';

/**
 * Detects that the history's files were deleted or replaced while they are open. SQLite does not notice this and would
 * store further events in the deleted files, which disappear when the process ends.
 */
export class HistoryFiles {
  private readonly inodes = new Map<string, number>();
  private isGone = false;

  constructor(private readonly file: string) {
    ENDINGS.forEach((ending) => this.isInPlace(ending));
  }

  /** Error for every append once a file has been deleted or replaced; undefined while the files are in place. */
  get loss(): EventStoreUnavailable | undefined {
    this.isGone ||= !ENDINGS.every((ending) => this.isInPlace(ending));
    return this.isGone ? new EventStoreUnavailable(`The event store is unusable: ${GONE}`, undefined, GONE) : undefined;
  }

  /** The write-ahead log may not exist yet when the history is opened. */
  private isInPlace(ending: string): boolean {
    const known = this.inodes.get(ending);
    let inode: number | undefined;
    try {
      inode = statSync(this.file + ending, { throwIfNoEntry: false })?.ino;
    } catch {
      // A file system error does not indicate that the file is gone.
      return true;
    }
    if (known !== undefined) return inode === known;
    if (inode !== undefined) this.inodes.set(ending, inode);
    return true;
  }
}
