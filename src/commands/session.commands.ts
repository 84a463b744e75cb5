import { createHash, randomBytes } from 'node:crypto';
import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { z } from 'zod';
import { emailClaim } from '../aggregates/credentials.js';
import { operator } from '../aggregates/operator.aggregate.js';
import { refuseLogin, session, startSession } from '../aggregates/session.aggregate.js';
import { tenant } from '../aggregates/tenant.aggregate.js';
import { user } from '../aggregates/user.aggregate.js';
import { ACCESS_TOKEN_SECONDS, AccessTokens } from '../platform/access-tokens.js';
import { Claims } from '../platform/claims.js';
import { CommandRunner } from '../platform/command-runner.js';
import { currentContext, inContext } from '../platform/context.js';
import { DomainError } from '../platform/domain-error.js';
import { passwordMatches } from '../platform/passwords.js';
import { RecordReader } from '../platform/record-reader.js';
import { parseStreamName, PLATFORM_TENANT, type StreamParts } from '../platform/stream-name.js';
import { CLOCK, IDS, type Clock, type Ids } from '../ports/time.js';

/** How long a session lives without a refresh. */
const SESSION_MS = 30 * 24 * 3_600_000;

export const LoginInput = z
  .strictObject({ email: z.string().max(254), password: z.string().max(1_024) })
  .meta({ id: 'LoginDto' });
export type Tokens = {
  readonly accessToken: string;
  readonly refreshToken: string;
  readonly tokenType: 'Bearer';
  /** Lifetime of the access token, seconds. */
  readonly expiresIn: number;
};

export class Login extends Command<Tokens> {
  constructor(readonly data: z.output<typeof LoginInput>) {
    super();
  }
}

type Account = { readonly name: StreamParts; readonly passwordHash: string; readonly isActive: boolean };

/**
 * Reads the e-mail's claim, the user or operator that holds it and the user's tenant; then starts a session. A wrong
 * address, a wrong password and a deactivated account are answered alike.
 */
@CommandHandler(Login)
export class LoginHandler implements ICommandHandler<Login, Tokens> {
  constructor(
    @Inject(CommandRunner) private readonly runner: CommandRunner,
    @Inject(RecordReader) private readonly reader: RecordReader,
    @Inject(Claims) private readonly claims: Claims,
    @Inject(AccessTokens) private readonly tokens: AccessTokens,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(IDS) private readonly ids: Ids,
  ) {}

  async execute({ data: { email, password } }: Login): Promise<Tokens> {
    const account = await this.accountOf(email);
    const matches = await passwordMatches(account?.passwordHash, password);
    if (!account) throw refused();
    const { tenantId, id: userId } = account.name;
    const sessionId = this.ids.next();
    const target = { tenantId, id: sessionId };
    return inContext({ ...currentContext(), tenantId }, async () => {
      if (!matches || !account.isActive) {
        const reason = matches ? 'INACTIVE' : 'WRONG_PASSWORD';
        await this.runner.execute(session, target, { userId, reason }, refuseLogin);
        throw refused();
      }
      const secret = randomBytes(32).toString('base64url');
      const login = { userId, refreshTokenHash: hashOf(secret), expiresAt: new Date(this.clock.nowMs() + SESSION_MS) };
      await this.runner.execute(session, target, login, startSession);
      return this.answer(account.name, sessionId, secret);
    });
  }

  private async answer({ tenantId, id: sub }: StreamParts, sid: string, secret: string): Promise<Tokens> {
    const isOperator = tenantId === PLATFORM_TENANT;
    const accessToken = await this.tokens.sign({
      sub,
      sid,
      scope: isOperator ? 'platform' : 'tenant',
      ...(!isOperator && { tid: tenantId }),
    });
    const refreshToken = `${tenantId}.${sid}.${secret}`;
    return { accessToken, refreshToken, tokenType: 'Bearer', expiresIn: ACCESS_TOKEN_SECONDS };
  }

  private async accountOf(email: string): Promise<Account | undefined> {
    const stream = await this.claims.holder(emailClaim(email));
    const name = stream === undefined ? undefined : parseStreamName(stream);
    if (!name) return undefined;
    if (name.entity === operator.name) {
      const { state } = await this.reader.read(operator, name.tenantId, name.id);
      return state.status === 'absent' ? undefined : { name, passwordHash: state.passwordHash, isActive: true };
    }
    const { state } = await this.reader.read(user, name.tenantId, name.id);
    if (state.status === 'absent') return undefined;
    const owner = await this.reader.read(tenant, PLATFORM_TENANT, name.tenantId);
    const isActive = state.status === 'active' && owner.state.status === 'active';
    return { name, passwordHash: state.passwordHash, isActive };
  }
}

const hashOf = (secret: string): string => createHash('sha256').update(secret).digest('base64url');

const refused = (): DomainError =>
  new DomainError('unauthenticated', 'UNAUTHENTICATED', 'The e-mail address or the password is wrong.');

export const sessionCommandHandlers = [LoginHandler];
