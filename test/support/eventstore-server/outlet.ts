import type { ServerWritableStream } from '@grpc/grpc-js';
import type { ReadReq, ReadResp } from '@eventstore/db-client/generated/streams_pb.js';
import type { EventStoreNode } from './node.js';

/** Sends the response messages of a read and respects the reader's backpressure. */
export class Outlet {
  readonly #call: ServerWritableStream<ReadReq, ReadResp>;
  readonly #node: EventStoreNode;
  readonly #closed = new AbortController();

  constructor(call: ServerWritableStream<ReadReq, ReadResp>, node: EventStoreNode) {
    this.#call = call;
    this.#node = node;
    const close = (): void => {
      this.#closed.abort();
    };
    call.on('cancelled', close);
    call.on('close', close);
  }

  get closed(): boolean {
    return this.#closed.signal.aborted || this.#call.cancelled;
  }

  /** Resolves when the reader accepts more messages, or has disconnected. */
  async send(answer: ReadResp): Promise<void> {
    const hold = this.#node.faults.whileHung();
    if (hold) await hold;
    if (this.closed) return;
    this.#node.noteSent();
    if (this.#call.write(answer)) return;
    await this.until((wake) => {
      this.#call.once('drain', wake);
      return () => this.#call.off('drain', wake);
    });
  }

  /**
   * Waits until the function passed to `begin` is called. `begin` returns a function that cancels the wait. The wait
   * ends early if the reader disconnects.
   */
  async until(begin: (wake: () => void) => () => void): Promise<void> {
    if (this.closed) return;
    await new Promise<void>((resolve) => {
      const done = (): void => {
        this.#closed.signal.removeEventListener('abort', done);
        stop();
        resolve();
      };
      let stop = (): void => undefined;
      this.#closed.signal.addEventListener('abort', done);
      stop = begin(done);
    });
  }

  end(): void {
    if (this.closed) return;
    this.#call.end();
    this.#closed.abort();
  }

  fail(failure: object): void {
    if (this.closed) return;
    this.#call.emit('error', failure);
    this.#closed.abort();
  }
}

/** Yields to the event loop. */
export const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
