import { type ServerDuplexStream, status } from '@grpc/grpc-js';
import type { Code as CodeValue } from '@eventstore/db-client/generated/code_pb.js';
import type { UUID } from '@eventstore/db-client/generated/shared_pb.js';
import type { Status } from '@eventstore/db-client/generated/status_pb.js';
import type { BatchAppendReq, BatchAppendResp } from '@eventstore/db-client/generated/streams_pb.js';
import {
  EventTooLarge,
  type EventToAppend,
  EventStoreUnavailable,
  StreamTombstoned,
  WrongExpectedRevision,
} from '../../../src/ports/event-store.js';
import { expectationOf } from './append-decision.js';
import { carryOut, nameOf, refusalOf, toExpected, type Written } from './append-service.js';
import { fromUuid, toEvent, toUuid } from './event-codec.js';
import type { EventStoreNode } from './node.js';
import { Any, Code, google, rpc, shared, streams } from './protocol.js';
import { AppendTimedOut, MAX_APPEND_BYTES, RpcFailure } from './rpc-errors.js';
import type { ExpectingAppend } from './server-log.js';

/** Backpressure: the server reads no more appends while this number or size of appends is unanswered. */
const MAX_UNANSWERED = 2_000;
const MAX_UNANSWERED_BYTES = 16 * 1024 * 1024;

type Pending = {
  readonly correlation: UUID;
  readonly options: BatchAppendReq.Options;
  readonly stream: string;
  readonly events: EventToAppend[];
  bytes: number;
  readonly timer: NodeJS.Timeout | undefined;
};

/**
 * A call with many appends. Sends each response, with the append's correlation id, when that append completes.
 */
export class BatchAppendCall {
  readonly #node: EventStoreNode;
  readonly #call: ServerDuplexStream<BatchAppendReq, BatchAppendResp>;
  readonly #pending = new Map<string, Pending>();
  #unanswered = 0;
  #unansweredBytes = 0;
  #ended = false;
  #broken = false;

  constructor(node: EventStoreNode, call: ServerDuplexStream<BatchAppendReq, BatchAppendResp>) {
    this.#node = node;
    this.#call = call;
  }

  start(): void {
    const call = this.#call;
    call.on('data', (request: BatchAppendReq) => {
      this.#take(request);
    });
    call.on('end', () => {
      this.#ended = true;
      this.#endWhenDone();
    });
    call.on('cancelled', () => {
      this.#broken = true;
      for (const { timer } of this.#pending.values()) clearTimeout(timer);
      this.#pending.clear();
    });
  }

  #take(request: BatchAppendReq): void {
    if (this.#broken) return;
    const refusal = refusalOf(this.#node, this.#call.metadata);
    if (refusal) {
      this.#broken = true;
      this.#call.emit('error', refusal);
      return;
    }
    const correlation = request.getCorrelationId();
    if (!correlation) return;
    const key = fromUuid(correlation);
    const pending = this.#pending.get(key) ?? this.#begin(key, correlation, request);
    if (!pending) return;
    try {
      for (const proposed of request.getProposedMessagesList()) {
        const { event, bytes } = toEvent(proposed);
        pending.events.push(event);
        pending.bytes += bytes;
        this.#unansweredBytes += bytes;
      }
    } catch (error) {
      this.#forget(key);
      this.#answer(pending, undefined, error);
      return;
    }
    if (pending.bytes > MAX_APPEND_BYTES) {
      this.#forget(key);
      this.#answer(pending, undefined, new EventTooLarge(pending.stream, pending.bytes, MAX_APPEND_BYTES));
    } else if (request.getIsFinal()) {
      this.#forget(key);
      void this.#carryOut(pending);
    }
    if (this.#isFull()) this.#call.pause();
  }

  #begin(key: string, correlation: UUID, request: BatchAppendReq): Pending | undefined {
    const options = request.getOptions();
    if (!options) return undefined;
    const stream = nameOf(options.getStreamIdentifier());
    const leftMs = millisecondsLeft(options);
    const begun = { correlation, options, stream, events: [], bytes: 0, timer: undefined };
    if (leftMs <= 0) {
      this.#unanswered += 1;
      this.#answer(begun, undefined, new DeadlinePassed());
      return undefined;
    }
    this.#unanswered += 1;
    if (request.getIsFinal()) return begun;
    const timer = setTimeout(
      () => {
        this.#forget(key);
        this.#answer(pending, undefined, new DeadlinePassed());
      },
      Math.min(leftMs, 2 ** 31 - 1),
    ).unref();
    const pending: Pending = { ...begun, timer };
    this.#pending.set(key, pending);
    return pending;
  }

  #forget(key: string): void {
    clearTimeout(this.#pending.get(key)?.timer);
    this.#pending.delete(key);
  }

  async #carryOut(pending: Pending): Promise<void> {
    const { stream, options, events, bytes } = pending;
    const { faults } = this.#node;
    try {
      const hung = faults.whileHung();
      if (hung) await hung;
      const expected = toExpected(options, options.getStreamPosition());
      const append: ExpectingAppend = { stream, expected, events };
      const appended = await carryOut(this.#node, append, bytes);
      if (faults.takeDrop()) {
        this.#broken = true;
        this.#node.disconnect(this.#call.getPeer());
        return;
      }
      this.#answer(pending, appended, undefined);
    } catch (error) {
      this.#answer(pending, undefined, error);
    }
  }

  #answer(pending: Pending, appended: Written | undefined, error: unknown): void {
    const hold = this.#node.faults.hold();
    if (hold)
      void hold.then(() => {
        this.#send(pending, appended, error);
      });
    else this.#send(pending, appended, error);
  }

  #isFull(share = 1): boolean {
    return this.#unanswered >= MAX_UNANSWERED * share || this.#unansweredBytes >= MAX_UNANSWERED_BYTES * share;
  }

  #send({ correlation, stream, bytes }: Pending, appended: Written | undefined, error: unknown): void {
    if (this.#broken || this.#call.cancelled || this.#call.destroyed) return;
    // If the append times out on the server, EventStoreDB sends the id as two numbers, whatever its original form was.
    const id = error instanceof AppendTimedOut ? toUuid(fromUuid(correlation), true) : correlation;
    const answer = new streams.BatchAppendResp()
      .setCorrelationId(id)
      .setStreamIdentifier(new shared.StreamIdentifier().setStreamName(Buffer.from(stream)));
    if (appended) answer.setSuccess(succeeded(appended));
    else answer.setError(toStatus(error));
    this.#call.write(answer, () => {
      this.#unanswered -= 1;
      this.#unansweredBytes -= bytes;
      if (this.#call.isPaused() && !this.#isFull(0.5)) this.#call.resume();
      this.#endWhenDone();
    });
  }

  #endWhenDone(): void {
    if (this.#ended && this.#unanswered === 0) this.#call.end();
  }
}

class DeadlinePassed extends Error {}

/**
 * Returns the time until the deadline of the append. The client sets the deadline on its wall clock, so this function
 * compares the deadline with the wall clock of this machine.
 */
function millisecondsLeft(options: BatchAppendReq.Options): number {
  const deadline = options.getDeadline();
  return deadline ? deadline.toDate().getTime() - Date.now() : Infinity;
}

function succeeded({ revision, at }: Written): BatchAppendResp.Success {
  const success = new streams.BatchAppendResp.Success().setPosition(
    new shared.AllStreamPosition().setCommitPosition(at).setPreparePosition(at),
  );
  return revision < 0 ? success.setNoStream(new google.Empty()) : success.setCurrentRevision(String(revision));
}

/** Uses the codes and messages of EventStoreDB, although the client reads only the details. */
function toStatus(error: unknown): Status {
  if (error instanceof WrongExpectedRevision)
    return statusOf(Code.ALREADY_EXISTS, 'WrongExpectedVersion', wrongVersion(error));
  if (error instanceof StreamTombstoned) {
    const identifier = new shared.StreamIdentifier().setStreamName(Buffer.from(error.stream));
    return statusOf(Code.NOT_FOUND, 'StreamDeleted', new shared.StreamDeleted().setStreamIdentifier(identifier));
  }
  if (error instanceof EventTooLarge) {
    const exceeded = new shared.MaximumAppendSizeExceeded().setMaxappendsize(MAX_APPEND_BYTES);
    return statusOf(Code.INVALID_ARGUMENT, 'MaximumAppendSizeExceeded', exceeded);
  }
  if (error instanceof DeadlinePassed || error instanceof AppendTimedOut)
    return statusOf(Code.DEADLINE_EXCEEDED, 'Timeout', new shared.Timeout());
  if (error instanceof RpcFailure && error.code === status.PERMISSION_DENIED)
    return statusOf(Code.PERMISSION_DENIED, 'AccessDenied', new shared.AccessDenied());
  if (error instanceof EventStoreUnavailable) return statusOf(Code.UNKNOWN, 'Unknown', new shared.Unknown());
  const message = error instanceof Error ? error.message : String(error);
  return statusOf(Code.INVALID_ARGUMENT, 'BadRequest', new shared.BadRequest().setMessage(message));
}

/** Uses `type` both as the status message and as the type of the details. */
function statusOf(code: CodeValue, type: string, details: { serializeBinary(): Uint8Array }): Status {
  const any = new Any();
  any.pack(details.serializeBinary(), `event_store.client.${type}`);
  return new rpc.Status().setCode(code).setMessage(type).setDetails(any);
}

function wrongVersion(error: WrongExpectedRevision): InstanceType<typeof shared.WrongExpectedVersion> {
  const { actual } = error;
  const expected = expectationOf(error);
  const wrong = new shared.WrongExpectedVersion();
  if (actual === 'no_stream') wrong.setCurrentNoStream(new google.Empty());
  else wrong.setCurrentStreamRevision(String(actual));
  if (expected === 'any') wrong.setExpectedAny(new google.Empty());
  else if (expected === 'no_stream') wrong.setExpectedNoStream(new google.Empty());
  else if (expected === 'stream_exists') wrong.setExpectedStreamExists(new google.Empty());
  else wrong.setExpectedStreamPosition(String(expected));
  return wrong;
}
