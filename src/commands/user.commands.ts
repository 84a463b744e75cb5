import { randomBytes } from 'node:crypto';
import { Command } from '@nestjs/cqrs';
import { z } from 'zod';
import { type Authority, ensureMayChangeUser, type RolePermissions, type Standing } from '../aggregates/authority.js';
import * as operators from '../aggregates/operator.aggregate.js';
import { ensureUnlike } from '../aggregates/credentials.js';
import { role, systemRoleOf } from '../aggregates/role.aggregate.js';
import * as users from '../aggregates/user.aggregate.js';
import { CommandRunner } from '../eventsourcing/command-runner.js';
import {
  command,
  commandBy,
  decides,
  decidesWith,
  type Receipt,
  receiptOf,
  type Target,
} from '../eventsourcing/command.js';
import { currentContext, inContext } from '../eventsourcing/context.js';
import { conflict, DomainError, invalid, notFoundAt } from '../eventsourcing/domain-error.js';
import { commandOf, handles } from '../eventsourcing/handler.js';
import { RecordReader } from '../eventsourcing/record-reader.js';
import { PLATFORM_TENANT } from '../eventsourcing/stream-name.js';
import { CLOCK } from '../ports/time.js';
import { UUID, UUID_PATTERN } from '../ports/uuid.js';
import { OidcTokens } from '../security/oidc.js';
import type { UserPrincipal } from '../security/principal.js';
import { hashOfSecret } from '../security/refresh-tokens.js';
import { isRecent, stepUpRequired } from '../security/step-up.js';
import { ensureActiveBranch } from './branch-check.js';
import { hashNewPassword } from '../security/passwords.js';
import { OidcIdentities } from './session-accounts.js';

export type UserLinks = {
  readonly roleIds: readonly string[];
  readonly branchId: string | null;
  readonly branchIds: readonly string[];
};
const NO_LINKS: UserLinks = { roleIds: [], branchId: null, branchIds: [] };

async function permissionsOf(
  reader: RecordReader,
  tenantId: string,
  id: string,
): Promise<readonly string[] | undefined> {
  const { state } = await reader.read(role, tenantId, id);
  return state.status === 'present' ? state.permissions : undefined;
}

/** Checks only the added branches, because users keep branches that have been deactivated. */
async function checkBranches(
  reader: RecordReader,
  tenantId: string,
  wanted: Partial<UserLinks>,
  held: UserLinks,
): Promise<void> {
  const known = new Set([held.branchId, ...held.branchIds]);
  const named = [
    { id: wanted.branchId ?? null, path: 'branchId' },
    ...(wanted.branchIds ?? []).map((id, index) => ({ id, path: `branchIds[${index}]` })),
  ];
  for (const { id, path } of named) {
    if (id === null || known.has(id)) continue;
    if (!UUID.test(id)) throw notFoundAt(path, 'branch');
    await ensureActiveBranch(reader, tenantId, id, path);
  }
}

/**
 * Checks the roles and branches that an update adds to a user. Returns the permissions of all the user's roles.
 * @throws DomainError not_found with the path; conflict SYSTEM_ROLE, BRANCH_INACTIVE
 */
export async function checkReferences(
  reader: RecordReader,
  tenantId: string,
  wanted: Partial<UserLinks>,
  held: UserLinks = NO_LINKS,
): Promise<RolePermissions> {
  await checkBranches(reader, tenantId, wanted, held);
  const roles = new Map<string, readonly string[]>();
  for (const id of held.roleIds) roles.set(id, (await permissionsOf(reader, tenantId, id)) ?? []);
  for (const [index, id] of (wanted.roleIds ?? []).entries()) {
    if (roles.has(id)) continue;
    if (systemRoleOf(tenantId, id))
      throw conflict('SYSTEM_ROLE', 'A system role cannot be an additional role. Send it as role.');
    const permissions = UUID.test(id) ? await permissionsOf(reader, tenantId, id) : undefined;
    if (!permissions) throw notFoundAt(`roleIds[${index}]`, 'role');
    roles.set(id, permissions);
  }
  return roles;
}

/** Returns the user with the permissions of their current and requested roles. */
export async function userWithRoles(
  reader: RecordReader,
  { tenantId, id }: Target,
  wanted: Partial<UserLinks> = {},
): Promise<{ readonly state: users.User; readonly roles: RolePermissions }> {
  const { state } = await reader.read(users.user, tenantId, id);
  return { state, roles: await checkReferences(reader, tenantId, wanted, users.presentUser(state)) };
}

const byCaller = commandBy<Authority>();
export class CreateUser extends byCaller(users.CreateUser) {}
export class UpdateUser extends byCaller(users.UpdateUser) {}
type Caller = Authority & Pick<UserPrincipal, 'userId' | 'proof'>;
export class ResetPassword extends commandBy<Caller>()(users.ResetPassword) {}

export class DeleteUser extends Command<Receipt> {
  constructor(
    readonly target: Target,
    readonly by: Authority,
  ) {
    super();
  }
}

/**
 * Updates the caller's own profile. The caller is a user of the target's tenant, or an operator if the tenant is
 * `platform`.
 */
export class UpdateProfile extends command(users.UpdateProfile) {}

type Guard = { readonly by: Authority; readonly roles: RolePermissions };

export const standingOf = ({ role, roleIds }: users.PresentUser): Standing => ({ role, roleIds });

/** Runs `updateUser` if the caller is authorized. */
function updateUserBy(state: users.User, { by, roles, patch }: Guard & { patch: users.UpdateUser }): users.UserEvent[] {
  const before = standingOf(users.presentUser(state));
  const { role = before.role, roleIds = before.roleIds } = patch;
  ensureMayChangeUser(by, { before, after: { role, roleIds } }, roles);
  return users.updateUser(state, patch);
}

function resetPasswordBy(
  state: users.User,
  { by, roles, passwordHash }: Guard & { passwordHash: string },
): users.UserEvent[] {
  const standing = standingOf(users.presentUser(state));
  ensureMayChangeUser(by, { before: standing, after: standing }, roles);
  return users.changePassword(state, { passwordHash });
}

function deleteUserBy(state: users.User, { by, roles }: Guard): users.UserEvent[] {
  ensureMayChangeUser(by, { before: standingOf(users.presentUser(state)), after: null }, roles);
  return users.deleteUser(state);
}

export class CreateOperator extends command(operators.CreateOperator) {}
export class DeleteOperator extends command(z.strictObject({})) {}

const LIFETIME_MS = 7 * 24 * 3_600_000;
const CODE = new RegExp(`^(${UUID_PATTERN})\\.(${UUID_PATTERN})\\.([\\w-]{43})$`);

export type Invitation = {
  /** The code `<tenantId>.<userId>.<secret>`, which is returned only once. */
  readonly code: string;
  readonly expiresAt: string;
};

/** Creates the one-time code with which a user binds their identity at the OpenID provider. */
export class InviteUser extends commandOf<
  { readonly invitation: Invitation; readonly position: number },
  [target: Target, by: Authority]
>() {}

export const BindIdentityInput = z.strictObject({ code: z.string().max(200) }).meta({ id: 'BindIdentityDto' });

/** Binds the identity in an OpenID provider's token to the invited user. */
export class BindIdentity extends commandOf<Receipt, [token: string, data: z.output<typeof BindIdentityInput>]>() {}

const notProvided = (): DomainError =>
  new DomainError(
    'unauthenticated',
    'UNAUTHENTICATED',
    'Send an access token from the OpenID provider as the bearer token of the request.',
  );

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
    users.user,
    users.createUser,
  ),
  decidesWith(
    UpdateUser,
    [RecordReader],
    async (reader, { target, data: patch, by }) => {
      const { roles } = await userWithRoles(reader, target, patch);
      return { by, roles, patch };
    },
    users.user,
    updateUserBy,
  ),
  decidesWith(
    ResetPassword,
    [RecordReader, CLOCK],
    async (reader, clock, { target, data: { newPassword }, by }) => {
      // Otherwise, a stolen session could replace the password, and then pass every step-up.
      if (target.id === by.userId && !isRecent(by.proof, clock.nowMs())) throw stepUpRequired();
      const { state, roles } = await userWithRoles(reader, target);
      // Authorize the caller before the expensive password hashing.
      resetPasswordBy(state, { by, roles, passwordHash: '' });
      ensureUnlike(users.presentUser(state).email, newPassword);
      return { by, roles, passwordHash: await hashNewPassword(newPassword) };
    },
    users.user,
    resetPasswordBy,
  ),
  decidesWith(
    DeleteUser,
    [RecordReader],
    async (reader, { target, by }) => ({ by, roles: (await userWithRoles(reader, target)).roles }),
    users.user,
    deleteUserBy,
  ),
  handles(UpdateProfile, [CommandRunner], async (runner, { target, data }) => {
    if (target.tenantId !== PLATFORM_TENANT)
      return receiptOf(await runner.execute(users.user, target, data, users.updateUser));
    const { phone, ...patch } = data;
    if (phone !== undefined) throw invalid([{ path: 'phone', message: 'Operators have no phone number.' }]);
    return receiptOf(await runner.execute(operators.operator, target, patch, operators.updateOperator));
  }),
  decidesWith(
    CreateOperator,
    [],
    async ({ data: { password, ...rest } }) => ({ ...rest, passwordHash: await hashNewPassword(password) }),
    operators.operator,
    operators.createOperator,
  ),
  decides(DeleteOperator, operators.operator, operators.deleteOperator),
  // The inviter could use the code to sign in as the user, so inviting is subject to the same rule as setting a
  // password.
  handles(InviteUser, [CommandRunner, RecordReader, CLOCK], async (runner, reader, clock, { args: [target, by] }) => {
    const { roles } = await userWithRoles(reader, target);
    const secret = randomBytes(32).toString('base64url');
    const expiresAt = new Date(clock.nowMs() + LIFETIME_MS).toISOString();
    const invitation = { codeHash: hashOfSecret(secret), expiresAt };
    const { position } = await runner.execute(users.user, target, invitation, (current, data) => {
      const { role, roleIds } = users.presentUser(current);
      ensureMayChangeUser(by, { before: { role, roleIds }, after: { role, roleIds } }, roles);
      return users.inviteUser(current, data);
    });
    return { invitation: { code: `${target.tenantId}.${target.id}.${secret}`, expiresAt }, position };
  }),
  handles(
    BindIdentity,
    [CommandRunner, OidcTokens, OidcIdentities],
    async (runner, tokens, identities, { args: [token, data] }) => {
      if (!tokens.isFor(token)) throw notProvided();
      const { issuer, subject } = await tokens.verify(token);
      const [, tenantId, id, secret] = CODE.exec(data.code) ?? [];
      if (tenantId === undefined || id === undefined || secret === undefined) throw users.wrongCode();
      const identity = { issuer, subject };
      const bound = await identities.boundTo(identity);
      if (bound.some((other) => other.tenantId !== tenantId || other.id !== id))
        throw conflict('IDENTITY_TAKEN', 'This identity is bound to another user. Remove that user first.');
      const accepted = { codeHash: hashOfSecret(secret), identity };
      return inContext({ ...currentContext(), tenantId }, async () =>
        receiptOf(await runner.execute(users.user, { tenantId, id }, accepted, users.acceptInvitation)),
      );
    },
  ),
];
