import {
  answerTo,
  endSession,
  isLive,
  refuseLogin,
  rotateRefreshToken,
  session,
  startSession,
} from '../../src/aggregates/session.aggregate.js';
import { given, NOW } from './given.js';

const later = (seconds: number) => new Date(NOW.getTime() + seconds * 1000);
const at = (seconds: number) => later(seconds).toISOString();

const started = {
  type: 'SessionStarted',
  data: { userId: 'u', refreshTokenHash: 'h0', startedAt: at(0), expiresAt: at(3600) },
} as const;
const rotated = {
  type: 'RefreshTokenRotated',
  data: { refreshTokenHash: 'h1', rotatedAt: at(100), expiresAt: at(3700) },
} as const;
const ended = { type: 'SessionEnded', data: { reason: 'LOGOUT', endedAt: at(200) } } as const;
const refresh = (presentedHash: string, nextHash = 'next') => ({ presentedHash, nextHash, expiresAt: later(7200) });

describe('a session', () => {
  test('starts with a sign-in, once', () => {
    const login = { userId: 'u', refreshTokenHash: 'h0', expiresAt: later(3600) };
    given(session, []).when(startSession, login).then(started);
    given(session, [started]).when(startSession, login).changesNothing();
  });
  test('records a sign-in that was refused, and is then none', () => {
    const failed = { type: 'LoginFailed', data: { userId: 'u', reason: 'WRONG_PASSWORD', failedAt: at(0) } } as const;
    given(session, []).when(refuseLogin, { userId: 'u', reason: 'WRONG_PASSWORD' }).then(failed);
    given(session, [failed]).when(rotateRefreshToken, refresh('h0')).isRefused('unauthenticated UNAUTHENTICATED');
    expect(isLive(given(session, [failed]).state, NOW)).toBe(false);
  });
  test('is live until it ends or its refresh token does', () => {
    expect(isLive(given(session, [started]).state, later(3599))).toBe(true);
    expect(isLive(given(session, [started]).state, later(3600))).toBe(false);
    expect(isLive(given(session, [started, rotated]).state, later(3650))).toBe(true);
    expect(isLive(given(session, [started, ended]).state, later(201))).toBe(false);
    expect(isLive(session.initial, NOW)).toBe(false);
  });
  test('gives a new refresh token for the current one', () => {
    given(session, [started])
      .when(rotateRefreshToken, { ...refresh('h0', 'h1'), expiresAt: later(3700) }, later(100))
      .then(rotated);
  });
  test('answers a token that was spent within the last 10 s with the same token again', () => {
    const now = given(session, [started, rotated]);
    now.when(rotateRefreshToken, refresh('h0'), later(110)).changesNothing();
    expect(answerTo(now.state, 'h0')).toEqual({ hash: 'h1', issuedAt: at(100), expiresAt: at(3700), generation: 1 });
    expect(answerTo(now.state, 'h1')).toBeUndefined();
    expect(answerTo(now.state, 'made up')).toBeUndefined();
  });
  test('ends when a token comes that was spent longer ago, however many came after it', () => {
    const stolen = { type: 'SessionEnded', data: { reason: 'REFRESH_TOKEN_REUSED', endedAt: at(111) } } as const;
    given(session, [started, rotated]).when(rotateRefreshToken, refresh('h0'), later(111)).then(stolen);
    const again = { ...rotated, data: { ...rotated.data, refreshTokenHash: 'h2', rotatedAt: at(105) } };
    given(session, [started, rotated, again]).when(rotateRefreshToken, refresh('h0'), later(111)).then(stolen);
    expect(answerTo(given(session, [started, rotated, stolen]).state, 'h0')).toBeUndefined();
  });
  test('refuses a made-up token without ending, and every token once it has ended or run out', () => {
    const refused = 'unauthenticated UNAUTHENTICATED';
    given(session, [started]).when(rotateRefreshToken, refresh('made up')).isRefused(refused);
    given(session, [started, ended]).when(rotateRefreshToken, refresh('h0'), later(201)).isRefused(refused);
    given(session, [started]).when(rotateRefreshToken, refresh('h0'), later(3600)).isRefused(refused);
    given(session, []).when(rotateRefreshToken, refresh('h0')).isRefused(refused);
  });
  test('ends once', () => {
    given(session, [started]).when(endSession, { reason: 'LOGOUT' }, later(200)).then(ended);
    given(session, [started, ended]).when(endSession, { reason: 'USER_DEACTIVATED' }).changesNothing();
    given(session, []).when(endSession, { reason: 'LOGOUT' }).changesNothing();
  });
});
