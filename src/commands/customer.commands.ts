import { Inject, Injectable } from '@nestjs/common';
import { z } from 'zod';
import { namedByRules } from '../aggregates/account.aggregate.js';
import {
  CreateCustomer as CreateCustomerInput,
  type CustomerLink,
  UpdateCustomer as UpdateCustomerInput,
} from '../aggregates/customer-fields.js';
import {
  createCustomer,
  customer,
  type Customer,
  type CustomerEvent,
  deleteCustomer,
  presentCustomer,
  updateCustomer,
} from '../aggregates/customer.aggregate.js';
import { type Closing, ensureOpen } from '../aggregates/tenant-periods.js';
import { presentTenant, tenant } from '../aggregates/tenant.aggregate.js';
import { CommandRunner, type Executed, type Target } from '../eventsourcing/command-runner.js';
import { command, decidesWith, receiptOf } from '../eventsourcing/command.js';
import { conflict, DomainError } from '../eventsourcing/domain-error.js';
import { handles } from '../eventsourcing/handler.js';
import { RecordReader } from '../eventsourcing/record-reader.js';
import { PLATFORM_TENANT } from '../eventsourcing/stream-name.js';
import { IDS, type Ids } from '../ports/time.js';
import { Categorizer } from '../queries/category.queries.js';
import { LedgerUse } from '../queries/ledger-use.js';
import { ensureActiveBranch } from './branch-check.js';
import { NumberSeries } from './number-series.js';

/** Generates customer codes: C-000001, C-000002 and so on. */
@Injectable()
export class CustomerCodes extends NumberSeries {
  constructor(@Inject(CommandRunner) runner: CommandRunner, @Inject(IDS) ids: Ids) {
    super(runner, ids, { id: 'customer-codes', prefix: 'C' });
  }
}

export class CreateCustomer extends command(CreateCustomerInput) {}
export class UpdateCustomer extends command(UpdateCustomerInput) {}
export class DeleteCustomer extends command(z.object({})) {}

const isCodeTaken = (error: unknown): boolean => error instanceof DomainError && error.code === 'CUSTOMER_CODE_TAKEN';

/** Creates customers for users' requests and for partners' sales. Generates a code if none is specified. */
@Injectable()
export class CustomerCreation {
  constructor(
    @Inject(CommandRunner) private readonly runner: CommandRunner,
    @Inject(RecordReader) private readonly reader: RecordReader,
    @Inject(CustomerCodes) private readonly codes: CustomerCodes,
    @Inject(Categorizer) private readonly categorizer: Categorizer,
  ) {}

  async create(
    target: Target,
    input: CreateCustomerInput,
    links: readonly CustomerLink[] = [],
  ): Promise<Executed<Customer, CustomerEvent>> {
    if (input.branchId) await ensureActiveBranch(this.reader, target.tenantId, input.branchId);
    const { state } = await this.reader.read(tenant, PLATFORM_TENANT, target.tenantId);
    const found = presentTenant(state);
    const { currency: tenantCurrency, seeds } = found;
    const openingBalancesAccountId = seeds.accounts.openingBalances;
    const rules = await this.rulesFor(target, found, input);
    for (let tried = 1; ; tried += 1) {
      const code = input.code ?? (await this.codes.next(target.tenantId));
      const data = { id: target.id, input, code, tenantCurrency, openingBalancesAccountId, links, ...rules };
      try {
        return await this.runner.execute(customer, target, data, createCustomer);
      } catch (error) {
        if (typeof input.code === 'string' || !isCodeTaken(error)) throw error;
        if (!(await this.codes.afterTaken(target.tenantId, tried))) throw error;
      }
    }
  }

  /**
   * Returns the category rules for the opening balance, or an empty object if there is no opening balance.
   * @throws DomainError conflict PERIOD_CLOSED
   */
  private async rulesFor({ tenantId, id }: Target, closing: Closing, { openingBalance }: CreateCustomerInput) {
    if (!openingBalance) return {};
    // Repeating a recorded creation posts nothing, so it succeeds even if the period has been closed since.
    const { state } = await this.reader.read(customer, tenantId, id);
    if (state.status === 'absent') ensureOpen(closing, openingBalance.date);
    return { rules: await this.categorizer.rulesOf(tenantId) };
  }
}

async function ensureBranch(reader: RecordReader, { target, data }: UpdateCustomer): Promise<UpdateCustomerInput> {
  const { branchId } = data;
  const { state } = await reader.read(customer, target.tenantId, target.id);
  // A customer may keep a branch that has become inactive.
  if (branchId && branchId !== presentCustomer(state).branchId)
    await ensureActiveBranch(reader, target.tenantId, branchId);
  return data;
}

/** Rejects the deletion of a customer with transactions. Such a customer can be deactivated instead. */
export async function ensureUnused(
  reader: RecordReader,
  ledger: Pick<LedgerUse, 'hasTransactions' | 'isInRule'>,
  { target }: DeleteCustomer,
): Promise<void> {
  const { tenantId, id } = target;
  const { isDefault } = presentCustomer((await reader.read(customer, tenantId, id)).state);
  if (!isDefault && (await ledger.hasTransactions(tenantId, id)))
    throw conflict('CUSTOMER_HAS_TRANSACTIONS', 'The customer has transactions. Deactivate it instead.');
  if (!isDefault && (await ledger.isInRule(tenantId, id)))
    throw conflict(namedByRules.refusal.code, namedByRules.refusal.message);
}

export const customerCommandHandlers = [
  handles(CreateCustomer, [CustomerCreation], async (creation, { target, data }) =>
    receiptOf(await creation.create(target, data)),
  ),
  decidesWith(UpdateCustomer, [RecordReader], ensureBranch, customer, updateCustomer),
  decidesWith(DeleteCustomer, [RecordReader, LedgerUse], ensureUnused, customer, deleteCustomer),
];
