import { randomUUID } from 'node:crypto';
import { METADATA_EVENT, metadataStreamOf } from '../../src/adapters/embedded/event-store.heads.js';
import type { Appended, EventStore, ExpectedRevision } from '../../src/ports/event-store.js';

/** EventStoreDB's stream metadata as it is stored. `$maxAge` is in seconds; keys without `$` are the caller's own. */
export type StreamMetadata = {
  readonly $maxCount?: number;
  readonly $maxAge?: number;
  readonly $tb?: number;
  readonly [key: string]: unknown;
};

/** Replaces a stream's metadata; `expected` is the revision of the metadata, not of the stream. */
export function setStreamMetadata(
  store: EventStore,
  stream: string,
  metadata: StreamMetadata,
  expected: ExpectedRevision = 'any',
): Promise<Appended> {
  const event = { id: randomUUID(), type: METADATA_EVENT, data: metadata, metadata: {} };
  return store.append({ stream: metadataStreamOf(stream), expected, events: [event] });
}

/** `revision` is -1 where none was ever set. */
export async function getStreamMetadata(
  store: EventStore,
  stream: string,
): Promise<{ metadata: StreamMetadata; revision: number }> {
  const newest = { direction: 'backwards', maxCount: 1 } as const;
  const { revision, events } = await store.readStream(metadataStreamOf(stream), newest);
  return { metadata: (events[0]?.data ?? {}) as StreamMetadata, revision };
}
