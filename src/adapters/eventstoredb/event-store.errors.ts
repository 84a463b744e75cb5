import type { EngineFault } from '../../ports/engine.js';
import { AppendOutcomeUnknown, EventStoreUnavailable, StreamTombstoned } from '../../ports/event-store.js';
import type { Logger } from '../../ports/log.js';

/** Common shape of gRPC errors and of the client's typed errors. */
type Failure = {
  readonly type?: string;
  readonly code?: number;
  readonly message?: string;
  readonly metadata?: { readonly getMap?: () => Readonly<Record<string, string | Buffer>> };
};

export const GRPC_UNAVAILABLE = 14;
/** Types of the errors that the server identifies only by gRPC status. */
const TYPES: Readonly<Record<number, string>> = {
  1: 'cancelled',
  4: 'deadline-exceeded',
  5: 'not-found',
  10: 'timeout',
  [GRPC_UNAVAILABLE]: 'unavailable',
  16: 'access-denied',
};
const TRANSIENT_TYPES = new Set(['unavailable', 'cancelled', 'not-leader']);

/**
 * Returns the error type that the server sent, or the type that the gRPC status implies. Returns undefined for any
 * other error.
 */
export function typeOf(error: unknown): string | undefined {
  const { type, code, metadata } = (error ?? {}) as Failure;
  if (type !== undefined || typeof code !== 'number') return type;
  const exception = metadata?.getMap?.()['exception'];
  return exception?.toString() ?? TYPES[code] ?? 'unknown';
}

/**
 * Whether the error means that the connection broke, or that the node is not the leader. Retrying the read on the next
 * connection may succeed.
 */
export const isTransient = (error: unknown): boolean => TRANSIENT_TYPES.has(typeOf(error) ?? '');

export const reasonOf = (error: unknown): string => (error as Failure | undefined)?.message ?? String(error);

const PERMISSION_DENIED = 7;
const UNAUTHENTICATED = 16;

/** Whether the error means that the server rejected the user or denied access, so nothing was executed. */
export const isDenied = (error: unknown): boolean => {
  const { type, code } = (error ?? {}) as Failure;
  return type === 'access-denied' || code === PERMISSION_DENIED || code === UNAUTHENTICATED;
};

/**
 * Whether the error means that the server considers the consumer too slow. EventStoreDB 23.10 ends a live subscription
 * when a burst exceeds its buffer of 32 events, even for a fast consumer.
 */
export const isTooSlow = (error: unknown): boolean =>
  typeOf(error) === 'timeout' && /consumer too slow/i.test(reasonOf(error));

/**
 * Whether the error is the one that EventStoreDB 23.10 and 24.10 return for a read of $all from a position inside a
 * record. Version 23.10 also returns this error for unreadable records.
 */
export const isRefusedRead = (error: unknown): boolean =>
  /Unexpected ReadAllResult|invalid position/i.test(reasonOf(error));

const ownNames = new Set([
  ...['EventStoreUnavailable', 'CorruptEvent', 'InvalidPosition', 'StreamTombstoned', 'AppendOutcomeUnknown'],
]);
const isOwn = (error: unknown): error is Error => ownNames.has((error as Partial<Error> | undefined)?.name ?? '');

/** Maps the error from a failed read to one of the port's errors. */
export function toReadError(error: unknown, stream?: string): Error {
  if (isOwn(error)) return error;
  if (stream !== undefined && typeOf(error) === 'stream-deleted') return new StreamTombstoned(stream);
  return new EventStoreUnavailable(`The event store could not be read: ${reasonOf(error)}`, error);
}

/**
 * Maps the error from a write to one of the port's errors. The write was denied, or its response is missing or does not
 * reveal the outcome.
 */
export const toUnknown = (stream: string, error: unknown): Error => {
  if (isOwn(error)) return error;
  if (isDenied(error))
    return new EventStoreUnavailable(`The append to ${stream} was rejected: ${reasonOf(error)}`, error);
  return new AppendOutcomeUnknown(stream, error);
};

export type Doing = 'read $all' | 'read streams' | 'append to streams';

/**
 * Identifies the faulty part of EVENTSTORE_URL while the server is unreachable or rejects the user. Each denial is
 * logged once. Faults contain no addresses or secrets, because health checks expose them.
 */
export class Diagnosis {
  private readonly refused = new Map<Doing, EngineFault>();
  private readonly told = new Set<string>();
  private unreachable: EngineFault | undefined;

  constructor(private readonly logger: Logger) {}

  get fault(): EngineFault | undefined {
    const [refused] = this.refused.values();
    return this.unreachable ?? refused;
  }

  /** Records why the server is unreachable. `undefined` means that the server has been reached. */
  noteUnreachable(fault: EngineFault | undefined): void {
    this.unreachable = fault;
  }

  /** Records that the server permitted the operation. */
  noteDone(doing: Doing): void {
    if (this.refused.delete(doing) && this.refused.size === 0) this.told.clear();
  }

  /** Records that the server denied the user access. Other failures do not indicate an incorrect setting. */
  noteFailed(doing: Doing, error: unknown): void {
    if (!isDenied(error)) return;
    const isUnknownUser = (error as { code?: unknown }).code === UNAUTHENTICATED;
    const fault = isUnknownUser
      ? { setting: 'EVENTSTORE_URL, user and password', reason: reasonOf(error) }
      : { setting: 'EVENTSTORE_URL, user', reason: `${reasonOf(error)} (the user needs permission to ${doing})` };
    this.refused.set(doing, fault);
    const text = `${fault.setting}: ${fault.reason}`;
    if (this.told.has(text)) return;
    this.told.add(text);
    this.logger.error(fault, 'The event store denies access to the configured user');
  }
}
