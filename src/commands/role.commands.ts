import { Command } from '@nestjs/cqrs';
import { ensureMayChangeRole, ensureMayGrant, type Authority } from '../aggregates/authority.js';
import * as roles from '../aggregates/role.aggregate.js';
import { CommandRunner, type Target } from '../eventsourcing/command-runner.js';
import { command, commandBy, decidesWith, receiptOf, type Receipt } from '../eventsourcing/command.js';
import { handles } from '../eventsourcing/handler.js';
import { conflict } from '../eventsourcing/domain-error.js';
import type { EventMetadata } from '../eventsourcing/event-catalogue.js';
import { eventAt } from '../eventsourcing/stream-events.js';
import { streamName } from '../eventsourcing/stream-name.js';
import { EVENT_STORE, type EventStore } from '../ports/event-store.js';

export type CreatedRole = Receipt & {
  readonly name: string;
  readonly description: string | null;
  readonly permissions: readonly string[];
  readonly createdAt: string;
};

const byCaller = commandBy<Authority>();
export class CreateRole extends byCaller<typeof roles.CreateRole, CreatedRole>(roles.CreateRole) {}
export class UpdateRole extends command(roles.UpdateRole) {}
export class UpdateRolePermissions extends byCaller(roles.UpdateRolePermissions) {}

export class DeleteRole extends Command<Receipt> {
  constructor(readonly target: Target) {
    super();
  }
}

/** Runs `updateRolePermissions` if the caller is authorized. */
function updateRolePermissionsBy(
  state: roles.CustomRole,
  { by, ...data }: roles.UpdateRolePermissions & { by: Authority },
): roles.RoleEvent[] {
  ensureMayChangeRole(by, roles.presentRole(state).permissions, data.permissions);
  return roles.updateRolePermissions(state, data);
}

/** @throws DomainError conflict SYSTEM_ROLE if the id belongs to a system role */
function ensureCustom<C extends { readonly target: Target }>(received: C): C {
  const { tenantId, id } = received.target;
  if (roles.systemRoleOf(tenantId, id)) throw conflict('SYSTEM_ROLE', 'System roles cannot be changed.');
  return received;
}

/** Returns the role's creation time, exactly as the read models will contain it. */
async function createdAt(events: EventStore, { tenantId, id }: Target, revision: number): Promise<string> {
  const stream = streamName(roles.role.name, tenantId, id);
  const event = await eventAt(events, stream, revision);
  return (event?.metadata as EventMetadata).timestamp;
}

export const roleCommandHandlers = [
  handles(CreateRole, [CommandRunner, EVENT_STORE], async (runner, events, { target, data, by }) => {
    ensureMayGrant(by, data.permissions);
    const made = await runner.execute(roles.role, target, data, roles.createRole);
    const { name, description, permissions } = roles.presentRole(made.state);
    const facts = { name, description, permissions, createdAt: await createdAt(events, target, made.revision) };
    return { ...receiptOf(made), ...facts };
  }),
  decidesWith(UpdateRole, [], (received) => ensureCustom(received).data, roles.role, roles.updateRole),
  decidesWith(
    UpdateRolePermissions,
    [],
    (received) => ({ ...ensureCustom(received).data, by: received.by }),
    roles.role,
    updateRolePermissionsBy,
  ),
  decidesWith(DeleteRole, [], ensureCustom, roles.role, roles.deleteRole),
];
