import { EmbeddedEventStore, type EmbeddedEventStoreOptions } from '../../../src/adapters/embedded/event-store.js';
import type { Append, Appended, Position } from '../../../src/ports/event-store.js';
import { LogReader } from './log-reader.js';

/** Turns of the event loop that appends wait for others: as long as others keep coming, and no longer than this. */
const QUIET_TURNS = 2;
const MAX_TURNS = 64;

/** The data behind one server, or behind the nodes of a cluster. */
export class History {
  readonly store: EmbeddedEventStore;
  readonly log: LogReader;
  readonly #waiting = new Set<() => void>();
  #gathered: (() => void)[] = [];
  #head: Position;

  constructor(options: EmbeddedEventStoreOptions) {
    this.store = EmbeddedEventStore.open(options);
    this.log = new LogReader(options.directory);
    this.#head = this.log.last();
    this.store.onCommit((head) => {
      this.#head = head;
      const woken = [...this.#waiting];
      this.#waiting.clear();
      for (const wake of woken) wake();
    });
  }

  /**
   * As the store's own, but together with what arrives within a few turns, so that it shares their flush: a client in the
   * same process sends one append a turn, and none while the engine flushes. @throws as the store's own
   */
  append(append: Append): Promise<Appended> {
    return new Promise((resolve, reject) => {
      if (this.#gathered.length === 0) this.#gather(0, 0, 0);
      this.#gathered.push(() => {
        this.store.append(append).then(resolve, reject);
      });
    });
  }

  #gather(turns: number, quietTurns: number, known: number): void {
    setImmediate(() => {
      const count = this.#gathered.length;
      const quiet = count === known ? quietTurns + 1 : 0;
      if (quiet < QUIET_TURNS && turns < MAX_TURNS) {
        this.#gather(turns + 1, quiet, count);
        return;
      }
      const gathered = this.#gathered;
      this.#gathered = [];
      for (const begin of gathered) begin();
    });
  }

  /** Calls `wake` once when there are records beyond `position`, perhaps at once; returns how to stop waiting. */
  onceBeyond(position: Position, wake: () => void): () => void {
    if (this.#head > position) {
      wake();
      return () => undefined;
    }
    this.#waiting.add(wake);
    return () => this.#waiting.delete(wake);
  }

  async close(): Promise<void> {
    await this.store.close();
    this.log.close();
  }
}
