import { Metadata, status } from '@grpc/grpc-js';
import { EventTooLarge, StreamTombstoned, WrongExpectedRevision } from '../../../src/ports/event-store.js';
import type { Expectation } from './stream-rules.js';

/** Limit on the total size of the data, metadata and types of an append's events. Equals EventStoreDB's default. */
export const MAX_APPEND_BYTES = 1024 * 1024;

/** A failed gRPC call. EventStoreDB sends the details in the trailers. */
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

// gRPC trailers may contain only ASCII characters.
const inTrailer = (name: string): string => (/^[\x20-\x7e]*$/.test(name) ? name : encodeURIComponent(name));

/** Protocol numbers of expectations that are not revisions. */
const numberOf: Readonly<Record<string, number>> = { any: -2, no_stream: -1, stream_exists: -4 };
const versionNumber = (version: Expectation): string =>
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

/** Thrown when a dropped append times out. */
export class AppendTimedOut extends Error {}

export const consumerTooSlow = (): RpcFailure =>
  new RpcFailure(
    status.ABORTED,
    'Operation timed out: Consumer too slow to handle event while live. Client resubscription required.',
  );

/**
 * Errors for a subscription that starts at a position inside a record. Newer servers send `invalidPosition`, older
 * servers `handlerFailed`.
 */
export const invalidPosition = (): RpcFailure =>
  new RpcFailure(status.INVALID_ARGUMENT, 'Trying to read from an invalid position.');
export const handlerFailed = (): RpcFailure => new RpcFailure(status.UNKNOWN, 'Exception was thrown by handler.');

/** Error for a read that starts at a position inside a record. */
export const unexpectedReadResult = (result: 'Error' | 'InvalidPosition'): RpcFailure =>
  new RpcFailure(status.UNKNOWN, `Unexpected ReadAllResult: ${result}`);

/** Error for a separate append call whose append was dropped. */
export const writeTimedOut = (): RpcFailure =>
  new RpcFailure(status.ABORTED, 'Operation timed out: Commit phase timeout.');

export const notLeader = ({ host, port }: { host: string; port: number }): RpcFailure =>
  new RpcFailure(status.NOT_FOUND, 'Leader info available', {
    exception: 'not-leader',
    'leader-endpoint-host': host,
    'leader-endpoint-port': String(port),
  });

export const unavailable = (why = 'Server Is Not Ready'): RpcFailure => new RpcFailure(status.UNAVAILABLE, why);

/** gRPC's representation of HTTP status 401. */
export const unauthenticated = (): RpcFailure =>
  new RpcFailure(status.UNAUTHENTICATED, 'Received HTTP status code 401');

export const accessDenied = (): RpcFailure =>
  new RpcFailure(status.PERMISSION_DENIED, 'Access Denied', { exception: 'access-denied' });

/** Converts the engine's error for a call other than an append. `operation` is in EventStoreDB's notation. */
export function toRpcFailure(error: unknown, operation: string): RpcFailure {
  if (error instanceof RpcFailure) return error;
  if (error instanceof StreamTombstoned) return streamDeleted(error.stream);
  if (error instanceof EventTooLarge) return maxAppendSizeExceeded();
  if (error instanceof AppendTimedOut) return writeTimedOut();
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
