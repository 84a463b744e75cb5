import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { ensureMayChangeUser, type Authority, type RolePermissions, type Standing } from '../aggregates/authority.js';
import { operator, updateOperator } from '../aggregates/operator.aggregate.js';
import {
  changePassword,
  createUser,
  CreateUser as CreateUserInput,
  deleteUser,
  presentUser,
  ResetPassword as ResetPasswordInput,
  UpdateProfile as UpdateProfileInput,
  updateUser,
  UpdateUser as UpdateUserInput,
  user,
  type PresentUser,
  type User,
  type UserEvent,
} from '../aggregates/user.aggregate.js';
import { CommandRunner, type Target } from '../platform/command-runner.js';
import { command, receiptOf, type Receipt } from '../platform/command.js';
import { invalid } from '../platform/domain-error.js';
import { hashPassword } from '../platform/passwords.js';
import { RecordReader } from '../platform/record-reader.js';
import { PLATFORM_TENANT } from '../platform/stream-name.js';
import { UserReferences } from './user-references.js';

export class CreateUser extends command(CreateUserInput) {
  constructor(
    target: Target,
    data: CreateUserInput,
    readonly by: Authority,
  ) {
    super(target, data);
  }
}

export class UpdateUser extends command(UpdateUserInput) {
  constructor(
    target: Target,
    data: UpdateUserInput,
    readonly by: Authority,
  ) {
    super(target, data);
  }
}

export class ResetPassword extends command(ResetPasswordInput) {
  constructor(
    target: Target,
    data: ResetPasswordInput,
    readonly by: Authority,
  ) {
    super(target, data);
  }
}

export class DeleteUser extends Command<Receipt> {
  constructor(
    readonly target: Target,
    readonly by: Authority,
  ) {
    super();
  }
}

/** Of the caller themselves: a user of the target's tenant, or an operator where that is the platform. */
export class UpdateProfile extends command(UpdateProfileInput) {}

type Guard = { readonly by: Authority; readonly roles: RolePermissions };

const standingOf = ({ role, roleIds }: PresentUser): Standing => ({ role, roleIds });

/** What `updateUser` decides, where the caller may do it. */
function updateUserBy(state: User, { by, roles, patch }: Guard & { patch: UpdateUserInput }): UserEvent[] {
  const before = standingOf(presentUser(state));
  const { role = before.role, roleIds = before.roleIds } = patch;
  ensureMayChangeUser(by, { before, after: { role, roleIds } }, roles);
  return updateUser(state, patch);
}

function resetPasswordBy(state: User, { by, roles, passwordHash }: Guard & { passwordHash: string }): UserEvent[] {
  const standing = standingOf(presentUser(state));
  ensureMayChangeUser(by, { before: standing, after: standing }, roles);
  return changePassword(state, { passwordHash });
}

function deleteUserBy(state: User, { by, roles }: Guard): UserEvent[] {
  ensureMayChangeUser(by, { before: standingOf(presentUser(state)), after: null }, roles);
  return deleteUser(state);
}

/** Reads the branches and roles that the new user shall have. */
@CommandHandler(CreateUser)
export class CreateUserHandler implements ICommandHandler<CreateUser, Receipt> {
  constructor(
    @Inject(CommandRunner) private readonly runner: CommandRunner,
    @Inject(UserReferences) private readonly references: UserReferences,
  ) {}

  async execute({ target, data: { password, ...data }, by }: CreateUser): Promise<Receipt> {
    const roles = await this.references.check(target.tenantId, data);
    const { role, roleIds = [] } = data;
    ensureMayChangeUser(by, { before: null, after: { role, roleIds } }, roles);
    const passwordHash = await hashPassword(password);
    return receiptOf(await this.runner.execute(user, target, { ...data, passwordHash }, createUser));
  }
}

/** Reads the branches and roles that the user has and shall have. */
@CommandHandler(UpdateUser)
export class UpdateUserHandler implements ICommandHandler<UpdateUser, Receipt> {
  constructor(
    @Inject(CommandRunner) private readonly runner: CommandRunner,
    @Inject(RecordReader) private readonly reader: RecordReader,
    @Inject(UserReferences) private readonly references: UserReferences,
  ) {}

  async execute({ target, data: patch, by }: UpdateUser): Promise<Receipt> {
    const { state } = await this.reader.read(user, target.tenantId, target.id);
    const roles = await this.references.check(target.tenantId, patch, presentUser(state));
    return receiptOf(await this.runner.execute(user, target, { by, roles, patch }, updateUserBy));
  }
}

/** Reads the roles that the user has. The password is hashed only for who may set it. */
@CommandHandler(ResetPassword)
export class ResetPasswordHandler implements ICommandHandler<ResetPassword, Receipt> {
  constructor(
    @Inject(CommandRunner) private readonly runner: CommandRunner,
    @Inject(RecordReader) private readonly reader: RecordReader,
    @Inject(UserReferences) private readonly references: UserReferences,
  ) {}

  async execute({ target, data: { newPassword }, by }: ResetPassword): Promise<Receipt> {
    const { state } = await this.reader.read(user, target.tenantId, target.id);
    const roles = await this.references.check(target.tenantId, {}, presentUser(state));
    resetPasswordBy(state, { by, roles, passwordHash: '' });
    const passwordHash = await hashPassword(newPassword);
    return receiptOf(await this.runner.execute(user, target, { by, roles, passwordHash }, resetPasswordBy));
  }
}

/** Reads the roles that the user has. */
@CommandHandler(DeleteUser)
export class DeleteUserHandler implements ICommandHandler<DeleteUser, Receipt> {
  constructor(
    @Inject(CommandRunner) private readonly runner: CommandRunner,
    @Inject(RecordReader) private readonly reader: RecordReader,
    @Inject(UserReferences) private readonly references: UserReferences,
  ) {}

  async execute({ target, by }: DeleteUser): Promise<Receipt> {
    const { state } = await this.reader.read(user, target.tenantId, target.id);
    const roles = await this.references.check(target.tenantId, {}, presentUser(state));
    return receiptOf(await this.runner.execute(user, target, { by, roles }, deleteUserBy));
  }
}

@CommandHandler(UpdateProfile)
export class UpdateProfileHandler implements ICommandHandler<UpdateProfile, Receipt> {
  constructor(@Inject(CommandRunner) private readonly runner: CommandRunner) {}

  async execute({ target, data }: UpdateProfile): Promise<Receipt> {
    if (target.tenantId !== PLATFORM_TENANT)
      return receiptOf(await this.runner.execute(user, target, data, updateUser));
    const { phone, ...patch } = data;
    if (phone !== undefined) throw invalid([{ path: 'phone', message: 'Operators have no phone number.' }]);
    return receiptOf(await this.runner.execute(operator, target, patch, updateOperator));
  }
}

export const userCommandHandlers = [
  CreateUserHandler,
  UpdateUserHandler,
  ResetPasswordHandler,
  DeleteUserHandler,
  UpdateProfileHandler,
];
