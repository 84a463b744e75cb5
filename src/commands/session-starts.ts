import { Inject, Injectable } from '@nestjs/common';
import { session, startSession } from '../aggregates/session.aggregate.js';
import { CommandRunner } from '../eventsourcing/command-runner.js';
import { currentContext, inContext } from '../eventsourcing/context.js';
import type { Account } from './session-accounts.js';
import { actorOf, SESSION_RULES, type SessionRules, SessionTokens, type SignedIn } from './session-tokens.js';

/** Starts sessions for authenticated account owners. */
@Injectable()
export class SessionStarts {
  constructor(
    @Inject(CommandRunner) private readonly runner: CommandRunner,
    @Inject(SessionTokens) private readonly tokens: SessionTokens,
    @Inject(SESSION_RULES) private readonly rules: Pick<SessionRules, 'lifetime'>,
  ) {}

  /** Runs `work` on behalf of the account, in a session that may not exist yet. */
  as<T>({ tenantId, owner: { userId } }: Account, sessionId: string, work: () => Promise<T>): Promise<T> {
    return inContext({ ...currentContext(), tenantId, actor: actorOf(tenantId, userId, sessionId) }, work);
  }

  /** `factor` is the second factor used. */
  async start(account: Account, sessionId: string, factor?: string): Promise<SignedIn> {
    const { userId, epoch, tenantEpoch } = account.owner;
    const target = { tenantId: account.tenantId, id: sessionId };
    const hash = await this.tokens.nextHash(sessionId, 0);
    const login = {
      userId,
      refreshTokenHash: hash,
      lifetime: this.rules.lifetime,
      userEpoch: epoch,
      tenantEpoch,
      ...(factor !== undefined && { factor }),
    };
    const { state, position } = await this.as(account, sessionId, () =>
      this.runner.execute(session, target, login, startSession),
    );
    const issuedAt = state.status === 'active' ? state.startedAt : '';
    const { tenantId } = account;
    const tokens = await this.tokens.answer({ tenantId, userId, sessionId, generation: 0, hash, issuedAt });
    return { tokens, position };
  }
}
