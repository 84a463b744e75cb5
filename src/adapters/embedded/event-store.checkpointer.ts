import type { DatabaseSyncInstance, StatementSyncInstance } from '@photostructure/sqlite';

/** Quiet for so long, the loop has time for a checkpoint. */
const IDLE_MS = 250;
/** Under unbroken load one is taken when the WAL has grown by about this much. */
const WAL_MAX_PAGES = 16_384;
const COMMITS_BETWEEN_LOOKS = 16;

/**
 * Moves the write-ahead log into the database file away from the commits: in idle moments, or when it has passed 64 MB.
 * A checkpoint that fails (a full disk) loses nothing and is tried again later.
 */
export class Checkpointer {
  readonly #look: StatementSyncInstance;
  readonly #checkpoint: StatementSyncInstance;
  #commits = 0;
  #timer: NodeJS.Timeout | undefined;
  #quiet = true;
  #closed = false;

  constructor(db: DatabaseSyncInstance) {
    // An SQLite older than 3.51 takes NOOP for PASSIVE, which is a checkpoint: also right.
    this.#look = db.prepare('PRAGMA wal_checkpoint(NOOP)');
    this.#checkpoint = db.prepare('PRAGMA wal_checkpoint(PASSIVE)');
  }

  /** After each commit. */
  noteCommit(): void {
    this.#quiet = false;
    this.#commits += 1;
    if (this.#commits % COMMITS_BETWEEN_LOOKS === 0 && this.#waitingPages() > WAL_MAX_PAGES) this.#run();
    this.#timer ??= this.#startTimer();
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
  }

  #startTimer(): NodeJS.Timeout {
    return setTimeout(() => {
      this.#timer = undefined;
      if (this.#closed) return;
      if (this.#quiet) this.#run();
      else {
        this.#quiet = true;
        this.#timer = this.#startTimer();
      }
    }, IDLE_MS).unref();
  }

  #waitingPages(): number {
    const { log, checkpointed } = this.#look.get() as { log: number; checkpointed: number };
    return log - checkpointed;
  }

  #run(): void {
    try {
      this.#checkpoint.get();
    } catch {
      // The log still holds everything; the next checkpoint finds it there.
    }
  }
}
