import { hash } from 'node:crypto';
import { z } from 'zod';
import { technical, type Aggregate, type EventOf } from '../eventsourcing/aggregate.js';
import { conflict } from '../eventsourcing/domain-error.js';
import { Instant } from './fields.js';
import { secret } from './personal.js';

/** Id of the key's stream. A key is scoped to its user and route. It is hashed, so stream names never contain it. */
export const requestKeyId = (userId: string, route: string, key: string): string =>
  hash('sha256', JSON.stringify([userId, route, key]), 'hex');

const RequestKeyClaimed = z.object({
  /** The record that the request creates. A retry after a crash reuses the id. */
  recordId: z.string(),
  /** Digests of the body's members; the body is not stored. */
  fieldHashes: z.record(z.string(), z.string()),
  /** Salted, slow hashes of members that contain passwords. */
  slowHashes: z.record(z.string(), secret(z.string())),
  claimedAt: Instant,
});

/** The Idempotency-Key of a user's create request; see docs/adr/0060. */
export const requestKeyEvents = {
  RequestKeyClaimed: technical(RequestKeyClaimed),
  /** The request was rejected, which frees the key for another request. */
  RequestKeyReleased: technical(z.object({ recordId: z.string() })),
  /** `body` is the response body, or null if that contains a secret. */
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

/** Returns `[]` if the key is already claimed. The caller must compare the requests. */
export const claimRequestKey = (state: RequestKey, claim: KeyClaim, now: Date): RequestKeyEvent[] =>
  state.status === 'free' ? [{ type: 'RequestKeyClaimed', data: { ...claim, claimedAt: now.toISOString() } }] : [];

export const releaseRequestKey = (state: RequestKey, { recordId }: KeyClaim): RequestKeyEvent[] =>
  state.status === 'claimed' && state.recordId === recordId ? [{ type: 'RequestKeyReleased', data: { recordId } }] : [];

/** Returns `[]` if another attempt has responded. A rejected attempt released the key, so it is claimed again. */
export function answerRequest(
  state: RequestKey,
  { body, ...claim }: KeyClaim & { readonly body: string | null },
  now: Date,
): RequestKeyEvent[] {
  const { recordId } = claim;
  if (state.status === 'answered' || (state.status === 'claimed' && state.recordId !== recordId)) return [];
  return [...claimRequestKey(state, claim, now), { type: 'RequestAnswered', data: { recordId, body } }];
}

/** The error for a repeated request whose record was created with a secret that only the first response contained. */
export const secretShown = (recordId: string) =>
  conflict(
    'SECRET_SHOWN_ONCE',
    `This request has created ${recordId}. Its secret was shown once and is not stored. Rotate it to get a new one.`,
  );
