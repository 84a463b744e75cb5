import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { emailClaim } from '../aggregates/credentials.js';
import {
  createTenant,
  CreateTenant as CreateTenantInput,
  tenant,
  updateTenant,
  UpdateTenant as UpdateTenantInput,
  type NewTenant,
  type TenantSeeds,
} from '../aggregates/tenant.aggregate.js';
import { user } from '../aggregates/user.aggregate.js';
import { fold } from '../platform/aggregate.js';
import { Claims } from '../platform/claims.js';
import { CommandRunner } from '../platform/command-runner.js';
import { command, decides, type Receipt } from '../platform/command.js';
import { currentContext } from '../platform/context.js';
import { conflict } from '../platform/domain-error.js';
import { metadataOf } from '../platform/event-catalogue.js';
import { hashPassword } from '../platform/passwords.js';
import { PLATFORM_TENANT, streamName } from '../platform/stream-name.js';
import { CLOCK, IDS, type Clock, type Ids } from '../ports/time.js';
import { TenantSeeder } from './tenant-seeds.js';

export class CreateTenant extends command(CreateTenantInput) {}
export class UpdateTenant extends command(UpdateTenantInput) {}

/**
 * Claims the owner's e-mail for a user that is made afterwards, then the slug with the tenant itself, then makes what
 * the tenant starts with. A crash after TenantCreated is healed by the policy on that event.
 */
@CommandHandler(CreateTenant)
export class CreateTenantHandler implements ICommandHandler<CreateTenant, Receipt> {
  constructor(
    @Inject(CommandRunner) private readonly runner: CommandRunner,
    @Inject(Claims) private readonly claims: Claims,
    @Inject(TenantSeeder) private readonly seeder: TenantSeeder,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(IDS) private readonly ids: Ids,
  ) {}

  async execute({ target, data: { owner, ...rest } }: CreateTenant): Promise<Receipt> {
    const { password, ...person } = owner;
    const userId = this.ids.next();
    const passwordHash = await hashPassword(password);
    const data: NewTenant = { ...rest, owner: { userId, ...person, passwordHash }, seeds: this.newSeeds() };
    await this.checkSlug(data);
    const ownerStream = streamName(user.name, target.id, userId);
    const claim = emailClaim(person.email);
    const { outcome } = await this.claims.acquire(claim, { stream: ownerStream, revision: -1 });
    if (outcome === 'held' && claim.refusal) throw conflict(claim.refusal.code, claim.refusal.message);
    const made = await this.runner.execute(tenant, { ...target, tenantId: PLATFORM_TENANT }, data, createTenant);
    const [id = ''] = made.eventIds;
    const metadata = metadataOf(currentContext(), 1, new Date(this.clock.nowMs()).toISOString());
    const position = await this.seeder.seed({ id, tenantId: PLATFORM_TENANT, metadata }, target.id, data);
    return { id: made.id, revision: made.revision, position: Math.max(position, made.position) };
  }

  /** Before the e-mail is claimed: a claim that no user follows stands in the way of the next try for some seconds. */
  private async checkSlug(data: NewTenant): Promise<void> {
    const state = fold(tenant, createTenant(tenant.initial, data));
    for (const claim of tenant.claims?.(state, PLATFORM_TENANT) ?? []) {
      const holder = await this.claims.holder(claim);
      if (holder !== undefined && claim.refusal) throw conflict(claim.refusal.code, claim.refusal.message);
    }
  }

  private newSeeds(): TenantSeeds {
    const next = () => this.ids.next();
    return {
      branchId: next(),
      customerId: next(),
      accounts: {
        cash: next(),
        bank: next(),
        card: next(),
        sales: next(),
        tax: next(),
        openingBalances: next(),
        adjustments: next(),
      },
    };
  }
}

export const tenantCommandHandlers = [CreateTenantHandler, decides(UpdateTenant, tenant, updateTenant)];
