import { randomUUID } from 'node:crypto';
import type { BatchAppendReq, BatchAppendResp } from '@eventstore/db-client/generated/streams_pb.js';
import type { ClientDuplexStream } from '@grpc/grpc-js';
import { AppendOutcomeUnknown, type Appended, EventStoreUnavailable } from '../../ports/event-store.js';
import type { Clock } from '../../ports/time.js';
import type { SerializedAppend } from '../event-store.input.js';
import { toUnknown } from './event-store.errors.js';
import { appendedOf, batchAppendRequest, correlationIdOf } from './event-store.messages.js';

type BatchAppendCall = ClientDuplexStream<BatchAppendReq, BatchAppendResp>;

type Pending = {
  readonly append: SerializedAppend;
  readonly deadlineMs: number;
  readonly resolve: (appended: Appended) => void;
  readonly reject: (error: Error) => void;
};

/**
 * One BatchAppend call and the appends that wait for their answers on it. An append that gets none in time retires the
 * lane: what comes later, a repeat of this append for one, is sent on a new one.
 */
export class Lane {
  readonly #call: BatchAppendCall;
  readonly #clock: Clock;
  readonly #pending = new Map<string, Pending>();
  readonly #ended = new AbortController();
  #retired = false;
  #watching = false;

  constructor(call: BatchAppendCall, clock: Clock, onError: (error: Error) => void) {
    this.#call = call;
    this.#clock = clock;
    call.on('data', (answer: BatchAppendResp) => {
      this.#settle(answer);
    });
    // Stays for ever: an error event without a listener would end the process.
    call.on('error', (error) => {
      if (!this.#ended.signal.aborted) onError(error);
      this.#fail(error);
    });
    call.on('end', () => {
      this.#fail(new Error('The server ended the call'));
    });
  }

  /** False once it has ended or is retired. */
  get isOpen(): boolean {
    return !this.#retired && !this.#ended.signal.aborted;
  }

  /** @throws what the port's `append` throws, but not EventStoreUnavailable where the append may have been stored */
  send(append: SerializedAppend, deadlineMs: number): Promise<Appended> {
    if (this.#ended.signal.aborted) return Promise.reject(new EventStoreUnavailable('The call for appends has ended'));
    return new Promise((resolve, reject) => {
      const correlationId = randomUUID();
      this.#pending.set(correlationId, { append, deadlineMs, resolve, reject });
      this.#call.write(batchAppendRequest(append, correlationId));
      if (!this.#watching) void this.#watch();
    });
  }

  /** Ends the call; what still waits on it is told that its outcome is unknown. */
  end(): void {
    this.#fail(new Error('The call was ended'));
    this.#call.cancel();
  }

  #settle(answer: BatchAppendResp): void {
    const correlationId = correlationIdOf(answer);
    const pending = this.#pending.get(correlationId);
    // Answered after its time-out.
    if (!pending) return;
    this.#pending.delete(correlationId);
    try {
      pending.resolve(appendedOf(answer, pending.append));
    } catch (error) {
      pending.reject(error as Error);
    }
    this.#endIfDone();
  }

  #fail(error: Error): void {
    const failed = [...this.#pending.values()];
    this.#pending.clear();
    this.#ended.abort();
    for (const { append, reject } of failed) reject(toUnknown(append.stream, error));
  }

  /** One timer for all: they wait in the order of their deadlines. */
  async #watch(): Promise<void> {
    this.#watching = true;
    while (!this.#ended.signal.aborted) {
      const [next] = this.#pending;
      if (!next) break;
      const [correlationId, { append, deadlineMs, reject }] = next;
      const leftMs = deadlineMs - this.#clock.monotonicMs();
      if (leftMs > 0) {
        await this.#clock.sleep(leftMs, this.#ended.signal);
        continue;
      }
      this.#pending.delete(correlationId);
      this.#retired = true;
      reject(new AppendOutcomeUnknown(append.stream, new Error('No answer in time')));
      this.#endIfDone();
    }
    this.#watching = false;
  }

  #endIfDone(): void {
    if (this.#retired && this.#pending.size === 0) this.end();
  }
}
