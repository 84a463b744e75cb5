import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { z } from 'zod';
import { answerTo, endSession, isHonoured, rotateRefreshToken, session } from '../aggregates/session.aggregate.js';
import { CommandRunner } from '../platform/command-runner.js';
import { receiptOf, type Receipt } from '../platform/command.js';
import { currentContext, inContext } from '../platform/context.js';
import { DomainError } from '../platform/domain-error.js';
import { isOidcSession } from '../platform/oidc.js';
import type { OperatorPrincipal, UserPrincipal } from '../platform/principal.js';
import { RecordReader } from '../platform/record-reader.js';
import { hashOfSecret, parseRefreshToken, type RefreshToken } from '../platform/refresh-tokens.js';
import { CLOCK, type Clock } from '../ports/time.js';
import { LoginHandler } from './login.commands.js';
import { ChangeOwnPasswordHandler } from './session-password.commands.js';
import { SessionAccounts } from './session-accounts.js';
import { actorOf, SESSION_MS, SessionTokens, type SignedIn } from './session-tokens.js';

export const RefreshInput = z.strictObject({ refreshToken: z.string().max(1_024) }).meta({ id: 'RefreshDto' });

export class RefreshSession extends Command<SignedIn> {
  constructor(readonly data: z.output<typeof RefreshInput>) {
    super();
  }
}

/** Ends the session in which the caller is signed in. */
export class Logout extends Command<Receipt> {
  constructor(readonly principal: UserPrincipal | OperatorPrincipal) {
    super();
  }
}

/**
 * Gives new tokens for a refresh token, which is then spent. All who bring the same one within some seconds are given the
 * same answer; later it is taken for stolen and ends the session.
 */
@CommandHandler(RefreshSession)
export class RefreshSessionHandler implements ICommandHandler<RefreshSession, SignedIn> {
  constructor(
    @Inject(CommandRunner) private readonly runner: CommandRunner,
    @Inject(RecordReader) private readonly reader: RecordReader,
    @Inject(SessionAccounts) private readonly accounts: SessionAccounts,
    @Inject(SessionTokens) private readonly tokens: SessionTokens,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ data: { refreshToken } }: RefreshSession): Promise<SignedIn> {
    const token = parseRefreshToken(refreshToken);
    if (!token) throw refused();
    const { userId, generation } = await this.honoured(token);
    const { tenantId, sessionId } = token;
    const presentedHash = hashOfSecret(token.secret);
    // Used only if the token is the current one when it is decided; then that is its successor's generation.
    const nextHash = await this.tokens.nextHash(sessionId, generation);
    const rotation = { presentedHash, nextHash, expiresAt: new Date(this.clock.nowMs() + SESSION_MS) };
    const context = { ...currentContext(), tenantId, actor: actorOf(tenantId, userId, sessionId) };
    const { state, position } = await inContext(context, () =>
      this.runner.execute(session, { tenantId, id: sessionId }, rotation, rotateRefreshToken),
    );
    const issued = answerTo(state, presentedHash);
    if (!issued) throw refused();
    return { tokens: await this.tokens.answer({ tenantId, userId, sessionId, ...issued }), position };
  }

  /** The session, as every request checks it. */
  private async honoured({ tenantId, sessionId }: RefreshToken): Promise<{ userId: string; generation: number }> {
    const { state } = await this.reader.read(session, tenantId, sessionId);
    if (state.status !== 'active') throw refused();
    const account = await this.accounts.byId(tenantId, state.userId);
    const now = new Date(this.clock.nowMs());
    if (!account?.isActive || !isHonoured(state, sessionId, account.owner, now)) throw refused();
    return { userId: state.userId, generation: state.tokens.length };
  }
}

@CommandHandler(Logout)
export class LogoutHandler implements ICommandHandler<Logout, Receipt> {
  constructor(@Inject(CommandRunner) private readonly runner: CommandRunner) {}

  async execute({ principal }: Logout): Promise<Receipt> {
    const target = { tenantId: currentContext().tenantId, id: principal.sessionId };
    // The issuer's own session: nothing of it is kept here that could end.
    if (isOidcSession(target.id)) return { id: target.id, revision: 0, position: 0 };
    return receiptOf(await this.runner.execute(session, target, { reason: 'LOGOUT' }, endSession));
  }
}

const refused = (): DomainError =>
  new DomainError('unauthenticated', 'UNAUTHENTICATED', 'The refresh token is not valid. Sign in again.');

export const sessionCommandHandlers = [LoginHandler, RefreshSessionHandler, LogoutHandler, ChangeOwnPasswordHandler];
