import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { z } from 'zod';
import { Password, wrongPassword, type OwnPassword } from '../aggregates/credentials.js';
import { changeOwnOperatorPassword, operator } from '../aggregates/operator.aggregate.js';
import { changeOwnPassword, user } from '../aggregates/user.aggregate.js';
import { CommandRunner } from '../platform/command-runner.js';
import { receiptOf, type Receipt } from '../platform/command.js';
import { currentContext } from '../platform/context.js';
import { invalid } from '../platform/domain-error.js';
import { Passwords } from '../platform/passwords.js';
import type { OperatorPrincipal, UserPrincipal } from '../platform/principal.js';
import { streamName } from '../platform/stream-name.js';
import { LoginThrottle } from './login-throttle.js';
import { SessionAccounts, type Account } from './session-accounts.js';

export const ChangePasswordInput = z
  .strictObject({ currentPassword: z.string().max(1_024), newPassword: Password })
  .meta({ id: 'ChangePasswordDto' });

/** The caller's own password. Every other session of the caller ends. */
export class ChangeOwnPassword extends Command<Receipt> {
  constructor(
    readonly principal: UserPrincipal | OperatorPrincipal,
    readonly data: z.output<typeof ChangePasswordInput>,
  ) {
    super();
  }
}

@CommandHandler(ChangeOwnPassword)
export class ChangeOwnPasswordHandler implements ICommandHandler<ChangeOwnPassword, Receipt> {
  constructor(
    @Inject(CommandRunner) private readonly runner: CommandRunner,
    @Inject(SessionAccounts) private readonly accounts: SessionAccounts,
    @Inject(Passwords) private readonly passwords: Passwords,
    @Inject(LoginThrottle) private readonly throttle: LoginThrottle,
  ) {}

  async execute({ principal, data: { currentPassword, newPassword } }: ChangeOwnPassword): Promise<Receipt> {
    const account = await this.verified(principal, currentPassword);
    if (newPassword === currentPassword)
      throw invalid([{ path: 'newPassword', message: 'The new password is the current one.' }]);
    const passwordHash = await this.passwords.hash(newPassword);
    const change = { passwordHash, keptSessionId: principal.sessionId, epoch: account.owner.epoch };
    return receiptOf(await this.write(principal, change));
  }

  /** Whoever has got hold of a session must not guess the password with it. @throws DomainError invalid, limited */
  private async verified({ userId }: { userId: string }, password: string): Promise<Account> {
    const { tenantId, ip = '' } = currentContext();
    const account = await this.throttle.guard(streamName('password', tenantId, userId), ip, async () => {
      const found = await this.accounts.byId(tenantId, userId);
      return (await this.passwords.matches(found?.passwordHash, password)) ? found : undefined;
    });
    if (!account) throw wrongPassword();
    return account;
  }

  private write(principal: UserPrincipal | OperatorPrincipal, change: OwnPassword): Promise<Receipt> {
    const target = { tenantId: currentContext().tenantId, id: principal.userId };
    return principal.kind === 'operator'
      ? this.runner.execute(operator, target, change, changeOwnOperatorPassword)
      : this.runner.execute(user, target, change, changeOwnPassword);
  }
}
