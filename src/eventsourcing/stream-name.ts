import { isUuid, UUID_PATTERN } from '../ports/uuid.js';

/** Pseudo-tenant for platform-wide records. */
export const PLATFORM_TENANT = 'platform';

/**
 * Returns the name of a record's stream: `<entity>-<tenantId>_<id>`. Because the name contains the tenant's id, the id
 * of another tenant's record results in the name of a nonexistent stream.
 */
export const streamName = (entity: string, tenantId: string, id: string): string => `${entity}-${tenantId}_${id}`;

export type StreamParts = { readonly entity: string; readonly tenantId: string; readonly id: string };

// The pattern matches the first possible separator. An id may contain any characters, but no entity name contains
// `-platform_`.
const pattern = new RegExp(`^(.+?)-(platform|${UUID_PATTERN})_(.+)$`);

/** Parses a stream's name. Returns undefined for another application's stream. */
export function parseStreamName(stream: string): StreamParts | undefined {
  const match = pattern.exec(stream);
  if (!match?.[1] || !match[2] || !match[3]) return undefined;
  return { entity: match[1], tenantId: match[2], id: match[3] };
}

/** Entity of a tenant's own record, whose stream belongs to the platform. */
const TENANT = 'tenant';

/** Returns the tenant that a stream concerns: the tenant in its name or, for a tenant's own record, that tenant. */
export function tenantOfStream(stream: string): string | undefined {
  const name = parseStreamName(stream);
  const isOwnRecord = name?.tenantId === PLATFORM_TENANT && name.entity === TENANT && isUuid(name.id);
  return isOwnRecord ? name.id : name?.tenantId;
}

/** Returns a prefix of the names of a tenant's streams for an entity. It does not match any other tenant's streams. */
export const streamPrefix = (entity: string, tenantId: string): string =>
  entity === TENANT ? streamName(entity, PLATFORM_TENANT, tenantId) : streamName(entity, tenantId, '');
