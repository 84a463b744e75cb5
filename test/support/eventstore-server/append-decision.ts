import type { SerializedEvent } from '../../../src/adapters/event-store.input.js';
import { type ExpectedRevision, StreamTombstoned, WrongExpectedRevision } from '../../../src/ports/event-store.js';
import { type Expectation, isSoftlyDeleted, type StreamHead } from './stream-rules.js';

/** An append as the server received it. */
export type ServerAppend = {
  readonly stream: string;
  readonly expected: Expectation;
  readonly events: readonly SerializedEvent[];
};

/** Looks up ids of stored events. The lookup is necessary only if the revisions alone do not decide the append. */
export interface StoredIds {
  at(stream: string, revision: number): string | undefined;
  /** Revision of the event if it is among the stream's newest events. Otherwise, undefined. */
  findRecent(stream: string, id: string): number | undefined;
}

/** `repeated`: the events are already stored. The last of them has the given revision. */
export type Decision = { readonly kind: 'write' } | { readonly kind: 'repeated'; readonly revision: number };

const write: Decision = { kind: 'write' };

/**
 * Applies EventStoreDB's rules (IndexWriter.CheckCommit), as seen in its recorded responses. An append is a repeat if
 * its event ids are stored at the revisions that the first attempt would have written. A batch of which only a part is
 * stored is rejected.
 * @throws WrongExpectedRevision, StreamTombstoned
 */
export function decideAppend(append: ServerAppend, head: StreamHead, ids: StoredIds): Decision {
  const { stream, expected } = append;
  if (head.tombstoned) throw new StreamTombstoned(stream);
  if (expected === 'stream_exists') assertExists(stream, head);
  if (expected === 'any' || expected === 'stream_exists') return decideAnywhere(append, head, ids);
  const expectedRevision = expected === 'no_stream' ? -1 : expected;
  if (expectedRevision === head.revision) return write;
  if (expectedRevision > head.revision) throw wrong(append, head);
  return decideBehind(append, expectedRevision, head, ids);
}

function assertExists(stream: string, head: StreamHead): void {
  if (isSoftlyDeleted(head)) throw new StreamTombstoned(stream);
  if (head.revision < 0 && !head.rules) throw refusal(stream, 'stream_exists', 'no_stream');
}

function decideAnywhere(append: ServerAppend, head: StreamHead, ids: StoredIds): Decision {
  if (head.revision < 0) return write;
  let last: number | undefined;
  for (const { id } of append.events) {
    const revision = ids.findRecent(append.stream, id);
    if (revision === undefined) {
      if (last === undefined) return write;
      throw wrong(append, head);
    }
    last = revision;
  }
  return last === undefined ? write : { kind: 'repeated', revision: last };
}

/**
 * Decides an append to a stream that already has events after the expected revision. The append is a repeat, recreates
 * a soft-deleted stream, or conflicts.
 */
function decideBehind(append: ServerAppend, after: number, head: StreamHead, ids: StoredIds): Decision {
  let revision = after;
  for (const { id } of append.events) {
    revision += 1;
    if (revision <= head.revision && ids.at(append.stream, revision) === id) continue;
    const nothingFound = revision === after + 1;
    if (nothingFound && append.expected === 'no_stream' && isSoftlyDeleted(head)) return write;
    throw wrong(append, head);
  }
  if (revision === after) throw wrong(append, head);
  return { kind: 'repeated', revision };
}

const wrong = ({ stream, expected }: ServerAppend, { revision }: StreamHead): WrongExpectedRevision =>
  refusal(stream, expected, revision < 0 ? 'no_stream' : revision);

/**
 * Stores the expectation in the port's error, whose type supports only the port's expectations. `expectationOf` returns
 * the original expectation.
 */
export const refusal = (stream: string, expected: Expectation, actual: number | 'no_stream'): WrongExpectedRevision =>
  new WrongExpectedRevision(stream, expected as ExpectedRevision, actual);

export const expectationOf = ({ expected }: WrongExpectedRevision): Expectation => expected;
