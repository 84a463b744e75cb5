import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { z } from 'zod';
import { emailClaim } from '../aggregates/credentials.js';
import { session, startSession } from '../aggregates/session.aggregate.js';
import { CommandRunner } from '../eventsourcing/command-runner.js';
import { currentContext, inContext } from '../eventsourcing/context.js';
import { DomainError } from '../eventsourcing/domain-error.js';
import { Passwords } from '../security/passwords.js';
import { CLOCK, IDS, type Clock, type Ids } from '../ports/time.js';
import { LoginFailures } from './login-failures.js';
import { LoginThrottle } from './login-throttle.js';
import { MAX_ACCOUNTS, SessionAccounts, type Account } from './session-accounts.js';
import { actorOf, SESSION_MS, SessionTokens, type SignedIn } from './session-tokens.js';

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

export class Login extends Command<SignedIn> {
  constructor(readonly data: z.output<typeof LoginInput>) {
    super();
  }
}

/**
 * Reads the accounts with the e-mail address and their tenants, then starts a session for the only account whose
 * password matches. A wrong address, a wrong password and a deactivated account or tenant get the same response in the
 * same time.
 */
@CommandHandler(Login)
export class LoginHandler implements ICommandHandler<Login, SignedIn> {
  constructor(
    @Inject(CommandRunner) private readonly runner: CommandRunner,
    @Inject(SessionAccounts) private readonly accounts: SessionAccounts,
    @Inject(SessionTokens) private readonly tokens: SessionTokens,
    @Inject(Passwords) private readonly passwords: Passwords,
    @Inject(LoginThrottle) private readonly throttle: LoginThrottle,
    @Inject(LoginFailures) private readonly failures: LoginFailures,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(IDS) private readonly ids: Ids,
  ) {}

  async execute({ data }: Login): Promise<SignedIn> {
    const { value } = emailClaim(data.email);
    const signedIn = await this.throttle.guard(value, currentContext().ip ?? '', () => this.attempt(value, data));
    if (!signedIn) throw refused();
    return signedIn;
  }

  /**
   * Returns undefined for a rejected sign-in. @throws DomainError conflict TENANT_REQUIRED, which does not count as a
   * failure
   */
  private async attempt(
    email: string,
    { password, tenant }: z.output<typeof LoginInput>,
  ): Promise<SignedIn | undefined> {
    const accounts = await this.accounts.byEmail(email, tenant);
    if (accounts.length > MAX_ACCOUNTS) throw tenantRequired();
    const fitting = await this.fitting(accounts, password);
    const [account, ...others] = fitting.filter(({ isActive }) => isActive);
    if (others.length > 0) throw tenantRequired(fitting.filter(({ isActive }) => isActive));
    if (account) return this.start(account);
    for (const one of accounts) this.failures.record(one, fitting.includes(one) ? 'INACTIVE' : 'WRONG_PASSWORD');
    return undefined;
  }

  /**
   * Accounts whose password matches. None takes as long as one, several as long as MAX_ACCOUNTS: timing reveals at most
   * that there are several.
   */
  private async fitting(accounts: readonly Account[], password: string): Promise<Account[]> {
    const checks = Array.from({ length: accounts.length > 1 ? MAX_ACCOUNTS : 1 }, (_, index) =>
      this.passwords.matches(accounts[index]?.passwordHash, password),
    );
    const matches = await Promise.all(checks);
    return accounts.filter((_, index) => matches[index]);
  }

  private async start({ tenantId, owner: { userId, epoch, tenantEpoch } }: Account): Promise<SignedIn> {
    const sessionId = this.ids.next();
    const hash = await this.tokens.nextHash(sessionId, 0);
    const expiresAt = new Date(this.clock.nowMs() + SESSION_MS);
    const login = { userId, refreshTokenHash: hash, expiresAt, userEpoch: epoch, tenantEpoch };
    const context = { ...currentContext(), tenantId, actor: actorOf(tenantId, userId, sessionId) };
    const { state, position } = await inContext(context, () =>
      this.runner.execute(session, { tenantId, id: sessionId }, login, startSession),
    );
    const issuedAt = state.status === 'active' ? state.startedAt : '';
    const tokens = await this.tokens.answer({ tenantId, userId, sessionId, generation: 0, hash, issuedAt });
    return { tokens, position };
  }
}

const refused = (): DomainError =>
  new DomainError('unauthenticated', 'UNAUTHENTICATED', 'The e-mail address or the password is wrong.');

/** Several accounts have the address; the tenant's slug selects one. */
const tenantRequired = (accounts: readonly Account[] = []): DomainError =>
  new DomainError('conflict', 'TENANT_REQUIRED', 'Several tenants know this e-mail address. Say which one: tenant.', {
    ...(accounts.length > 0 && { tenants: accounts.map(({ tenant }) => tenant) }),
  });
