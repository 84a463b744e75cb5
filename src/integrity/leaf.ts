import type { RecordedEvent } from '../ports/event-store.js';
import { leafHash, type Digest } from './merkle.js';

/** The part of an event that a restore preserves. */
export type LeafEvent = Pick<RecordedEvent, 'stream' | 'revision' | 'id' | 'type' | 'data' | 'metadata' | 'storedText'>;

/**
 * The leaf of an event (ADR 0079), in UTF-8. NUL is an unambiguous separator: names must not contain it and JSON
 * escapes it. `JSON.stringify` returns the text with which the event was stored, for every engine.
 */
export const leafOf = (event: LeafEvent): string => leafPartsOf(event).join('\0');

export function leafPartsOf({ stream, revision, id, type, data, metadata, storedText }: LeafEvent): readonly string[] {
  const texts = storedText ?? [JSON.stringify(data), JSON.stringify(metadata)];
  return [stream, String(revision), id, type, ...texts];
}

export const leafHashOf = (event: LeafEvent): Digest => leafHash(leafOf(event));
