import streams from '@eventstore/db-client/generated/streams_pb.js';
import type { ReadReq } from '@eventstore/db-client/generated/streams_pb.js';
import type { ClientReadableStream } from '@grpc/grpc-js';
import {
  BEFORE_ALL,
  type Direction,
  type EventFilter,
  type Narrowing,
  type Position,
} from '../../ports/event-store.js';
import type { Calling, Connection } from './event-store.connection.js';
import { EMPTY, identifierOf } from './event-store.messages.js';
import { decodeAnswer, type WireAnswer } from './event-store.wire.js';

const { Options } = streams.ReadReq;
const PATH = '/event_store.client.streams.Streams/Read';
const DIRECTIONS = { forwards: Options.ReadDirection.FORWARDS, backwards: Options.ReadDirection.BACKWARDS };
/** Number of events that the server scans between two checkpoints if none of the events match the filter. */
const SEARCH_WINDOW = 256;

export type ReadCall = ClientReadableStream<WireAnswer>;

/** Range of a read: its direction and maximum number of events. */
export type Range = { readonly direction: Direction; readonly maxCount: number };

/** Reads a stream from a revision (inclusive), or from its first or last event. */
export function streamRequest(stream: string, from: number | undefined, range: Range): ReadReq {
  const options = new Options.StreamOptions().setStreamIdentifier(identifierOf(stream));
  if (from !== undefined) options.setRevision(String(from));
  else if (range.direction === 'backwards') options.setEnd(EMPTY);
  else options.setStart(EMPTY);
  return bounded(new Options().setStream(options), range);
}

/** Reads $all from a position (inclusive when reading forwards), or from the start or the end. */
export const allRequest = (from: Position | 'start' | 'end', range: Range): ReadReq =>
  bounded(new Options().setAll(allFrom(from)), range);

/** Subscribes to $all after a position. */
export function subscriptionRequest(after: Position, filter: EventFilter | undefined): ReadReq {
  const options = new Options().setAll(allFrom(after > BEFORE_ALL ? after : 'start'));
  return request(options.setSubscription(new Options.SubscriptionOptions()).setFilter(filterOptions(filter)));
}

function bounded(options: ReadReq.Options, { direction, maxCount }: Range): ReadReq {
  options.setReadDirection(DIRECTIONS[direction]).setCount(String(maxCount));
  return request(options.setNoFilter(EMPTY));
}

function request(options: ReadReq.Options): ReadReq {
  options.setResolveLinks(false).setUuidOption(new Options.UUIDOption().setString(EMPTY));
  return new streams.ReadReq().setOptions(options);
}

function allFrom(from: Position | 'start' | 'end'): ReadReq.Options.AllOptions {
  const options = new Options.AllOptions();
  if (from === 'start') return options.setStart(EMPTY);
  if (from === 'end') return options.setEnd(EMPTY);
  // Commit and prepare positions are equal, because no transactions are used.
  return options.setPosition(new Options.Position().setCommitPosition(String(from)).setPreparePosition(String(from)));
}

/**
 * Returns the filter for the server. Without prefixes, the server excludes only events with system types. This process
 * excludes all other unwanted events, such as events of other types in "$" streams.
 */
function filterOptions(filter: EventFilter | undefined): ReadReq.Options.FilterOptions {
  const options = new Options.FilterOptions().setMax(SEARCH_WINDOW).setCheckpointintervalmultiplier(1);
  const expression = new Options.FilterOptions.Expression();
  if (!filter || filter.prefixes.length === 0) return options.setEventType(expression.setRegex('^[^$]'));
  if (filter.on === 'stream' && filter.narrowing)
    return options.setStreamIdentifier(expression.setRegex(patternOf(filter.prefixes, filter.narrowing)));
  expression.setPrefixList([...filter.prefixes]);
  return filter.on === 'stream' ? options.setStreamIdentifier(expression) : options.setEventType(expression);
}

/**
 * Returns a pattern for the names of the selected streams. The server interprets the pattern as a .NET regular
 * expression.
 */
function patternOf(prefixes: readonly string[], { prefix, at, characters }: Narrowing): string {
  const selected = characters && `|.{${at}}[${literal(characters)}]`;
  return `^(?=${prefixes.map(literal).join('|')})(?:(?!${literal(prefix)})${selected})`;
}

const literal = (text: string): string => text.replaceAll(/[^\w-]/g, String.raw`\$&`);

/**
 * Starts a read. This function replaces the client's read methods, which decode each event into several intermediate
 * objects and pass it through an additional stream (docs/adr/0086).
 */
export function startRead(connection: Connection, { streams: stub, args }: Calling, message: ReadReq): ReadCall {
  const serialize = (one: ReadReq): Buffer => Buffer.from(one.serializeBinary());
  const call = stub.makeServerStreamRequest(PATH, serialize, decodeAnswer, message, ...args);
  return call.on('error', (error: Error) => void connection.report(stub, error));
}
