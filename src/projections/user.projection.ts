import { operator, operatorRecord } from '../aggregates/operator.aggregate.js';
import type { ViewOf } from '../aggregates/record.js';
import { role, roleRecord } from '../aggregates/role.aggregate.js';
import type { SessionEvent } from '../aggregates/session.aggregate.js';
import { user, userRecord } from '../aggregates/user.aggregate.js';
import type { Recorded } from '../eventsourcing/event-catalogue.js';
import { PLATFORM, type ReadModel } from '../ports/read-store.js';
import { ofRecord, type Projection } from '../projecting/projection.js';
import { keyedBy, readModelOf, recordProjection, texts } from './record-projection.js';

/** A user. The last sign-in is added when the user is read. */
export type UserView = ViewOf<typeof userRecord.fields>;
export const users = readModelOf(userRecord, { name: 'users', version: 2, sorts: { name: 'fullName' } });

export const userProjection = recordProjection(users, user, 'UserCreated', {
  UserCreated: ({ data: { passwordHash: _, ...facts } }) => facts,
  UserUpdated: ({ data }) => data.changes,
  UserDeactivated: () => ({ isActive: false }),
  UserReactivated: () => ({ isActive: true }),
  UserPasswordChanged: () => ({}),
  UserFactorsRemoved: () => ({}),
  UserInvited: () => ({}),
  UserIdentityLinked: () => ({}),
  UserDeleted: null,
});

/**
 * Time of the last sign-in of a user or operator. This is a separate model, because sign-ins do not change the user's
 * revision.
 */
export type UserLogin = { readonly userId: string; readonly lastLoginAt: string };

export const userLogins = keyedBy<UserLogin>('user_logins', 'userId');

export const userLoginProjection: Projection<UserLogin, SessionEvent> = {
  model: userLogins,
  sources: ['session'],
  documents: (event) => (event.type === 'SessionStarted' ? [event.data.userId] : []),
  evolve: (login, event) =>
    event.type === 'SessionStarted' ? { userId: event.data.userId, lastLoginAt: event.data.startedAt } : login,
};

export type OperatorView = ViewOf<typeof operatorRecord.fields>;
export const operators = readModelOf(operatorRecord, { name: 'operators', version: 1 });

export const operatorProjection = recordProjection(operators, operator, 'OperatorCreated', {
  OperatorCreated: ({ data: { passwordHash: _, ...facts } }) => facts,
  OperatorUpdated: ({ data }) => data.changes,
  OperatorPasswordChanged: () => ({}),
  OperatorFactorsRemoved: () => ({}),
  OperatorIdentityLinked: () => ({}),
  OperatorDeleted: null,
});

/** A custom role. Its users are counted when the role is read. */
export type RoleView = ViewOf<typeof roleRecord.fields>;
export const roles = readModelOf(roleRecord, { name: 'roles', version: 1, direction: 'ascending' });

export const roleProjection = recordProjection(roles, role, 'RoleCreated', {
  RoleCreated: ({ data }) => data,
  RoleUpdated: ({ data }) => data.changes,
  RolePermissionsChanged: ({ data }) => data,
  RoleDeleted: null,
});

/** An open session of any tenant, with the data needed to list a person's own sessions and to find expired ones. */
export type SessionView = {
  readonly id: string;
  /** `platform` for operators. */
  readonly tenantId: string;
  readonly userId: string;
  /** The user's and the tenant's epochs when the session began. */
  readonly userEpoch: number;
  readonly tenantEpoch: number;
  /** Address and user agent of the last sign-in, refresh or step-up. */
  readonly address: string | null;
  readonly device: string | null;
  readonly startedAt: string;
  readonly lastUsedAt: string;
  /** Time at which the session's refresh token expires. */
  readonly expiresAt: string;
};

export const openSessions: ReadModel<SessionView> = {
  ...keyedBy<SessionView>('open_sessions', 'expiresAt'),
  version: 2,
  fields: texts<SessionView>('expiresAt', 'userId'),
  filters: ['userId'],
};

const usedBy = ({ metadata: { ip, userAgent, timestamp } }: Recorded<SessionEvent>) => ({
  address: ip ?? null,
  device: userAgent ?? null,
  lastUsedAt: timestamp,
});

function openedBy(event: Recorded<Extract<SessionEvent, { readonly type: 'SessionStarted' }>>): SessionView {
  const { recordId: id, tenantId } = event;
  const { userId, userEpoch = 0, tenantEpoch = 0, startedAt, expiresAt } = event.data;
  return { id, tenantId, userId, userEpoch, tenantEpoch, startedAt, expiresAt, ...usedBy(event) };
}

export const sessionProjection: Projection<SessionView, SessionEvent> = {
  model: openSessions,
  sources: ['session'],
  documents: ofRecord,
  scope: () => PLATFORM,
  evolve: (view, event) => {
    switch (event.type) {
      case 'SessionStarted':
        return openedBy(event);
      case 'RefreshTokenRotated':
        return view && { ...view, expiresAt: event.data.expiresAt, ...usedBy(event) };
      case 'SessionVerified':
        return view && { ...view, ...usedBy(event) };
      case 'SessionEnded':
        return undefined;
      case 'LoginFailed':
      case 'FactorRefused':
        return view;
    }
  },
};
