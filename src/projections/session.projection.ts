import type { SessionEvent } from '../aggregates/session.aggregate.js';
import { ofRecord, type Projection } from '../projecting/projection.js';
import { PLATFORM, type ReadModel } from '../ports/read-store.js';

/** An open session of any tenant, with the data needed to find expired ones. */
export type SessionView = {
  readonly id: string;
  /** `platform` for operators. */
  readonly tenantId: string;
  /** When its refresh token expires. */
  readonly expiresAt: string;
};

export const openSessions: ReadModel<SessionView> = {
  name: 'open_sessions',
  version: 1,
  fields: { expiresAt: { type: 'text', of: ({ expiresAt }) => expiresAt } },
  filters: [],
  order: { fields: ['expiresAt'], direction: 'ascending' },
};

export const sessionProjection: Projection<SessionView, SessionEvent> = {
  model: openSessions,
  sources: ['session'],
  documents: ofRecord,
  scope: () => PLATFORM,
  evolve: (view, event) => {
    switch (event.type) {
      case 'SessionStarted':
        return { id: event.recordId, tenantId: event.tenantId, expiresAt: event.data.expiresAt };
      case 'RefreshTokenRotated':
        return view && { ...view, expiresAt: event.data.expiresAt };
      case 'SessionEnded':
        return undefined;
      case 'LoginFailed':
        return view;
    }
  },
};
