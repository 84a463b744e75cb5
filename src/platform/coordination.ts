import { WrongExpectedRevision } from '../ports/event-store.js';
import type { Aggregate, DomainEvent } from './aggregate.js';
import type { Appender } from './appender.js';
import { CLAIM_FENCED } from './event-catalogue.js';
import { expectedAt, type Loaded, type RecordReader } from './record-reader.js';

// What claims and memberships have in common: streams beside the records, that say who is about to append what.

/** Whether the event could be appended at exactly the revision that was read; others may have come first. */
export async function appendAt<S, E extends DomainEvent>(
  { appender, reader }: { readonly appender: Appender; readonly reader: RecordReader },
  aggregate: Aggregate<S, E>,
  current: Loaded<S>,
  event: E,
): Promise<boolean> {
  const { stream } = current;
  try {
    const { revision, position } = await appender.write(stream, expectedAt(current.revision), [event]);
    reader.remember({ stream, state: aggregate.evolve(current.state, event, revision), revision, position });
    return true;
  } catch (error) {
    if (error instanceof WrongExpectedRevision) return false;
    throw error;
  }
}

/**
 * Takes the revision at which a command means to append, so that it must fail if it still tries: an event without meaning.
 * Where the stream is past that revision nothing happens.
 */
export async function fence(
  appender: Appender,
  { stream, revision }: { readonly stream: string; readonly revision: number },
  because: { readonly claim: string; readonly attemptId: string },
): Promise<void> {
  const event: DomainEvent = { type: CLAIM_FENCED, data: because };
  try {
    await appender.write(stream, expectedAt(revision), [event]);
  } catch (error) {
    if (!(error instanceof WrongExpectedRevision)) throw error;
  }
}
