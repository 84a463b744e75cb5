import type { ReadReq } from '@eventstore/db-client/generated/streams_pb.js';
import type { RecordedEvent } from '../../../src/ports/event-store.js';

export type EventMatch = (event: RecordedEvent) => boolean;

/**
 * Matches by stream name or event type, using prefixes or a regular expression. If there is no filter, matches
 * everything.
 */
export function matchOf(filter: ReadReq.Options.FilterOptions | undefined): EventMatch {
  if (!filter) return () => true;
  const expression = filter.getStreamIdentifier() ?? filter.getEventType();
  const name = filter.hasStreamIdentifier() ? ({ stream }: RecordedEvent) => stream : ({ type }: RecordedEvent) => type;
  const regex = expression?.getRegex();
  if (regex) {
    const pattern = new RegExp(regex);
    return (event) => pattern.test(name(event));
  }
  const prefixes = expression?.getPrefixList() ?? [];
  return (event) => prefixes.some((prefix) => name(event).startsWith(prefix));
}
