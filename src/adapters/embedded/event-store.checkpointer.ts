import type { DatabaseSyncInstance, StatementSyncInstance } from '@photostructure/sqlite';
import { CheckpointThread } from './event-store.checkpoint-thread.js';

/** Quiet for so long, the log is moved however short it is. */
const IDLE_MS = 250;
/** 4 KiB each. So few take a few ms: done at once. */
const FEW_PAGES = 500;
/** Under unbroken load the other thread begins at so many. */
const MANY_PAGES = 4_096;
/** So many must not stay in the log, whatever it costs: 256 MiB. */
const TOO_MANY_PAGES = 65_536;
const COMMITS_BETWEEN_LOOKS = 16;

/**
 * Moves the write-ahead log into the database file away from the commits: when nobody appends, or once it has grown. Most
 * is moved by another thread while appends go on; the rest that has come meanwhile is moved here, so that the log begins
 * anew. A checkpoint that fails (a full disk) loses nothing and is tried again later.
 */
export class Checkpointer {
  readonly #look: StatementSyncInstance;
  readonly #checkpoint: StatementSyncInstance;
  readonly #final: StatementSyncInstance;
  readonly #thread: CheckpointThread;
  #commits = 0;
  #timer: NodeJS.Timeout | undefined;
  #quiet = true;
  #closed = false;

  constructor(db: DatabaseSyncInstance, file: string) {
    // An SQLite older than 3.51 takes NOOP for PASSIVE, which is a checkpoint: also right.
    this.#look = db.prepare('PRAGMA wal_checkpoint(NOOP)');
    this.#checkpoint = db.prepare('PRAGMA wal_checkpoint(PASSIVE)');
    this.#final = db.prepare('PRAGMA wal_checkpoint(TRUNCATE)');
    this.#thread = new CheckpointThread(file);
  }

  /** After each commit. */
  noteCommit(): void {
    this.#quiet = false;
    this.#commits += 1;
    if (this.#commits % COMMITS_BETWEEN_LOOKS === 0) this.#move(MANY_PAGES);
    this.#timer ??= this.#startTimer();
  }

  /**
   * Leaves everything in the one file. SQLite would do so when it closes, but the driver cannot finalize statements: the
   * connection really closes only when they are collected.
   */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    await this.#thread.close();
    this.#run(this.#final);
  }

  #startTimer(): NodeJS.Timeout {
    return setTimeout(() => {
      this.#timer = undefined;
      if (this.#closed) return;
      if (this.#quiet) this.#move(1);
      else {
        this.#quiet = true;
        this.#timer = this.#startTimer();
      }
    }, IDLE_MS).unref();
  }

  /** Where at least `pages` are waiting. */
  #move(pages: number): void {
    if (this.#thread.busy) return;
    const waiting = this.#waitingPages();
    if (waiting < pages) return;
    if (waiting <= FEW_PAGES || waiting > TOO_MANY_PAGES) this.#run(this.#checkpoint);
    else
      this.#thread.checkpoint((ok) => {
        if (!this.#closed) this.#moveRest(waiting, ok);
      });
  }

  /** Each round of the other thread leaves less; where one does not, or it has failed, the rest is moved here. */
  #moveRest(before: number, ok: boolean): void {
    const waiting = this.#waitingPages();
    if (ok && waiting > FEW_PAGES && waiting <= before / 2) this.#move(1);
    else this.#run(this.#checkpoint);
  }

  #waitingPages(): number {
    try {
      const { log, checkpointed } = this.#look.get() as { log: number; checkpointed: number };
      return log - checkpointed;
    } catch {
      return 0;
    }
  }

  #run(checkpoint: StatementSyncInstance): void {
    try {
      checkpoint.get();
    } catch {
      // The log still holds everything; the next checkpoint finds it there.
    }
  }
}
