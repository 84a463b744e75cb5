import { z } from 'zod';
import { domain, technical, type Aggregate, type EventOf } from '../eventsourcing/aggregate.js';
import { DomainError, notFound } from '../eventsourcing/domain-error.js';
import type { SessionRule } from './credentials.js';
import { Instant } from './fields.js';
import { secret } from './personal.js';

/**
 * Time within which a spent refresh token may be reused, for example after a lost response or by another tab. Later
 * reuse counts as theft.
 */
export const ROTATION_GRACE_MS = 10_000;
/**
 * Maximum number of tokens per session. It is sufficient for months of daily use. The session remembers all tokens, so
 * that theft is always detected.
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
/** The second factor used: TOTP, PASSKEY or RECOVERY_CODE. Absent if the account had no factor. */
const factor = z.exactOptional(z.string());

export const sessionEvents = {
  SessionStarted: domain(
    'LOGIN',
    'session',
    z.object({
      userId: z.string(),
      refreshTokenHash: tokenHash,
      startedAt: Instant,
      expiresAt: Instant,
      /** Epochs of the user and the tenant when the password was verified; 0 if absent. */
      userEpoch: z.exactOptional(z.int()),
      tenantEpoch: z.exactOptional(z.int()),
      factor,
    }),
  ),
  /** The person authenticated again during the session. */
  SessionVerified: domain('OTHER', 'session', z.object({ factor, verifiedAt: Instant })),
  RefreshTokenRotated: technical(z.object({ refreshTokenHash: tokenHash, rotatedAt: Instant, expiresAt: Instant })),
  SessionEnded: domain('LOGOUT', 'session', z.object({ reason: SessionEnd, endedAt: Instant })),
  /** A sign-in with a correct password, or a step-up, with a wrong second factor. The only event in its stream. */
  FactorRefused: domain('OTHER', 'session', z.object({ userId: z.string(), refusedAt: Instant })),
  /** A rejected sign-in, or a wrong current password during a session. The only event in its stream. */
  LoginFailed: domain(
    'OTHER',
    'session',
    z.object({ userId: z.string(), reason: z.enum(['WRONG_PASSWORD', 'INACTIVE']), failedAt: Instant }),
  ),
};
export type SessionEvent = EventOf<typeof sessionEvents>;

/** A refresh token of the session. */
export type IssuedToken = { hash: string; issuedAt: string; expiresAt: string };

export type Session =
  | { status: 'absent' | 'refused' }
  | {
      status: 'active' | 'ended';
      userId: string;
      userEpoch: number;
      tenantEpoch: number;
      startedAt: string;
      /** Time of the sign-in or of the last step-up. */
      verifiedAt: string;
      /** Whether the person has used a second factor in this session. */
      hasFactor: boolean;
      /** All tokens of the session, oldest first. All but the last one are spent. */
      tokens: readonly IssuedToken[];
      endReason: SessionEnd | null;
    };

function started(data: EventData<'SessionStarted'>): Session {
  const { userId, refreshTokenHash, startedAt, expiresAt, userEpoch = 0, tenantEpoch = 0 } = data;
  const tokens = [{ hash: refreshTokenHash, issuedAt: startedAt, expiresAt }];
  const verified = { verifiedAt: startedAt, hasFactor: data.factor !== undefined };
  return { status: 'active', userId, userEpoch, tenantEpoch, startedAt, ...verified, tokens, endReason: null };
}
type EventData<T extends SessionEvent['type']> = Extract<SessionEvent, { readonly type: T }>['data'];

export const session: Aggregate<Session, SessionEvent> = {
  name: 'session',
  events: sessionEvents,
  initial: { status: 'absent' },
  evolve: (state, event) => {
    if (event.type === 'SessionStarted') return started(event.data);
    if (event.type === 'LoginFailed' || event.type === 'FactorRefused') return { status: 'refused' };
    if (!isKnown(state)) return state;
    switch (event.type) {
      case 'RefreshTokenRotated': {
        const { refreshTokenHash, rotatedAt, expiresAt } = event.data;
        return { ...state, tokens: [...state.tokens, { hash: refreshTokenHash, issuedAt: rotatedAt, expiresAt }] };
      }
      case 'SessionVerified': {
        const { verifiedAt, factor } = event.data;
        return { ...state, verifiedAt, hasFactor: state.hasFactor || factor !== undefined };
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

/** Current state of the session's user or operator, with the tenant's current epoch (0 for operators). */
export type SessionOwner = SessionRule & { readonly userId: string; readonly tenantEpoch: number };

/**
 * Whether a session is live, belongs to the owner, and has not been ended by a later change to the owner or the tenant.
 */
export function isHonoured(state: Session, sessionId: string, owner: SessionOwner, now: Date): boolean {
  if (!isKnown(state) || !isLive(state, now) || state.userId !== owner.userId) return false;
  const isOfEpoch = state.userEpoch === owner.epoch || owner.keptSessionId === sessionId;
  return isOfEpoch && state.tenantEpoch === owner.tenantEpoch;
}

export type Login = {
  readonly userId: string;
  readonly refreshTokenHash: string;
  readonly lifetime: Lifetime;
  readonly userEpoch: number;
  readonly tenantEpoch: number;
  readonly factor?: string;
};

/** A session ends `idleMs` after its last refresh, but no later than `maxMs` after the sign-in. */
export type Lifetime = { readonly idleMs: number; readonly maxMs: number };

/** Returns the expiry time of a token issued now. */
const expiryOf = (startedAt: string, { idleMs, maxMs }: Lifetime, now: Date): string =>
  new Date(Math.min(now.getTime() + idleMs, Date.parse(startedAt) + maxMs)).toISOString();

export function startSession(state: Session, login: Login, now: Date): SessionEvent[] {
  if (state.status !== 'absent') return [];
  const { lifetime, ...rest } = login;
  const startedAt = now.toISOString();
  return [{ type: 'SessionStarted', data: { ...rest, startedAt, expiresAt: expiryOf(startedAt, lifetime, now) } }];
}

export type Refusal = 'WRONG_PASSWORD' | 'INACTIVE' | 'WRONG_FACTOR';

export function refuseLogin(
  state: Session,
  { userId, reason }: { userId: string; reason: Refusal },
  now: Date,
): SessionEvent[] {
  if (state.status !== 'absent') return [];
  const at = now.toISOString();
  if (reason === 'WRONG_FACTOR') return [{ type: 'FactorRefused', data: { userId, refusedAt: at } }];
  return [{ type: 'LoginFailed', data: { userId, reason, failedAt: at } }];
}

/** @throws DomainError unauthenticated if the session has ended */
export function verifySession(state: Session, { factor }: { readonly factor?: string }, now: Date): SessionEvent[] {
  if (!isKnown(state) || !isLive(state, now)) throw unauthenticated();
  return [
    { type: 'SessionVerified', data: { verifiedAt: now.toISOString(), ...(factor !== undefined && { factor }) } },
  ];
}

export type Rotation = {
  readonly presentedHash: string;
  readonly nextHash: string;
  readonly lifetime: Lifetime;
};

/**
 * Spends the current token, or ends the session if its maximum duration or MAX_TOKENS is reached. For a token spent
 * less than ROTATION_GRACE_MS ago, returns `[]`, and the caller responds with the token from `answerTo`. Reuse of an
 * older token ends the session. In that case, the caller must store the events and then reject the request. An unknown
 * token is rejected without any change, because anyone could invent one.
 */
export function rotateRefreshToken(state: Session, rotation: Rotation, now: Date): SessionEvent[] {
  const { presentedHash, nextHash, lifetime } = rotation;
  if (!isKnown(state) || !isLive(state, now)) throw unauthenticated();
  const generation = state.tokens.findIndex((token) => token.hash === presentedHash);
  if (generation < 0) throw unauthenticated();
  const successor = state.tokens[generation + 1];
  if (!successor) {
    const expiresAt = expiryOf(state.startedAt, lifetime, now);
    const isOver = Date.parse(expiresAt) <= now.getTime();
    if (isOver || state.tokens.length >= MAX_TOKENS) return [ended('EXPIRED', now)];
    const data = { refreshTokenHash: nextHash, rotatedAt: now.toISOString(), expiresAt };
    return [{ type: 'RefreshTokenRotated', data }];
  }
  if (now.getTime() - Date.parse(successor.issuedAt) <= ROTATION_GRACE_MS) return [];
  return [ended('REFRESH_TOKEN_REUSED', now)];
}

/**
 * Returns the token issued in exchange for a spent token, and its generation, counted from 0. Returns undefined if the
 * spent token is unknown or the session has ended.
 */
export function answerTo(state: Session, presentedHash: string): (IssuedToken & { generation: number }) | undefined {
  if (state.status !== 'active') return undefined;
  const spent = state.tokens.findIndex((token) => token.hash === presentedHash);
  const answer = spent < 0 ? undefined : state.tokens[spent + 1];
  return answer && { ...answer, generation: spent + 1 };
}

/** @throws DomainError not_found if the session does not belong to the person */
export function endOwnSession(state: Session, { userId }: { readonly userId: string }, now: Date): SessionEvent[] {
  if (!isKnown(state) || state.userId !== userId) throw notFound('session');
  return endSession(state, { reason: 'LOGOUT' }, now);
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
