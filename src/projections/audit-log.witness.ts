import type { Anchor } from '../projecting/history-register.js';
import type { AnyProjection } from '../projecting/projection.js';
import { streamName } from '../eventsourcing/stream-name.js';
import { PLATFORM, type ReadStore } from '../ports/read-store.js';
import { auditLogProjection, type AuditLogView } from './audit-log.projection.js';

/** The newest event in a read store's audit log, which its history must contain. @throws ReadStoreUnavailable */
export async function auditWitness(store: ReadStore): Promise<Anchor | undefined> {
  const { model } = auditLogProjection as AnyProjection;
  const generation = await store.liveGeneration(model.name, model.version);
  if (generation === undefined) return undefined;
  const table = { model, generation };
  await store.prepare([table], { bulk: true });
  const [json] = (await store.list(table, PLATFORM, { offset: 0, limit: 1, after: '' })).items;
  if (json === undefined) return undefined;
  const { id, revision, position, tenantId, entity, entityId, carrier } = JSON.parse(json) as AuditLogView;
  const { entity: kind, recordId } = carrier ?? { entity, recordId: entityId };
  return { id, revision, position, stream: streamName(kind, tenantId, recordId) };
}
