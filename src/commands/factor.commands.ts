import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import {
  confirmApp,
  confirmPasskey,
  factors,
  type Factors,
  FactorType,
  pendingFactor,
  RECOVERY_CODES,
  removeFactor,
  requestApp,
  requestPasskey,
} from '../aggregates/factor.aggregate.js';
import { secretShown } from '../aggregates/request-key.aggregate.js';
import { session, verifySession } from '../aggregates/session.aggregate.js';
import { CommandRunner, type Target } from '../eventsourcing/command-runner.js';
import type { Receipt } from '../eventsourcing/command.js';
import { currentContext } from '../eventsourcing/context.js';
import { invalid } from '../eventsourcing/domain-error.js';
import { commandOf, handles } from '../eventsourcing/handler.js';
import { CLOCK, type Clock } from '../ports/time.js';
import { isOidcSession } from '../security/oidc.js';
import { creationOptions, registered, RegistrationCredential } from '../security/passkeys.js';
import type { OperatorPrincipal, UserPrincipal } from '../security/principal.js';
import { hashOfRecoveryCode, newRecoveryCode } from '../security/recovery-codes.js';
import { SecretBox } from '../security/secret-box.js';
import { base32, newTotpSecret, otpauthUri, stepOfCode } from '../security/totp.js';
import { FactorProofs, isPasskey, placeOf } from './factor-proofs.js';
import { SessionAccounts } from './session-accounts.js';

type Person = UserPrincipal | OperatorPrincipal;

/** Returns the target for commands that change a person's factors. */
const targetOf = ({ userId: id }: Person): Target => ({ tenantId: currentContext().tenantId, id });

export const AddFactorInput = z.strictObject({ type: FactorType }).meta({ id: 'AddFactorDto' });

/** Data that the person needs to set up the factor. */
export type AddedFactor = { readonly id: string; readonly position: number } & (
  { readonly secret: string; readonly uri: string } | { readonly options: object }
);
type NewFactor = z.output<typeof AddFactorInput> & { readonly id: string; readonly host: string };
export class AddFactor extends commandOf<AddedFactor, [person: Person, factor: NewFactor]>() {}

const CONFIRMING = 'Send the code of the authenticator app as code, or the response of the browser as credential.';
export const ConfirmFactorInput = z
  .strictObject({
    code: z.string().max(32).exactOptional().meta({ description: 'Code from the new authenticator app.' }),
    credential: RegistrationCredential.exactOptional().meta({
      description: 'Result of `navigator.credentials.create` for `options`, as JSON.',
    }),
  })
  .meta({ id: 'ConfirmFactorDto' });
type Confirmation = z.output<typeof ConfirmFactorInput>;

export type ConfirmedFactor = { readonly recoveryCodes: readonly string[]; readonly position: number };
/** Confirms a factor, replaces the recovery codes, and marks the current session as verified with the factor. */
export class ConfirmFactor extends commandOf<
  ConfirmedFactor,
  [person: Person, factorId: string, data: Confirmation]
>() {}

export class RemoveFactor extends commandOf<Receipt, [person: Person, factorId: string]>() {}

async function addApp(
  runner: CommandRunner,
  box: SecretBox,
  target: Target,
  { id, email }: { id: string; email: string },
) {
  const secret = newTotpSecret();
  const data = { factorId: id, sealedSecret: box.seal(secret, placeOf(target, id)) };
  const { events, position } = await runner.execute(factors, target, data, requestApp);
  // An earlier attempt at the request added the factor, and a factor's secret is shown only once.
  if (events.length === 0) throw secretShown(id);
  return { id, secret: base32(Buffer.from(secret, 'base64url')), uri: otpauthUri(secret, email), position };
}

async function addPasskey(
  runner: CommandRunner,
  known: Factors,
  target: Target,
  { id, host, email }: { id: string; host: string; email: string },
) {
  const challenge = randomBytes(32).toString('base64url');
  const { events, position } = await runner.execute(factors, target, { factorId: id, challenge, host }, requestPasskey);
  if (events.length === 0) throw secretShown(id);
  const person = { id: target.id, email };
  return { id, options: await creationOptions(person, { challenge, host }, known.factors.filter(isPasskey)), position };
}

/**
 * Returns the data of the new factor if the code or credential is valid.
 * @throws DomainError invalid, not_found, conflict
 */
async function confirmed(
  box: SecretBox,
  clock: Clock,
  state: Factors,
  target: Target,
  factorId: string,
  data: Confirmation,
) {
  const now = new Date(clock.nowMs());
  const pending = pendingFactor(state, factorId, now);
  if (pending.type === 'TOTP') {
    const secret = box.unseal(pending.sealedSecret, placeOf(target, factorId));
    const step = stepOfCode(secret, (data.code ?? '').replaceAll(' ', ''), now.getTime());
    if (step === undefined)
      throw invalid([{ path: 'code', message: data.code === undefined ? CONFIRMING : WRONG_CODE }]);
    return { type: 'TOTP', step } as const;
  }
  const passkey = data.credential && (await registered(data.credential, pending));
  if (!passkey)
    throw invalid([{ path: 'credential', message: data.credential === undefined ? CONFIRMING : WRONG_CREDENTIAL }]);
  return { type: 'PASSKEY', passkey } as const;
}

const WRONG_CODE = 'The code is wrong or has expired. Check the clock of the device, then send the current code.';
const WRONG_CREDENTIAL = 'The passkey does not match this request or this host. Add it again.';

export const factorCommandHandlers = [
  handles(
    AddFactor,
    [CommandRunner, FactorProofs, SessionAccounts, SecretBox],
    async (runner, proofs, accounts, box, { args: [person, { type, ...added }] }) => {
      const target = targetOf(person);
      const email = (await accounts.byId(target.tenantId, target.id))?.email ?? '';
      return type === 'TOTP'
        ? addApp(runner, box, target, { ...added, email })
        : addPasskey(runner, await proofs.of(target), target, { ...added, email });
    },
  ),
  handles(
    ConfirmFactor,
    [CommandRunner, FactorProofs, SecretBox, CLOCK],
    async (runner, proofs, box, clock, { args: [person, factorId, data] }) => {
      const target = targetOf(person);
      const factor = await confirmed(box, clock, await proofs.of(target), target, factorId, data);
      const recoveryCodes = Array.from({ length: RECOVERY_CODES }, newRecoveryCode);
      const added = { factorId, recoveryCodeHashes: recoveryCodes.map(hashOfRecoveryCode) };
      const { position } =
        factor.type === 'TOTP'
          ? await runner.execute(factors, target, { ...added, step: factor.step }, confirmApp)
          : await runner.execute(factors, target, { ...added, ...factor.passkey }, confirmPasskey);
      if (isOidcSession(person.sessionId)) return { recoveryCodes, position };
      const own = { tenantId: target.tenantId, id: person.sessionId };
      const verified = await runner.execute(session, own, { factor: factor.type }, verifySession);
      return { recoveryCodes, position: verified.position };
    },
  ),
  handles(RemoveFactor, [CommandRunner], async (runner, { args: [person, factorId] }) => {
    const data = { factorId, mustKeepOne: person.proof.mustHaveFactor };
    const { revision, position } = await runner.execute(factors, targetOf(person), data, removeFactor);
    return { id: factorId, revision, position };
  }),
];
