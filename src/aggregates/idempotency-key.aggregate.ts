import { hash } from 'node:crypto';
import { z } from 'zod';
import { technical, type Aggregate, type EventOf } from '../eventsourcing/aggregate.js';
import { Instant } from './fields.js';
import { ensureSameRequest } from './request-digest.js';

const IDEMPOTENCY_WINDOW_MS = 24 * 60 * 60 * 1000;

/** Valid header values have 1 to 255 visible ASCII characters. */
export const isIdempotencyKey = (key: string): boolean => /^[\x21-\x7e]{1,255}$/.test(key);

/** Id of the key's stream. It is a hash because a partner's key may contain anything. */
export const idempotencyKeyId = (sourceId: string, key: string): string =>
  hash('sha256', JSON.stringify([sourceId, key]), 'hex');

const IdempotencyKeyClaimed = z.object({
  saleId: z.string(),
  externalId: z.string(),
  sourceId: z.string(),
  /** Digests of the payload's members; the payload is not stored. */
  fieldHashes: z.record(z.string(), z.string()),
  claimedAt: Instant,
  expiresAt: Instant,
});

/** Keys are never deleted. An expired key is claimed again on the same stream. */
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

export type KeyClaim = {
  readonly saleId: string;
  readonly externalId: string;
  readonly sourceId: string;
  readonly fieldHashes: Readonly<Record<string, string>>;
};

/**
 * Returns `[]` if the key is already bound to the same payload.
 * @throws DomainError IDEMPOTENCY_CONFLICT naming the fields that differ
 */
export function claimIdempotencyKey(state: IdempotencyKey, claim: KeyClaim, now: Date): IdempotencyKeyEvent[] {
  if (!isBound(state, now)) {
    const expiresAt = new Date(now.getTime() + IDEMPOTENCY_WINDOW_MS).toISOString();
    return [{ type: 'IdempotencyKeyClaimed', data: { ...claim, claimedAt: now.toISOString(), expiresAt } }];
  }
  ensureSameRequest(state.fieldHashes, claim.fieldHashes);
  return [];
}
