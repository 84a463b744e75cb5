import { Command } from '@nestjs/cqrs';
import { z } from 'zod';
import { answerTo, endSession, isHonoured, rotateRefreshToken, session } from '../aggregates/session.aggregate.js';
import { CommandRunner } from '../eventsourcing/command-runner.js';
import { receiptOf, type Receipt } from '../eventsourcing/command.js';
import { currentContext, inContext } from '../eventsourcing/context.js';
import { commandOf, handles } from '../eventsourcing/handler.js';
import { DomainError } from '../eventsourcing/domain-error.js';
import { isOidcSession } from '../security/oidc.js';
import type { OperatorPrincipal, UserPrincipal } from '../security/principal.js';
import { RecordReader } from '../eventsourcing/record-reader.js';
import { hashOfSecret, parseRefreshToken, type RefreshToken } from '../security/refresh-tokens.js';
import { CLOCK, type Clock } from '../ports/time.js';
import { LoginHandler } from './login.commands.js';
import { changeOwnPasswordHandler } from './session-password.commands.js';
import { SessionAccounts } from './session-accounts.js';
import { actorOf, SESSION_MS, SessionTokens, type SignedIn } from './session-tokens.js';

export const RefreshInput = z.strictObject({ refreshToken: z.string().max(1_024) }).meta({ id: 'RefreshDto' });

export class RefreshSession extends Command<SignedIn> {
  constructor(readonly data: z.output<typeof RefreshInput>) {
    super();
  }
}

export class Logout extends commandOf<Receipt, [principal: UserPrincipal | OperatorPrincipal]>() {}

const refused = (): DomainError =>
  new DomainError('unauthenticated', 'UNAUTHENTICATED', 'The refresh token is not valid. Sign in again.');

/** Reads the session with the same checks as every request. */
async function honoured(
  reader: RecordReader,
  accounts: SessionAccounts,
  clock: Clock,
  { tenantId, sessionId }: RefreshToken,
): Promise<{ userId: string; generation: number }> {
  const { state } = await reader.read(session, tenantId, sessionId);
  if (state.status !== 'active') throw refused();
  const account = await accounts.byId(tenantId, state.userId);
  const now = new Date(clock.nowMs());
  if (!account?.isActive || !isHonoured(state, sessionId, account.owner, now)) throw refused();
  return { userId: state.userId, generation: state.tokens.length };
}

/**
 * Exchanges a refresh token, which is then spent, for new tokens. Repeated requests within some seconds get the same
 * response. Later reuse counts as theft and ends the session.
 */
export async function refreshSession(
  runner: CommandRunner,
  reader: RecordReader,
  accounts: SessionAccounts,
  tokens: SessionTokens,
  clock: Clock,
  { data: { refreshToken } }: RefreshSession,
): Promise<SignedIn> {
  const token = parseRefreshToken(refreshToken);
  if (!token) throw refused();
  const { userId, generation } = await honoured(reader, accounts, clock, token);
  const { tenantId, sessionId } = token;
  const presentedHash = hashOfSecret(token.secret);
  // Only used if the token is current when the command is decided; this is then its successor's generation.
  const nextHash = await tokens.nextHash(sessionId, generation);
  const rotation = { presentedHash, nextHash, expiresAt: new Date(clock.nowMs() + SESSION_MS) };
  const context = { ...currentContext(), tenantId, actor: actorOf(tenantId, userId, sessionId) };
  const { state, position } = await inContext(context, () =>
    runner.execute(session, { tenantId, id: sessionId }, rotation, rotateRefreshToken),
  );
  const issued = answerTo(state, presentedHash);
  if (!issued) throw refused();
  return { tokens: await tokens.answer({ tenantId, userId, sessionId, ...issued }), position };
}

export const sessionCommandHandlers = [
  LoginHandler,
  handles(RefreshSession, [CommandRunner, RecordReader, SessionAccounts, SessionTokens, CLOCK], refreshSession),
  handles(Logout, [CommandRunner], async (runner, { args: [principal] }) => {
    const target = { tenantId: currentContext().tenantId, id: principal.sessionId };
    // The issuer owns this session; Kontor stores nothing that could end.
    if (isOidcSession(target.id)) return { id: target.id, revision: 0, position: 0 };
    return receiptOf(await runner.execute(session, target, { reason: 'LOGOUT' }, endSession));
  }),
  changeOwnPasswordHandler,
];
