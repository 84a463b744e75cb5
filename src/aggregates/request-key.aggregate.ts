import { hash } from 'node:crypto';
import { canonicalize } from 'json-canonicalize';
import { z } from 'zod';
import { type Aggregate, type EventOf, technical } from '../eventsourcing/aggregate.js';
import { conflict, DomainError } from '../eventsourcing/domain-error.js';
import { Instant } from './fields.js';
import { secret } from './personal.js';

/**
 * Digests of a body's members, computed over their canonical form (RFC 8785) before defaults are applied. They make it
 * possible to distinguish a retry from a different request without storing the request.
 */
export const fieldHashes = (rawBody: object): Record<string, string> =>
  Object.fromEntries(
    Object.entries(rawBody).map(([name, value]) => [name, hash('sha256', canonicalize(value), 'base64url')]),
  );

type FieldHashes = Readonly<Record<string, string>>;

/**
 * @throws DomainError conflict IDEMPOTENCY_CONFLICT, which names the members that differ or are in only one of the
 * requests
 */
export function ensureSameRequest(known: FieldHashes, given: FieldHashes): void {
  const names = new Set([...Object.keys(known), ...Object.keys(given)]);
  const differing = [...names].filter((name) => known[name] !== given[name]).sort();
  if (differing.length === 0) return;
  throw new DomainError(
    'conflict',
    'IDEMPOTENCY_CONFLICT',
    'This key was used with a different payload. Use a new key for a different request.',
    {
      errors: differing.map((path) => ({ path, message: 'Must be the same as in the first request with this key.' })),
    },
  );
}

/**
 * Returns the id of the key's stream. Keys are scoped to the user and the route. The id is a hash, so that keys never
 * appear in stream names.
 */
export const requestKeyId = (userId: string, route: string, key: string): string =>
  hash('sha256', JSON.stringify([userId, route, key]), 'hex');

const RequestKeyClaimed = z.object({
  /** Id of the record that the request creates. A retry after a crash reuses this id. */
  recordId: z.string(),
  /** Digests of the body's members. The body itself is not stored. */
  fieldHashes: z.record(z.string(), z.string()),
  /** Salted, slow hashes of members that contain passwords. */
  slowHashes: z.record(z.string(), secret(z.string())),
  claimedAt: Instant,
});

/** The idempotency key of a user's create request; see docs/adr/0060. */
export const requestKeyEvents = {
  RequestKeyClaimed: technical(RequestKeyClaimed),
  /** The request was rejected, so the key can be used for another request. */
  RequestKeyReleased: technical(z.object({ recordId: z.string() })),
  /** `body` is the response body, or null if it contains a secret. */
  RequestAnswered: technical(z.object({ recordId: z.string(), body: z.string().nullable() })),
};
export type RequestKeyEvent = EventOf<typeof requestKeyEvents>;

export type KeyClaim = Omit<z.output<typeof RequestKeyClaimed>, 'claimedAt'>;
export type BoundRequestKey = KeyClaim & { readonly status: 'claimed' | 'answered'; readonly body: string | null };
export type RequestKey = { readonly status: 'free' } | BoundRequestKey;

export const requestKey: Aggregate<RequestKey, RequestKeyEvent> = {
  name: 'request-key',
  events: requestKeyEvents,
  initial: { status: 'free' },
  evolve: (state, event) => {
    switch (event.type) {
      case 'RequestKeyClaimed':
        return { status: 'claimed', body: null, ...event.data };
      case 'RequestKeyReleased':
        return { status: 'free' };
      case 'RequestAnswered':
        return state.status === 'free' ? state : { ...state, status: 'answered', body: event.data.body };
    }
  },
};

/** Returns `[]` if the key is already claimed. The caller must then compare the requests. */
export const claimRequestKey = (state: RequestKey, claim: KeyClaim, now: Date): RequestKeyEvent[] =>
  state.status === 'free' ? [{ type: 'RequestKeyClaimed', data: { ...claim, claimedAt: now.toISOString() } }] : [];

export const releaseRequestKey = (state: RequestKey, { recordId }: KeyClaim): RequestKeyEvent[] =>
  state.status === 'claimed' && state.recordId === recordId ? [{ type: 'RequestKeyReleased', data: { recordId } }] : [];

/**
 * Returns `[]` if the response to another attempt is already recorded. If a rejected attempt has released the key,
 * claims the key again.
 */
export function answerRequest(
  state: RequestKey,
  { body, ...claim }: KeyClaim & { readonly body: string | null },
  now: Date,
): RequestKeyEvent[] {
  const { recordId } = claim;
  if (state.status === 'answered' || (state.status === 'claimed' && state.recordId !== recordId)) return [];
  return [...claimRequestKey(state, claim, now), { type: 'RequestAnswered', data: { recordId, body } }];
}

/** Creates the error for a retry of a request whose first response contained a secret. */
export const secretShown = (recordId: string) =>
  conflict(
    'SECRET_SHOWN_ONCE',
    `An earlier request with this Idempotency-Key created ${recordId}. Its secret was shown only once and is not ` +
      'stored. Rotate the secret or replace the record to get a new one.',
  );

/** Time for which a partner's key is bound to its payload. */
export const IDEMPOTENCY_WINDOW_MS = 24 * 60 * 60 * 1000;

/** Whether the header value is valid: 1 to 255 visible ASCII characters. */
export const isIdempotencyKey = (key: string): boolean => /^[\x21-\x7e]{1,255}$/.test(key);

/** Returns the id of the key's stream. The id is a hash, because a partner's key may contain any characters. */
export const idempotencyKeyId = (sourceId: string, key: string): string =>
  hash('sha256', JSON.stringify([sourceId, key]), 'hex');

const IdempotencyKeyClaimed = z.object({
  saleId: z.string(),
  externalId: z.string(),
  sourceId: z.string(),
  /** Digests of the payload's members. The payload itself is not stored. */
  fieldHashes: z.record(z.string(), z.string()),
  claimedAt: Instant,
  expiresAt: Instant,
});

/** Keys are never deleted. An expired key is claimed again in the same stream. */
export const idempotencyKeyEvents = { IdempotencyKeyClaimed: technical(IdempotencyKeyClaimed) };
export type IdempotencyKeyEvent = EventOf<typeof idempotencyKeyEvents>;

export type IdempotencyKey = { status: 'unclaimed' } | ({ status: 'claimed' } & z.output<typeof IdempotencyKeyClaimed>);

export const idempotencyKey: Aggregate<IdempotencyKey, IdempotencyKeyEvent> = {
  name: 'idempotency-key',
  events: idempotencyKeyEvents,
  initial: { status: 'unclaimed' },
  evolve: (_, event) => ({ status: 'claimed', ...event.data }),
};

/** Whether the key is currently bound to a payload. */
export const isBound = (state: IdempotencyKey, now: Date): state is Extract<IdempotencyKey, { status: 'claimed' }> =>
  state.status === 'claimed' && now.getTime() < Date.parse(state.expiresAt);

export type SaleKeyClaim = {
  readonly saleId: string;
  readonly externalId: string;
  readonly sourceId: string;
  readonly fieldHashes: Readonly<Record<string, string>>;
};

/**
 * Returns `[]` if the key is already bound to the same payload.
 * @throws DomainError IDEMPOTENCY_CONFLICT, which names the fields that differ
 */
export function claimIdempotencyKey(state: IdempotencyKey, claim: SaleKeyClaim, now: Date): IdempotencyKeyEvent[] {
  if (!isBound(state, now)) {
    const expiresAt = new Date(now.getTime() + IDEMPOTENCY_WINDOW_MS).toISOString();
    return [{ type: 'IdempotencyKeyClaimed', data: { ...claim, claimedAt: now.toISOString(), expiresAt } }];
  }
  ensureSameRequest(state.fieldHashes, claim.fieldHashes);
  return [];
}
