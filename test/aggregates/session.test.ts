import {
  changeOwnOperatorPassword,
  deleteOperator,
  operator,
  type OperatorEvent,
} from '../../src/aggregates/operator.aggregate.js';
import {
  answerTo,
  endSession,
  isHonoured,
  isLive,
  MAX_TOKENS,
  refuseLogin,
  rotateRefreshToken,
  session,
  startSession,
} from '../../src/aggregates/session.aggregate.js';
import { tenant, updateTenant, type TenantEvent } from '../../src/aggregates/tenant.aggregate.js';
import {
  changeOwnPassword,
  changePassword,
  deleteUser,
  updateUser,
  user,
  type User,
  type UserEvent,
} from '../../src/aggregates/user.aggregate.js';
import { fold } from '../../src/eventsourcing/aggregate.js';
import { given, NOW } from './given.js';

const later = (seconds: number) => new Date(NOW.getTime() + seconds * 1000);
const at = (seconds: number) => later(seconds).toISOString();

const started = {
  type: 'SessionStarted',
  data: { userId: 'u', refreshTokenHash: 'h0', startedAt: at(0), expiresAt: at(3600), userEpoch: 2, tenantEpoch: 1 },
} as const;
const rotated = {
  type: 'RefreshTokenRotated',
  data: { refreshTokenHash: 'h1', rotatedAt: at(100), expiresAt: at(3700) },
} as const;
const ended = { type: 'SessionEnded', data: { reason: 'LOGOUT', endedAt: at(200) } } as const;
const lifetime = { idleMs: 3_600_000, maxMs: 36_000_000 };
const refresh = (presentedHash: string, nextHash = 'next') => ({ presentedHash, nextHash, lifetime });

describe('a session', () => {
  test('starts once, with a sign-in', () => {
    const login = { userId: 'u', refreshTokenHash: 'h0', lifetime, userEpoch: 2, tenantEpoch: 1 };
    given(session, []).when(startSession, login).then(started);
    given(session, [started]).when(startSession, login).changesNothing();
  });
  test('records a rejected sign-in without coming into existence', () => {
    const failed = { type: 'LoginFailed', data: { userId: 'u', reason: 'WRONG_PASSWORD', failedAt: at(0) } } as const;
    given(session, []).when(refuseLogin, { userId: 'u', reason: 'WRONG_PASSWORD' }).then(failed);
    given(session, [failed]).when(rotateRefreshToken, refresh('h0')).isRefused('unauthenticated UNAUTHENTICATED');
    expect(isLive(given(session, [failed]).state, NOW)).toBe(false);
  });
  test('is live until it or its refresh token ends', () => {
    expect(isLive(given(session, [started]).state, later(3599))).toBe(true);
    expect(isLive(given(session, [started]).state, later(3600))).toBe(false);
    expect(isLive(given(session, [started, rotated]).state, later(3650))).toBe(true);
    expect(isLive(given(session, [started, ended]).state, later(201))).toBe(false);
    expect(isLive(session.initial, NOW)).toBe(false);
  });
  test('returns a new refresh token for the current one', () => {
    given(session, [started]).when(rotateRefreshToken, refresh('h0', 'h1'), later(100)).then(rotated);
  });
  test('returns the same token again for a token that was used within the last 10 s', () => {
    const now = given(session, [started, rotated]);
    now.when(rotateRefreshToken, refresh('h0'), later(110)).changesNothing();
    expect(answerTo(now.state, 'h0')).toEqual({ hash: 'h1', issuedAt: at(100), expiresAt: at(3700), generation: 1 });
    expect(answerTo(now.state, 'h1')).toBeUndefined();
    expect(answerTo(now.state, 'made up')).toBeUndefined();
  });
  test('ends when a token is reused after that, however many tokens followed it', () => {
    const stolen = { type: 'SessionEnded', data: { reason: 'REFRESH_TOKEN_REUSED', endedAt: at(111) } } as const;
    given(session, [started, rotated]).when(rotateRefreshToken, refresh('h0'), later(111)).then(stolen);
    const again = { ...rotated, data: { ...rotated.data, refreshTokenHash: 'h2', rotatedAt: at(105) } };
    given(session, [started, rotated, again]).when(rotateRefreshToken, refresh('h0'), later(111)).then(stolen);
    expect(answerTo(given(session, [started, rotated, stolen]).state, 'h0')).toBeUndefined();
  });
  test('rejects a forged token without ending, and every token once it has ended or expired', () => {
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

describe('the validity of a session', () => {
  const active = given(session, [started]).state;
  const owner = { userId: 'u', epoch: 2, keptSessionId: null, tenantEpoch: 1 };
  const honored = (changes: object, state = active, now = NOW) => isHonoured(state, 's', { ...owner, ...changes }, now);

  test('depends on the epochs of its user and of the tenant', () => {
    expect(honored({})).toBe(true);
    expect(honored({ epoch: 3 })).toBe(false);
    expect(honored({ epoch: 1 })).toBe(false);
    expect(honored({ tenantEpoch: 2 })).toBe(false);
  });
  test('is not ended by a password change within it, but by all other changes', () => {
    expect(honored({ epoch: 3, keptSessionId: 's' })).toBe(true);
    expect(honored({ epoch: 3, keptSessionId: 'other' })).toBe(false);
    expect(honored({ epoch: 3, keptSessionId: 's', tenantEpoch: 2 })).toBe(false);
  });
  test('is denied for another user, and after its end or expiry', () => {
    expect(honored({ userId: 'v' })).toBe(false);
    expect(honored({}, given(session, [started, ended]).state)).toBe(false);
    expect(honored({}, active, later(3600))).toBe(false);
    expect(honored({}, session.initial)).toBe(false);
  });
  test('treats a session without epochs as a session of the first epoch', () => {
    const { userEpoch: _, tenantEpoch: __, ...data } = started.data;
    const old = given(session, [{ ...started, data }]).state;
    expect(honored({ epoch: 0, tenantEpoch: 0 }, old)).toBe(true);
    expect(honored({ epoch: 1, tenantEpoch: 0 }, old)).toBe(false);
  });
});

test('a session ends instead of having more tokens than are stored', () => {
  const rotations = Array.from({ length: MAX_TOKENS - 1 }, (_, index) => ({
    ...rotated,
    data: { ...rotated.data, refreshTokenHash: `h${index + 1}` },
  }));
  const { state } = given(session, [started, ...rotations.slice(1)]);
  expect(rotateRefreshToken(state, refresh(`h${MAX_TOKENS - 1}`), later(200))).toMatchObject([
    { type: 'RefreshTokenRotated' },
  ]);
  given(session, [started, ...rotations])
    .when(rotateRefreshToken, refresh(`h${MAX_TOKENS - 1}`), later(200))
    .then({ type: 'SessionEnded', data: { reason: 'EXPIRED', endedAt: at(200) } });
});

describe('the epoch', () => {
  const userCreated: UserEvent = {
    type: 'UserCreated',
    data: {
      ...{ fullName: 'Ada', email: 'ada@acme.test', role: 'ADMIN', isActive: true, passwordHash: 'p0' },
      ...{ phone: null, roleIds: [], branchId: null, branchIds: [] },
    },
  };
  const after = (...decisions: ((state: User) => UserEvent[])[]) =>
    decisions.reduce((state, decide) => fold(user, decide(state), state), fold(user, [userCreated]));

  test('of a user increases with each password change, deactivation and deletion, and otherwise never', () => {
    expect(after()).toMatchObject({ epoch: 0, keptSessionId: null });
    const reset = (state: User) => changePassword(state, { passwordHash: 'p1' });
    const own = (state: User) => changeOwnPassword(state, { passwordHash: 'p2', keptSessionId: 's', epoch: 1 });
    const off = (state: User) => updateUser(state, { isActive: false });
    const on = (state: User) => updateUser(state, { isActive: true, fullName: 'Ada L.' });
    expect(after(reset)).toMatchObject({ epoch: 1, keptSessionId: null, passwordHash: 'p1' });
    expect(after(reset, own)).toMatchObject({ epoch: 2, keptSessionId: 's', passwordHash: 'p2' });
    expect(after(reset, own, off)).toMatchObject({ epoch: 3, keptSessionId: null });
    expect(after(reset, own, off, on)).toMatchObject({ epoch: 3, keptSessionId: null, status: 'active' });
    expect(after(reset, own, off, on, deleteUser)).toMatchObject({ epoch: 4, keptSessionId: null });
  });
  test('of a user rejects a password change whose current password was checked in an earlier epoch', () => {
    const refused = 'invalid VALIDATION_FAILED currentPassword';
    const change = { passwordHash: 'p1', keptSessionId: 's', epoch: 0 };
    const resetEvent: UserEvent = { type: 'UserPasswordChanged', data: { passwordHash: 'p9' } };
    const off: UserEvent = { type: 'UserDeactivated', data: {} };
    const on: UserEvent = { type: 'UserReactivated', data: {} };
    const { epoch: _, ...data } = change;
    given(user, [userCreated]).when(changeOwnPassword, change).then({ type: 'UserPasswordChanged', data });
    given(user, [userCreated, { type: 'UserPasswordChanged', data }])
      .when(changeOwnPassword, change)
      .changesNothing();
    for (const history of [[userCreated, resetEvent], [userCreated, off], [userCreated, off, on], []])
      given(user, history).when(changeOwnPassword, change).isRefused(refused);
  });
  test('of an operator increases with each new password and with deletion', () => {
    const made: OperatorEvent = {
      type: 'OperatorCreated',
      data: { fullName: 'Olga', email: 'olga@kontor.test', passwordHash: 'p0' },
    };
    const change = { passwordHash: 'p1', keptSessionId: 's', epoch: 0 };
    const first = fold(operator, [made]);
    const own = fold(operator, changeOwnOperatorPassword(first, change), first);
    expect(own).toMatchObject({ epoch: 1, keptSessionId: 's' });
    const again = fold(operator, changeOwnOperatorPassword(own, { passwordHash: 'p2', epoch: 1 }), own);
    expect(again).toMatchObject({ epoch: 2, keptSessionId: null });
    expect(fold(operator, deleteOperator(again), again)).toMatchObject({ epoch: 3, keptSessionId: null });
    given(operator, [made, ...changeOwnOperatorPassword(first, change)])
      .when(changeOwnOperatorPassword, { ...change, passwordHash: 'p3' })
      .isRefused('invalid VALIDATION_FAILED currentPassword');
  });
  test('of a tenant increases with each deactivation', () => {
    const created = {
      type: 'TenantCreated',
      data: {
        ...{ name: 'Acme', slug: 'acme', currency: 'EUR', timeZone: 'UTC' },
        owner: { userId: 'u', fullName: 'Ada', email: 'ada@acme.test', passwordHash: 'h' },
        seeds: { branchId: 'b', customerId: 'c', accounts: {} as never },
      },
    } as TenantEvent;
    let state = fold(tenant, [created]);
    expect(state).toMatchObject({ epoch: 0 });
    for (const isActive of [false, true, false, true]) state = fold(tenant, updateTenant(state, { isActive }), state);
    expect(state).toMatchObject({ epoch: 2, status: 'active' });
    expect(fold(tenant, updateTenant(state, { name: 'Acme AG' }), state)).toMatchObject({ epoch: 2 });
  });
});
