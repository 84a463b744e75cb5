import { MongoNetworkError, MongoNetworkTimeoutError, MongoServerError, MongoServerSelectionError } from 'mongodb';
import type { EngineFault } from '../../ports/engine.js';
import { ReadStoreUnavailable } from '../../ports/read-store.js';
import { type ConnectionFault, connectionFaultOf } from '../connection-faults.js';

/**
 * `lasts` indicates whether to keep reporting the fault for some time, even if calls that do not need the missing
 * permission succeed.
 */
export type MongoFault = EngineFault & { readonly lasts: boolean };

const UNAUTHORIZED = 13;
const AUTHENTICATION_FAILED = [18, 8000];
const MAX_REASON = 300;

const TLS = 'tls, tlsCAFile or tlsCertificateKeyFile';
/** Part of the URL to correct, by fault. Other faults are transient and need no change to the settings. */
const PARTS: Partial<Record<ConnectionFault, string>> = {
  'unknown host': 'host',
  'certificate of another host': TLS,
  'expired certificate': TLS,
  'untrusted certificate': TLS,
  'client certificate refused': TLS,
  'no common TLS': TLS,
};
const password = /^mongodb(?:\+srv)?:\/\/[^:@/]*:([^@]*)@/;

/** Returns the setting to correct before the server can be used, or undefined for a transient fault. */
export function faultOf(error: unknown, url: string): MongoFault | undefined {
  for (const each of causesOf(error)) {
    const part = partOf(each);
    if (part !== undefined) {
      return { setting: `MONGODB_URL (${part})`, reason: reasonOf(each, url), lasts: isRefusal(each) };
    }
  }
  return undefined;
}

/** Node.js errors are not always instances of this realm's `Error`. */
type Failure = { readonly message: string; readonly code?: unknown; readonly cause?: unknown };
const isFailure = (error: unknown): error is Failure =>
  typeof error === 'object' && error !== null && 'message' in error && typeof error.message === 'string';

/** Returns the error, its causes, and the errors from the servers that the driver considered. */
function causesOf(error: unknown): Failure[] {
  const all: Failure[] = [];
  const rest = [error];
  while (rest.length > 0) {
    const each = rest.shift();
    if (!isFailure(each) || all.includes(each)) continue;
    all.push(each);
    rest.push(each.cause);
    if (each instanceof MongoServerSelectionError) {
      rest.push(...[...(each.reason?.servers.values() ?? [])].map((server) => server.error));
    }
  }
  return all;
}

const isRefusal = (error: Failure): boolean => error instanceof MongoServerError && error.code === UNAUTHORIZED;

function partOf(error: Failure): string | undefined {
  if (isRefusal(error)) return 'permissions of its user';
  if (error instanceof MongoServerError) {
    return AUTHENTICATION_FAILED.includes(Number(error.code)) ? 'user, password or authSource' : undefined;
  }
  if (error instanceof MongoServerSelectionError && error.reason?.servers.size === 0) return 'replicaSet';
  const fault = connectionFaultOf(error);
  return fault && PARTS[fault];
}

/** Returns the server's message without the command, which may contain documents. */
function reasonOf({ message }: Failure, url: string): string {
  const [, secret = ''] = password.exec(url) ?? [];
  const [words = ''] = message.split(/ \{|\n/);
  return hidden(words, secret).slice(0, MAX_REASON);
}

const hidden = (text: string, secret: string): string =>
  [secret, decoded(secret)].filter((each) => each !== '').reduce((rest, each) => rest.replaceAll(each, '***'), text);

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return '';
  }
}

/**
 * Returns true if the call did not reach any server. The driver does not always mark such a server as unavailable. It
 * checks the server only every `HEARTBEAT_MS`, so a shorter outage would otherwise never be reported. A write to a
 * connection that the server has just closed fails with Node's own error, which the driver does not convert.
 */
export const isUnreached = (error: unknown): boolean =>
  (error instanceof MongoNetworkError && !(error instanceof MongoNetworkTimeoutError)) || codeOf(error) === 'EPIPE';

/** Keeps only the message of a driver error, because the error itself contains the affected documents. */
export function unavailable(error: unknown): ReadStoreUnavailable {
  const said = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return new ReadStoreUnavailable('MongoDB is temporarily unavailable', new Error(said));
}

const codeOf = (error: unknown): unknown =>
  typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;

const DUPLICATE_KEY = 11_000;

/** Whether the error means that the document already exists. */
export const isDuplicateKey = (error: unknown): boolean => codeOf(error) === DUPLICATE_KEY;

/**
 * Retries a write once after a duplicate-key error. If two processes insert the same document at the same time, the
 * second process finds the document on its next attempt.
 */
export async function twice<T>(write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
    return write();
  }
}
