import { Inject, Injectable } from '@nestjs/common';
import { currentContext } from '../eventsourcing/context.js';
import { streamName } from '../eventsourcing/stream-name.js';
import { Passwords } from '../security/passwords.js';
import { LoginFailures, LoginThrottle } from './login-throttle.js';
import type { Account } from './session-accounts.js';

/**
 * Verifies the password of a person who has a session. Attempts are limited and recorded like sign-ins, because the
 * session may be stolen.
 */
@Injectable()
export class CurrentPassword {
  constructor(
    @Inject(Passwords) private readonly passwords: Passwords,
    @Inject(LoginThrottle) private readonly throttle: LoginThrottle,
    @Inject(LoginFailures) private readonly failures: LoginFailures,
  ) {}

  /** @throws DomainError limited, unavailable */
  async isRight(account: Account, password: string): Promise<boolean> {
    const { tenantId, owner, passwordHash } = account;
    const isRight = await this.throttle.guard(
      streamName('password', tenantId, owner.userId),
      currentContext().ip ?? '',
      async () => (await this.passwords.matches(passwordHash, password)) || undefined,
    );
    if (!isRight) this.failures.record(account, 'WRONG_PASSWORD');
    return isRight === true;
  }
}
