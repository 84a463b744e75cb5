import {
  changeSettings,
  createTenant,
  CreateTenant as CreateTenantInput,
  tenant,
  UpdateSettings as UpdateSettingsInput,
  updateTenant,
  UpdateTenant as UpdateTenantInput,
  type NewTenant,
  type TenantSeeds,
} from '../aggregates/tenant.aggregate.js';
import { CommandRunner } from '../eventsourcing/command-runner.js';
import { command, decides, receiptOf } from '../eventsourcing/command.js';
import { currentContext } from '../eventsourcing/context.js';
import { handles } from '../eventsourcing/handler.js';
import { conflict } from '../eventsourcing/domain-error.js';
import { metadataOf } from '../eventsourcing/event-catalogue.js';
import { RecordReader } from '../eventsourcing/record-reader.js';
import { PLATFORM_TENANT } from '../eventsourcing/stream-name.js';
import { CLOCK, IDS, type Ids } from '../ports/time.js';
import { hashNewPassword } from './new-password.js';
import { TenantSeeder } from './tenant-seeds.js';

export class CreateTenant extends command(CreateTenantInput) {}
export class UpdateTenant extends command(UpdateTenantInput) {}
/** Changes the settings that a tenant controls itself. */
export class UpdateSettings extends command(UpdateSettingsInput) {}

function newSeeds(ids: Ids): TenantSeeds {
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
  // Creates the tenant, then its initial records. After a crash, the policy on TenantCreated completes them.
  handles(
    CreateTenant,
    [CommandRunner, RecordReader, TenantSeeder, CLOCK, IDS],
    async (runner, reader, seeder, clock, ids, { target, data: { owner, ...rest } }) => {
      const known = await reader.read(tenant, PLATFORM_TENANT, target.id);
      // An earlier attempt of the same request created the tenant.
      if (known.state.status !== 'absent') return receiptOf({ ...known, id: target.id });
      const { password, ...person } = owner;
      const userId = ids.next();
      const passwordHash = await hashNewPassword(password);
      const data: NewTenant = { ...rest, owner: { userId, ...person, passwordHash }, seeds: newSeeds(ids) };
      if (rest.slug === PLATFORM_TENANT) throw conflict('SLUG_TAKEN', 'Operators sign in with this slug.');
      const made = await runner.execute(tenant, { ...target, tenantId: PLATFORM_TENANT }, data, createTenant);
      const [id = ''] = made.eventIds;
      const metadata = metadataOf(currentContext(), 1, new Date(clock.nowMs()).toISOString());
      const position = await seeder.seed({ id, tenantId: PLATFORM_TENANT, metadata }, target.id, data);
      return { ...receiptOf(made), position: Math.max(position, made.position) };
    },
  ),
  decides(UpdateTenant, tenant, updateTenant),
  decides(UpdateSettings, tenant, changeSettings),
];
