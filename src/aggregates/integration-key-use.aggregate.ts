import { z } from 'zod';
import { technical, type Aggregate, type EventOf } from '../eventsourcing/aggregate.js';
import { Instant } from './fields.js';

/** Minimum interval between two recorded uses of a key, in milliseconds. */
export const USE_RECORDED_EVERY_MS = 60_000;

export const integrationKeyUseEvents = {
  IntegrationKeyUsed: technical(z.object({ usedAt: Instant, recordedAt: Instant })),
};
export type IntegrationKeyUseEvent = EventOf<typeof integrationKeyUseEvents>;

export type IntegrationKeyUse =
  { readonly status: 'unused' } | { readonly status: 'used'; readonly usedAt: string; readonly recordedAt: string };

/**
 * Last use of the key with the same id, to the minute. Its own stream, so that uses do not change the key's revision.
 */
export const integrationKeyUse: Aggregate<IntegrationKeyUse, IntegrationKeyUseEvent> = {
  name: 'integration-key-use',
  events: integrationKeyUseEvents,
  initial: { status: 'unused' },
  evolve: (_, event) => ({ status: 'used', ...event.data }),
};

export type UseOfKey = {
  readonly usedAt: string;
  /** Last chance to record the use: ignores the minimum interval. */
  readonly isFinal: boolean;
};

/** Returns `[]` if any replica recorded a later use, or any use within the last minute. */
export function recordIntegrationKeyUse(
  state: IntegrationKeyUse,
  { usedAt, isFinal }: UseOfKey,
  now: Date,
): IntegrationKeyUseEvent[] {
  if (state.status === 'used') {
    const ageMs = now.getTime() - Date.parse(state.recordedAt);
    const isRecent = ageMs >= 0 && ageMs < USE_RECORDED_EVERY_MS;
    if (usedAt <= state.usedAt || (isRecent && !isFinal)) return [];
  }
  return [{ type: 'IntegrationKeyUsed', data: { usedAt, recordedAt: now.toISOString() } }];
}

/** Whether this use or a later one is recorded. */
export const isUseRecorded = (state: IntegrationKeyUse, usedAt: string): boolean =>
  state.status === 'used' && state.usedAt >= usedAt;
