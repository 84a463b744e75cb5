import { Command } from '@nestjs/cqrs';
import { ensureMayChangeUser, type Authority, type RolePermissions, type Standing } from '../aggregates/authority.js';
import { operator, updateOperator } from '../aggregates/operator.aggregate.js';
import { ensureUnlike } from '../aggregates/password-strength.js';
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
import { CommandRunner, type Target } from '../eventsourcing/command-runner.js';
import { command, commandBy, decidesWith, receiptOf, type Receipt } from '../eventsourcing/command.js';
import { handles } from '../eventsourcing/handler.js';
import { invalid } from '../eventsourcing/domain-error.js';
import { RecordReader } from '../eventsourcing/record-reader.js';
import { PLATFORM_TENANT } from '../eventsourcing/stream-name.js';
import { hashNewPassword } from './new-password.js';
import { checkReferences, userWithRoles } from './user-references.js';

const byCaller = commandBy<Authority>();
export class CreateUser extends byCaller(CreateUserInput) {}
export class UpdateUser extends byCaller(UpdateUserInput) {}
export class ResetPassword extends byCaller(ResetPasswordInput) {}

export class DeleteUser extends Command<Receipt> {
  constructor(
    readonly target: Target,
    readonly by: Authority,
  ) {
    super();
  }
}

/** Updates the caller's own profile: a user of the target's tenant, or an operator if that is the platform. */
export class UpdateProfile extends command(UpdateProfileInput) {}

type Guard = { readonly by: Authority; readonly roles: RolePermissions };

const standingOf = ({ role, roleIds }: PresentUser): Standing => ({ role, roleIds });

/** Runs `updateUser` if the caller is authorized. */
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

export const userCommandHandlers = [
  decidesWith(
    CreateUser,
    [RecordReader],
    async (reader, { target, data: { password, ...data }, by }) => {
      const roles = await checkReferences(reader, target.tenantId, data);
      const { role, roleIds = [] } = data;
      ensureMayChangeUser(by, { before: null, after: { role, roleIds } }, roles);
      return { ...data, passwordHash: await hashNewPassword(password) };
    },
    user,
    createUser,
  ),
  decidesWith(
    UpdateUser,
    [RecordReader],
    async (reader, { target, data: patch, by }) => {
      const { roles } = await userWithRoles(reader, target, patch);
      return { by, roles, patch };
    },
    user,
    updateUserBy,
  ),
  decidesWith(
    ResetPassword,
    [RecordReader],
    async (reader, { target, data: { newPassword }, by }) => {
      const { state, roles } = await userWithRoles(reader, target);
      // Authorizes the caller before hashing the password.
      resetPasswordBy(state, { by, roles, passwordHash: '' });
      ensureUnlike(presentUser(state).email, newPassword);
      return { by, roles, passwordHash: await hashNewPassword(newPassword) };
    },
    user,
    resetPasswordBy,
  ),
  decidesWith(
    DeleteUser,
    [RecordReader],
    async (reader, { target, by }) => ({ by, roles: (await userWithRoles(reader, target)).roles }),
    user,
    deleteUserBy,
  ),
  handles(UpdateProfile, [CommandRunner], async (runner, { target, data }) => {
    if (target.tenantId !== PLATFORM_TENANT) return receiptOf(await runner.execute(user, target, data, updateUser));
    const { phone, ...patch } = data;
    if (phone !== undefined) throw invalid([{ path: 'phone', message: 'Operators have no phone number.' }]);
    return receiptOf(await runner.execute(operator, target, patch, updateOperator));
  }),
];
