import type { RecordedEvent } from '../ports/event-store.js';
import { leafHash, type Digest } from './merkle.js';

/** The part of an event that a restore preserves. */
export type LeafEvent = Pick<RecordedEvent, 'stream' | 'revision' | 'id' | 'type' | 'data' | 'metadata' | 'storedText'>;

/**
 * Returns an event's leaf (ADR 0079), in UTF-8. NUL is an unambiguous separator, because names must not contain it and
 * JSON escapes it. With every engine, `JSON.stringify` reproduces the text that was stored when the event was appended.
 */
export const leafOf = (event: LeafEvent): string => {
  const { stream, revision, id, type } = event;
  const [data, metadata] = textsOf(event);
  return `${stream}\0${revision}\0${id}\0${type}\0${data}\0${metadata}`;
};

const textsOf = ({ storedText, data, metadata }: LeafEvent): readonly [string, string] =>
  storedText ?? [JSON.stringify(data), JSON.stringify(metadata)];

export const leafHashOf = (event: LeafEvent): Digest => leafHash(leafOf(event));
