import type { AuditAction } from '../platform/aggregate.js';
import { isAudited, subjectOf, summaryOf, type Audited } from '../platform/audit.js';
import type { Recorded } from '../platform/event-catalogue.js';
import { ALL_ENTITIES, type Projection } from '../platform/projection.js';
import { PLATFORM, type ReadModel } from '../ports/read-store.js';
import { UUID_PATTERN } from '../ports/uuid.js';
import { auditActors } from './audit-actor.projection.js';

/** Who did what, when and from where: one entry for each domain event. Names of tenants and users are joined when read. */
export type AuditLogView = {
  /** The event's. */
  readonly id: string;
  readonly occurredAt: string;
  /** Whose history it is in; `platform` for platform records. */
  readonly tenantId: string;
  /** Of the user who acted. */
  readonly branchId: string | null;
  /** The user or operator who acted; of a refused sign-in the one whose account it was. */
  readonly userId: string | null;
  /** `partner:<sourceId>` or `system:<name>` where nobody signed in acted. */
  readonly actor: string | null;
  readonly action: AuditAction;
  readonly entity: string;
  readonly entityId: string;
  readonly summary: string;
  readonly eventType: string;
  readonly requestId: string;
  readonly ipAddress: string | null;
  readonly userAgent: string | null;
  /** Of the event in its stream. */
  readonly revision: number;
  readonly position: number;
  /** The record whose stream the event is in, where that is not the one that the entry is about. */
  readonly carrier: { readonly entity: string; readonly recordId: string } | null;
};

const ANY_UUID = new RegExp(`\\b${UUID_PATTERN}\\b`, 'gi');
/** Too long for a number of anybody's own. */
const UUID_START = /\b([0-9a-f]{8})-[0-9a-f]{4}-[0-9a-f]{1,4}(?:-[0-9a-f]{0,12}){0,2}(?![0-9a-z])/gi;

/** Each UUID as one word, where its dashes would make five: a third of the words to be kept for each entry. */
const withWholeIds = (text: string): string => text.replace(ANY_UUID, (id) => id.replaceAll('-', ''));

/** A search for entries, in the words that they are found by. Of the beginning of a UUID the first part counts. */
export const auditSearch = (text: string): string => withWholeIds(text).replace(UUID_START, '$1');

/** An event that was written by hand may not say when: it is then the oldest, rather than in everybody's way. */
const instantOf = (text: string): number => {
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? 0 : ms;
};

// The largest of all read models, fed by every command and every sale: what is kept of an entry is as little as its
// filters need (docs/adr/0024).
export const auditLogs: ReadModel<AuditLogView> = {
  name: 'audit_logs',
  version: 2,
  fields: {
    /** Milliseconds since 1970: a quarter of the text's bytes, in every index. */
    occurredAtMs: { type: 'integer', of: ({ occurredAt }) => instantOf(occurredAt) },
    position: { type: 'integer', of: ({ position }) => position },
    tenantId: { type: 'text', of: ({ tenantId }) => tenantId },
    entity: { type: 'text', of: ({ entity }) => entity },
    entityId: { type: 'text', of: ({ entityId }) => entityId },
    action: { type: 'text', of: ({ action }) => action },
    branchId: { type: 'text', of: ({ branchId }) => branchId },
    userId: { type: 'text', of: ({ userId }) => userId },
  },
  filters: ['tenantId', 'entity', 'entityId', 'action', 'branchId', 'userId'],
  order: { fields: ['occurredAtMs', 'position'], direction: 'descending' },
  search: {
    text: ({ entity, entityId, requestId, actor, summary }) =>
      withWholeIds(`${summary} ${entity} ${entityId} ${requestId} ${actor ?? ''}`),
  },
  searchJoins: [{ field: 'userId', model: auditActors.name, texts: ['name'] }],
};

export const auditLogProjection: Projection<AuditLogView, Recorded> = {
  model: auditLogs,
  sources: ALL_ENTITIES,
  ofEvents: true,
  recordsOf: [],
  scope: () => PLATFORM,
  documents: (event) => (isAudited(event) ? [event.id] : []),
  evolve: (entry, event) => (isAudited(event) ? entryOf(event) : entry),
};

function entryOf(event: Audited): AuditLogView {
  const { metadata, audit, data } = event;
  const { entity, entityId } = subjectOf(event);
  const isOwn = entity === event.entity && entityId === event.recordId;
  return {
    id: event.id,
    occurredAt: metadata.timestamp,
    tenantId: event.tenantId,
    branchId: metadata.branchId ?? null,
    ...actorOf(metadata, data),
    action: audit.action,
    entity,
    entityId,
    summary: summaryOf(event),
    eventType: event.type,
    requestId: metadata.requestId,
    ipAddress: metadata.ip ?? null,
    userAgent: metadata.userAgent ?? null,
    revision: event.revision,
    position: event.position,
    carrier: isOwn ? null : { entity: event.entity, recordId: event.recordId },
  };
}

function actorOf(
  { userId, operatorId, sourceId, system }: Recorded['metadata'],
  data: object,
): Pick<AuditLogView, 'userId' | 'actor'> {
  const signedIn = userId ?? operatorId;
  if (signedIn !== undefined) return { userId: signedIn, actor: null };
  if (sourceId !== undefined) return { userId: null, actor: `partner:${sourceId}` };
  if (system !== undefined) return { userId: null, actor: `system:${system}` };
  return { userId: 'userId' in data && typeof data.userId === 'string' ? data.userId : null, actor: null };
}
