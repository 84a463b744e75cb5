import { UUID_PATTERN } from '../ports/uuid.js';

/** Pseudo tenant of platform-wide records. */
export const PLATFORM_TENANT = 'platform';

/** A record's stream: `<entity>-<tenantId>_<id>`. Another tenant's id thus addresses a stream that does not exist. */
export const streamName = (entity: string, tenantId: string, id: string): string => `${entity}-${tenantId}_${id}`;

export type StreamParts = { readonly entity: string; readonly tenantId: string; readonly id: string };

// Matches the first possible separator: no entity name contains `-platform_`, but an id may contain anything.
const pattern = new RegExp(`^(.+?)-(platform|${UUID_PATTERN})_(.+)$`);

/** Parses a stream's name; undefined for a stream of another application. */
export function parseStreamName(stream: string): StreamParts | undefined {
  const match = pattern.exec(stream);
  if (!match?.[1] || !match[2] || !match[3]) return undefined;
  return { entity: match[1], tenantId: match[2], id: match[3] };
}
