import { Inject, Injectable } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { z } from 'zod';
import { CATEGORIZER, type Categorizer } from '../aggregates/categorizer.js';
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
import { LEDGER_USE, type LedgerUse } from '../aggregates/ledger-use.js';
import { presentTenant, tenant } from '../aggregates/tenant.aggregate.js';
import { CommandRunner, type Executed, type Target } from '../platform/command-runner.js';
import { command, receiptOf, type Receipt } from '../platform/command.js';
import { conflict, DomainError } from '../platform/domain-error.js';
import { RecordReader } from '../platform/record-reader.js';
import { PLATFORM_TENANT } from '../platform/stream-name.js';
import { ensureActiveBranch } from './branch-check.js';
import { CustomerCodes } from './customer-codes.js';

export class CreateCustomer extends command(CreateCustomerInput) {}
export class UpdateCustomer extends command(UpdateCustomerInput) {}
export class DeleteCustomer extends command(z.object({})) {}

/** So many codes in a row that somebody gave by hand are passed one by one, then twice as many with each try. */
const PASSED_ONE_BY_ONE = 5;
/** Enough for a million of them. */
const MAX_CODES_TRIED = 20;
const isCodeTaken = (error: unknown): boolean => error instanceof DomainError && error.code === 'CUSTOMER_CODE_TAKEN';

/** Makes customers, for people and for partners' sales: reads the tenant, and gives a code where none is given. */
@Injectable()
export class CustomerCreation {
  constructor(
    @Inject(CommandRunner) private readonly runner: CommandRunner,
    @Inject(RecordReader) private readonly reader: RecordReader,
    @Inject(CustomerCodes) private readonly codes: CustomerCodes,
    @Inject(CATEGORIZER) private readonly categorizer: Categorizer,
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
        // Somebody gave the next code of the sequence by hand: one after it is taken.
        if (tried > PASSED_ONE_BY_ONE) await this.codes.skip(target.tenantId, 2 ** tried);
      }
    }
  }

  private async rulesFor({ tenantId }: Target, { openingBalance }: CreateCustomerInput) {
    return openingBalance ? { rules: await this.categorizer.rulesOf(tenantId) } : {};
  }
}

@CommandHandler(CreateCustomer)
export class CreateCustomerHandler implements ICommandHandler<CreateCustomer, Receipt> {
  constructor(@Inject(CustomerCreation) private readonly creation: CustomerCreation) {}

  async execute({ target, data }: CreateCustomer): Promise<Receipt> {
    return receiptOf(await this.creation.create(target, data));
  }
}

@CommandHandler(UpdateCustomer)
export class UpdateCustomerHandler implements ICommandHandler<UpdateCustomer, Receipt> {
  constructor(
    @Inject(CommandRunner) private readonly runner: CommandRunner,
    @Inject(RecordReader) private readonly reader: RecordReader,
  ) {}

  async execute({ target, data }: UpdateCustomer): Promise<Receipt> {
    const { branchId } = data;
    const { state } = await this.reader.read(customer, target.tenantId, target.id);
    // One that is closed may stay where it is named already.
    if (branchId && branchId !== presentCustomer(state).branchId)
      await ensureActiveBranch(this.reader, target.tenantId, branchId);
    return receiptOf(await this.runner.execute(customer, target, data, updateCustomer));
  }
}

/** One that the ledger knows stays: it can be made passive. */
@CommandHandler(DeleteCustomer)
export class DeleteCustomerHandler implements ICommandHandler<DeleteCustomer, Receipt> {
  constructor(
    @Inject(CommandRunner) private readonly runner: CommandRunner,
    @Inject(RecordReader) private readonly reader: RecordReader,
    @Inject(LEDGER_USE) private readonly ledger: LedgerUse,
  ) {}

  async execute({ target }: DeleteCustomer): Promise<Receipt> {
    const { state } = await this.reader.read(customer, target.tenantId, target.id);
    if (!presentCustomer(state).isDefault && (await this.ledger.hasTransactions(target.tenantId, target.id)))
      throw conflict('CUSTOMER_HAS_TRANSACTIONS', 'The customer has transactions. Make it passive instead.');
    return receiptOf(await this.runner.execute(customer, target, {}, deleteCustomer));
  }
}

export const customerCommandHandlers = [CreateCustomerHandler, UpdateCustomerHandler, DeleteCustomerHandler];
