import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { ensureMayChangeRole, ensureMayGrant, type Authority } from '../aggregates/authority.js';
import {
  createRole,
  CreateRole as CreateRoleInput,
  deleteRole,
  presentRole,
  role,
  systemRoleOf,
  updateRole,
  UpdateRole as UpdateRoleInput,
  updateRolePermissions,
  UpdateRolePermissions as UpdateRolePermissionsInput,
  type CustomRole,
  type RoleEvent,
} from '../aggregates/role.aggregate.js';
import type { Decision } from '../platform/aggregate.js';
import { CommandRunner, type Executed, type Target } from '../platform/command-runner.js';
import { command, receiptOf, type Receipt } from '../platform/command.js';
import { conflict } from '../platform/domain-error.js';
import type { EventMetadata } from '../platform/event-catalogue.js';
import { streamName } from '../platform/stream-name.js';
import { EVENT_STORE, type EventStore } from '../ports/event-store.js';

/** A role as it has just been made. */
export type CreatedRole = Receipt & {
  readonly name: string;
  readonly description: string | null;
  readonly permissions: readonly string[];
  readonly createdAt: string;
};

export class CreateRole extends command<typeof CreateRoleInput, CreatedRole>(CreateRoleInput) {
  constructor(
    target: Target,
    data: CreateRoleInput,
    readonly by: Authority,
  ) {
    super(target, data);
  }
}

export class UpdateRole extends command(UpdateRoleInput) {}

export class UpdateRolePermissions extends command(UpdateRolePermissionsInput) {
  constructor(
    target: Target,
    data: UpdateRolePermissionsInput,
    readonly by: Authority,
  ) {
    super(target, data);
  }
}

export class DeleteRole extends Command<Receipt> {
  constructor(readonly target: Target) {
    super();
  }
}

/** What `updateRolePermissions` decides, where the caller may do it. */
function updateRolePermissionsBy(
  state: CustomRole,
  { by, ...data }: UpdateRolePermissionsInput & { by: Authority },
): RoleEvent[] {
  ensureMayChangeRole(by, presentRole(state).permissions, data.permissions);
  return updateRolePermissions(state, data);
}

/** Runs a decision on a custom role. @throws DomainError conflict SYSTEM_ROLE where the id is a system role's */
async function changeRole<D>(
  runner: CommandRunner,
  target: Target,
  data: D,
  decide: Decision<CustomRole, D, RoleEvent>,
): Promise<Receipt> {
  if (systemRoleOf(target.tenantId, target.id)) throw conflict('SYSTEM_ROLE', 'System roles stay as they are.');
  return receiptOf(await runner.execute(role, target, data, decide));
}

@CommandHandler(CreateRole)
export class CreateRoleHandler implements ICommandHandler<CreateRole, CreatedRole> {
  constructor(
    @Inject(CommandRunner) private readonly runner: CommandRunner,
    @Inject(EVENT_STORE) private readonly events: EventStore,
  ) {}

  async execute({ target, data, by }: CreateRole): Promise<CreatedRole> {
    ensureMayGrant(by, data.permissions);
    const made = await this.runner.execute(role, target, data, createRole);
    const { name, description, permissions } = presentRole(made.state);
    return { ...receiptOf(made), name, description, permissions, createdAt: await this.timeOf(target, made) };
  }

  /** As the read models will tell it. */
  private async timeOf({ tenantId, id }: Target, { revision }: Executed): Promise<string> {
    const { events } = await this.events.readStream(streamName(role.name, tenantId, id), {
      from: revision,
      maxCount: 1,
    });
    return (events[0]?.metadata as EventMetadata).timestamp;
  }
}

@CommandHandler(UpdateRole)
export class UpdateRoleHandler implements ICommandHandler<UpdateRole, Receipt> {
  constructor(@Inject(CommandRunner) private readonly runner: CommandRunner) {}

  execute({ target, data }: UpdateRole): Promise<Receipt> {
    return changeRole(this.runner, target, data, updateRole);
  }
}

@CommandHandler(UpdateRolePermissions)
export class UpdateRolePermissionsHandler implements ICommandHandler<UpdateRolePermissions, Receipt> {
  constructor(@Inject(CommandRunner) private readonly runner: CommandRunner) {}

  execute({ target, data, by }: UpdateRolePermissions): Promise<Receipt> {
    return changeRole(this.runner, target, { ...data, by }, updateRolePermissionsBy);
  }
}

@CommandHandler(DeleteRole)
export class DeleteRoleHandler implements ICommandHandler<DeleteRole, Receipt> {
  constructor(@Inject(CommandRunner) private readonly runner: CommandRunner) {}

  execute({ target }: DeleteRole): Promise<Receipt> {
    return changeRole(this.runner, target, {}, deleteRole);
  }
}

export const roleCommandHandlers = [
  CreateRoleHandler,
  UpdateRoleHandler,
  UpdateRolePermissionsHandler,
  DeleteRoleHandler,
];
