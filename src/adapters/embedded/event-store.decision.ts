import { StreamTombstoned, WrongExpectedRevision } from '../../ports/event-store.js';
import type { SerializedAppend } from '../event-store.input.js';
import { isSoftlyDeleted, type StreamHead } from './event-store.heads.js';

/** Ids of events stored before, looked up only where the plain answer is not enough. */
export interface StoredIds {
  at(stream: string, revision: number): string | undefined;
  /** Revision of the event among the stream's newest ones; undefined where it is not among them. */
  findRecent(stream: string, id: string): number | undefined;
}

/** `repeated`: the events are there already, the last of them at `revision`. */
export type Decision = { readonly kind: 'write' } | { readonly kind: 'repeated'; readonly revision: number };

const write: Decision = { kind: 'write' };

/**
 * EventStoreDB's rules (IndexWriter.CheckCommit), as its recorded answers show them: a repeat is recognised by its ids at
 * the revisions where the first attempt would have put them; of a batch that is there in part, the rest is refused.
 * @throws WrongExpectedRevision, StreamTombstoned
 */
export function decideAppend(append: SerializedAppend, head: StreamHead, ids: StoredIds): Decision {
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
  if (head.revision < 0 && !head.rules) throw new WrongExpectedRevision(stream, 'stream_exists', 'no_stream');
}

function decideAnywhere(append: SerializedAppend, head: StreamHead, ids: StoredIds): Decision {
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

/** Others have appended since the expected revision: a repeat, a softly deleted stream begun anew, or a conflict. */
function decideBehind(append: SerializedAppend, after: number, head: StreamHead, ids: StoredIds): Decision {
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

const wrong = ({ stream, expected }: SerializedAppend, { revision }: StreamHead): WrongExpectedRevision =>
  new WrongExpectedRevision(stream, expected, revision < 0 ? 'no_stream' : revision);
