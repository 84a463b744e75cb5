import type { OperatorEvent } from '../aggregates/operator.aggregate.js';
import { tenant } from '../aggregates/tenant.aggregate.js';
import type { UserEvent } from '../aggregates/user.aggregate.js';
import type { AuditAction } from '../eventsourcing/aggregate.js';
import { type Audited, isAudited, subjectOf, summaryOf } from '../eventsourcing/audit.js';
import type { Recorded } from '../eventsourcing/event-catalogue.js';
import { PLATFORM_TENANT, streamName } from '../eventsourcing/stream-name.js';
import { PLATFORM, type ReadModel, type ReadStore } from '../ports/read-store.js';
import { isUuid, UUID_LENGTH, UUID_PATTERN } from '../ports/uuid.js';
import type { Anchor } from '../projecting/history-register.js';
import { ALL_ENTITIES, type AnyProjection, ofRecord, type Projection } from '../projecting/projection.js';
import { keyedBy, searchIn, texts } from './record-projection.js';

/** Names of possible actors in the audit log: users of all tenants and operators, including deleted ones. */
export type AuditActorView = {
  readonly id: string;
  readonly name: string;
  /** The user's tenant; `platform` for an operator. */
  readonly tenantId: string;
};

export const auditActors: ReadModel<AuditActorView> = {
  ...keyedBy<AuditActorView>('audit_actors', 'id'),
  version: 2,
  fields: texts<AuditActorView>('id', 'tenantId'),
  filters: ['tenantId'],
  search: searchIn<AuditActorView>('name'),
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
        return { id: event.recordId, name: event.data.fullName, tenantId: event.tenantId };
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

/**
 * An entry for a domain event. It records who did what, when and from where. The names of tenants and users are added
 * when an entry is read.
 */
export type AuditLogView = {
  /** Id of the event. */
  readonly id: string;
  readonly occurredAt: string;
  /** Tenant whose history contains the entry; `platform` for platform records. */
  readonly tenantId: string;
  /** Branch of the acting user. */
  readonly branchId: string | null;
  /** The acting user or operator; for a rejected sign-in, the owner of the account. */
  readonly userId: string | null;
  /**
   * `partner:<sourceId>` or `system:<name>` for an actor that was not signed in; OPERATOR_ACTOR for operators in a
   * tenant's history.
   */
  readonly actor: string | null;
  readonly action: AuditAction;
  readonly entity: string;
  readonly entityId: string;
  readonly summary: string;
  readonly eventType: string;
  readonly requestId: string;
  readonly ipAddress: string | null;
  readonly userAgent: string | null;
  /** Revision of the event in its stream. */
  readonly revision: number;
  readonly position: number;
  /** The record whose stream contains the event, if it differs from the entry's subject. */
  readonly carrier: { readonly entity: string; readonly recordId: string } | null;
};

const ANY_UUID = new RegExp(`\\b${UUID_PATTERN}\\b`, 'gi');
/** Matches an incomplete UUID that extends into its third group. A shorter part could be an ordinary number. */
const UUID_START = /\b([0-9a-f]{8})-[0-9a-f]{4}-[0-9a-f]{1,4}(?:-[0-9a-f]{0,12}){0,2}(?![0-9a-z])/gi;

/**
 * Turns each UUID into one word instead of five. This saves a third of an entry's indexed words. Most strings either
 * are UUIDs or are too short to contain one, so they skip the slow replacement. A manually written event may lack a
 * string.
 */
function withWholeIds(given: string | undefined): string {
  const text = String(given);
  if (text.length < UUID_LENGTH) return text;
  if (isUuid(text)) return withoutHyphens(text);
  return text.replace(ANY_UUID, withoutHyphens);
}

const withoutHyphens = (id: string): string =>
  id.slice(0, 8) + id.slice(9, 13) + id.slice(14, 18) + id.slice(19, 23) + id.slice(24);

/** Converts a search to indexed words. Only the first part of an incomplete UUID is used. */
export const auditSearch = (text: string): string => withWholeIds(text).replace(UUID_START, '$1');

/**
 * A manually written event may lack a valid timestamp. It is then treated as the oldest event instead of causing an
 * error.
 */
const instantOf = (text: string): number => {
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? 0 : ms;
};

/** Actor in entries for operators' actions in a tenant's history. The tenant must not learn the operator's identity. */
export const OPERATOR_ACTOR = 'operator';

/** Kinds of records in a tenant's history that are visible only to operators. */
const OPERATORS_OWN: readonly string[] = ['dead-letter'];

/** Whether the users of the entry's tenant may see the entry. */
export const isShownToTenant = ({ tenantId, entity }: Pick<AuditLogView, 'tenantId' | 'entity'>): boolean =>
  tenantId !== PLATFORM_TENANT && !OPERATORS_OWN.includes(entity);

/** Returns the `tenantId` filter value that selects the entries visible to a tenant's users. */
export const shownTo = (tenantId: string): string => `shown:${tenantId}`;

const FILTERS = ['tenantId', 'entity', 'entityId', 'action', 'branchId', 'userId'] as const;

// This is the largest read model, because every command and every sale adds an entry. Entries therefore contain only
// the fields that filters need (docs/adr/0024).
export const auditLogs: ReadModel<AuditLogView> = {
  name: 'audit_logs',
  version: 3,
  fields: {
    /** In an index, a number of milliseconds takes a quarter of the space of a timestamp string. */
    occurredAtMs: { type: 'integer', of: ({ occurredAt }) => instantOf(occurredAt) },
    position: { type: 'integer', of: ({ position }) => position },
    ...texts<AuditLogView>(...FILTERS),
    tenantId: {
      type: 'text',
      of: (entry) => (isShownToTenant(entry) ? [entry.tenantId, shownTo(entry.tenantId)] : entry.tenantId),
    },
  },
  filters: FILTERS,
  counted: [],
  order: { fields: ['occurredAtMs', 'position'], direction: 'descending' },
  search: {
    text: ({ entity, entityId, requestId, actor, summary }) =>
      `${withWholeIds(summary)} ${withWholeIds(entity)} ${withWholeIds(entityId)} ${withWholeIds(requestId)} ` +
      withWholeIds(actor ?? ''),
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
  // The stream of a tenant's own record belongs to the platform, but the entry for a change by the tenant belongs to
  // the tenant.
  const tenantId = event.tenantId === PLATFORM_TENANT ? metadata.tenantId : event.tenantId;
  const { userId, actor } = actorOf(metadata, data, tenantId);
  return {
    id: event.id,
    occurredAt: metadata.timestamp,
    tenantId,
    branchId: metadata.branchId ?? null,
    userId,
    actor,
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
  tenantId: string,
): Pick<AuditLogView, 'userId' | 'actor'> {
  if (userId !== undefined) return { userId, actor: null };
  if (operatorId !== undefined)
    return { userId: operatorId, actor: tenantId === PLATFORM_TENANT ? null : OPERATOR_ACTOR };
  if (sourceId !== undefined) return { userId: null, actor: `partner:${sourceId}` };
  if (system !== undefined) return { userId: null, actor: `system:${system}` };
  return { userId: 'userId' in data && typeof data.userId === 'string' ? data.userId : null, actor: null };
}

type Addressed = Pick<AuditLogView, 'carrier' | 'entity' | 'entityId' | 'tenantId'>;

/** The record whose stream contains the event of an entry. */
export const carrierOf = ({ carrier, entity, entityId }: Addressed): NonNullable<AuditLogView['carrier']> =>
  carrier ?? { entity, recordId: entityId };

/** The stream that contains the event of an entry. A tenant's own record belongs to the platform. */
export function streamOf(entry: Addressed): string {
  const { entity, recordId } = carrierOf(entry);
  return streamName(entity, entity === tenant.name ? PLATFORM_TENANT : entry.tenantId, recordId);
}

/**
 * Returns the newest event in a read store's audit log. The history must contain this event.
 * @throws ReadStoreUnavailable
 */
export async function auditWitness(store: ReadStore): Promise<Anchor | undefined> {
  const { model } = auditLogProjection as AnyProjection;
  const generation = await store.liveGeneration(model.name, model.version);
  if (generation === undefined) return undefined;
  const table = { model, generation };
  await store.prepare([table], { bulk: true });
  const [json] = (await store.list(table, PLATFORM, { offset: 0, limit: 1, after: '' })).items;
  if (json === undefined) return undefined;
  const entry = JSON.parse(json) as AuditLogView;
  const { id, revision, position } = entry;
  return { id, revision, position, stream: streamOf(entry) };
}
