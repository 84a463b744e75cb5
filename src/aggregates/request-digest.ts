import { hash } from 'node:crypto';
import { canonicalize } from 'json-canonicalize';
import { DomainError } from '../eventsourcing/domain-error.js';

/**
 * Digests of a body's members before defaults, over their canonical form (RFC 8785). They distinguish a retry from a
 * different request without storing the request.
 */
export const fieldHashes = (rawBody: object): Record<string, string> =>
  Object.fromEntries(
    Object.entries(rawBody).map(([name, value]) => [name, hash('sha256', canonicalize(value), 'base64url')]),
  );

type FieldHashes = Readonly<Record<string, string>>;

/** @throws DomainError conflict IDEMPOTENCY_CONFLICT naming members that differ or occur in only one of the requests */
export function ensureSameRequest(known: FieldHashes, given: FieldHashes): void {
  const names = new Set([...Object.keys(known), ...Object.keys(given)]);
  const differing = [...names].filter((name) => known[name] !== given[name]).sort();
  if (differing.length === 0) return;
  throw new DomainError('conflict', 'IDEMPOTENCY_CONFLICT', 'This key was used with a different payload.', {
    errors: differing.map((path) => ({ path, message: 'Differs from the first request with this key.' })),
  });
}
