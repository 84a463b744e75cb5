import { z } from 'zod';
import { domain, technical, type Aggregate, type EventOf } from '../eventsourcing/aggregate.js';
import { conflict, DomainError, notFound } from '../eventsourcing/domain-error.js';
import { Instant } from './fields.js';
import { secret } from './personal.js';

/** Maximum number of factors per account. */
export const MAX_FACTORS = 10;
export const RECOVERY_CODES = 10;
/** Time limit for confirming a new factor. The state keeps passkey challenges for the same period. */
export const CONFIRMATION_MS = 10 * 60_000;

export const FactorType = z.enum(['TOTP', 'PASSKEY']);
export type FactorType = z.output<typeof FactorType>;

const factorId = z.string();
const recoveryCodeHashes = z.array(secret(z.string()));
const ofFactor = { subject: (data: { factorId: string }) => data.factorId };

const AuthenticatorAppRequested = z.object({
  factorId,
  /** Encrypted rather than hashed, because verifying a code requires the secret itself. */
  sealedSecret: secret(z.string()),
  requestedAt: Instant,
});
const PasskeyRequested = z.object({ factorId, challenge: z.string(), host: z.string(), requestedAt: Instant });
const AuthenticatorAppAdded = z.object({ factorId, step: z.int(), recoveryCodeHashes, addedAt: Instant });
const PasskeyAdded = z.object({
  factorId,
  credentialId: z.string(),
  /** Public key in COSE format, base64url-encoded. */
  publicKey: z.string(),
  counter: z.int(),
  transports: z.array(z.string()),
  recoveryCodeHashes,
  addedAt: Instant,
});

export const factorEvents = {
  AuthenticatorAppRequested: technical(AuthenticatorAppRequested),
  PasskeyRequested: technical(PasskeyRequested),
  AuthenticatorAppAdded: domain('CREATE', 'factor', AuthenticatorAppAdded, ofFactor),
  PasskeyAdded: domain('CREATE', 'factor', PasskeyAdded, ofFactor),
  AuthenticatorAppUsed: technical(z.object({ factorId, step: z.int(), usedAt: Instant })),
  PasskeyUsed: technical(z.object({ factorId, counter: z.int(), challenge: z.string(), usedAt: Instant })),
  RecoveryCodeUsed: domain('OTHER', 'factor', z.object({ codeHash: secret(z.string()), usedAt: Instant })),
  FactorRemoved: domain('DELETE', 'factor', z.object({ factorId }), ofFactor),
};
export type FactorEvent = EventOf<typeof factorEvents>;

type Common = { readonly id: string; readonly addedAt: string; readonly lastUsedAt: string | null };
export type AuthenticatorApp = Common & {
  readonly type: 'TOTP';
  readonly sealedSecret: string;
  /** Time step of the last accepted code. Codes from this or an earlier step are rejected. */
  readonly step: number;
};
export type Passkey = Common & {
  readonly type: 'PASSKEY';
  readonly credentialId: string;
  readonly publicKey: string;
  readonly counter: number;
  readonly transports: readonly string[];
  /** Host and port of the pages on which the passkey can be used. */
  readonly host: string;
};
export type Factor = AuthenticatorApp | Passkey;

type Pending =
  | ({ readonly type: 'TOTP' } & z.output<typeof AuthenticatorAppRequested>)
  | ({ readonly type: 'PASSKEY' } & z.output<typeof PasskeyRequested>);

export type Factors = {
  readonly factors: readonly Factor[];
  /** A factor that has not been confirmed yet. A newer request replaces it. */
  readonly pending: Pending | null;
  /** Hashes of the unused recovery codes. */
  readonly recoveryCodes: readonly string[];
  /** Challenges used in recent passkey assertions, which must not be accepted twice. */
  readonly spent: readonly { readonly challenge: string; readonly at: string }[];
};

const NONE: Factors = { factors: [], pending: null, recoveryCodes: [], spent: [] };

/** An account's second factors. The stream id is the id of the user or operator. */
export const factors: Aggregate<Factors, FactorEvent> = {
  name: 'factor',
  events: factorEvents,
  initial: NONE,
  evolve: (state, event) => {
    switch (event.type) {
      case 'AuthenticatorAppRequested':
        return { ...state, pending: { type: 'TOTP', ...event.data } };
      case 'PasskeyRequested':
        return { ...state, pending: { type: 'PASSKEY', ...event.data } };
      case 'AuthenticatorAppAdded':
        return withApp(state, event.data);
      case 'PasskeyAdded':
        return withPasskey(state, event.data);
      case 'AuthenticatorAppUsed':
      case 'PasskeyUsed':
      case 'RecoveryCodeUsed':
        return afterUse(state, event);
      case 'FactorRemoved': {
        const left = state.factors.filter(({ id }) => id !== event.data.factorId);
        return { ...state, factors: left, recoveryCodes: left.length === 0 ? [] : state.recoveryCodes };
      }
    }
  },
};

type Use = Extract<FactorEvent, { readonly type: `${string}Used` }>;

function afterUse(state: Factors, event: Use): Factors {
  switch (event.type) {
    case 'AuthenticatorAppUsed': {
      const { factorId: id, step, usedAt } = event.data;
      return { ...state, factors: changed(state.factors, id, { step, lastUsedAt: usedAt }) };
    }
    case 'PasskeyUsed': {
      const { factorId: id, counter, challenge, usedAt } = event.data;
      const from = Date.parse(usedAt) - CONFIRMATION_MS;
      const recent = state.spent.filter(({ at }) => Date.parse(at) >= from);
      return {
        ...state,
        factors: changed(state.factors, id, { counter, lastUsedAt: usedAt }),
        spent: [...recent, { challenge, at: usedAt }],
      };
    }
    case 'RecoveryCodeUsed':
      return { ...state, recoveryCodes: state.recoveryCodes.filter((hash) => hash !== event.data.codeHash) };
  }
}

function withApp(
  state: Factors,
  { factorId: id, step, recoveryCodeHashes: recoveryCodes, addedAt }: z.output<typeof AuthenticatorAppAdded>,
): Factors {
  const { pending, factors: known, spent } = state;
  if (pending?.type !== 'TOTP') return state;
  const { sealedSecret } = pending;
  const app: AuthenticatorApp = { id, type: 'TOTP', sealedSecret, step, addedAt, lastUsedAt: null };
  return { factors: [...known, app], pending: null, recoveryCodes, spent };
}

function withPasskey(
  state: Factors,
  { factorId: id, recoveryCodeHashes: recoveryCodes, ...facts }: z.output<typeof PasskeyAdded>,
): Factors {
  const { pending, factors: known, spent } = state;
  if (pending?.type !== 'PASSKEY') return state;
  const passkey: Passkey = { id, type: 'PASSKEY', host: pending.host, ...facts, lastUsedAt: null };
  return { factors: [...known, passkey], pending: null, recoveryCodes, spent };
}

const changed = (known: readonly Factor[], id: string, facts: object): Factor[] =>
  known.map((factor) => (factor.id === id ? { ...factor, ...facts } : factor));

/**
 * Creates the error for a TOTP code, recovery code or passkey assertion that is wrong, has expired or has been used
 * before. The error never reveals which of these problems occurred.
 */
export const wrongFactor = (): DomainError =>
  new DomainError(
    'unauthenticated',
    'UNAUTHENTICATED',
    'The code or passkey is wrong, has expired or has already been used.',
  );

type New = { readonly factorId: string };

/** @throws DomainError conflict TOO_MANY_FACTORS */
function ensureRoom(state: Factors): void {
  if (state.factors.length >= MAX_FACTORS)
    throw conflict('TOO_MANY_FACTORS', `An account can have at most ${MAX_FACTORS} factors. Remove one first.`);
}

/** Returns `[]` if an earlier attempt at the request is already recorded. */
export function requestApp(state: Factors, app: New & { sealedSecret: string }, now: Date): FactorEvent[] {
  if (isKnown(state, app.factorId)) return [];
  ensureRoom(state);
  return [{ type: 'AuthenticatorAppRequested', data: { ...app, requestedAt: now.toISOString() } }];
}

/** Returns `[]` if an earlier attempt at the request is already recorded. */
export function requestPasskey(
  state: Factors,
  passkey: New & { challenge: string; host: string },
  now: Date,
): FactorEvent[] {
  if (isKnown(state, passkey.factorId)) return [];
  ensureRoom(state);
  return [{ type: 'PasskeyRequested', data: { ...passkey, requestedAt: now.toISOString() } }];
}

const isKnown = ({ pending, factors: known }: Factors, factorId: string): boolean =>
  pending?.factorId === factorId || known.some(({ id }) => id === factorId);

/** Returns the factor to confirm. @throws DomainError not_found; conflict FACTOR_CONFIRMED, FACTOR_EXPIRED */
export function pendingFactor({ pending, factors: known }: Factors, factorId: string, now: Date): Pending {
  if (known.some(({ id }) => id === factorId))
    throw conflict('FACTOR_CONFIRMED', 'The factor is already confirmed. Its recovery codes were shown only once.');
  if (pending?.factorId !== factorId) throw notFound('factor');
  if (now.getTime() - Date.parse(pending.requestedAt) > CONFIRMATION_MS)
    throw conflict('FACTOR_EXPIRED', 'The factor was not confirmed in time. Add it again.');
  return pending;
}

type Confirmed = New & { readonly recoveryCodeHashes: string[] };

export function confirmApp(state: Factors, app: Confirmed & { step: number }, now: Date): FactorEvent[] {
  pendingFactor(state, app.factorId, now);
  return [{ type: 'AuthenticatorAppAdded', data: { ...app, addedAt: now.toISOString() } }];
}

type NewPasskey = Confirmed & {
  credentialId: string;
  publicKey: string;
  counter: number;
  transports: readonly string[];
};
export function confirmPasskey(state: Factors, passkey: NewPasskey, now: Date): FactorEvent[] {
  pendingFactor(state, passkey.factorId, now);
  const isTaken = state.factors.some((one) => one.type === 'PASSKEY' && one.credentialId === passkey.credentialId);
  if (isTaken) throw conflict('PASSKEY_TAKEN', 'The account already has this passkey.');
  const transports = [...passkey.transports];
  return [{ type: 'PasskeyAdded', data: { ...passkey, transports, addedAt: now.toISOString() } }];
}

/** @throws DomainError unauthenticated if the code's step, or a later one, was used before (RFC 6238, 5.2) */
export function useApp(state: Factors, used: New & { step: number }, now: Date): FactorEvent[] {
  const app = state.factors.find(({ id }) => id === used.factorId);
  if (app?.type !== 'TOTP' || used.step <= app.step) throw wrongFactor();
  return [{ type: 'AuthenticatorAppUsed', data: { ...used, usedAt: now.toISOString() } }];
}

/**
 * @throws DomainError unauthenticated if the challenge was used before, or if the signature counter did not increase,
 * which indicates a cloned authenticator (WebAuthn, 6.1.1)
 */
export function usePasskey(
  state: Factors,
  used: New & { counter: number; challenge: string },
  now: Date,
): FactorEvent[] {
  const passkey = state.factors.find(({ id }) => id === used.factorId);
  if (passkey?.type !== 'PASSKEY' || state.spent.some(({ challenge }) => challenge === used.challenge))
    throw wrongFactor();
  const isCounting = passkey.counter > 0 || used.counter > 0;
  if (isCounting && used.counter <= passkey.counter) throw wrongFactor();
  return [{ type: 'PasskeyUsed', data: { ...used, usedAt: now.toISOString() } }];
}

/** @throws DomainError unauthenticated if the code is wrong or was used before */
export function useRecoveryCode(state: Factors, { codeHash }: { codeHash: string }, now: Date): FactorEvent[] {
  if (!state.recoveryCodes.includes(codeHash)) throw wrongFactor();
  return [{ type: 'RecoveryCodeUsed', data: { codeHash, usedAt: now.toISOString() } }];
}

/** Removes all factors. Returns `[]` if there are none. */
export const removeAllFactors = ({ factors: known }: Factors): FactorEvent[] =>
  known.map(({ id: factorId }) => ({ type: 'FactorRemoved', data: { factorId } }));

/** @throws DomainError not_found; conflict LAST_FACTOR */
export function removeFactor(
  state: Factors,
  { factorId: id, mustKeepOne }: New & { readonly mustKeepOne: boolean },
): FactorEvent[] {
  const isOwn = state.factors.some((factor) => factor.id === id);
  if (!isOwn) throw notFound('factor');
  if (mustKeepOne && state.factors.length === 1)
    throw conflict('LAST_FACTOR', 'Your account must have a second factor. Add another one first.');
  return [{ type: 'FactorRemoved', data: { factorId: id } }];
}
