import { z } from 'zod';
import { domain, technical, type Aggregate, type EventOf } from '../platform/aggregate.js';
import { DomainError } from '../platform/domain-error.js';
import type { SessionRule } from './credentials.js';
import { Instant } from './fields.js';
import { secret } from './personal.js';

/** A spent refresh token may come once more within this time (a lost answer, two tabs); later it is a theft. */
export const ROTATION_GRACE_MS = 10_000;
/** All of a session's tokens are remembered, so that a theft is noticed whenever it shows. Some months of daily use. */
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
      /** Epochs of the user and of the tenant when the password was checked; 0 where they are missing. */
      userEpoch: z.exactOptional(z.int()),
      tenantEpoch: z.exactOptional(z.int()),
    }),
  ),
  RefreshTokenRotated: technical(z.object({ refreshTokenHash: tokenHash, rotatedAt: Instant, expiresAt: Instant })),
  SessionEnded: domain('LOGOUT', 'session', z.object({ reason: SessionEnd, endedAt: Instant })),
  /** A sign-in that was refused: the only event of its stream. */
  LoginFailed: domain(
    'OTHER',
    'session',
    z.object({ userId: z.string(), reason: z.enum(['WRONG_PASSWORD', 'INACTIVE']), failedAt: Instant }),
  ),
};
export type SessionEvent = EventOf<typeof sessionEvents>;

/** One refresh token of the session. `generation` counts from 0, so that a token can be derived again from it. */
export type IssuedToken = { hash: string; issuedAt: string; expiresAt: string };

export type Session =
  | { status: 'absent' | 'refused' }
  | {
      status: 'active' | 'ended';
      userId: string;
      userEpoch: number;
      tenantEpoch: number;
      startedAt: string;
      /** Every token of the session, oldest first; all but the last are spent. */
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

/** Whether a request may still act in this session. */
export const isLive = (state: Session, now: Date): boolean =>
  state.status === 'active' && Date.parse(state.tokens.at(-1)?.expiresAt ?? '') > now.getTime();

const ended = (reason: SessionEnd, now: Date): SessionEvent => ({
  type: 'SessionEnded',
  data: { reason, endedAt: now.toISOString() },
});

const unauthenticated = () => new DomainError('unauthenticated', 'UNAUTHENTICATED', 'The session has ended.');

/** The user or operator, and its tenant's epoch (0 for operators), as they are now. */
export type SessionOwner = SessionRule & { readonly userId: string; readonly tenantEpoch: number };

/** Whether a session is live, its owner's, and not ended by what has happened to its owner or the tenant since. */
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
  /** When the next token ends. */
  readonly expiresAt: Date;
};

/**
 * Spends the current token. A token spent less than ROTATION_GRACE_MS ago: `[]`, the answer is `answerTo` it. One spent
 * longer ago ends the session: the events are to be stored, and the caller refused. An unknown one is refused and
 * changes nothing, for anybody can make one up.
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

/** The token that was given for a spent one, with its generation; undefined when the session does not honour it. */
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

/** Ends a session whose last refresh token had lapsed by that instant; `[]` where it had not, or where it ended. */
export function expireSession(state: Session, { lapsedBy }: { lapsedBy: string }, now: Date): SessionEvent[] {
  if (state.status !== 'active' || isLive(state, new Date(lapsedBy))) return [];
  return [ended('EXPIRED', now)];
}
