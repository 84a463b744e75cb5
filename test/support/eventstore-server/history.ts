import type { Appended, Position } from '../../../src/ports/event-store.js';
import { LogReader } from './log-reader.js';
import { AppendTimedOut } from './rpc-errors.js';
import { type ExpectingAppend, ServerLog, type ServerLogOptions } from './server-log.js';

/** EventStoreDB's default minimum delay before a flush. Appends that arrive in the meantime share the flush. */
const FLUSH_DELAY_MS = 2;
/** Timeout after which EventStoreDB gives up on an uncommitted append. */
const COMMIT_TIMEOUT_MS = 2_000;

/** The data of one server, or the data that all nodes of a cluster share. */
export class History {
  readonly store: ServerLog;
  readonly log: LogReader;
  readonly #waiting = new Set<() => void>();
  readonly #listeners = new Set<() => void>();
  /** Appends that have been written but not committed. */
  readonly #inFlight = new Set<string>();
  readonly #gathered: (() => void)[] = [];
  #head: Position;

  /** @param flushDelayMs minimum delay before a flush */
  constructor(
    options: ServerLogOptions,
    private readonly flushDelayMs = FLUSH_DELAY_MS,
  ) {
    this.store = new ServerLog(options, (head) => {
      this.#announce(head);
    });
    this.log = new LogReader(options.directory);
    this.#head = this.log.last();
  }

  #announce(head: Position): void {
    this.#head = head;
    const woken = [...this.#waiting];
    this.#waiting.clear();
    for (const wake of woken) wake();
    for (const listener of this.#listeners) listener();
  }

  /**
   * Like the store's `append`, but drops an append that repeats one in flight. EventStoreDB also does this, because it
   * recognizes the events before it knows their position.
   * @throws the store's errors; AppendTimedOut when a dropped append would time out
   */
  async append(append: ExpectingAppend): Promise<Appended> {
    const { stream, expected, events } = append;
    if (events.length === 0) return this.#together(append);
    const key = JSON.stringify([stream, expected, ...events.map(({ id }) => id)]);
    if (this.#inFlight.has(key)) {
      await new Promise((resolve) => setTimeout(resolve, COMMIT_TIMEOUT_MS).unref());
      throw new AppendTimedOut();
    }
    this.#inFlight.add(key);
    try {
      return await this.#together(append);
    } finally {
      this.#inFlight.delete(key);
    }
  }

  /** Groups the append with others that arrive before the next flush. */
  #together(append: ExpectingAppend): Promise<Appended> {
    return new Promise((resolve, reject) => {
      if (this.#gathered.length === 0) setTimeout(this.#flush, this.flushDelayMs);
      this.#gathered.push(() => {
        this.store.append(append).then(resolve, reject);
      });
    });
  }

  readonly #flush = (): void => {
    for (const begin of this.#gathered.splice(0)) begin();
  };

  /** Calls `wake` once, as soon as there are records beyond `position`. Returns a function that cancels the wait. */
  onceBeyond(position: Position, wake: () => void): () => void {
    if (this.#head > position) {
      wake();
      return () => undefined;
    }
    this.#waiting.add(wake);
    return () => this.#waiting.delete(wake);
  }

  /** Calls `listener` after every commit, before any response is sent. Returns a function that removes the listener. */
  onCommit(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  close(): void {
    this.store.close();
    this.log.close();
  }
}
