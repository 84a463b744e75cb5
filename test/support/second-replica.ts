import { catalogue } from '../../src/catalogue.js';
import { SessionAccounts } from '../../src/commands/session-accounts.js';
import { RefreshSession, RefreshSessionHandler } from '../../src/commands/session.commands.js';
import { SessionTokens, type Tokens } from '../../src/commands/session-tokens.js';
import { StreamAuthenticator } from '../../src/http/authenticator.js';
import { AccessTokens } from '../../src/platform/access-tokens.js';
import { Appender } from '../../src/platform/appender.js';
import { Claims } from '../../src/platform/claims.js';
import { CommandRunner } from '../../src/platform/command-runner.js';
import { inContext } from '../../src/platform/context.js';
import { DomainError } from '../../src/platform/domain-error.js';
import { Memberships } from '../../src/platform/memberships.js';
import { OidcTokens } from '../../src/platform/oidc.js';
import { RecordReader } from '../../src/platform/record-reader.js';
import { PLATFORM_TENANT } from '../../src/platform/stream-name.js';
import { silentLogger } from '../../src/ports/log.js';
import { FaultyEventStore } from './faulty-event-store.js';
import type { TestService } from './service.js';

/** What another replica knows of sessions: the same history and data directory, nothing of the service's memory. */
export class SecondReplica {
  private constructor(
    readonly store: FaultyEventStore,
    private readonly authenticator: StreamAuthenticator,
    private readonly refreshing: RefreshSessionHandler,
    private readonly service: TestService,
  ) {}

  static async beside(service: TestService): Promise<SecondReplica> {
    const { events, clock, ids } = service.service.engines;
    const store = new FaultyEventStore(events);
    const reader = new RecordReader(store, catalogue, clock);
    const appender = new Appender(store, catalogue, clock);
    const claims = new Claims(reader, appender, catalogue, clock, ids);
    const memberships = new Memberships(reader, appender, catalogue, clock, ids);
    const runner = new CommandRunner(reader, appender, claims, memberships, clock);
    const names = { issuer: 'kontor', audience: 'kontor' };
    const tokens = await AccessTokens.open(service.directory, { ...names, clock });
    const oidc = new OidcTokens({ audience: 'kontor', clock, logger: silentLogger });
    const accounts = new SessionAccounts(reader, claims);
    const refreshing = new RefreshSessionHandler(runner, reader, accounts, new SessionTokens(tokens), clock);
    const authenticator = new StreamAuthenticator(tokens, oidc, reader, claims, clock, ids);
    return new SecondReplica(store, authenticator, refreshing, service);
  }

  /** `ok`, or the refusal. */
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
    return (await inContext(context, () => this.refreshing.execute(renewal))).tokens;
  }
}
