import { Inject, Injectable } from '@nestjs/common';
import { ACCOUNT_DEFAULTS_ID, accountDefaults, seedDefaultAccounts } from '../aggregates/account-defaults.aggregate.js';
import { account, createAccount, seedAccounts } from '../aggregates/account.aggregate.js';
import { branch, createBranch } from '../aggregates/branch.aggregate.js';
import { createCustomer, customer } from '../aggregates/customer.aggregate.js';
import { createUser, user } from '../aggregates/user.aggregate.js';
import type { NewTenant } from '../aggregates/tenant.aggregate.js';
import { CommandRunner } from '../platform/command-runner.js';
import { inReactionTo, type Cause } from '../platform/policy.js';

/**
 * What every tenant starts with: its owner, the branch MAIN, the default customer and the seven accounts. All ids are
 * in TenantCreated, so this may run any number of times (by the command that made the tenant, and by the policy that
 * finishes what a crash left undone) and makes each record once.
 */
@Injectable()
export class TenantSeeder {
  constructor(@Inject(CommandRunner) private readonly runner: CommandRunner) {}

  /** Answers with the position of the last event written (or read, where all was there). */
  seed(cause: Cause, tenantId: string, data: NewTenant): Promise<number> {
    return inReactionTo(cause, 'tenant-seeding', () => this.write(tenantId, data), tenantId);
  }

  private async write(tenantId: string, { owner, seeds, currency }: NewTenant): Promise<number> {
    const { userId, ...credentials } = owner;
    const owned = await this.runner.execute(
      user,
      { tenantId, id: userId },
      { ...credentials, role: 'OWNER', isActive: true },
      createUser,
    );
    const main = await this.runner.execute(
      branch,
      { tenantId, id: seeds.branchId },
      { code: 'MAIN', name: 'Main branch', isActive: true },
      createBranch,
    );
    const walkIn = await this.runner.execute(
      customer,
      { tenantId, id: seeds.customerId },
      {
        id: seeds.customerId,
        input: { name: 'Walk-in customer', type: 'INDIVIDUAL' as const },
        code: 'C-000000',
        tenantCurrency: currency,
        openingBalancesAccountId: seeds.accounts.openingBalances,
        isDefault: true,
      },
      createCustomer,
    );
    const accounts = await Promise.all(
      seedAccounts(seeds.accounts, currency).map(({ id, ...data }) =>
        this.runner.execute(account, { tenantId, id }, data, createAccount),
      ),
    );
    const { cash: CASH, bank: BANK, card: POS } = seeds.accounts;
    const target = { tenantId, id: ACCOUNT_DEFAULTS_ID };
    const defaults = await this.runner.execute(
      accountDefaults,
      target,
      { defaults: { CASH, BANK, POS } },
      seedDefaultAccounts,
    );
    return Math.max(...[owned, main, walkIn, ...accounts, defaults].map(({ position }) => position));
  }
}
