import { WrongExpectedRevision } from '../ports/event-store.js';
import type { Aggregate, DomainEvent } from './aggregate.js';
import type { Appender } from './appender.js';
import { CLAIM_FENCED, type EventCatalogue } from './event-catalogue.js';
import { expectedAt, type Loaded, type RecordReader } from './record-reader.js';
import { parseStreamName } from './stream-name.js';

// Helpers for claims and memberships, which use coordination streams to record intended appends to other streams.

/** Returns the aggregate, tenant and id of the record that owns a stream. @throws Error if no aggregate owns it */
export function recordOf(catalogue: EventCatalogue, stream: string) {
  const name = parseStreamName(stream);
  const aggregate = name && catalogue.aggregateOf(name.entity);
  if (!aggregate) throw new Error(`No aggregate owns ${stream}`);
  return { aggregate, tenantId: name.tenantId, id: name.id };
}

/** Appends at exactly the revision that was read. Returns false if another append came first. */
export async function appendAt<S, E extends DomainEvent>(
  { appender, reader }: { readonly appender: Appender; readonly reader: RecordReader },
  aggregate: Aggregate<S, E>,
  current: Loaded<S>,
  event: E,
): Promise<boolean> {
  const { stream } = current;
  try {
    const { revision, position } = await appender.write(stream, expectedAt(current.revision), [event]);
    reader.remember({ stream, state: aggregate.evolve(current.state, event), revision, position });
    return true;
  } catch (error) {
    if (error instanceof WrongExpectedRevision) return false;
    throw error;
  }
}

/**
 * Appends a technical event at the revision at which a command intends to append, so that the command's append cannot
 * succeed. Does nothing if the stream is already past that revision.
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
