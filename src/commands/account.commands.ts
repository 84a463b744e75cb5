import { Inject, Injectable } from '@nestjs/common';
import { CommandBus, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { z } from 'zod';
import {
  ACCOUNT_DEFAULTS_ID,
  accountDefaults,
  clearDefaultAccount,
  setDefaultAccount,
} from '../aggregates/account-defaults.aggregate.js';
import {
  account,
  CreateAccount as CreateInput,
  createAccount,
  deleteAccount,
  presentAccount,
  UpdateAccount as UpdateInput,
  updateAccount,
  type StoredAccountType,
} from '../aggregates/account.aggregate.js';
import { LEDGER_USE, type LedgerUse } from '../aggregates/ledger-use.js';
import { presentTenant, tenant } from '../aggregates/tenant.aggregate.js';
import { CommandRunner } from '../platform/command-runner.js';
import { command, type Receipt, type Target } from '../platform/command.js';
import { besideIfMatch } from '../platform/context.js';
import { conflict } from '../platform/domain-error.js';
import { RecordReader } from '../platform/record-reader.js';
import { PLATFORM_TENANT } from '../platform/stream-name.js';
import { CreateCustomer, DeleteCustomer, UpdateCustomer } from './customer.commands.js';

export class CreateAccount extends command(CreateInput) {}
export class UpdateAccount extends command(UpdateInput) {}
export class DeleteAccount extends command(z.object({})) {}

const managedByCustomer = () =>
  conflict('MANAGED_BY_CUSTOMER', 'The account is a customer: change the customer, or its name and isActive here.');

/** What accounts of their own and those that are customers have in common. */
@Injectable()
export class AccountDesk {
  constructor(
    @Inject(CommandRunner) private readonly runner: CommandRunner,
    @Inject(RecordReader) private readonly reader: RecordReader,
  ) {}

  /** Whether the account has a stream of its own; every other is a customer, or there is none. */
  async isOwn({ tenantId, id }: Target): Promise<boolean> {
    return (await this.reader.read(account, tenantId, id)).state.status !== 'absent';
  }

  async setDefault({ tenantId, id }: Target, type: StoredAccountType, isDefault: boolean): Promise<number> {
    const target = { tenantId, id: ACCOUNT_DEFAULTS_ID };
    const decide = isDefault ? setDefaultAccount : clearDefaultAccount;
    const run = () => this.runner.execute(accountDefaults, target, { type, accountId: id }, decide);
    return (await besideIfMatch(run)).position;
  }
}

@CommandHandler(CreateAccount)
export class CreateAccountHandler implements ICommandHandler<CreateAccount, Receipt> {
  constructor(
    @Inject(CommandRunner) private readonly runner: CommandRunner,
    @Inject(RecordReader) private readonly reader: RecordReader,
    @Inject(AccountDesk) private readonly desk: AccountDesk,
    @Inject(CommandBus) private readonly bus: CommandBus,
  ) {}

  async execute({ target, data }: CreateAccount): Promise<Receipt> {
    const { isDefault, type, code = null, name, isActive } = data;
    if (type === 'CUSTOMER') return this.createCustomer(target, data);
    const { state } = await this.reader.read(tenant, PLATFORM_TENANT, target.tenantId);
    const { currency } = presentTenant(state);
    const facts = { type, code, name, isActive, currency, isSystem: false };
    const { id, revision, position } = await this.runner.execute(account, target, facts, createAccount);
    const last = isDefault ? await this.desk.setDefault(target, type, true) : position;
    return { id, revision, position: Math.max(position, last) };
  }

  private createCustomer(target: Target, { name, code, isActive, isDefault }: CreateAccount['data']): Promise<Receipt> {
    if (isDefault) throw managedByCustomer();
    const status = isActive ? ('ACTIVE' as const) : ('PASSIVE' as const);
    const facts = { name, status, ...(code !== undefined && code !== null && { code }) };
    return this.bus.execute(new CreateCustomer(target, facts));
  }
}

@CommandHandler(UpdateAccount)
export class UpdateAccountHandler implements ICommandHandler<UpdateAccount, Receipt> {
  constructor(
    @Inject(CommandRunner) private readonly runner: CommandRunner,
    @Inject(AccountDesk) private readonly desk: AccountDesk,
    @Inject(CommandBus) private readonly bus: CommandBus,
  ) {}

  async execute({ target, data }: UpdateAccount): Promise<Receipt> {
    if (!(await this.desk.isOwn(target))) return this.updateCustomer(target, data);
    const { isDefault, ...patch } = data;
    const { id, revision, position, state } = await this.runner.execute(account, target, patch, updateAccount);
    const { type } = presentAccount(state);
    const last = isDefault === undefined ? position : await this.desk.setDefault(target, type, isDefault);
    return { id, revision, position: Math.max(position, last) };
  }

  private updateCustomer(target: Target, { name, isActive, ...others }: UpdateAccount['data']): Promise<Receipt> {
    if (Object.keys(others).length > 0) throw managedByCustomer();
    const status = isActive === undefined ? {} : { status: isActive ? ('ACTIVE' as const) : ('PASSIVE' as const) };
    return this.bus.execute(new UpdateCustomer(target, { ...(name !== undefined && { name }), ...status }));
  }
}

@CommandHandler(DeleteAccount)
export class DeleteAccountHandler implements ICommandHandler<DeleteAccount, Receipt> {
  constructor(
    @Inject(CommandRunner) private readonly runner: CommandRunner,
    @Inject(RecordReader) private readonly reader: RecordReader,
    @Inject(AccountDesk) private readonly desk: AccountDesk,
    @Inject(CommandBus) private readonly bus: CommandBus,
    @Inject(LEDGER_USE) private readonly ledger: LedgerUse,
  ) {}

  async execute({ target }: DeleteAccount): Promise<Receipt> {
    if (!(await this.desk.isOwn(target))) return this.bus.execute(new DeleteCustomer(target, {}));
    const { tenantId } = target;
    const { isSystem, type } = presentAccount((await this.reader.read(account, tenantId, target.id)).state);
    if (!isSystem && (await this.ledger.hasTransactions(tenantId, target.id)))
      throw conflict('ACCOUNT_HAS_TRANSACTIONS', 'The account has transactions. Deactivate it instead.');
    const { id, revision, position } = await this.runner.execute(account, target, {}, deleteAccount);
    return { id, revision, position: Math.max(position, await this.desk.setDefault(target, type, false)) };
  }
}

export const accountCommandHandlers = [AccountDesk, CreateAccountHandler, UpdateAccountHandler, DeleteAccountHandler];
