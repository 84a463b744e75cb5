import type { ViewOf } from '../aggregates/record.js';
import { user, userRecord } from '../aggregates/user.aggregate.js';
import { readModelOf, recordProjection } from './record-projection.js';

/** A user. The last sign-in is joined on reading. */
export type UserView = ViewOf<typeof userRecord.fields>;
export const users = readModelOf(userRecord, { name: 'users', version: 1 });

export const userProjection = recordProjection(users, user, 'UserCreated', {
  UserCreated: ({ data: { passwordHash: _, ...facts } }) => facts,
  UserUpdated: ({ data }) => data.changes,
  UserDeactivated: () => ({ isActive: false }),
  UserReactivated: () => ({ isActive: true }),
  UserPasswordChanged: () => ({}),
  UserInvited: () => ({}),
  UserIdentityLinked: () => ({}),
  UserDeleted: null,
});
