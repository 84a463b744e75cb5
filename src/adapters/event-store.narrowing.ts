import type { EventFilter, Narrowing } from '../ports/event-store.js';

/**
 * Whether the shared filter selects every event that a subscription needs. A filter by event type selects events only
 * from the shared streams, because its event types occur in no other streams.
 */
export function covers(shared: EventFilter | undefined, wanted: EventFilter | undefined): boolean {
  if (!shared) return true;
  const { narrowing } = shared;
  if (narrowing && !isSame(narrowingOf([{ ...shared, on: 'stream' }, wanted]), narrowing)) return false;
  if (wanted?.on === 'type') return true;
  return wanted?.prefixes.every((prefix) => shared.prefixes.some((known) => prefix.startsWith(known))) ?? false;
}

export const narrowed = (filter: EventFilter | undefined, narrowing: Narrowing | undefined): EventFilter | undefined =>
  filter && { ...filter, ...(narrowing && { narrowing }) };

/** Returns a narrowing that selects all events that the filters select, or undefined if there is none. */
export function narrowingOf(filters: readonly (EventFilter | undefined)[]): Narrowing | undefined {
  const first = filters.find((filter) => filter?.narrowing)?.narrowing;
  if (!first) return undefined;
  const given = filters.filter((filter) => !isApart(filter, first.prefix)).map((filter) => filter?.narrowing);
  if (given.some((one) => one?.prefix !== first.prefix || one.at !== first.at)) return undefined;
  const characters = new Set(given.flatMap((one) => Array.from(one?.characters ?? '')));
  return { ...first, characters: [...characters].sort().join('') };
}

/** Whether a filter selects no stream whose name begins with the prefix. */
const isApart = (filter: EventFilter | undefined, prefix: string): boolean =>
  filter?.on === 'stream' && filter.prefixes.every((one) => !one.startsWith(prefix) && !prefix.startsWith(one));

export const isSame = (a: Narrowing | undefined, b: Narrowing | undefined): boolean =>
  a?.prefix === b?.prefix && a?.at === b?.at && a?.characters === b?.characters;
