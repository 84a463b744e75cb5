import { EmbeddedEventStore, type EmbeddedEventStoreOptions } from '../../../src/adapters/embedded/event-store.js';
import type { Position } from '../../../src/ports/event-store.js';
import { LogReader } from './log-reader.js';

/** The data behind one server, or behind the nodes of a cluster. */
export class History {
  readonly store: EmbeddedEventStore;
  readonly log: LogReader;
  readonly #waiting = new Set<() => void>();
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
