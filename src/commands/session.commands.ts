import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { z } from 'zod';
import { emailClaim, ensureUnlike, Password, wrongPassword } from '../aggregates/credentials.js';
import { changeOwnOperatorPassword, operator } from '../aggregates/operator.aggregate.js';
import * as sessions from '../aggregates/session.aggregate.js';
import { changeOwnPassword, user } from '../aggregates/user.aggregate.js';
import { CommandRunner } from '../eventsourcing/command-runner.js';
import { type Receipt, receiptOf } from '../eventsourcing/command.js';
import { currentContext, inContext } from '../eventsourcing/context.js';
import { DomainError, invalid } from '../eventsourcing/domain-error.js';
import { commandOf, handles } from '../eventsourcing/handler.js';
import { RecordReader } from '../eventsourcing/record-reader.js';
import { CLOCK, type Clock, IDS, type Ids } from '../ports/time.js';
import { isOidcSession } from '../security/oidc.js';
import { hashNewPassword, Passwords } from '../security/passwords.js';
import type { OperatorPrincipal, UserPrincipal } from '../security/principal.js';
import { hashOfSecret, parseRefreshToken, type RefreshToken } from '../security/refresh-tokens.js';
import { CurrentPassword } from './current-password.js';
import { type Attempt, LoginFailures, LoginThrottle, SIGN_INS } from './login-throttle.js';
import { type Account, MAX_ACCOUNTS, SessionAccounts } from './session-accounts.js';
import { FactorProofs, type FactorRequired } from './factor-proofs.js';
import { SessionStarts } from './session-starts.js';
import { actorOf, SESSION_RULES, type SessionRules, SessionTokens, type SignedIn } from './session-tokens.js';

export const LoginInput = z
  .strictObject({
    email: z.string().max(254),
    password: z.string().max(1_024),
    tenant: z
      .string()
      .max(63)
      .exactOptional()
      .meta({ description: 'Slug of the tenant to sign in to; `platform` for operators.' }),
  })
  .meta({ id: 'LoginDto' });

/** A started session, or the second step required before it can start. */
export type LoggedIn = SignedIn | { readonly tokens: FactorRequired; readonly position: number };

/** `host` is the page's host, which passkeys require. */
export class Login extends commandOf<LoggedIn, [data: z.output<typeof LoginInput>, host: string]>() {}

/**
 * Reads the accounts with the e-mail address and their tenants, then starts a session for the only active account whose
 * password matches. The response and its timing are the same for a wrong address, a wrong password, and a deactivated
 * account or tenant.
 */
@CommandHandler(Login)
export class LoginHandler implements ICommandHandler<Login, LoggedIn> {
  constructor(
    @Inject(SessionAccounts) private readonly accounts: SessionAccounts,
    @Inject(SessionStarts) private readonly starts: SessionStarts,
    @Inject(FactorProofs) private readonly proofs: FactorProofs,
    @Inject(Passwords) private readonly passwords: Passwords,
    @Inject(LoginThrottle) private readonly throttle: LoginThrottle,
    @Inject(LoginFailures) private readonly failures: LoginFailures,
    @Inject(IDS) private readonly ids: Ids,
  ) {}

  async execute({ args: [data, host] }: Login): Promise<LoggedIn> {
    const { value } = emailClaim(data.email);
    const account = await this.throttle.guard(
      value,
      currentContext().ip ?? '',
      (current) => this.attempt(value, data, current),
      { ...SIGN_INS, tenant: data.tenant },
    );
    if (!account) throw wrongCredentials();
    const known = await this.proofs.of({ tenantId: account.tenantId, id: account.owner.userId });
    return known.factors.length > 0
      ? { tokens: await this.proofs.required(account, known, host), position: 0 }
      : this.starts.start(account, this.ids.next());
  }

  /**
   * Returns undefined if the sign-in is rejected.
   * @throws DomainError conflict TENANT_REQUIRED, which does not count as a failure
   */
  private async attempt(
    email: string,
    { password, tenant }: z.output<typeof LoginInput>,
    { count, fail }: Attempt,
  ): Promise<Account | undefined> {
    const accounts = await this.accounts.byEmail(email, tenant);
    if (accounts.length > MAX_ACCOUNTS) throw tenantRequired();
    const fitting = await this.fitting(accounts, password);
    const active = fitting.filter(({ isActive }) => isActive);
    const [account] = active;
    const isWrongFor = accounts.filter((one) => one.isActive && !fitting.includes(one));
    if (account && isWrongFor.length > 0) {
      // A tenant's administrators know the passwords that they set, and could use them to guess those of other accounts.
      fail();
      if (count > UNRECORDED_FAILURES) for (const one of isWrongFor) this.failures.record(one, 'WRONG_PASSWORD');
    }
    if (active.length > 1) throw tenantRequired(active);
    if (account) return account;
    for (const one of accounts) this.failures.record(one, fitting.includes(one) ? 'INACTIVE' : 'WRONG_PASSWORD');
    return undefined;
  }

  /**
   * Returns the accounts whose password matches. Checking no accounts takes as long as checking one, and checking
   * several takes as long as checking MAX_ACCOUNTS. Therefore, the timing reveals at most that several accounts exist.
   */
  private async fitting(accounts: readonly Account[], password: string): Promise<Account[]> {
    const checks = Array.from({ length: accounts.length > 1 ? MAX_ACCOUNTS : 1 }, (_, index) =>
      this.passwords.matches(accounts[index]?.passwordHash, password),
    );
    const matches = await Promise.all(checks);
    return accounts.filter((_, index) => matches[index]);
  }
}

const wrongCredentials = (): DomainError =>
  new DomainError('unauthenticated', 'UNAUTHENTICATED', 'The e-mail address or the password is wrong.');

/**
 * Number of sign-ins, within 15 minutes, to one of several accounts with different passwords that are not recorded as
 * rejected for the other accounts. Recording each of them would alarm the tenants of a person who works for several.
 */
const UNRECORDED_FAILURES = 3;

/** Creates the error for an address shared by several accounts. The caller must then specify the tenant's slug. */
const tenantRequired = (accounts: readonly Account[] = []): DomainError =>
  new DomainError(
    'conflict',
    'TENANT_REQUIRED',
    'Several tenants have a user with this e-mail address. Specify the tenant.',
    {
      ...(accounts.length > 0 && { tenants: accounts.map(({ tenant }) => tenant) }),
    },
  );

export const ChangePasswordInput = z
  .strictObject({ currentPassword: z.string().max(1_024), newPassword: Password })
  .meta({ id: 'ChangePasswordDto' });

/** Changes the caller's password and ends all of the caller's other sessions. */
export class ChangeOwnPassword extends commandOf<
  Receipt,
  [principal: UserPrincipal | OperatorPrincipal, data: z.output<typeof ChangePasswordInput>]
>() {}

export const changeOwnPasswordHandler = handles(
  ChangeOwnPassword,
  [CommandRunner, SessionAccounts, CurrentPassword],
  async (runner, accounts, currentPassword, { args: [principal, data] }) => {
    const account = await accounts.byId(currentContext().tenantId, principal.userId);
    if (!account || !(await currentPassword.isRight(account, data.currentPassword))) throw wrongPassword();
    if (data.newPassword === data.currentPassword.normalize('NFC'))
      throw invalid([{ path: 'newPassword', message: 'The new password must differ from the current one.' }]);
    ensureUnlike(account.email, data.newPassword);
    const passwordHash = await hashNewPassword(data.newPassword);
    const change = { passwordHash, keptSessionId: principal.sessionId, epoch: account.owner.epoch };
    const target = { tenantId: currentContext().tenantId, id: principal.userId };
    return receiptOf(
      principal.kind === 'operator'
        ? await runner.execute(operator, target, change, changeOwnOperatorPassword)
        : await runner.execute(user, target, change, changeOwnPassword),
    );
  },
);

export const RefreshInput = z.strictObject({ refreshToken: z.string().max(1_024) }).meta({ id: 'RefreshDto' });

export class RefreshSession extends commandOf<SignedIn, [data: z.output<typeof RefreshInput>]>() {}

export class Logout extends commandOf<Receipt, [principal: UserPrincipal | OperatorPrincipal]>() {}

const invalidRefreshToken = (): DomainError =>
  new DomainError('unauthenticated', 'UNAUTHENTICATED', 'The refresh token is invalid. Sign in again.');

/**
 * Returns the session's owner and the generation of its next refresh token. @throws DomainError if the session or its
 * owner is not valid
 */
async function honored(
  reader: RecordReader,
  accounts: SessionAccounts,
  clock: Clock,
  { tenantId, sessionId }: RefreshToken,
): Promise<{ userId: string; generation: number }> {
  const { state } = await reader.read(sessions.session, tenantId, sessionId);
  if (state.status !== 'active') throw invalidRefreshToken();
  const account = await accounts.byId(tenantId, state.userId);
  const now = new Date(clock.nowMs());
  if (!account?.isActive || !sessions.isHonoured(state, sessionId, account.owner, now)) throw invalidRefreshToken();
  return { userId: state.userId, generation: state.tokens.length };
}

/**
 * Exchanges a refresh token for new tokens and marks it as spent. A request repeated within a few seconds gets the same
 * response. Later reuse counts as theft and ends the session.
 */
export async function refreshSession(
  runner: CommandRunner,
  reader: RecordReader,
  accounts: SessionAccounts,
  tokens: SessionTokens,
  clock: Clock,
  { lifetime }: Pick<SessionRules, 'lifetime'>,
  { args: [{ refreshToken }] }: RefreshSession,
): Promise<SignedIn> {
  const token = parseRefreshToken(refreshToken);
  if (!token) throw invalidRefreshToken();
  const { userId, generation } = await honored(reader, accounts, clock, token);
  const { tenantId, sessionId } = token;
  const presentedHash = hashOfSecret(token.secret);
  // Used only if the token is current at the time of the decision. In that case, `generation` is the generation of its
  // successor.
  const nextHash = await tokens.nextHash(sessionId, generation);
  const rotation = { presentedHash, nextHash, lifetime };
  const context = { ...currentContext(), tenantId, actor: actorOf(tenantId, userId, sessionId) };
  const { state, position } = await inContext(context, () =>
    runner.execute(sessions.session, { tenantId, id: sessionId }, rotation, sessions.rotateRefreshToken),
  );
  const issued = sessions.answerTo(state, presentedHash);
  if (!issued) throw invalidRefreshToken();
  return { tokens: await tokens.answer({ tenantId, userId, sessionId, ...issued }), position };
}

export const sessionCommandHandlers = [
  LoginHandler,
  handles(
    RefreshSession,
    [CommandRunner, RecordReader, SessionAccounts, SessionTokens, CLOCK, SESSION_RULES],
    refreshSession,
  ),
  handles(Logout, [CommandRunner], async (runner, { args: [principal] }) => {
    const target = { tenantId: currentContext().tenantId, id: principal.sessionId };
    // The issuer manages this session. Kontor does not store it, so there is nothing to end.
    if (isOidcSession(target.id)) return { id: target.id, revision: 0, position: 0 };
    return receiptOf(await runner.execute(sessions.session, target, { reason: 'LOGOUT' }, sessions.endSession));
  }),
  changeOwnPasswordHandler,
];
