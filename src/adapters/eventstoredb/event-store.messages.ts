import shared from '@eventstore/db-client/generated/shared_pb.js';
import type { Status } from '@eventstore/db-client/generated/status_pb.js';
import type { UUID } from '@eventstore/db-client/generated/shared_pb.js';
import type { BatchAppendReq, BatchAppendResp, DeleteReq } from '@eventstore/db-client/generated/streams_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import type { Any } from 'google-protobuf/google/protobuf/any_pb.js';
import {
  AppendOutcomeUnknown,
  type Appended,
  BEFORE_ALL,
  EventStoreUnavailable,
  EventTooLarge,
  type ExpectedRevision,
  StreamTombstoned,
  WrongExpectedRevision,
} from '../../ports/event-store.js';
import type { SerializedAppend, SerializedEvent } from '../event-store.input.js';
import { toNumber } from './event-store.record.js';

const EMPTY = new shared.Empty();

/**
 * One append in one message; `correlationId` comes back with its answer. No deadline goes along: the protocol's is a
 * wall-clock time, which the server would compare with its own clock; it has a time-out of its own.
 */
export function batchAppendRequest(
  { stream, expected, events }: SerializedAppend,
  correlationId: string,
): BatchAppendReq {
  const options = new streams.BatchAppendReq.Options().setStreamIdentifier(identifierOf(stream));
  if (typeof expected === 'number') options.setStreamPosition(String(expected));
  else setExpectation(options, expected);
  const request = new streams.BatchAppendReq();
  request.setOptions(options).setCorrelationId(new shared.UUID().setString(correlationId)).setIsFinal(true);
  for (const event of events) request.addProposedMessages(proposed(event));
  return request;
}

export function deleteRequest(stream: string, expected: ExpectedRevision): DeleteReq {
  const options = new streams.DeleteReq.Options().setStreamIdentifier(identifierOf(stream));
  if (typeof expected === 'number') options.setRevision(String(expected));
  else setExpectation(options, expected);
  return new streams.DeleteReq().setOptions(options);
}

type Expecting = {
  setAny(value: typeof EMPTY): unknown;
  setNoStream(value: typeof EMPTY): unknown;
  setStreamExists(value: typeof EMPTY): unknown;
};

function setExpectation(options: Expecting, expected: 'any' | 'no_stream' | 'stream_exists'): void {
  if (expected === 'any') options.setAny(EMPTY);
  else if (expected === 'no_stream') options.setNoStream(EMPTY);
  else options.setStreamExists(EMPTY);
}

const identifierOf = (stream: string) => new shared.StreamIdentifier().setStreamName(Buffer.from(stream));

function proposed({ id, type, data, metadata }: SerializedEvent): BatchAppendReq.ProposedMessage {
  const message = new streams.BatchAppendReq.ProposedMessage();
  // A text would be taken for base64.
  message.setId(new shared.UUID().setString(id)).setData(Buffer.from(data)).setCustomMetadata(Buffer.from(metadata));
  message.getMetadataMap().set('type', type).set('content-type', 'application/json');
  return message;
}

/** The server answers with the id as it was sent, except after its own time-out, when it sends two numbers. */
export function correlationIdOf(answer: BatchAppendResp): string {
  const id = answer.getCorrelationId();
  return id?.hasStructured() ? structuredId(id) : (id?.getString() ?? '');
}

function structuredId(id: UUID): string {
  const half = (bits: string | number | undefined): string =>
    BigInt.asUintN(64, BigInt(bits ?? 0))
      .toString(16)
      .padStart(16, '0');
  const structured = id.getStructured();
  const hex = half(structured?.getMostSignificantBits()) + half(structured?.getLeastSignificantBits());
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

/** What the server sends for −1: it wrote the append before, and its last event is hidden by now. */
const UNKNOWN_POSITION = '18446744073709551615';

/** `position` is BEFORE_ALL where the server does not tell it. @throws what the port's `append` throws */
export function appendedOf(answer: BatchAppendResp, append: SerializedAppend): Appended {
  const success = answer.getSuccess();
  if (!success) throw refusalOf(answer.getError(), append);
  const position = success.getPosition()?.getCommitPosition() ?? UNKNOWN_POSITION;
  try {
    return {
      revision: success.hasCurrentRevision() ? toNumber('revision', success.getCurrentRevision()) : -1,
      position: position === UNKNOWN_POSITION ? BEFORE_ALL : toNumber('position', position),
    };
  } catch (error) {
    // It was stored, though: that must not read as a refusal.
    throw new AppendOutcomeUnknown(append.stream, error);
  }
}

type Refusal = (details: Any, append: SerializedAppend, message: string) => Error;

const unavailable: Refusal = (_, { stream }, message) =>
  new EventStoreUnavailable(`The append to ${stream} was refused: ${message || 'access denied'}`);

const REFUSALS: Readonly<Record<string, Refusal>> = {
  WrongExpectedVersion: (details, { stream, expected }) => {
    const found = shared.WrongExpectedVersion.deserializeBinary(details.getValue_asU8());
    const exists = found.hasCurrentStreamRevision();
    const actual = exists ? toNumber('revision', found.getCurrentStreamRevision()) : 'no_stream';
    return new WrongExpectedRevision(stream, expected, actual);
  },
  StreamDeleted: (_, { stream }) => new StreamTombstoned(stream),
  MaximumAppendSizeExceeded: (details, { stream, bytes }) => {
    const limit = shared.MaximumAppendSizeExceeded.deserializeBinary(details.getValue_asU8());
    return new EventTooLarge(stream, bytes, limit.getMaxappendsize());
  },
  AccessDenied: unavailable,
  BadRequest: unavailable,
  // Nothing but a message: the node is not ready, busy, or knows no leader.
  Empty: unavailable,
};

function refusalOf(status: Status | undefined, append: SerializedAppend): Error {
  const details = status?.getDetails();
  const refusal = REFUSALS[details?.getTypeName().replace(/^.*\./, '') ?? ''];
  const message = status?.getMessage() ?? '';
  if (details && refusal) return refusal(details, append, message);
  // The server's time-out, or what it does not know itself.
  return new AppendOutcomeUnknown(append.stream, new Error(message || 'The answer holds no result'));
}
