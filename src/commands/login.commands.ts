import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { z } from 'zod';
import { emailClaim } from '../aggregates/credentials.js';
import { session, startSession } from '../aggregates/session.aggregate.js';
import { CommandRunner } from '../platform/command-runner.js';
import { currentContext, inContext } from '../platform/context.js';
import { DomainError } from '../platform/domain-error.js';
import { Passwords } from '../platform/passwords.js';
import { CLOCK, IDS, type Clock, type Ids } from '../ports/time.js';
import { LoginFailures } from './login-failures.js';
import { LoginThrottle } from './login-throttle.js';
import { SessionAccounts, type Account } from './session-accounts.js';
import { actorOf, SESSION_MS, SessionTokens, type SignedIn } from './session-tokens.js';

export const LoginInput = z
  .strictObject({ email: z.string().max(254), password: z.string().max(1_024) })
  .meta({ id: 'LoginDto' });

export class Login extends Command<SignedIn> {
  constructor(readonly data: z.output<typeof LoginInput>) {
    super();
  }
}

/**
 * Reads the e-mail's claim, the user or operator that holds it and the user's tenant; then starts a session. A wrong
 * address, a wrong password and a deactivated account or tenant are answered alike, in the same time.
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

  async execute({ data: { email, password } }: Login): Promise<SignedIn> {
    const { value } = emailClaim(email);
    const signedIn = await this.throttle.guard(value, currentContext().ip ?? '', () => this.attempt(value, password));
    if (!signedIn) throw refused();
    return signedIn;
  }

  /** Undefined for a sign-in that is refused. */
  private async attempt(email: string, password: string): Promise<SignedIn | undefined> {
    const account = await this.accounts.byEmail(email);
    const matches = await this.passwords.matches(account?.passwordHash, password);
    if (!account) return undefined;
    if (matches && account.isActive) return this.start(account);
    this.failures.record(account, matches ? 'INACTIVE' : 'WRONG_PASSWORD');
    return undefined;
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
