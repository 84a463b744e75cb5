import type { SessionEvent } from '../aggregates/session.aggregate.js';
import type { Projection } from '../projecting/projection.js';
import type { ReadModel } from '../ports/read-store.js';

/** When a user or operator last signed in. Separate from the user, because sign-ins do not change its revision. */
export type UserLogin = { readonly userId: string; readonly lastLoginAt: string };

export const userLogins: ReadModel<UserLogin> = {
  name: 'user_logins',
  version: 1,
  fields: { userId: { type: 'text', of: ({ userId }) => userId } },
  filters: [],
  order: { fields: ['userId'], direction: 'ascending' },
};

export const userLoginProjection: Projection<UserLogin, SessionEvent> = {
  model: userLogins,
  sources: ['session'],
  documents: (event) => (event.type === 'SessionStarted' ? [event.data.userId] : []),
  evolve: (login, event) =>
    event.type === 'SessionStarted' ? { userId: event.data.userId, lastLoginAt: event.data.startedAt } : login,
};
