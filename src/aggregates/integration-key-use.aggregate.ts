import { z } from 'zod';
import { technical, type Aggregate, type EventOf } from '../platform/aggregate.js';
import { Instant } from './fields.js';

/** Between two records of a key's uses, milliseconds. */
export const USE_RECORDED_EVERY_MS = 60_000;

export const integrationKeyUseEvents = {
  IntegrationKeyUsed: technical(z.object({ usedAt: Instant, recordedAt: Instant })),
};
export type IntegrationKeyUseEvent = EventOf<typeof integrationKeyUseEvents>;

export type IntegrationKeyUse =
  { readonly status: 'unused' } | { readonly status: 'used'; readonly usedAt: string; readonly recordedAt: string };

/** When a key was last used, to a minute. Apart from the key, whose revision no use changes; with the key's id. */
export const integrationKeyUse: Aggregate<IntegrationKeyUse, IntegrationKeyUseEvent> = {
  name: 'integration-key-use',
  events: integrationKeyUseEvents,
  initial: { status: 'unused' },
  evolve: (_, event) => ({ status: 'used', ...event.data }),
};

export type UseOfKey = {
  readonly usedAt: string;
  /** The last chance: recorded also where the last record is younger than a minute. */
  readonly isFinal: boolean;
};

/** `[]` where a later use is recorded, or any was within the last minute, by whichever replica. */
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

/** Whether nothing is left to record of a use. */
export const isUseRecorded = (state: IntegrationKeyUse, usedAt: string): boolean =>
  state.status === 'used' && state.usedAt >= usedAt;
