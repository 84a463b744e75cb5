import { OidcIdentities, SessionAccounts } from '../../src/commands/session-accounts.js';
import { RefreshSession, refreshSession } from '../../src/commands/session.commands.js';
import {
  SESSION_RULES,
  type SessionRules,
  SessionTokens,
  type SignedIn,
  type Tokens,
} from '../../src/commands/session-tokens.js';
import { StreamAuthenticator } from '../../src/http/authenticator.js';
import { AccessTokens } from '../../src/security/access-tokens.js';
import { inContext } from '../../src/eventsourcing/context.js';
import { DomainError } from '../../src/eventsourcing/domain-error.js';
import { OidcTokens } from '../../src/security/oidc.js';
import { PLATFORM_TENANT } from '../../src/eventsourcing/stream-name.js';
import { silentLogger } from '../../src/ports/log.js';
import { replicaOn } from './elsewhere.js';
import { FaultyEventStore } from './faulty-event-store.js';
import type { TestService } from './service.js';

/**
 * Sessions as another replica sees them. The replica uses the service's history and data directory, but shares no
 * memory with the service.
 */
export class SecondReplica {
  private constructor(
    readonly store: FaultyEventStore,
    private readonly authenticator: StreamAuthenticator,
    private readonly renew: (renewal: RefreshSession) => Promise<SignedIn>,
    private readonly service: TestService,
  ) {}

  static async beside(service: TestService): Promise<SecondReplica> {
    const { events, clock, ids } = service.service.engines;
    const store = new FaultyEventStore(events);
    const { reader, claims, runner } = replicaOn({ events: store, clock, ids });
    const names = { issuer: 'kontor', audience: 'kontor' };
    const tokens = await AccessTokens.open(service.directory, { ...names, clock });
    const oidc = new OidcTokens({ audience: 'kontor', clock, logger: silentLogger });
    const accounts = new SessionAccounts(reader, claims);
    const sessionTokens = new SessionTokens(tokens);
    const rules = service.service.app.get<SessionRules>(SESSION_RULES);
    const renew = (renewal: RefreshSession) =>
      refreshSession(runner, reader, accounts, sessionTokens, clock, rules, renewal);
    const identities = new OidcIdentities(reader, claims, runner, ids);
    const uses = { note: () => undefined };
    const authenticator = new StreamAuthenticator(tokens, oidc, reader, identities, clock, uses, rules);
    return new SecondReplica(store, authenticator, renew, service);
  }

  /** Authenticates with an access token. Returns `ok`, or the code or name of the error. */
  async told(token: string): Promise<string> {
    try {
      await this.authenticator.bearer(token);
      return 'ok';
    } catch (error) {
      if (error instanceof DomainError) return error.code;
      return (error as Error).name;
    }
  }

  async refresh(refreshToken: string): Promise<Tokens> {
    const id = this.service.service.engines.ids.next();
    const actor = { kind: 'anonymous' } as const;
    const context = { tenantId: PLATFORM_TENANT, actor, requestId: id, correlationId: id, commandId: id };
    const renewal = new RefreshSession({ refreshToken });
    return (await inContext(context, () => this.renew(renewal))).tokens;
  }
}
