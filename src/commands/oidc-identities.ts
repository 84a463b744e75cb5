import { Inject, Injectable } from '@nestjs/common';
import { emailClaim } from '../aggregates/credentials.js';
import { identityClaim, type OidcIdentity } from '../aggregates/oidc-identity.js';
import { bindOperatorIdentity, operator, operatorHasIdentity } from '../aggregates/operator.aggregate.js';
import { listsDomain, tenant } from '../aggregates/tenant.aggregate.js';
import { bindIdentity, hasIdentity, user } from '../aggregates/user.aggregate.js';
import { Claims } from '../eventsourcing/claims.js';
import { CommandRunner } from '../eventsourcing/command-runner.js';
import { asService } from '../eventsourcing/context.js';
import { RecordReader, type Freshness } from '../eventsourcing/record-reader.js';
import { parseStreamName, PLATFORM_TENANT, type StreamParts } from '../eventsourcing/stream-name.js';
import { IDS, type Ids } from '../ports/time.js';

/** An identity with the e-mail address verified by its provider. */
export type VerifiedIdentity = OidcIdentity & { readonly email: string };

/** Bindings between accounts and identities at an OpenID provider (ADR 0057). */
@Injectable()
export class OidcIdentities {
  constructor(
    @Inject(RecordReader) private readonly reader: RecordReader,
    @Inject(Claims) private readonly claims: Claims,
    @Inject(CommandRunner) private readonly runner: CommandRunner,
    @Inject(IDS) private readonly ids: Ids,
  ) {}

  /** Whether the user or operator is active and bound to the identity. */
  async isBound({ tenantId, id }: StreamParts, identity: OidcIdentity, freshness?: Freshness): Promise<boolean> {
    return tenantId === PLATFORM_TENANT
      ? operatorHasIdentity((await this.reader.read(operator, tenantId, id, freshness)).state, identity)
      : hasIdentity((await this.reader.read(user, tenantId, id, freshness)).state, identity);
  }

  /** All accounts bound to the identity, rarely more than one. */
  async boundTo({ issuer, subject }: OidcIdentity): Promise<StreamParts[]> {
    const identity = { issuer, subject };
    const owners = this.ownersOf(await this.claims.owners(identityClaim(identity)));
    const areBound = await Promise.all(owners.map((owner) => this.isBound(owner, identity)));
    return owners.filter((_, index) => areBound[index]);
  }

  /**
   * Resolves an identity to its account. An unknown identity is bound to the operator with the verified e-mail address.
   * Otherwise it is bound to the only user with that address whose tenant lists issuer and domain. Returns undefined if
   * no account, or more than one, qualifies.
   */
  async accountOf({ issuer, subject, email }: VerifiedIdentity): Promise<StreamParts | undefined> {
    const identity = { issuer, subject };
    const [bound, ...others] = await this.boundTo(identity);
    if (bound) return others.length === 0 ? bound : undefined;
    const owners = this.ownersOf(await this.claims.owners(emailClaim(email)));
    const own = owners.filter(({ tenantId }) => tenantId === PLATFORM_TENANT);
    const [account, ...more] = await this.inviting(own.length > 0 ? own : owners, { issuer, email });
    if (!account || more.length > 0) return undefined;
    const context = { tenantId: account.tenantId, name: 'authentication', commandId: this.ids.next() };
    await asService(context, () => this.bind(account, identity));
    return (await this.isBound(account, identity)) ? account : undefined;
  }

  private bind({ tenantId, id }: StreamParts, identity: OidcIdentity): Promise<unknown> {
    return tenantId === PLATFORM_TENANT
      ? this.runner.execute(operator, { tenantId, id }, identity, bindOperatorIdentity)
      : this.runner.execute(user, { tenantId, id }, identity, bindIdentity);
  }

  /** Accounts that have the address and may be bound by it. */
  private async inviting(owners: readonly StreamParts[], given: Given): Promise<StreamParts[]> {
    const areInviting = await Promise.all(owners.map((owner) => this.isInviting(owner, given)));
    return owners.filter((_, index) => areInviting[index]);
  }

  private async isInviting({ tenantId, id }: StreamParts, { issuer, email }: Given): Promise<boolean> {
    const isPlatform = tenantId === PLATFORM_TENANT;
    const { state } = isPlatform
      ? await this.reader.read(operator, tenantId, id)
      : await this.reader.read(user, tenantId, id);
    if (state.status !== 'active' || state.identity !== null) return false;
    if (emailClaim(state.email).value !== emailClaim(email).value) return false;
    return isPlatform || listsDomain((await this.reader.read(tenant, PLATFORM_TENANT, tenantId)).state, issuer, email);
  }

  private ownersOf(streams: readonly string[]): StreamParts[] {
    return streams.flatMap((stream) => parseStreamName(stream) ?? []);
  }
}

type Given = { readonly issuer: string; readonly email: string };
