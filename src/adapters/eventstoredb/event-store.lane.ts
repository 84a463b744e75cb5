import { randomUUID } from 'node:crypto';
import type { BatchAppendReq, BatchAppendResp } from '@eventstore/db-client/generated/streams_pb.js';
import type { ClientDuplexStream } from '@grpc/grpc-js';
import { AppendOutcomeUnknown, type Appended, EventStoreUnavailable } from '../../ports/event-store.js';
import type { Clock } from '../../ports/time.js';
import type { SerializedAppend } from '../event-store.input.js';
import { toUnknown } from './event-store.errors.js';
import { appendedOf, batchAppendRequest, correlationIdOf, isGivenUp } from './event-store.messages.js';

type BatchAppendCall = ClientDuplexStream<BatchAppendReq, BatchAppendResp>;

/** Resend delay for an unanswered append if a later append has been answered. Doubles with each resend. */
const OVERTAKEN_MS = 250;
/** Resend delay for an unanswered append if no response at all has arrived. Doubles with each resend. */
const SILENT_MS = 1_000;
/** Interval between checks for appends that must be resent or have timed out. */
const LOOK_EVERY_MS = 100;

type Pending = {
  readonly append: SerializedAppend;
  readonly deadlineMs: number;
  readonly resolve: (appended: Appended) => void;
  readonly reject: (error: Error) => void;
  /** Sequence number of each transmission, by correlation id. */
  readonly sent: Map<string, number>;
  sentAtMs: number;
};

/**
 * One BatchAppend call and its pending appends. An unanswered append is resent, because the server silently drops an
 * append that it receives twice at the same time. An append that times out retires the lane: later appends, including a
 * retry of that append, use a new lane. While responses to earlier appends keep arriving, the server is busy rather
 * than silent. During that time, nothing is resent, to avoid adding to its load.
 */
export class Lane {
  private readonly pending = new Set<Pending>();
  private readonly byCorrelationId = new Map<string, Pending>();
  private readonly ended = new AbortController();
  /** Number of transmissions and the sequence number of the latest answered one. */
  private sent = 0;
  private answered = 0;
  private answeredAtMs = 0;
  private retired = false;
  private watching = false;

  constructor(
    private readonly call: BatchAppendCall,
    private readonly clock: Clock,
    onError: (error: Error) => void,
  ) {
    call.on('data', (answer: BatchAppendResp) => {
      this.settle(answer);
    });
    // This listener is never removed, because an error event without a listener would terminate the process.
    call.on('error', (error) => {
      if (!this.ended.signal.aborted) onError(error);
      this.fail(error);
    });
    call.on('end', () => {
      this.fail(new Error('The server ended the append call'));
    });
  }

  /** False once the call has ended or the lane has been retired. */
  get isOpen(): boolean {
    return !this.retired && !this.ended.signal.aborted;
  }

  /** @throws the errors of the port's `append`; never EventStoreUnavailable if the append may have been stored */
  send(append: SerializedAppend, deadlineMs: number): Promise<Appended> {
    if (this.ended.signal.aborted) return Promise.reject(new EventStoreUnavailable('The append call has ended'));
    return new Promise((resolve, reject) => {
      const pending: Pending = { append, deadlineMs, resolve, reject, sent: new Map(), sentAtMs: 0 };
      this.pending.add(pending);
      this.transmit(pending);
      if (!this.watching) void this.watch();
    });
  }

  /** Ends the call. Pending appends fail with an unknown outcome. */
  end(): void {
    this.fail(new Error('The append call was closed'));
    this.call.cancel();
  }

  private transmit(pending: Pending): void {
    const correlationId = randomUUID();
    this.sent += 1;
    pending.sent.set(correlationId, this.sent);
    pending.sentAtMs = this.clock.monotonicMs();
    this.byCorrelationId.set(correlationId, pending);
    this.call.write(batchAppendRequest(pending.append, correlationId));
  }

  private settle(answer: BatchAppendResp): void {
    const correlationId = correlationIdOf(answer);
    const pending = this.byCorrelationId.get(correlationId);
    // The append has already received a response or has timed out.
    if (!pending) return;
    this.answered = Math.max(this.answered, pending.sent.get(correlationId) ?? 0);
    this.answeredAtMs = this.clock.monotonicMs();
    // The append will be resent when it is due.
    if (isGivenUp(answer)) return;
    this.forget(pending);
    try {
      pending.resolve(appendedOf(answer, pending.append));
    } catch (error) {
      pending.reject(error as Error);
    }
    this.endIfDone();
  }

  private forget(pending: Pending): void {
    this.pending.delete(pending);
    for (const correlationId of pending.sent.keys()) this.byCorrelationId.delete(correlationId);
  }

  private fail(error: Error): void {
    const failed = [...this.pending];
    this.pending.clear();
    this.byCorrelationId.clear();
    this.ended.abort();
    for (const { append, reject } of failed) reject(toUnknown(append.stream, error));
  }

  /** Runs one timer for all pending appends. */
  private async watch(): Promise<void> {
    this.watching = true;
    while (this.pending.size > 0 && !this.ended.signal.aborted)
      await this.clock.sleep(this.attend(), this.ended.signal);
    this.watching = false;
  }

  /**
   * Resends appends that are due, and rejects those that have timed out. Returns the delay until the next check, in
   * milliseconds.
   */
  private attend(): number {
    const nowMs = this.clock.monotonicMs();
    let leftMs = LOOK_EVERY_MS;
    for (const pending of this.pending) {
      if (pending.deadlineMs <= nowMs) this.giveUp(pending);
      // Do not resend while the server accepts no more data.
      else if (this.isDue(pending, nowMs) && !this.call.writableNeedDrain) this.transmit(pending);
      leftMs = Math.min(leftMs, Math.max(1, pending.deadlineMs - nowMs));
    }
    return leftMs;
  }

  private isDue({ sent, sentAtMs }: Pending, nowMs: number): boolean {
    const factor = 2 ** (sent.size - 1);
    const last = Math.max(...sent.values());
    if (last < this.answered) return nowMs - sentAtMs >= OVERTAKEN_MS * factor;
    return nowMs - Math.max(sentAtMs, this.answeredAtMs) >= SILENT_MS * factor;
  }

  private giveUp(pending: Pending): void {
    this.forget(pending);
    this.retired = true;
    pending.reject(
      new AppendOutcomeUnknown(pending.append.stream, new Error('The event store did not respond in time')),
    );
    this.endIfDone();
  }

  private endIfDone(): void {
    if (this.retired && this.pending.size === 0) this.end();
  }
}
