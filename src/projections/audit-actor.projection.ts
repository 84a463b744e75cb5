import type { OperatorEvent } from '../aggregates/operator.aggregate.js';
import type { UserEvent } from '../aggregates/user.aggregate.js';
import { ofRecord, type Projection } from '../projecting/projection.js';
import { PLATFORM, type ReadModel } from '../ports/read-store.js';

/** Names of possible actors in the audit log: users of all tenants and operators, including deleted ones. */
export type AuditActorView = { readonly id: string; readonly name: string };

export const auditActors: ReadModel<AuditActorView> = {
  name: 'audit_actors',
  version: 1,
  fields: { id: { type: 'text', of: ({ id }) => id } },
  filters: [],
  order: { fields: ['id'], direction: 'ascending' },
  search: { name: ({ name }) => name },
};

export const auditActorProjection: Projection<AuditActorView, UserEvent | OperatorEvent> = {
  model: auditActors,
  sources: ['user', 'operator'],
  documents: ofRecord,
  scope: () => PLATFORM,
  evolve: (actor, event) => {
    switch (event.type) {
      case 'UserCreated':
      case 'OperatorCreated':
        return { id: event.recordId, name: event.data.fullName };
      case 'UserUpdated':
      case 'OperatorUpdated': {
        const { fullName } = event.data.changes;
        return actor && fullName !== undefined ? { ...actor, name: fullName } : actor;
      }
      default:
        return actor;
    }
  },
};
