import { Inject } from '@nestjs/common';
import { z } from 'zod';
import { wrongFactor } from '../aggregates/factor.aggregate.js';
import { endOwnSession, session, verifySession } from '../aggregates/session.aggregate.js';
import { CommandRunner, type Target } from '../eventsourcing/command-runner.js';
import { type Receipt, receiptOf } from '../eventsourcing/command.js';
import { currentContext } from '../eventsourcing/context.js';
import { conflict, DomainError, invalid } from '../eventsourcing/domain-error.js';
import { commandOf, handles } from '../eventsourcing/handler.js';
import { CLOCK, IDS } from '../ports/time.js';
import type { FactorClaims } from '../security/factor-tokens.js';
import { isOidcSession } from '../security/oidc.js';
import type { OperatorPrincipal, UserPrincipal } from '../security/principal.js';
import { STEP_UP_MS } from '../security/step-up.js';
import { CurrentPassword } from './current-password.js';
import { factorProof, FactorProofs, type FactorRequired, proofsIn } from './factor-proofs.js';
import { LoginFailures } from './login-throttle.js';
import { type Account, SessionAccounts } from './session-accounts.js';
import { SessionStarts } from './session-starts.js';
import type { SignedIn } from './session-tokens.js';

type Person = UserPrincipal | OperatorPrincipal;

const factorToken = z.string().max(2_048);
export const FactorLoginInput = z
  .strictObject({ factorToken, ...factorProof })
  .check(
    z.refine((body) => proofsIn(body).length === 1, {
      path: ['code'],
      error: 'Send exactly one of code, recoveryCode and credential.',
    }),
  )
  .meta({ id: 'FactorLoginDto' });

/** The second step of a sign-in. */
export class LoginWithFactor extends commandOf<SignedIn, [data: z.output<typeof FactorLoginInput>]>() {}

export const StepUpInput = z
  .strictObject({
    factorToken: factorToken.exactOptional().meta({ description: 'Required if `credential` is sent.' }),
    ...factorProof,
    password: z
      .string()
      .max(1_024)
      .exactOptional()
      .meta({ description: 'Accepted only if the account has no factor.' }),
  })
  .check(
    z.refine((body) => proofsIn(body).length <= 1, {
      path: ['code'],
      error: 'Send at most one of code, recoveryCode, credential and password.',
    }),
  )
  .meta({ id: 'StepUpDto' });
type StepUpData = z.output<typeof StepUpInput>;

/** Time until which the session counts as recently verified. */
export type SteppedUp = { readonly verifiedUntil: string };

/** Verifies the person again during a session. Without a proof, returns the accepted methods. */
export class StepUp extends commandOf<
  { readonly outcome: SteppedUp | FactorRequired; readonly position: number },
  [person: Person, data: StepUpData, host: string]
>() {}

export class EndOwnSession extends commandOf<Receipt, [person: Person, sessionId: string]>() {}

const expired = (): DomainError =>
  new DomainError('unauthenticated', 'UNAUTHENTICATED', 'The factor token is invalid or has expired. Sign in again.');

/**
 * Returns the account for which the token was issued.
 * @throws DomainError unauthenticated if the account is inactive, or if its password has changed since the token was
 * issued
 */
async function accountOf(accounts: SessionAccounts, claims: FactorClaims | undefined): Promise<Account> {
  const account = claims?.sid === undefined && claims ? await accounts.byId(claims.tid, claims.sub) : undefined;
  if (!claims || !account?.isActive) throw expired();
  const { epoch, tenantEpoch } = account.owner;
  if (epoch !== claims.epoch || tenantEpoch !== claims.tenantEpoch) throw expired();
  return account;
}

const targetOf = ({ tenantId, owner: { userId: id } }: Account): Target => ({ tenantId, id });

/**
 * Verifies the proof of a step-up. `verify` returns the factor, or undefined for the password. A wrong proof is recorded
 * like a rejected sign-in.
 * @throws DomainError invalid
 */
class StepUpProofs {
  constructor(
    @Inject(FactorProofs) private readonly proofs: FactorProofs,
    @Inject(CurrentPassword) private readonly currentPassword: CurrentPassword,
    @Inject(LoginFailures) private readonly failures: LoginFailures,
  ) {}

  async verify(account: Account, sessionId: string, data: StepUpData): Promise<string | undefined> {
    const { factors } = await this.proofs.of(targetOf(account));
    const [path = ''] = proofsIn(data);
    if (factors.length === 0) return this.password(account, data);
    if (data.password !== undefined)
      throw invalid([{ path, message: 'Your account has a second factor. Use it instead of the password.' }]);
    const claims = await this.proofs.claimsOf(data.factorToken);
    const challenge = claims?.sid === sessionId ? claims.jti : undefined;
    const factor = await this.proofs.spend(targetOf(account), data, challenge);
    if (factor !== undefined) return factor;
    this.failures.record(account, 'WRONG_FACTOR');
    throw invalid([{ path, message: wrongFactor().message }]);
  }

  private async password(account: Account, { password }: StepUpData): Promise<undefined> {
    if (password === undefined)
      throw invalid([{ path: 'password', message: 'Your account has no second factor. Send the password.' }]);
    if (await this.currentPassword.isRight(account, password)) return undefined;
    throw invalid([{ path: 'password', message: 'The password is wrong.' }]);
  }
}

export const stepUpCommandHandlers = [
  handles(
    LoginWithFactor,
    [SessionAccounts, FactorProofs, SessionStarts, LoginFailures, IDS],
    async (accounts, proofs, starts, failures, ids, { args: [{ factorToken: token, ...proof }] }) => {
      const claims = await proofs.claimsOf(token);
      const account = await accountOf(accounts, claims);
      const sessionId = ids.next();
      const factor = await starts.as(account, sessionId, () => proofs.spend(targetOf(account), proof, claims?.jti));
      if (factor !== undefined) return starts.start(account, sessionId, factor);
      failures.record(account, 'WRONG_FACTOR');
      throw wrongFactor();
    },
  ),
  StepUpProofs,
  handles(
    StepUp,
    [CommandRunner, SessionAccounts, FactorProofs, StepUpProofs, CLOCK],
    async (runner, accounts, proofs, stepUps, clock, { args: [{ userId, sessionId }, data, host] }) => {
      const { tenantId } = currentContext();
      if (isOidcSession(sessionId))
        throw conflict('SIGN_IN_AGAIN', 'Your OpenID provider manages this session. Sign in again there.');
      const account = await accounts.byId(tenantId, userId);
      if (!account) throw expired();
      if (proofsIn(data).length === 0) {
        const known = await proofs.of(targetOf(account));
        return { outcome: await proofs.required(account, known, host, sessionId), position: 0 };
      }
      const factor = await stepUps.verify(account, sessionId, data);
      const verified = { ...(factor !== undefined && { factor }) };
      const { position } = await runner.execute(session, { tenantId, id: sessionId }, verified, verifySession);
      return { outcome: { verifiedUntil: new Date(clock.nowMs() + STEP_UP_MS).toISOString() }, position };
    },
  ),
  handles(EndOwnSession, [CommandRunner], async (runner, { args: [{ userId }, id] }) =>
    receiptOf(await runner.execute(session, { tenantId: currentContext().tenantId, id }, { userId }, endOwnSession)),
  ),
];
