import { z } from 'zod';
import { wrongPassword } from '../aggregates/credentials.js';
import { changeOwnOperatorPassword, operator } from '../aggregates/operator.aggregate.js';
import { ensureUnlike, Password } from '../aggregates/password-strength.js';
import { changeOwnPassword, user } from '../aggregates/user.aggregate.js';
import { CommandRunner } from '../eventsourcing/command-runner.js';
import { receiptOf, type Receipt } from '../eventsourcing/command.js';
import { currentContext } from '../eventsourcing/context.js';
import { commandOf, handles } from '../eventsourcing/handler.js';
import { invalid } from '../eventsourcing/domain-error.js';
import { Passwords } from '../security/passwords.js';
import type { OperatorPrincipal, UserPrincipal } from '../security/principal.js';
import { streamName } from '../eventsourcing/stream-name.js';
import { LoginThrottle } from './login-throttle.js';
import { hashNewPassword } from './new-password.js';
import { SessionAccounts, type Account } from './session-accounts.js';

export const ChangePasswordInput = z
  .strictObject({ currentPassword: z.string().max(1_024), newPassword: Password })
  .meta({ id: 'ChangePasswordDto' });

/** Changes the caller's own password and ends all other sessions of the caller. */
export class ChangeOwnPassword extends commandOf<
  Receipt,
  [principal: UserPrincipal | OperatorPrincipal, data: z.output<typeof ChangePasswordInput>]
>() {}

/** Throttled, so that a stolen session cannot be used to guess the password. @throws DomainError invalid, limited */
async function verified(
  accounts: SessionAccounts,
  passwords: Passwords,
  throttle: LoginThrottle,
  { args: [{ userId }, data] }: ChangeOwnPassword,
): Promise<Account> {
  const { tenantId, ip = '' } = currentContext();
  const account = await throttle.guard(streamName('password', tenantId, userId), ip, async () => {
    const found = await accounts.byId(tenantId, userId);
    return (await passwords.matches(found?.passwordHash, data.currentPassword)) ? found : undefined;
  });
  if (!account) throw wrongPassword();
  return account;
}

export const changeOwnPasswordHandler = handles(
  ChangeOwnPassword,
  [CommandRunner, SessionAccounts, Passwords, LoginThrottle],
  async (runner, accounts, passwords, throttle, received) => {
    const [principal, data] = received.args;
    const account = await verified(accounts, passwords, throttle, received);
    if (data.newPassword === data.currentPassword.normalize('NFC'))
      throw invalid([{ path: 'newPassword', message: 'The new password is the current one.' }]);
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
