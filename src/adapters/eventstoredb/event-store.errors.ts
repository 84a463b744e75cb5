import { AppendOutcomeUnknown, EventStoreUnavailable, StreamTombstoned } from '../../ports/event-store.js';

/** How the client's errors and gRPC's differ: the client's have a type, gRPC's only a numeric status. */
type Failure = { readonly type?: string; readonly code?: number; readonly message?: string };

export const GRPC_UNAVAILABLE = 14;
const TRANSIENT_TYPES = new Set(['unavailable', 'cancelled', 'not-leader']);

export const typeOf = (error: unknown): string | undefined => (error as Failure | undefined)?.type;

/** The connection broke or the node is not the leader (any more): the same read may succeed on the next connection. */
export const isTransient = (error: unknown): boolean => TRANSIENT_TYPES.has(typeOf(error) ?? '');

export const reasonOf = (error: unknown): string => (error as Failure | undefined)?.message ?? String(error);

const ownNames = new Set(['EventStoreUnavailable', 'CorruptEvent', 'StreamTombstoned', 'AppendOutcomeUnknown']);
const isOwn = (error: unknown): error is Error => ownNames.has((error as Partial<Error> | undefined)?.name ?? '');

/** What a failed read throws. */
export function toReadError(error: unknown, stream?: string): Error {
  if (isOwn(error)) return error;
  if (stream !== undefined && typeOf(error) === 'stream-deleted') return new StreamTombstoned(stream);
  return new EventStoreUnavailable(`The event store could not be read: ${reasonOf(error)}`, error);
}

/** What a write throws whose answer is missing, or is one that says nothing about what was stored. */
export const toUnknown = (stream: string, error: unknown): Error =>
  isOwn(error) ? error : new AppendOutcomeUnknown(stream, error);
