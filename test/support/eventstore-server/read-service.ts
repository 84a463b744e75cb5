import { type ServerWritableStream, status } from '@grpc/grpc-js';
import type { ReadReq, ReadResp } from '@eventstore/db-client/generated/streams_pb.js';
import type { Direction, Position, RecordedEvent } from '../../../src/ports/event-store.js';
import { AllSubscription } from './all-subscription.js';
import { nameOf, refusalOf } from './append-service.js';
import { toReadEvent } from './event-codec.js';
import { type EventMatch, matchOf } from './event-match.js';
import { fromLogPosition } from './log-position.js';
import type { EventStoreNode } from './node.js';
import { Outlet, turn } from './outlet.js';
import { shared, streams } from './protocol.js';
import { accessDenied, consumerTooSlow, RpcFailure, toRpcFailure, unexpectedReadResult } from './rpc-errors.js';
import { StreamSubscription } from './stream-subscription.js';

/** Page size of a stream read, in events. */
const PAGE_EVENTS = 64;

/** Handles the protocol's only method for reads and subscriptions, both for a stream and for $all. */
export async function read(node: EventStoreNode, call: ServerWritableStream<ReadReq, ReadResp>): Promise<void> {
  const outlet = new Outlet(call, node);
  try {
    await node.faults.hold();
    const refusal = refusalOf(node, call.metadata);
    if (refusal) throw refusal;
    const options = call.request.getOptions() ?? new streams.ReadReq.Options();
    await answer(node, outlet, options);
    outlet.end();
  } catch (error) {
    outlet.fail(toRpcFailure(error, 'Read'));
  }
}

function answer(node: EventStoreNode, outlet: Outlet, options: ReadReq.Options): Promise<void> {
  node.noteCall(options.hasSubscription() ? 'subscription' : 'read');
  const structured = options.getUuidOption()?.hasStructured() ?? false;
  const encode = (event: RecordedEvent): ReadResp => toReadEvent(event, structured);
  const stream = options.getStream();
  const all = options.getAll();
  if (node.access?.forbids(all ? 'read $all' : 'read')) throw accessDenied();
  if (options.hasSubscription()) {
    if (stream) return subscribe(node, outlet, new StreamSubscription(node, outlet, stream, encode));
    if (all) return subscribe(node, outlet, new AllSubscription(node, outlet, all, options.getFilter(), encode));
  }
  if (stream && options.hasCount()) return readStream(node, outlet, options, stream, encode);
  if (all && options.hasCount()) return readAll(node, outlet, options, all, encode);
  throw new RpcFailure(status.INVALID_ARGUMENT, 'The combination of read options is invalid.');
}

async function subscribe(
  node: EventStoreNode,
  outlet: Outlet,
  subscription: StreamSubscription | AllSubscription,
): Promise<void> {
  const forget = node.faults.watch(() => {
    outlet.fail(consumerTooSlow());
  });
  try {
    await subscription.run();
  } finally {
    forget();
    node.noteUnsubscribed();
  }
}

type Encode = (event: RecordedEvent) => ReadResp;

const countOf = (options: ReadReq.Options): number => Number(options.getCount());
const directionOf = (options: ReadReq.Options): Direction =>
  options.getReadDirection() === streams.ReadReq.Options.ReadDirection.BACKWARDS ? 'backwards' : 'forwards';

async function readStream(
  node: EventStoreNode,
  outlet: Outlet,
  options: ReadReq.Options,
  target: ReadReq.Options.StreamOptions,
  encode: Encode,
): Promise<void> {
  const stream = nameOf(target.getStreamIdentifier());
  const direction = directionOf(options);
  let left = countOf(options);
  let from: number | undefined = firstRevision(target, direction);
  let last = -1;
  while (left > 0) {
    const maxCount = Math.min(left, PAGE_EVENTS);
    const page = node.history.store.readStream(stream, {
      direction,
      maxCount,
      ...(from !== undefined && { from }),
    });
    if (!page.exists) {
      await outlet.send(notFound(stream));
      return;
    }
    last = page.revision;
    for (const event of page.events) await outlet.send(encode(event));
    const lastRead = page.events.at(-1);
    left -= page.events.length;
    if (outlet.closed || !lastRead || page.events.length < maxCount) break;
    from = lastRead.revision + (direction === 'forwards' ? 1 : -1);
    if (from < 0) break;
    await (node.faults.hold() ?? turn());
  }
  if ((options.getControlOption()?.getCompatibility() ?? 0) >= 1)
    await outlet.send(new streams.ReadResp().setLastStreamPosition(String(last)));
}

/**
 * Returns the first revision to read. If it is undefined, a forward read starts at the first event, and a backward read
 * at the last.
 */
function firstRevision(target: ReadReq.Options.StreamOptions, direction: Direction): number | undefined {
  if (target.hasRevision()) return Math.min(Number(target.getRevision()), Number.MAX_SAFE_INTEGER);
  if (target.hasEnd()) return direction === 'backwards' ? undefined : Number.MAX_SAFE_INTEGER;
  return direction === 'backwards' ? 0 : undefined;
}

const notFound = (stream: string): ReadResp =>
  new streams.ReadResp().setStreamNotFound(
    new streams.ReadResp.StreamNotFound().setStreamIdentifier(
      new shared.StreamIdentifier().setStreamName(Buffer.from(stream)),
    ),
  );

async function readAll(
  node: EventStoreNode,
  outlet: Outlet,
  options: ReadReq.Options,
  target: ReadReq.Options.AllOptions,
  encode: Encode,
): Promise<void> {
  const direction = directionOf(options);
  const matches: EventMatch = matchOf(options.getFilter());
  let left = countOf(options);
  const first = firstPosition(target, direction, node.history.log.last());
  if (first === undefined) throw unexpectedReadResult(node.version.knowsInvalidPositions ? 'InvalidPosition' : 'Error');
  let from = first;
  for (;;) {
    const page = node.history.log.page(from, direction);
    const lastRead = page.at(-1);
    if (!lastRead) return;
    for (const event of page) {
      if (left === 0 || outlet.closed) return;
      if (!matches(event)) continue;
      await outlet.send(encode(event));
      left -= 1;
    }
    from = lastRead.position + (direction === 'forwards' ? 1 : -1);
    await (node.faults.hold() ?? turn());
  }
}

/**
 * Returns the first record to examine, or undefined for a position inside a record. The requested position is inclusive
 * in a forward read and exclusive in a backward read.
 */
function firstPosition(target: ReadReq.Options.AllOptions, direction: Direction, last: Position): Position | undefined {
  const forwards = direction === 'forwards';
  if (target.hasEnd()) return forwards ? last + 1 : last;
  const given = target.getPosition();
  if (!given) return forwards ? 0 : -1;
  const position = fromLogPosition(given.getCommitPosition(), given.getPreparePosition(), last);
  if (position === undefined) return undefined;
  return forwards ? Math.max(0, position) : position - 1;
}
