import { z } from 'zod';
import { domain, type Aggregate, type EventOf } from '../platform/aggregate.js';
import { notFound } from '../platform/domain-error.js';
import { streamName } from '../platform/stream-name.js';
import {
  emailClaim,
  FullName,
  newPassword,
  noSessions,
  Password,
  PasswordChange,
  recordedEmail,
  recordedName,
  recordedPasswordHash,
  wrongPassword,
  type OwnPassword,
  type SessionRule,
} from './credentials.js';
import { changesTo, Email, IdList, Phone, RecordId, someOf } from './fields.js';
import { personal } from './personal.js';

export const Role = z.enum(['OWNER', 'ADMIN', 'USER']);
export type Role = z.output<typeof Role>;

const optional = { phone: Phone.nullable(), roleIds: IdList, branchId: RecordId.nullable(), branchIds: IdList };
export const CreateUser = z
  .strictObject({
    fullName: FullName,
    email: Email,
    password: Password,
    role: Role,
    isActive: z.boolean().default(true),
    ...someOf(optional).shape,
  })
  .meta({ id: 'CreateUserDto' });
export type CreateUser = z.output<typeof CreateUser>;

export const UpdateUser = z
  .strictObject(someOf({ fullName: FullName, email: Email, role: Role, isActive: z.boolean(), ...optional }).shape)
  .meta({ id: 'UpdateUserDto' });
export type UpdateUser = z.output<typeof UpdateUser>;

export const UpdateProfile = z
  .strictObject(someOf({ fullName: FullName, phone: Phone.nullable() }).shape)
  .meta({ id: 'UpdateProfileDto' });
export type UpdateProfile = z.output<typeof UpdateProfile>;

/** A password that somebody else sets. */
export const ResetPassword = z.strictObject({ newPassword: Password }).meta({ id: 'ResetPasswordDto' });
export type ResetPassword = z.output<typeof ResetPassword>;

const Profile = z.object({
  fullName: recordedName,
  email: recordedEmail,
  phone: personal(z.string().nullable()),
  role: Role,
  roleIds: z.array(z.string()),
  branchId: z.string().nullable(),
  branchIds: z.array(z.string()),
});
type Profile = z.output<typeof Profile>;

const UserCreated = Profile.extend({ isActive: z.boolean(), passwordHash: recordedPasswordHash });

export const userEvents = {
  UserCreated: domain('CREATE', 'user', UserCreated),
  UserUpdated: domain('UPDATE', 'user', z.object({ changes: someOf(Profile.shape) })),
  UserDeactivated: domain('UPDATE', 'user', z.object({})),
  UserReactivated: domain('UPDATE', 'user', z.object({})),
  UserPasswordChanged: domain('UPDATE', 'user', PasswordChange),
  UserDeleted: domain('DELETE', 'user', z.object({})),
};
export type UserEvent = EventOf<typeof userEvents>;

export type User =
  { status: 'absent' } | ({ status: 'active' | 'inactive' | 'deleted'; passwordHash: string } & Profile & SessionRule);
export type PresentUser = Exclude<User, { status: 'absent' }> & { status: 'active' | 'inactive' };

export const user: Aggregate<User, UserEvent> = {
  name: 'user',
  events: userEvents,
  initial: { status: 'absent' },
  evolve: (state, event) => {
    if (event.type === 'UserCreated') {
      const { isActive, ...rest } = event.data;
      return { status: isActive ? 'active' : 'inactive', epoch: 0, keptSessionId: null, ...rest };
    }
    if (state.status === 'absent') return state;
    switch (event.type) {
      case 'UserUpdated':
        return { ...state, ...event.data.changes };
      case 'UserDeactivated':
        return { ...state, status: 'inactive', ...noSessions(state) };
      case 'UserReactivated':
        return { ...state, status: 'active' };
      case 'UserPasswordChanged':
        return { ...state, ...newPassword(state, event.data) };
      case 'UserDeleted':
        return { ...state, status: 'deleted', ...noSessions(state) };
    }
  },
  claims: (state) => (isPresent(state) ? [emailClaim(state.email)] : []),
  membership: {
    of: (state, tenantId) => ({
      keeps: state.status === 'active' && state.role === 'OWNER',
      uses: isPresent(state) ? state.roleIds.map((id) => streamName('role', tenantId, id)) : [],
    }),
    staysWhile: 'last',
    refusal: { code: 'LAST_OWNER', message: 'The tenant must keep an active owner.' },
  },
};

const isPresent = (state: User): state is PresentUser => state.status === 'active' || state.status === 'inactive';

/** The user, unless there is none (any more). @throws DomainError not_found */
export function presentUser(state: User): PresentUser {
  if (!isPresent(state)) throw notFound('user');
  return state;
}

/** The request with its password hashed. */
export type NewUser = Omit<CreateUser, 'password'> & { readonly passwordHash: string };

export function createUser(state: User, data: NewUser): UserEvent[] {
  if (state.status !== 'absent') return [];
  const nothing = { phone: null, roleIds: [], branchId: null, branchIds: [] };
  return [{ type: 'UserCreated', data: { ...nothing, ...data } }];
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

/** Somebody else sets the password: all sessions of the user end. */
export function changePassword(state: User, { passwordHash }: { passwordHash: string }): UserEvent[] {
  // A hash is salted anew each time, so an equal one is the same command once more.
  if (presentUser(state).passwordHash === passwordHash) return [];
  return [{ type: 'UserPasswordChanged', data: { passwordHash } }];
}

/** @throws DomainError invalid when the account is not as it was when the current password was checked */
export function changeOwnPassword(state: User, { epoch, ...change }: OwnPassword): UserEvent[] {
  if (state.status === 'active' && state.passwordHash === change.passwordHash) return [];
  if (state.status !== 'active' || state.epoch !== epoch) throw wrongPassword();
  return [{ type: 'UserPasswordChanged', data: change }];
}

export function deleteUser(state: User): UserEvent[] {
  presentUser(state);
  return [{ type: 'UserDeleted', data: {} }];
}
