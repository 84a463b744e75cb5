import type { DatabaseSyncInstance, StatementSyncInstance } from '@photostructure/sqlite';
import { CheckpointThread } from './event-store.checkpoint-thread.js';

/** Idle time after which the log is checkpointed, regardless of its size. */
const IDLE_MS = 250;
/** Log size, in 4 KiB pages, up to which this thread runs the checkpoint itself. This takes a few milliseconds. */
const FEW_PAGES = 500;
/** Log size, in pages, at which a checkpoint starts under continuous load. */
const MANY_PAGES = 2_048;
/** Log size, in pages (256 MiB), above which this thread runs the checkpoint itself. */
const TOO_MANY_PAGES = 65_536;
const COMMITS_BETWEEN_LOOKS = 16;

/**
 * Checkpoints the write-ahead log outside commits: when no appends arrive, or once the log has grown. Another thread
 * moves most of the log to the database file while appends continue. This thread moves the rest, so that the log can be
 * reused from the beginning. If a checkpoint fails, for example because the disk is full, no data is lost, and the
 * checkpoint is retried later.
 */
export class Checkpointer {
  private readonly look: StatementSyncInstance;
  private readonly checkpoint: StatementSyncInstance;
  private readonly final: StatementSyncInstance;
  private readonly thread: CheckpointThread;
  private commits = 0;
  private timer: NodeJS.Timeout | undefined;
  private quiet = true;
  private closed = false;

  constructor(db: DatabaseSyncInstance, file: string) {
    // SQLite versions before 3.51 treat NOOP as PASSIVE and run a checkpoint, which is also correct.
    this.look = db.prepare('PRAGMA wal_checkpoint(NOOP)');
    this.checkpoint = db.prepare('PRAGMA wal_checkpoint(PASSIVE)');
    this.final = db.prepare('PRAGMA wal_checkpoint(TRUNCATE)');
    this.thread = new CheckpointThread(file);
  }

  /** Must be called after each commit. */
  noteCommit(): void {
    this.quiet = false;
    this.commits += 1;
    if (this.commits % COMMITS_BETWEEN_LOOKS === 0) this.move(MANY_PAGES);
    this.timer ??= this.startTimer();
  }

  /**
   * Moves the whole log into the database file. SQLite would do so when the connection closes. However, the driver
   * cannot finalize statements, so the connection remains open until its statements are garbage-collected.
   */
  async close(): Promise<void> {
    this.closed = true;
    clearTimeout(this.timer);
    await this.thread.close();
    this.run(this.final);
  }

  private startTimer(): NodeJS.Timeout {
    return setTimeout(() => {
      this.timer = undefined;
      if (this.closed) return;
      if (this.quiet) this.move(1);
      else {
        this.quiet = true;
        this.timer = this.startTimer();
      }
    }, IDLE_MS).unref();
  }

  /** Checkpoints the log if it has at least `pages` pages. */
  private move(pages: number): void {
    if (this.thread.busy) return;
    const waiting = this.waitingPages();
    if (waiting < pages) return;
    if (waiting <= FEW_PAGES || waiting > TOO_MANY_PAGES) this.run(this.checkpoint);
    else
      this.thread.checkpoint((ok) => {
        if (!this.closed) this.moveRest(waiting, ok);
      });
  }

  /**
   * Checkpoints the pages that a checkpoint by the other thread has left. The other thread continues as long as it at
   * least halves the number of pages each time. If it does not, or if few pages remain, this thread moves the rest.
   */
  private moveRest(before: number, ok: boolean): void {
    const waiting = this.waitingPages();
    if (ok && waiting > FEW_PAGES && waiting <= before / 2) this.move(1);
    else this.run(this.checkpoint);
  }

  private waitingPages(): number {
    try {
      const { log, checkpointed } = this.look.get() as { log: number; checkpointed: number };
      return log - checkpointed;
    } catch {
      return 0;
    }
  }

  private run(checkpoint: StatementSyncInstance): void {
    try {
      checkpoint.get();
    } catch {
      // No data is lost, because the next checkpoint includes the same pages.
    }
  }
}
