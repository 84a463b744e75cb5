import {
  type Metadata,
  type sendUnaryData,
  type ServerReadableStream,
  type ServerUnaryCall,
  status,
} from '@grpc/grpc-js';
import type {
  AppendReq,
  AppendResp,
  DeleteReq,
  DeleteResp,
  TombstoneReq,
  TombstoneResp,
} from '@eventstore/db-client/generated/streams_pb.js';
import { EventTooLarge, type EventToAppend, WrongExpectedRevision } from '../../../src/ports/event-store.js';
import { expectationOf } from './append-decision.js';
import { toEvent } from './event-codec.js';
import { toLogPosition, toLogPositionBehind } from './log-position.js';
import type { EventStoreNode } from './node.js';
import { shared, streams } from './protocol.js';
import {
  accessDenied,
  MAX_APPEND_BYTES,
  maxAppendSizeExceeded,
  notLeader,
  RpcFailure,
  toRpcFailure,
  unauthenticated,
  unavailable,
} from './rpc-errors.js';
import type { ExpectingAppend } from './server-log.js';
import { type Expectation, metadataStreamOf } from './stream-rules.js';

type WithExpectation = {
  hasNoStream(): boolean;
  hasAny(): boolean;
  hasStreamExists(): boolean;
};

export function toExpected(options: WithExpectation, revision: string): Expectation {
  if (options.hasAny()) return 'any';
  if (options.hasNoStream()) return 'no_stream';
  if (options.hasStreamExists()) return 'stream_exists';
  return Number(revision);
}

export const nameOf = (identifier: { getStreamName_asU8(): Uint8Array } | undefined): string =>
  identifier ? Buffer.from(identifier.getStreamName_asU8()).toString('utf8') : '';

/** Result of an append: the revision of its last event, and its position in the protocol's notation. */
export type Written = { readonly revision: number; readonly at: string };

/**
 * Stores an append. `bytes` is the size of its events. For an empty append, returns the position at which the log's
 * next write will start.
 */
export async function carryOut(node: EventStoreNode, append: ExpectingAppend, bytes: number): Promise<Written> {
  node.noteCall('append');
  if (node.access?.forbids('write')) throw accessDenied();
  if (bytes > MAX_APPEND_BYTES) throw new EventTooLarge(append.stream, bytes, MAX_APPEND_BYTES);
  const { revision, position } = await node.history.append(append);
  const last = node.history.log.last();
  if (append.events.length === 0) return { revision, at: toLogPositionBehind(last) };
  return { revision, at: toLogPosition(position < 0 ? Math.max(0, last) : position) };
}

/** Returns the error with which the node rejects a call, or undefined if the node accepts it. */
export function refusalOf(node: EventStoreNode, metadata: Metadata): RpcFailure | undefined {
  if (node.faults.refusing) return unavailable();
  if (node.access && !node.access.knows(metadata)) return unauthenticated();
  const leader = metadata.get('requires-leader').includes('true') ? node.leaderElsewhere() : undefined;
  return leader && notLeader(leader);
}

/**
 * Handles an append sent as a separate call. The client uses such calls if it has credentials or the server is older.
 */
export function append(
  node: EventStoreNode,
  call: ServerReadableStream<AppendReq, AppendResp>,
  answer: sendUnaryData<AppendResp>,
): void {
  let header: AppendReq.Options | undefined;
  let failure = refusalOf(node, call.metadata);
  const events: EventToAppend[] = [];
  let bytes = 0;
  call.on('data', (request: AppendReq) => {
    header ??= request.getOptions();
    const proposed = request.getProposedMessage();
    if (failure || !proposed) return;
    try {
      const { event, bytes: size } = toEvent(proposed);
      bytes += size;
      events.push(event);
      if (bytes > MAX_APPEND_BYTES) failure = maxAppendSizeExceeded();
    } catch (error) {
      failure = toRpcFailure(error, 'Append');
    }
  });
  call.on('end', () => {
    const options = header;
    void respond(node, answer, 'Append', async () => {
      if (failure) throw failure;
      if (!options) throw new RpcFailure(status.INVALID_ARGUMENT, 'The append has no options');
      const stream = nameOf(options.getStreamIdentifier());
      const expected = toExpected(options, options.getRevision());
      try {
        const appended = await carryOut(node, { stream, expected, events }, bytes);
        if (!node.faults.takeDrop()) return succeeded(appended);
        node.disconnect(call.getPeer());
        return undefined;
      } catch (error) {
        if (error instanceof WrongExpectedRevision) return refused(error);
        throw error;
      }
    });
  });
}

/** Runs a call and sends its response, subject to active faults. Sends no response if the result is undefined. */
async function respond<T>(
  node: EventStoreNode,
  answer: sendUnaryData<T>,
  operation: string,
  run: () => Promise<T | undefined>,
): Promise<void> {
  try {
    await node.faults.whileHung();
    const result = await run();
    await node.faults.hold();
    if (result) answer(null, result);
  } catch (error) {
    await node.faults.hold();
    answer(toRpcFailure(error, operation));
  }
}

function succeeded({ revision, at }: Written): AppendResp {
  const success = new streams.AppendResp.Success().setPosition(
    new streams.AppendResp.Position().setCommitPosition(at).setPreparePosition(at),
  );
  if (revision < 0) success.setNoStream(new shared.Empty());
  else success.setCurrentRevision(String(revision));
  return new streams.AppendResp().setSuccess(success);
}

function refused(error: WrongExpectedRevision): AppendResp {
  const { actual } = error;
  const expected = expectationOf(error);
  const wrong = new streams.AppendResp.WrongExpectedVersion();
  if (actual === 'no_stream') wrong.setCurrentNoStream(new shared.Empty());
  else wrong.setCurrentRevision(String(actual));
  if (expected === 'any') wrong.setExpectedAny(new shared.Empty());
  else if (expected === 'no_stream') wrong.setExpectedNoStream(new shared.Empty());
  else if (expected === 'stream_exists') wrong.setExpectedStreamExists(new shared.Empty());
  else wrong.setExpectedRevision(String(expected));
  return new streams.AppendResp().setWrongExpectedVersion(wrong);
}

export function deleteStream(
  node: EventStoreNode,
  call: ServerUnaryCall<DeleteReq, DeleteResp>,
  answer: sendUnaryData<DeleteResp>,
): void {
  void respond(node, answer, 'Delete', async () => {
    const failure = refusalOf(node, call.metadata);
    if (failure) throw failure;
    const options = call.request.getOptions() ?? new streams.DeleteReq.Options();
    const stream = nameOf(options.getStreamIdentifier());
    await node.history.store.deleteStream(stream, toExpected(options, options.getRevision()));
    const at = toLogPosition(node.history.log.endOf(metadataStreamOf(stream)).position);
    const position = new streams.DeleteResp.Position().setCommitPosition(at).setPreparePosition(at);
    return new streams.DeleteResp().setPosition(position);
  });
}

export function tombstone(
  node: EventStoreNode,
  call: ServerUnaryCall<TombstoneReq, TombstoneResp>,
  answer: sendUnaryData<TombstoneResp>,
): void {
  void respond(node, answer, 'Delete', async () => {
    const failure = refusalOf(node, call.metadata);
    if (failure) throw failure;
    const options = call.request.getOptions() ?? new streams.TombstoneReq.Options();
    const stream = nameOf(options.getStreamIdentifier());
    await node.history.store.tombstoneStream(stream, toExpected(options, options.getRevision()));
    const at = toLogPosition(node.history.log.endOf(stream).position);
    const position = new streams.TombstoneResp.Position().setCommitPosition(at).setPreparePosition(at);
    return new streams.TombstoneResp().setPosition(position);
  });
}
