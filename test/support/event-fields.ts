import type { RecordedEvent } from '../../src/ports/event-store.js';

/** Returns an event's fields, copied because they may be getters. */
export const fieldsOf = ({ id, stream, revision, position, type, data, metadata, recordedAtMs }: RecordedEvent) => ({
  ...{ id, stream, revision, position, type, data, metadata, recordedAtMs },
});
