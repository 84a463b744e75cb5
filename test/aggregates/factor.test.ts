import {
  confirmApp,
  confirmPasskey,
  CONFIRMATION_MS,
  factors,
  type FactorEvent,
  MAX_FACTORS,
  removeFactor,
  requestApp,
  requestPasskey,
  useApp,
  usePasskey,
  useRecoveryCode,
} from '../../src/aggregates/factor.aggregate.js';
import { given, NOW } from './given.js';

const later = (ms: number) => new Date(NOW.getTime() + ms);
const at = NOW.toISOString();
const REFUSED = 'unauthenticated UNAUTHENTICATED';

const appRequested = {
  type: 'AuthenticatorAppRequested',
  data: { factorId: 'a', sealedSecret: 'sealed', requestedAt: at },
} as const;
const appAdded = {
  type: 'AuthenticatorAppAdded' as const,
  data: { factorId: 'a', step: 100, recoveryCodeHashes: ['r1', 'r2'], addedAt: at },
};
const passkeyRequested = {
  type: 'PasskeyRequested',
  data: { factorId: 'p', challenge: 'c', host: 'kontor.test', requestedAt: at },
} as const;
const facts = { credentialId: 'id', publicKey: 'key', counter: 5, transports: ['usb'] };
const passkeyAdded = {
  type: 'PasskeyAdded' as const,
  data: { factorId: 'p', ...facts, recoveryCodeHashes: ['r3'], addedAt: at },
};
const withApp: FactorEvent[] = [appRequested, appAdded];
const withPasskey: FactorEvent[] = [passkeyRequested, passkeyAdded];

describe('a second factor', () => {
  test('takes effect once it is confirmed, which replaces the recovery codes', () => {
    const requested = given(factors, [appRequested]);
    expect(requested.state.factors).toEqual([]);
    requested.when(confirmApp, { factorId: 'a', step: 100, recoveryCodeHashes: ['r1', 'r2'] }).then(appAdded);
    expect(given(factors, withApp).state.factors.map(({ id }) => id)).toEqual(['a']);
    expect(given(factors, [...withApp, ...withPasskey]).state.recoveryCodes).toEqual(['r3']);
  });
  test('must be confirmed within ten minutes, only once, and before a newer request replaces it', () => {
    const data = { factorId: 'a', step: 100, recoveryCodeHashes: [] };
    const requested = given(factors, [appRequested]);
    requested.when(confirmApp, data, later(CONFIRMATION_MS + 1)).isRefused('conflict FACTOR_EXPIRED');
    given(factors, withApp).when(confirmApp, data).isRefused('conflict FACTOR_CONFIRMED');
    given(factors, [appRequested, passkeyRequested]).when(confirmApp, data).isRefused('not_found NOT_FOUND');
    given(factors, []).when(confirmApp, data).isRefused('not_found NOT_FOUND');
  });
  test('is requested once for each request, and at most ten times', () => {
    given(factors, []).when(requestApp, { factorId: 'a', sealedSecret: 'sealed' }).then(appRequested);
    given(factors, [appRequested]).when(requestApp, { factorId: 'a', sealedSecret: 'other' }).changesNothing();
    given(factors, withApp).when(requestApp, { factorId: 'a', sealedSecret: 'other' }).changesNothing();
    const many = Array.from({ length: MAX_FACTORS }, (_, n): FactorEvent[] => [
      { ...appRequested, data: { ...appRequested.data, factorId: `a${n}` } },
      { ...appAdded, data: { ...appAdded.data, factorId: `a${n}` } },
    ]).flat();
    const passkey = { factorId: 'p', challenge: 'c', host: 'kontor.test' };
    given(factors, many).when(requestPasskey, passkey).isRefused('conflict TOO_MANY_FACTORS');
  });
  test('can be removed; removing the last one invalidates the recovery codes', () => {
    const removed = { type: 'FactorRemoved', data: { factorId: 'a' } } as const;
    given(factors, withApp).when(removeFactor, { factorId: 'a', mustKeepOne: false }).then(removed);
    expect(given(factors, [...withApp, removed]).state).toMatchObject({ factors: [], recoveryCodes: [] });
    expect(given(factors, [...withApp, ...withPasskey, removed]).state.recoveryCodes).toEqual(['r3']);
    given(factors, [...withApp, removed])
      .when(removeFactor, { factorId: 'a', mustKeepOne: false })
      .isRefused('not_found NOT_FOUND');
  });
  test('stays if it is the last one of an account that must have one', () => {
    given(factors, withApp).when(removeFactor, { factorId: 'a', mustKeepOne: true }).isRefused('conflict LAST_FACTOR');
    given(factors, [...withApp, ...withPasskey])
      .when(removeFactor, { factorId: 'a', mustKeepOne: true })
      .then({ type: 'FactorRemoved', data: { factorId: 'a' } });
  });
});

describe('a proof', () => {
  test('by a code is accepted once, and then no code of an earlier time step', () => {
    const used = { type: 'AuthenticatorAppUsed', data: { factorId: 'a', step: 101, usedAt: at } } as const;
    given(factors, withApp).when(useApp, { factorId: 'a', step: 101 }).then(used);
    for (const step of [99, 100, 101])
      given(factors, [...withApp, used])
        .when(useApp, { factorId: 'a', step })
        .isRefused(REFUSED);
    given(factors, withApp).when(useApp, { factorId: 'a', step: 100 }).isRefused(REFUSED);
    given(factors, withApp).when(useApp, { factorId: 'x', step: 101 }).isRefused(REFUSED);
  });
  test('by a passkey is accepted once for each challenge, and only with a higher counter', () => {
    const used = { type: 'PasskeyUsed', data: { factorId: 'p', counter: 6, challenge: 'c1', usedAt: at } } as const;
    given(factors, withPasskey).when(usePasskey, { factorId: 'p', counter: 6, challenge: 'c1' }).then(used);
    const after = given(factors, [...withPasskey, used]);
    after.when(usePasskey, { factorId: 'p', counter: 7, challenge: 'c1' }).isRefused(REFUSED);
    for (const counter of [0, 5, 6])
      after.when(usePasskey, { factorId: 'p', counter, challenge: 'c2' }).isRefused(REFUSED);
  });
  test('by a passkey that never counts is still accepted once for each challenge', () => {
    const added = { ...passkeyAdded, data: { ...passkeyAdded.data, counter: 0 } };
    const used = { type: 'PasskeyUsed', data: { factorId: 'p', counter: 0, challenge: 'c1', usedAt: at } } as const;
    const after = given(factors, [passkeyRequested, added, used]);
    after.when(usePasskey, { factorId: 'p', counter: 0, challenge: 'c1' }).isRefused(REFUSED);
    expect(given(factors, [passkeyRequested, added, used]).state.spent).toHaveLength(1);
  });
  test('by a recovery code is accepted once', () => {
    const used = { type: 'RecoveryCodeUsed', data: { codeHash: 'r1', usedAt: at } } as const;
    given(factors, withApp).when(useRecoveryCode, { codeHash: 'r1' }).then(used);
    given(factors, [...withApp, used])
      .when(useRecoveryCode, { codeHash: 'r1' })
      .isRefused(REFUSED);
    given(factors, []).when(useRecoveryCode, { codeHash: 'r1' }).isRefused(REFUSED);
  });
  test('is remembered only as long as its challenge can be used', () => {
    const use = (challenge: string, ms: number) =>
      ({
        type: 'PasskeyUsed',
        data: { factorId: 'p', counter: 0, challenge, usedAt: later(ms).toISOString() },
      }) as const;
    const { spent } = given(factors, [
      ...withPasskey,
      use('c1', 0),
      use('c2', CONFIRMATION_MS),
      use('c3', CONFIRMATION_MS + 1),
    ]).state;
    expect(spent.map(({ challenge }) => challenge)).toEqual(['c2', 'c3']);
  });
  test('needs a passkey that the account does not have yet', () => {
    const again = { ...passkeyRequested, data: { ...passkeyRequested.data, factorId: 'q' } };
    given(factors, [...withPasskey, again])
      .when(confirmPasskey, { factorId: 'q', ...facts, recoveryCodeHashes: [] })
      .isRefused('conflict PASSKEY_TAKEN');
  });
});
