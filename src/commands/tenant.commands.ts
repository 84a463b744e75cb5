import { Inject, Injectable } from '@nestjs/common';
import { ACCOUNT_DEFAULTS_ID, accountDefaults, seedDefaultAccounts } from '../aggregates/account-defaults.aggregate.js';
import { account, createAccount, seedAccounts } from '../aggregates/account.aggregate.js';
import type { Authority } from '../aggregates/authority.js';
import { branch, createBranch } from '../aggregates/branch.aggregate.js';
import { categoryRule, createCategoryRule } from '../aggregates/category-rule.aggregate.js';
import { category, createCategory } from '../aggregates/category.aggregate.js';
import { createCustomer, customer } from '../aggregates/customer.aggregate.js';
import { seedCategories, type SeedCategory } from '../aggregates/tenant-seed-categories.js';
import * as periods from '../aggregates/tenant-periods.js';
import * as tenants from '../aggregates/tenant.aggregate.js';
import { createUser, user } from '../aggregates/user.aggregate.js';
import { CommandRunner } from '../eventsourcing/command-runner.js';
import { command, commandBy, decides, decidesWith, receiptOf } from '../eventsourcing/command.js';
import { currentContext } from '../eventsourcing/context.js';
import { conflict, DomainError } from '../eventsourcing/domain-error.js';
import { metadataOf } from '../eventsourcing/event-catalogue.js';
import { handles } from '../eventsourcing/handler.js';
import { type Cause, inReactionTo } from '../eventsourcing/policy.js';
import { RecordReader } from '../eventsourcing/record-reader.js';
import { PLATFORM_TENANT } from '../eventsourcing/stream-name.js';
import { CLOCK, IDS, type Ids } from '../ports/time.js';
import { hashNewPassword } from '../security/passwords.js';

/**
 * Creates a tenant's initial records: its owner, the MAIN branch, the default customer, seven accounts, categories and
 * their rules. All ids are in TenantCreated or derived from the tenant's id, so repeated runs of the seeder create each
 * record only once. The command that creates the tenant runs the seeder, and so does the policy that completes the
 * tenant after a crash.
 */
@Injectable()
export class TenantSeeder {
  constructor(@Inject(CommandRunner) private readonly runner: CommandRunner) {}

  /** Returns the position of the last event written, or of the last event read if all records already existed. */
  seed(cause: Cause, tenantId: string, data: tenants.NewTenant): Promise<number> {
    return inReactionTo(cause, 'tenant-seeding', () => this.write(tenantId, data), tenantId);
  }

  private async write(tenantId: string, { owner, seeds, currency }: tenants.NewTenant): Promise<number> {
    const { userId, ...credentials } = owner;
    const owned = await this.runner.execute(
      user,
      { tenantId, id: userId },
      { ...credentials, role: 'OWNER', isActive: true },
      createUser,
    );
    const positions = await Promise.all([
      this.makeBranch(tenantId, seeds),
      this.makeCustomer(tenantId, seeds, currency),
      this.makeAccounts(tenantId, seeds, currency),
      ...seedCategories(tenantId).map((seed) => this.makeCategory(tenantId, seed)),
    ]);
    return Math.max(owned.position, ...positions);
  }

  private async makeBranch(tenantId: string, { branchId }: tenants.TenantSeeds): Promise<number> {
    const data = { code: 'MAIN', name: 'Main branch', isActive: true };
    return (await this.runner.execute(branch, { tenantId, id: branchId }, data, createBranch)).position;
  }

  private async makeCustomer(tenantId: string, seeds: tenants.TenantSeeds, currency: string): Promise<number> {
    const id = seeds.customerId;
    const data = {
      id,
      input: { name: 'Walk-in customer', type: 'INDIVIDUAL' as const },
      code: 'C-000000',
      tenantCurrency: currency,
      openingBalancesAccountId: seeds.accounts.openingBalances,
      isDefault: true,
    };
    return (await this.runner.execute(customer, { tenantId, id }, data, createCustomer)).position;
  }

  private async makeAccounts(tenantId: string, seeds: tenants.TenantSeeds, currency: string): Promise<number> {
    const accounts = await Promise.all(
      seedAccounts(seeds.accounts, currency).map(({ id, ...data }) =>
        this.runner.execute(account, { tenantId, id }, data, createAccount),
      ),
    );
    const { cash: CASH, bank: BANK, card: POS } = seeds.accounts;
    const target = { tenantId, id: ACCOUNT_DEFAULTS_ID };
    const data = { defaults: { CASH, BANK, POS } };
    const defaults = await this.runner.execute(accountDefaults, target, data, seedDefaultAccounts);
    return Math.max(...[...accounts, defaults].map(({ position }) => position));
  }

  /** Creates a category with its rules, unless a user has already created a category with the same name. */
  private async makeCategory(tenantId: string, { id, category: data, rules }: SeedCategory): Promise<number> {
    try {
      const made = await this.runner.execute(category, { tenantId, id }, data, createCategory);
      const ruled = await Promise.all(
        rules.map(({ id: ruleId, rule }) =>
          this.runner.execute(categoryRule, { tenantId, id: ruleId }, rule, createCategoryRule),
        ),
      );
      return Math.max(...[made, ...ruled].map(({ position }) => position));
    } catch (error) {
      if (error instanceof DomainError && error.code === 'CATEGORY_NAME_TAKEN') return -1;
      throw error;
    }
  }
}

export class CreateTenant extends command(tenants.CreateTenant) {}
export class UpdateTenant extends command(tenants.UpdateTenant) {}
/** Changes the settings that the tenant itself controls. */
export class UpdateSettings extends commandBy<Authority>()(tenants.UpdateSettings) {}
export class ClosePeriod extends command(periods.ClosePeriod) {}
export class ReopenPeriod extends command(periods.ReopenPeriod) {}

function newSeeds(ids: Ids): tenants.TenantSeeds {
  const next = () => ids.next();
  const [branchId, customerId] = [next(), next()];
  const [cash, bank, card, sales, tax] = [next(), next(), next(), next(), next()];
  return {
    branchId,
    customerId,
    accounts: { cash, bank, card, sales, tax, openingBalances: next(), adjustments: next() },
  };
}

export const tenantCommandHandlers = [
  // Creates the tenant, then its initial records. After a crash, the policy that handles TenantCreated completes the
  // records.
  handles(
    CreateTenant,
    [CommandRunner, RecordReader, TenantSeeder, CLOCK, IDS],
    async (runner, reader, seeder, clock, ids, { target, data: { owner, ...rest } }) => {
      const known = await reader.read(tenants.tenant, PLATFORM_TENANT, target.id);
      // An earlier attempt at the same request created the tenant.
      if (known.state.status !== 'absent') return receiptOf({ ...known, id: target.id });
      const { password, ...person } = owner;
      const userId = ids.next();
      const passwordHash = await hashNewPassword(password);
      const data: tenants.NewTenant = { ...rest, owner: { userId, ...person, passwordHash }, seeds: newSeeds(ids) };
      if (rest.slug === PLATFORM_TENANT) throw conflict('SLUG_TAKEN', 'This slug is reserved for operators.');
      const made = await runner.execute(
        tenants.tenant,
        { ...target, tenantId: PLATFORM_TENANT },
        data,
        tenants.createTenant,
      );
      const [id = ''] = made.eventIds;
      const metadata = metadataOf(currentContext(), 1, new Date(clock.nowMs()).toISOString());
      const position = await seeder.seed({ id, tenantId: PLATFORM_TENANT, metadata }, target.id, data);
      return { ...receiptOf(made), position: Math.max(position, made.position) };
    },
  ),
  decides(UpdateTenant, tenants.tenant, tenants.updateTenant),
  decidesWith(UpdateSettings, [], ({ data: patch, by }) => ({ by, patch }), tenants.tenant, tenants.changeSettings),
  decides(ClosePeriod, tenants.tenant, tenants.closePeriod),
  decides(ReopenPeriod, tenants.tenant, tenants.reopenPeriod),
];
