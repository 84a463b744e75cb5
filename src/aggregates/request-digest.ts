import { hash } from 'node:crypto';
import { canonicalize } from 'json-canonicalize';
import { DomainError } from '../platform/domain-error.js';

/**
 * A digest of each top-level member of a request's body as it came (before defaults), over its canonical form (RFC
 * 8785), to tell a retry from a different request without keeping the request.
 */
export const fieldHashes = (rawBody: object): Record<string, string> =>
  Object.fromEntries(
    Object.entries(rawBody).map(([name, value]) => [name, hash('sha256', canonicalize(value), 'base64url')]),
  );

type FieldHashes = Readonly<Record<string, string>>;

/** @throws DomainError conflict IDEMPOTENCY_CONFLICT naming the members that differ or are in one of the two only */
export function ensureSameRequest(known: FieldHashes, given: FieldHashes): void {
  const names = new Set([...Object.keys(known), ...Object.keys(given)]);
  const differing = [...names].filter((name) => known[name] !== given[name]).sort();
  if (differing.length === 0) return;
  throw new DomainError('conflict', 'IDEMPOTENCY_CONFLICT', 'This key was used with a different payload.', {
    errors: differing.map((path) => ({ path, message: 'Differs from the first request with this key.' })),
  });
}
