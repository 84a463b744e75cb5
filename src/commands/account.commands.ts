import { Inject, Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { z } from 'zod';
import {
  ACCOUNT_DEFAULTS_ID,
  accountDefaults,
  clearDefaultAccount,
  inactiveDefault,
  setDefaultAccount,
} from '../aggregates/account-defaults.aggregate.js';
import {
  account,
  asDefault,
  CreateAccount as CreateInput,
  createAccount,
  deleteAccount,
  namedByRules,
  presentAccount,
  UpdateAccount as UpdateInput,
  updateAccount,
  type Account,
  type AccountEvent,
} from '../aggregates/account.aggregate.js';
import { customer, presentCustomer } from '../aggregates/customer.aggregate.js';
import { LedgerUse } from '../queries/ledger-use.js';
import { presentTenant, tenant } from '../aggregates/tenant.aggregate.js';
import type { Decision } from '../eventsourcing/aggregate.js';
import { CommandRunner, type Executed } from '../eventsourcing/command-runner.js';
import { command, receiptOf, type Receipt, type Target } from '../eventsourcing/command.js';
import { besideIfMatch } from '../eventsourcing/context.js';
import { handles } from '../eventsourcing/handler.js';
import { conflict } from '../eventsourcing/domain-error.js';
import { RecordReader } from '../eventsourcing/record-reader.js';
import { PLATFORM_TENANT } from '../eventsourcing/stream-name.js';
import { CreateCustomer, DeleteCustomer, UpdateCustomer } from './customer.commands.js';

export class CreateAccount extends command(CreateInput) {}
export class UpdateAccount extends command(UpdateInput) {}
export class DeleteAccount extends command(z.object({})) {}

const managedByCustomer = () =>
  conflict(
    'MANAGED_BY_CUSTOMER',
    'The account belongs to a customer. Only name and isActive can be changed here. For other changes, update the customer.',
  );

/** Operations on accounts, both those with their own streams and those of customers. */
@Injectable()
export class AccountService {
  constructor(
    @Inject(CommandRunner) private readonly runner: CommandRunner,
    @Inject(RecordReader) private readonly reader: RecordReader,
  ) {}

  /** Returns the account with this id; the absent state if the id belongs to a customer or is unknown. */
  async own({ tenantId, id }: Target): Promise<Account> {
    return (await this.reader.read(account, tenantId, id)).state;
  }

  /** Whether the account is the default for its type. */
  async isDefault({ tenantId, id }: Target): Promise<boolean> {
    const { state } = await this.reader.read(accountDefaults, tenantId, ACCOUNT_DEFAULTS_ID);
    return Object.values(state.byType).includes(id);
  }

  /**
   * Applies a decision to the account. Rejects changes that would deactivate or delete the default account for a type.
   * The account's memberships protect against concurrent changes to the default. The receipt's revision, which is
   * compared with If-Match, counts the account's own events and the changes to `isDefault`, which another stream
   * records.
   */
  async change<D>(target: Target, data: D, decide: Decision<Account, D, AccountEvent>) {
    const { tenantId, id } = target;
    const { state } = await this.reader.read(accountDefaults, tenantId, ACCOUNT_DEFAULTS_ID);
    const revisionOf = (own: Account) => (own.status === 'absent' ? -1 : own.changes) + (state.changes[id] ?? 0);
    const isDefault = Object.values(state.byType).includes(id);
    return this.runner.execute(account, target, data, isDefault ? asDefault(decide) : decide, revisionOf);
  }

  /**
   * Makes an account the default for its type, or removes it as the default, after the request's other changes have
   * been recorded. The receipt covers all of these changes.
   */
  async setDefault(target: Target, done: Executed<Account, AccountEvent>, isDefault: boolean): Promise<Receipt> {
    const { tenantId, id } = target;
    if (done.state.status === 'absent') return receiptOf(done);
    const { type } = done.state;
    const decide = isDefault ? setDefaultAccount : clearDefaultAccount;
    const data = { type, accountId: id, isCounted: done.events.length > 0 };
    const defaults = { tenantId, id: ACCOUNT_DEFAULTS_ID };
    const set = await besideIfMatch(() => this.runner.execute(accountDefaults, defaults, data, decide));
    const revision = done.state.changes + (set.state.changes[id] ?? 0);
    return { id, revision, position: Math.max(done.position, set.position) };
  }
}

const statusOf = (isActive: boolean) => (isActive ? ('ACTIVE' as const) : ('PASSIVE' as const));

function createCustomer(bus: CommandBus, { target, data: { name, code, isActive, isDefault } }: CreateAccount) {
  if (isDefault) throw managedByCustomer();
  const facts = { name, status: statusOf(isActive), ...(code !== undefined && { code }) };
  return bus.execute(new CreateCustomer(target, facts));
}

async function updateCustomer(reader: RecordReader, bus: CommandBus, { target, data }: UpdateAccount) {
  const { name, isActive, ...others } = data;
  presentCustomer((await reader.read(customer, target.tenantId, target.id)).state);
  if (Object.keys(others).length > 0) throw managedByCustomer();
  const status = isActive === undefined ? {} : { status: statusOf(isActive) };
  return bus.execute(new UpdateCustomer(target, { ...(name !== undefined && { name }), ...status }));
}

/**
 * Rejects the deletion of an account referenced by transactions or rules. The decision itself rejects the deletion of
 * system and default accounts.
 */
async function ensureUnused(
  reader: RecordReader,
  accounts: AccountService,
  ledger: LedgerUse,
  target: Target,
): Promise<void> {
  const { tenantId, id } = target;
  const { isSystem } = presentAccount((await reader.read(account, tenantId, id)).state);
  if (isSystem || (await accounts.isDefault(target))) return;
  if (await ledger.hasTransactions(tenantId, id))
    throw conflict('ACCOUNT_HAS_TRANSACTIONS', 'The account has transactions. Deactivate it instead.');
  if (await ledger.isInRule(tenantId, id)) throw conflict(namedByRules.refusal.code, namedByRules.refusal.message);
}

export const accountCommandHandlers = [
  AccountService,
  handles(
    CreateAccount,
    [CommandRunner, RecordReader, AccountService, CommandBus],
    async (runner, reader, accounts, bus, received) => {
      const { target, data } = received;
      const { isDefault, type, code = null, name, isActive } = data;
      if (type === 'CUSTOMER') return createCustomer(bus, received);
      if (isDefault && !isActive) throw inactiveDefault();
      const { state } = await reader.read(tenant, PLATFORM_TENANT, target.tenantId);
      const { currency } = presentTenant(state);
      const facts = { type, code, name, isActive, currency, isSystem: false };
      const made = await runner.execute(account, target, facts, createAccount);
      return isDefault ? accounts.setDefault(target, made, true) : receiptOf(made);
    },
  ),
  handles(UpdateAccount, [RecordReader, AccountService, CommandBus], async (reader, accounts, bus, received) => {
    const { target, data } = received;
    const known = await accounts.own(target);
    if (known.status === 'absent') return updateCustomer(reader, bus, received);
    const { isActive } = presentAccount(known);
    const { isDefault, ...patch } = data;
    if (isDefault && !(data.isActive ?? isActive)) throw inactiveDefault();
    const done = await accounts.change(target, patch, updateAccount);
    return isDefault === undefined ? receiptOf(done) : accounts.setDefault(target, done, isDefault);
  }),
  handles(
    DeleteAccount,
    [RecordReader, AccountService, CommandBus, LedgerUse],
    async (reader, accounts, bus, ledger, { target }) => {
      if ((await accounts.own(target)).status === 'absent') return bus.execute(new DeleteCustomer(target, {}));
      await ensureUnused(reader, accounts, ledger, target);
      return receiptOf(await accounts.change(target, {}, deleteAccount));
    },
  ),
];
