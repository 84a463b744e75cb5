import { Inject, Injectable } from '@nestjs/common';
import { z } from 'zod';
import { namedByRules } from '../aggregates/account.aggregate.js';
import { Categorizer } from '../queries/categorizer.js';
import {
  CreateCustomer as CreateCustomerInput,
  UpdateCustomer as UpdateCustomerInput,
  type CustomerLink,
} from '../aggregates/customer-fields.js';
import {
  createCustomer,
  customer,
  deleteCustomer,
  presentCustomer,
  updateCustomer,
  type Customer,
  type CustomerEvent,
} from '../aggregates/customer.aggregate.js';
import { LedgerUse } from '../queries/ledger-use.js';
import { presentTenant, tenant } from '../aggregates/tenant.aggregate.js';
import { CommandRunner, type Executed, type Target } from '../eventsourcing/command-runner.js';
import { command, decidesWith, receiptOf } from '../eventsourcing/command.js';
import { conflict, DomainError } from '../eventsourcing/domain-error.js';
import { handles } from '../eventsourcing/handler.js';
import { RecordReader } from '../eventsourcing/record-reader.js';
import { PLATFORM_TENANT } from '../eventsourcing/stream-name.js';
import { ensureActiveBranch } from './branch-check.js';
import { CustomerCodes } from './customer-codes.js';

export class CreateCustomer extends command(CreateCustomerInput) {}
export class UpdateCustomer extends command(UpdateCustomerInput) {}
export class DeleteCustomer extends command(z.object({})) {}

/** Consecutive codes assigned by hand that are skipped one at a time. Each later attempt doubles the step. */
const PASSED_ONE_BY_ONE = 5;
/** Enough for about a million codes assigned by hand. */
const MAX_CODES_TRIED = 20;
const isCodeTaken = (error: unknown): boolean => error instanceof DomainError && error.code === 'CUSTOMER_CODE_TAKEN';

/** Creates customers for users and partners' sales: reads the tenant and generates a code if none is given. */
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
    const { currency: tenantCurrency, seeds } = presentTenant(state);
    const openingBalancesAccountId = seeds.accounts.openingBalances;
    const rules = await this.rulesFor(target, input);
    for (let tried = 1; ; tried += 1) {
      const code = input.code ?? (await this.codes.next(target.tenantId));
      const data = { id: target.id, input, code, tenantCurrency, openingBalancesAccountId, links, ...rules };
      try {
        return await this.runner.execute(customer, target, data, createCustomer);
      } catch (error) {
        if (input.code !== undefined || !isCodeTaken(error) || tried === MAX_CODES_TRIED) throw error;
        // The next code of the sequence was assigned by hand: try a later one.
        if (tried > PASSED_ONE_BY_ONE) await this.codes.skip(target.tenantId, 2 ** tried);
      }
    }
  }

  private async rulesFor({ tenantId }: Target, { openingBalance }: CreateCustomerInput) {
    return openingBalance ? { rules: await this.categorizer.rulesOf(tenantId) } : {};
  }
}

async function ensureBranch(reader: RecordReader, { target, data }: UpdateCustomer): Promise<UpdateCustomerInput> {
  const { branchId } = data;
  const { state } = await reader.read(customer, target.tenantId, target.id);
  // A branch that the customer already has may be inactive.
  if (branchId && branchId !== presentCustomer(state).branchId)
    await ensureActiveBranch(reader, target.tenantId, branchId);
  return data;
}

/** Rejects deletion of a customer with transactions, which can be made passive instead. */
export async function ensureUnused(
  reader: RecordReader,
  ledger: Pick<LedgerUse, 'hasTransactions' | 'isInRule'>,
  { target }: DeleteCustomer,
): Promise<void> {
  const { tenantId, id } = target;
  const { isDefault } = presentCustomer((await reader.read(customer, tenantId, id)).state);
  if (!isDefault && (await ledger.hasTransactions(tenantId, id)))
    throw conflict('CUSTOMER_HAS_TRANSACTIONS', 'The customer has transactions. Make it passive instead.');
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
