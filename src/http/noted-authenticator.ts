import { Inject, Injectable } from '@nestjs/common';
import { IntegrationKeyUses } from '../commands/integration-key-uses.js';
import type { Authenticator, OperatorPrincipal, PartnerPrincipal, UserPrincipal } from '../platform/principal.js';
import { StreamAuthenticator } from './authenticator.js';

/** Notes the use of every integration key that is let in. */
@Injectable()
export class NotedAuthenticator implements Authenticator {
  constructor(
    @Inject(StreamAuthenticator) private readonly authenticator: StreamAuthenticator,
    @Inject(IntegrationKeyUses) private readonly uses: IntegrationKeyUses,
  ) {}

  bearer(token: string): Promise<UserPrincipal | OperatorPrincipal> {
    return this.authenticator.bearer(token);
  }

  async partner(key: string): Promise<PartnerPrincipal> {
    const partner = await this.authenticator.partner(key);
    this.uses.note(partner);
    return partner;
  }
}
