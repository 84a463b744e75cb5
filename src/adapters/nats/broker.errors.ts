import { errors } from '@nats-io/transport-node';
import { JetStreamApiError } from '@nats-io/jetstream';
import { BrokerRefused, BrokerUnavailable } from '../../ports/broker.js';

/** nats-server error codes (server/errors.json) for a permanently rejected message. */
const REFUSALS: Readonly<Record<number, string>> = { 10054: 'PAYLOAD_TOO_LARGE', 10097: 'HEADERS_TOO_LARGE' };

/**
 * Maps an error from the driver's `publish` to the port's errors. Keeps only the error message, because the result is
 * logged.
 */
export function toPublishError(thrown: unknown, subject: string): BrokerRefused | BrokerUnavailable {
  const chain = causesOf(thrown);
  for (const error of chain) {
    const code = refusalOf(error);
    if (code !== undefined) {
      return new BrokerRefused(code, `NATS rejected a message to ${subject}: ${textOf(error)}`);
    }
  }
  return toUnavailable('accept a message', thrown);
}

export const toUnavailable = (what: string, thrown: unknown): BrokerUnavailable =>
  new BrokerUnavailable(`NATS cannot ${what}: ${causesOf(thrown).map(textOf).join(': ')}`);

function refusalOf(error: unknown): string | undefined {
  if (error instanceof errors.PermissionViolationError) {
    return error.operation === 'publish' ? 'PERMISSION_DENIED' : undefined;
  }
  if (error instanceof errors.InvalidSubjectError) return 'INVALID_SUBJECT';
  if (error instanceof errors.InvalidArgumentError && error.message.includes('max_payload')) return 'PAYLOAD_TOO_LARGE';
  return error instanceof JetStreamApiError ? REFUSALS[error.code] : undefined;
}

/** Whether the error means that the user lacks a permission. */
export const isForbidden = (thrown: unknown): boolean =>
  causesOf(thrown).some((error) => error instanceof errors.PermissionViolationError);

/** Returns the error and its chain of causes. The driver nests causes only a few levels deep. */
export function causesOf(thrown: unknown): readonly unknown[] {
  const chain: unknown[] = [];
  for (let error = thrown; error !== undefined && chain.length < 4;) {
    chain.push(error);
    error = error instanceof Error ? error.cause : undefined;
  }
  return chain;
}

export const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
