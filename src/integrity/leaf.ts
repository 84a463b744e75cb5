import type { RecordedEvent } from '../ports/event-store.js';
import { leafHash, type Digest } from './merkle.js';

/** The part of an event that a restore preserves. */
export type LeafEvent = Pick<RecordedEvent, 'stream' | 'revision' | 'id' | 'type' | 'data' | 'metadata'>;

/**
 * The leaf of an event (ADR 0079), in UTF-8. NUL is an unambiguous separator: names must not contain it and JSON
 * escapes it. `JSON.stringify` returns the text that the event was stored with, whichever engine parsed it.
 */
export const leafOf = (event: LeafEvent): string => leafPartsOf(event).join('\0');

export const leafPartsOf = ({ stream, revision, id, type, data, metadata }: LeafEvent): readonly string[] => [
  ...[stream, String(revision), id, type, JSON.stringify(data), JSON.stringify(metadata)],
];

export const leafHashOf = (event: LeafEvent): Digest => leafHash(leafOf(event));
