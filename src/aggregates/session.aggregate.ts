import { z } from 'zod';
import { domain, technical, type Aggregate, type EventOf } from '../eventsourcing/aggregate.js';
import { DomainError } from '../eventsourcing/domain-error.js';
import type { SessionRule } from './credentials.js';
import { Instant } from './fields.js';
import { secret } from './personal.js';

/** A spent refresh token may be reused within this time (lost response, two tabs). Later reuse counts as theft. */
export const ROTATION_GRACE_MS = 10_000;
/**
 * Maximum number of tokens per session, enough for months of daily use. All are remembered, so that theft is always
 * detected.
 */
export const MAX_TOKENS = 5_000;

export const SessionEnd = z.enum([
  'LOGOUT',
  'PASSWORD_CHANGED',
  'PASSWORD_RESET',
  'USER_DEACTIVATED',
  'USER_DELETED',
  'TENANT_DEACTIVATED',
  'REFRESH_TOKEN_REUSED',
  'EXPIRED',
]);
export type SessionEnd = z.output<typeof SessionEnd>;

const tokenHash = secret(z.string());

export const sessionEvents = {
  SessionStarted: domain(
    'LOGIN',
    'session',
    z.object({
      userId: z.string(),
      refreshTokenHash: tokenHash,
      startedAt: Instant,
      expiresAt: Instant,
      /** Epochs of the user and the tenant when the password was verified; 0 if missing. */
      userEpoch: z.exactOptional(z.int()),
      tenantEpoch: z.exactOptional(z.int()),
    }),
  ),
  RefreshTokenRotated: technical(z.object({ refreshTokenHash: tokenHash, rotatedAt: Instant, expiresAt: Instant })),
  SessionEnded: domain('LOGOUT', 'session', z.object({ reason: SessionEnd, endedAt: Instant })),
  /** A rejected sign-in, the only event of its stream. */
  LoginFailed: domain(
    'OTHER',
    'session',
    z.object({ userId: z.string(), reason: z.enum(['WRONG_PASSWORD', 'INACTIVE']), failedAt: Instant }),
  ),
};
export type SessionEvent = EventOf<typeof sessionEvents>;

/** A refresh token of the session. `generation` counts from 0, so that a token can be derived again. */
export type IssuedToken = { hash: string; issuedAt: string; expiresAt: string };

export type Session =
  | { status: 'absent' | 'refused' }
  | {
      status: 'active' | 'ended';
      userId: string;
      userEpoch: number;
      tenantEpoch: number;
      startedAt: string;
      /** All tokens of the session, oldest first; all but the last are spent. */
      tokens: readonly IssuedToken[];
      endReason: SessionEnd | null;
    };

export const session: Aggregate<Session, SessionEvent> = {
  name: 'session',
  events: sessionEvents,
  initial: { status: 'absent' },
  evolve: (state, event) => {
    if (event.type === 'SessionStarted') {
      const { userId, refreshTokenHash, startedAt, expiresAt, userEpoch = 0, tenantEpoch = 0 } = event.data;
      const tokens = [{ hash: refreshTokenHash, issuedAt: startedAt, expiresAt }];
      return { status: 'active', userId, userEpoch, tenantEpoch, startedAt, tokens, endReason: null };
    }
    if (event.type === 'LoginFailed') return { status: 'refused' };
    if (!isKnown(state)) return state;
    switch (event.type) {
      case 'RefreshTokenRotated': {
        const { refreshTokenHash, rotatedAt, expiresAt } = event.data;
        return { ...state, tokens: [...state.tokens, { hash: refreshTokenHash, issuedAt: rotatedAt, expiresAt }] };
      }
      case 'SessionEnded':
        return { ...state, status: 'ended', endReason: event.data.reason };
    }
  },
};

type KnownSession = Exclude<Session, { status: 'absent' | 'refused' }>;
const isKnown = (state: Session): state is KnownSession => state.status === 'active' || state.status === 'ended';

/** Whether the session is active and has not expired. */
export const isLive = (state: Session, now: Date): boolean =>
  state.status === 'active' && Date.parse(state.tokens.at(-1)?.expiresAt ?? '') > now.getTime();

const ended = (reason: SessionEnd, now: Date): SessionEvent => ({
  type: 'SessionEnded',
  data: { reason, endedAt: now.toISOString() },
});

const unauthenticated = () => new DomainError('unauthenticated', 'UNAUTHENTICATED', 'The session has ended.');

/** The session's user or operator and the tenant's epoch (0 for operators), in their current state. */
export type SessionOwner = SessionRule & { readonly userId: string; readonly tenantEpoch: number };

/** Whether a session is live, belongs to the owner, and was not ended by a later change of the owner or the tenant. */
export function isHonoured(state: Session, sessionId: string, owner: SessionOwner, now: Date): boolean {
  if (!isKnown(state) || !isLive(state, now) || state.userId !== owner.userId) return false;
  const isOfEpoch = state.userEpoch === owner.epoch || owner.keptSessionId === sessionId;
  return isOfEpoch && state.tenantEpoch === owner.tenantEpoch;
}

export type Login = {
  readonly userId: string;
  readonly refreshTokenHash: string;
  readonly expiresAt: Date;
  readonly userEpoch: number;
  readonly tenantEpoch: number;
};

export function startSession(state: Session, login: Login, now: Date): SessionEvent[] {
  if (state.status !== 'absent') return [];
  const { expiresAt, ...rest } = login;
  const times = { startedAt: now.toISOString(), expiresAt: expiresAt.toISOString() };
  return [{ type: 'SessionStarted', data: { ...rest, ...times } }];
}

export function refuseLogin(
  state: Session,
  { userId, reason }: { userId: string; reason: 'WRONG_PASSWORD' | 'INACTIVE' },
  now: Date,
): SessionEvent[] {
  if (state.status !== 'absent') return [];
  return [{ type: 'LoginFailed', data: { userId, reason, failedAt: now.toISOString() } }];
}

export type Rotation = {
  readonly presentedHash: string;
  readonly nextHash: string;
  readonly expiresAt: Date;
};

/**
 * Spends the current token. For a token spent less than ROTATION_GRACE_MS ago, returns `[]`; the caller then responds
 * with the token from `answerTo`. Reuse of an older token ends the session: the caller must store the events, then
 * reject the request. An unknown token is rejected and changes nothing, because anyone can invent one.
 */
export function rotateRefreshToken(state: Session, rotation: Rotation, now: Date): SessionEvent[] {
  const { presentedHash, nextHash, expiresAt } = rotation;
  if (!isKnown(state) || !isLive(state, now)) throw unauthenticated();
  const generation = state.tokens.findIndex((token) => token.hash === presentedHash);
  if (generation < 0) throw unauthenticated();
  const successor = state.tokens[generation + 1];
  if (!successor) {
    if (state.tokens.length >= MAX_TOKENS) return [ended('EXPIRED', now)];
    const data = { refreshTokenHash: nextHash, rotatedAt: now.toISOString(), expiresAt: expiresAt.toISOString() };
    return [{ type: 'RefreshTokenRotated', data }];
  }
  if (now.getTime() - Date.parse(successor.issuedAt) <= ROTATION_GRACE_MS) return [];
  return [ended('REFRESH_TOKEN_REUSED', now)];
}

/** Returns the token issued for a spent one, with its generation; undefined if the spent one is not accepted. */
export function answerTo(state: Session, presentedHash: string): (IssuedToken & { generation: number }) | undefined {
  if (state.status !== 'active') return undefined;
  const spent = state.tokens.findIndex((token) => token.hash === presentedHash);
  const answer = spent < 0 ? undefined : state.tokens[spent + 1];
  return answer && { ...answer, generation: spent + 1 };
}

export function endSession(state: Session, { reason }: { reason: SessionEnd }, now: Date): SessionEvent[] {
  if (state.status !== 'active') return [];
  return [ended(reason, now)];
}

/** Ends a session whose last refresh token had expired by `lapsedBy`; otherwise returns `[]`. */
export function expireSession(state: Session, { lapsedBy }: { lapsedBy: string }, now: Date): SessionEvent[] {
  if (state.status !== 'active' || isLive(state, new Date(lapsedBy))) return [];
  return [ended('EXPIRED', now)];
}
