import shared from '@eventstore/db-client/generated/shared_pb.js';
import type { Status } from '@eventstore/db-client/generated/status_pb.js';
import type { UUID } from '@eventstore/db-client/generated/shared_pb.js';
import type { BatchAppendReq, BatchAppendResp } from '@eventstore/db-client/generated/streams_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import type { Any } from 'google-protobuf/google/protobuf/any_pb.js';
import {
  AppendOutcomeUnknown,
  type Appended,
  BEFORE_ALL,
  EventStoreUnavailable,
  EventTooLarge,
  StreamTombstoned,
  WrongExpectedRevision,
} from '../../ports/event-store.js';
import type { SerializedAppend, SerializedEvent } from '../event-store.input.js';
import { toNumber } from './event-store.record.js';

export const EMPTY = new shared.Empty();

/**
 * Creates the message for an append. The response repeats `correlationId`. The message contains no deadline, because
 * the protocol's deadline is a wall-clock time that the server would compare with its own clock. The server applies its
 * own timeout.
 */
export function batchAppendRequest(
  { stream, expected, events }: SerializedAppend,
  correlationId: string,
): BatchAppendReq {
  const options = new streams.BatchAppendReq.Options().setStreamIdentifier(identifierOf(stream));
  if (expected === 'no_stream') setNoStream(options);
  else options.setStreamPosition(String(expected));
  const request = new streams.BatchAppendReq();
  request.setOptions(options).setCorrelationId(new shared.UUID().setString(correlationId)).setIsFinal(true);
  for (const event of events) request.addProposedMessages(proposed(event));
  return request;
}

const setNoStream = (options: { setNoStream(value: typeof EMPTY): unknown }) => options.setNoStream(EMPTY);

export const identifierOf = (stream: string) => new shared.StreamIdentifier().setStreamName(Buffer.from(stream));

function proposed({ id, type, data, metadata }: SerializedEvent): BatchAppendReq.ProposedMessage {
  const message = new streams.BatchAppendReq.ProposedMessage();
  // The data is sent as bytes, because a string would be interpreted as base64.
  message.setId(new shared.UUID().setString(id)).setData(Buffer.from(data)).setCustomMetadata(Buffer.from(metadata));
  message.getMetadataMap().set('type', type).set('content-type', 'application/json');
  return message;
}

/**
 * Returns the correlation id. The server returns it as the string that was sent or, after a server-side timeout, as two
 * numbers.
 */
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

/**
 * The server's encoding of −1. This value means that the append was written earlier and its last event is now hidden.
 */
const UNKNOWN_POSITION = '18446744073709551615';

/**
 * Returns the result of an append. `position` is BEFORE_ALL if the server does not report it.
 * @throws the errors of the port's `append`
 */
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
    // The append was stored, so this error must not be reported as a rejection.
    throw new AppendOutcomeUnknown(append.stream, error);
  }
}

/**
 * Whether the server timed out waiting for its own commit. The append may still be stored, or may have been dropped as
 * a duplicate.
 */
export const isGivenUp = (answer: BatchAppendResp): boolean => detailsOf(answer.getError()) === 'Timeout';

const detailsOf = (status: Status | undefined): string =>
  status?.getDetails()?.getTypeName().replace(/^.*\./, '') ?? '';

type Refusal = (details: Any, append: SerializedAppend, message: string) => Error;

const unavailable: Refusal = (_, { stream }, message) =>
  new EventStoreUnavailable(`The append to ${stream} was rejected: ${message || 'the server gave no reason'}`);

/** Creates an error whose cause has the same shape as the client's errors. */
const denied: Refusal = (_, { stream }, message) => {
  const cause = Object.assign(new Error(message || 'Access Denied'), { type: 'access-denied' });
  return new EventStoreUnavailable(`The append to ${stream} was rejected: ${cause.message}`, cause);
};

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
  AccessDenied: denied,
  BadRequest: unavailable,
  // A response that contains only an error message. The node is not ready, is busy, or cannot identify the leader.
  Empty: unavailable,
};

function refusalOf(status: Status | undefined, append: SerializedAppend): Error {
  const details = status?.getDetails();
  const refusal = REFUSALS[detailsOf(status)];
  const message = status?.getMessage() ?? '';
  if (details && refusal) return refusal(details, append, message);
  // The outcome is unknown even to the server.
  return new AppendOutcomeUnknown(append.stream, new Error(message || 'The response contains no result'));
}
