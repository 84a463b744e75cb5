import { Metadata, status } from '@grpc/grpc-js';
import {
  EventTooLarge,
  type ExpectedRevision,
  StreamTombstoned,
  WrongExpectedRevision,
} from '../../../src/ports/event-store.js';

/** Data, metadata and type of the events of one append, in bytes: EventStoreDB's default. */
export const MAX_APPEND_BYTES = 1024 * 1024;

/** A failed call as gRPC sends it: EventStoreDB says in the trailers what happened. */
export class RpcFailure extends Error {
  readonly metadata = new Metadata();

  constructor(
    readonly code: status,
    readonly details: string,
    trailers: Readonly<Record<string, string>> = {},
  ) {
    super(details);
    this.name = 'RpcFailure';
    for (const [key, value] of Object.entries(trailers)) this.metadata.set(key, value);
  }
}

// Trailers are ASCII.
const inTrailer = (name: string): string => (/^[\x20-\x7e]*$/.test(name) ? name : encodeURIComponent(name));

/** The protocol's numbers for what is not a revision. */
const numberOf: Readonly<Record<string, number>> = { any: -2, no_stream: -1, stream_exists: -4 };
const versionNumber = (version: ExpectedRevision): string =>
  String(typeof version === 'number' ? version : numberOf[version]);

export const streamDeleted = (stream: string): RpcFailure =>
  new RpcFailure(status.FAILED_PRECONDITION, `Event stream '${stream}' is deleted.`, {
    exception: 'stream-deleted',
    'stream-name': inTrailer(stream),
  });

export const maxAppendSizeExceeded = (): RpcFailure =>
  new RpcFailure(status.INVALID_ARGUMENT, `Maximum Append Size of ${MAX_APPEND_BYTES} Exceeded.`, {
    exception: 'maximum-append-size-exceeded',
    'maximum-append-size': String(MAX_APPEND_BYTES),
  });

export const missingProperty = (property: string): RpcFailure =>
  new RpcFailure(status.INVALID_ARGUMENT, `Required Metadata Property '${property}' is missing`, {
    exception: 'missing-required-metadata-property',
    'required-metadata-properties': 'type,content-type',
  });

export const consumerTooSlow = (): RpcFailure =>
  new RpcFailure(
    status.ABORTED,
    'Operation timed out: Consumer too slow to handle event while live. Client resubscription required.',
  );

export const invalidPosition = (): RpcFailure =>
  new RpcFailure(status.INVALID_ARGUMENT, 'Trying to read from an invalid position.');

export const notLeader = ({ host, port }: { host: string; port: number }): RpcFailure =>
  new RpcFailure(status.NOT_FOUND, 'Leader info available', {
    exception: 'not-leader',
    'leader-endpoint-host': host,
    'leader-endpoint-port': String(port),
  });

export const unavailable = (why = 'Server Is Not Ready'): RpcFailure => new RpcFailure(status.UNAVAILABLE, why);

/** What a call other than an append answers when the engine refuses. `operation` as EventStoreDB names it. */
export function toRpcFailure(error: unknown, operation: string): RpcFailure {
  if (error instanceof RpcFailure) return error;
  if (error instanceof StreamTombstoned) return streamDeleted(error.stream);
  if (error instanceof EventTooLarge) return maxAppendSizeExceeded();
  if (error instanceof WrongExpectedRevision) return wrongExpectedVersion(error, operation);
  const { name, message } = error as { name?: string; message?: string };
  if (name === 'EventStoreUnavailable') return unavailable(message);
  return new RpcFailure(status.UNKNOWN, `Exception was thrown by handler. ${message ?? ''}`);
}

function wrongExpectedVersion(error: WrongExpectedRevision, operation: string): RpcFailure {
  const expected = versionNumber(error.expected);
  const actual = versionNumber(error.actual);
  return new RpcFailure(
    status.FAILED_PRECONDITION,
    `${operation} failed due to WrongExpectedVersion. Stream: ${inTrailer(error.stream)}, Expected version: ${expected}, Actual version: ${actual}`,
    {
      exception: 'wrong-expected-version',
      'stream-name': inTrailer(error.stream),
      'expected-version': expected,
      'actual-version': actual,
    },
  );
}
