import { UUID_PATTERN } from '../ports/uuid.js';

/** Where platform-wide records live. */
export const PLATFORM_TENANT = 'platform';

/** A record's stream: `<entity>-<tenantId>_<id>`, so that another tenant's id addresses a stream that does not exist. */
export const streamName = (entity: string, tenantId: string, id: string): string => `${entity}-${tenantId}_${id}`;

/** What a stream's name says. */
export type StreamParts = { readonly entity: string; readonly tenantId: string; readonly id: string };

// The first place that fits: no entity's name holds `-platform_`, but an id may hold anything.
const pattern = new RegExp(`^(.+?)-(platform|${UUID_PATTERN})_(.+)$`);

/** The parts of a stream's name; undefined for a stream that is not one of ours. */
export function parseStreamName(stream: string): StreamParts | undefined {
  const match = pattern.exec(stream);
  if (!match?.[1] || !match[2] || !match[3]) return undefined;
  return { entity: match[1], tenantId: match[2], id: match[3] };
}
