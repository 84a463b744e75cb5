import { z } from 'zod';
import { domain, type Aggregate, type EventOf } from '../eventsourcing/aggregate.js';
import { invalid, notFound, notFoundAt } from '../eventsourcing/domain-error.js';
import { streamName } from '../eventsourcing/stream-name.js';
import {
  emailClaim,
  ensureHasFactors,
  FactorsRemoval,
  FullName,
  identityClaim,
  isSameIdentity,
  newPassword,
  noSessions,
  OidcIdentity,
  type OwnPassword,
  Password,
  PasswordChange,
  recordedPasswordHash,
  type SessionRule,
  unlikeEmail,
  wrongPassword,
} from './credentials.js';
import { changesTo, Email, IdList, IdText, Instant, Phone, PublicId, RecordId, someOf } from './fields.js';
import { secret } from './personal.js';
import { input, optional, optionalText, record, text, value, type ChangesTo } from './record.js';

export const Role = z.enum(['OWNER', 'ADMIN', 'USER']);
export type Role = z.output<typeof Role>;

const seen = { personal: true, searched: true, published: true } as const;
const ids = optional(IdList, z.array(z.string()), [], { shown: z.array(IdText), published: z.array(PublicId) });
export const userRecord = record({
  fullName: text(FullName, seen),
  email: text(Email, seen),
  phone: optionalText(Phone, seen),
  role: value(Role, { filter: 'list', published: true }),
  roleIds: optional(IdList, z.array(z.string()), [], {
    filter: 'query',
    ...ids.options,
    description: "The user's custom roles, in addition to `role`.",
  }),
  branchId: optionalText(RecordId, { shown: IdText.nullable(), published: PublicId.nullable() }),
  branchIds: ids,
  isActive: value(z.boolean().default(true), { apart: true, filter: 'query', published: true }),
});
const { fullName: newName, email: newEmail, ...others } = userRecord.create;
export const CreateUser = z
  .strictObject({ fullName: newName, email: newEmail, password: Password, ...others })
  .check(unlikeEmail)
  .meta({ id: 'CreateUserDto' });
export type CreateUser = z.output<typeof CreateUser>;

export const UpdateUser = input('UpdateUserDto', userRecord.update);
export type UpdateUser = z.output<typeof UpdateUser>;

const { fullName, phone } = userRecord.update;
export const UpdateProfile = input('UpdateProfileDto', { fullName, phone });
export type UpdateProfile = z.output<typeof UpdateProfile>;

/** A password set by another user. */
export const ResetPassword = input('ResetPasswordDto', { newPassword: Password });
export type ResetPassword = z.output<typeof ResetPassword>;

type Profile = ChangesTo<typeof userRecord>;

/** A one-time code that binds a person's identity at an OpenID provider to this user. */
const Invitation = z.object({ codeHash: secret(z.string()), expiresAt: Instant });
type Invitation = z.output<typeof Invitation>;

const UserCreated = z.object({ ...userRecord.stored, passwordHash: recordedPasswordHash });

export const userEvents = {
  UserCreated: domain('CREATE', 'user', UserCreated),
  UserUpdated: domain('UPDATE', 'user', z.object({ changes: someOf(userRecord.changes) })),
  UserDeactivated: domain('UPDATE', 'user', z.object({})),
  UserReactivated: domain('UPDATE', 'user', z.object({})),
  UserPasswordChanged: domain('UPDATE', 'user', PasswordChange),
  UserFactorsRemoved: domain('UPDATE', 'user', FactorsRemoval),
  UserInvited: domain('UPDATE', 'user', Invitation),
  UserIdentityLinked: domain('UPDATE', 'user', OidcIdentity),
  UserDeleted: domain('DELETE', 'user', z.object({})),
};
export type UserEvent = EventOf<typeof userEvents>;

export type User =
  | { status: 'absent' }
  | ({
      status: 'active' | 'inactive' | 'deleted';
      passwordHash: string;
      invitation: Invitation | null;
      identity: OidcIdentity | null;
      /** Stored in the state only for the audit log. */
      factorRemovalReason: string | null;
    } & Profile &
      SessionRule);
export type PresentUser = Exclude<User, { status: 'absent' }> & { status: 'active' | 'inactive' };

const created = ({ isActive, ...data }: z.output<typeof UserCreated>): User => ({
  status: isActive ? 'active' : 'inactive',
  ...{ epoch: 0, keptSessionId: null, invitation: null, identity: null, factorRemovalReason: null },
  ...data,
});

/** An open invitation does not survive such a change, because its inviter might no longer be allowed to invite. */
const changesAccess = ({ role, roleIds, email }: Partial<Profile>): boolean =>
  role !== undefined || roleIds !== undefined || email !== undefined;

function changed(state: Exclude<User, { status: 'absent' }>, event: Exclude<UserEvent, { type: 'UserCreated' }>): User {
  switch (event.type) {
    case 'UserUpdated':
      return { ...state, ...event.data.changes, ...(changesAccess(event.data.changes) && { invitation: null }) };
    case 'UserDeactivated':
      return { ...state, status: 'inactive', invitation: null, ...noSessions(state) };
    case 'UserReactivated':
      return { ...state, status: 'active' };
    case 'UserPasswordChanged':
      return { ...state, invitation: null, ...newPassword(state, event.data) };
    case 'UserFactorsRemoved':
      return { ...state, invitation: null, factorRemovalReason: event.data.reason, ...noSessions(state) };
    case 'UserInvited':
      return { ...state, invitation: event.data };
    case 'UserIdentityLinked':
      return { ...state, invitation: null, identity: event.data };
    case 'UserDeleted':
      return { ...state, status: 'deleted', ...noSessions(state) };
  }
}

export const user: Aggregate<User, UserEvent> = {
  name: 'user',
  events: userEvents,
  initial: { status: 'absent' },
  evolve: (state, event) => {
    if (event.type === 'UserCreated') return created(event.data);
    return state.status === 'absent' ? state : changed(state, event);
  },
  claims: (state) =>
    isPresent(state) ? [emailClaim(state.email), ...(state.identity ? [identityClaim(state.identity)] : [])] : [],
  memberships: [
    {
      of: (state, tenantId) => ({
        keeps: state.status === 'active' && state.role === 'OWNER',
        uses: isPresent(state) ? state.roleIds.map((id) => streamName('role', tenantId, id)) : [],
      }),
      staysWhile: 'last',
      refusal: {
        code: 'LAST_OWNER',
        message: 'The tenant must have at least one active owner. Make another user an owner first.',
      },
      gone: () => notFoundAt('roleIds', 'role'),
    },
  ],
};

const isPresent = (state: User): state is PresentUser => state.status === 'active' || state.status === 'inactive';

/** Returns the user. @throws DomainError not_found if the user is absent or deleted */
export function presentUser(state: User): PresentUser {
  if (!isPresent(state)) throw notFound('user');
  return state;
}

export type NewUser = Omit<CreateUser, 'password'> & { readonly passwordHash: string };

export function createUser(state: User, data: NewUser): UserEvent[] {
  if (state.status !== 'absent') return [];
  return [{ type: 'UserCreated', data: { ...userRecord.otherwise, ...data } }];
}

export function updateUser(state: User, { isActive, ...patch }: UpdateUser): UserEvent[] {
  const found = presentUser(state);
  const events: UserEvent[] = [];
  const changes = changesTo<Profile>(found, patch);
  if (changes) events.push({ type: 'UserUpdated', data: { changes } });
  if (isActive === false && found.status === 'active') events.push({ type: 'UserDeactivated', data: {} });
  if (isActive === true && found.status === 'inactive') events.push({ type: 'UserReactivated', data: {} });
  return events;
}

/** Sets a password chosen by another user and ends all of the account's sessions. */
export function changePassword(state: User, { passwordHash }: { passwordHash: string }): UserEvent[] {
  // Every hash has a new salt, so an equal hash means that the same command is being retried.
  if (presentUser(state).passwordHash === passwordHash) return [];
  return [{ type: 'UserPasswordChanged', data: { passwordHash } }];
}

/** @throws DomainError invalid if the account has changed since the current password was verified */
export function changeOwnPassword(state: User, { epoch, ...change }: OwnPassword): UserEvent[] {
  if (state.status === 'active' && state.passwordHash === change.passwordHash) return [];
  if (state.status !== 'active' || state.epoch !== epoch) throw wrongPassword();
  return [{ type: 'UserPasswordChanged', data: change }];
}

/** Ends all of the user's sessions. @throws DomainError conflict NO_FACTORS */
export function removeUserFactors(state: User, removal: FactorsRemoval): UserEvent[] {
  presentUser(state);
  ensureHasFactors(removal);
  return [{ type: 'UserFactorsRemoved', data: { reason: removal.reason } }];
}

export function deleteUser(state: User): UserEvent[] {
  presentUser(state);
  return [{ type: 'UserDeleted', data: {} }];
}

/** A new code invalidates the previous one. */
export function inviteUser(state: User, invitation: Invitation): UserEvent[] {
  presentUser(state);
  return [{ type: 'UserInvited', data: invitation }];
}

/** @throws DomainError invalid if the code is wrong or has expired, or if the user is not active */
export function acceptInvitation(
  state: User,
  { codeHash, identity }: { codeHash: string; identity: OidcIdentity },
  now: Date,
): UserEvent[] {
  const isOpen =
    state.status === 'active' &&
    state.invitation?.codeHash === codeHash &&
    Date.parse(state.invitation.expiresAt) > now.getTime();
  if (!isOpen) throw wrongCode();
  return [{ type: 'UserIdentityLinked', data: identity }];
}

export const wrongCode = () => invalid([{ path: 'code', message: 'The invitation is invalid or has expired.' }]);

/** Binds the identity used for the first sign-in. Returns `[]` if the user already has an identity. */
export const bindIdentity = (state: User, identity: OidcIdentity): UserEvent[] =>
  state.status === 'active' && state.identity === null ? [{ type: 'UserIdentityLinked', data: identity }] : [];

export const hasIdentity = (state: User, identity: OidcIdentity): boolean =>
  state.status === 'active' && isSameIdentity(state.identity, identity);
