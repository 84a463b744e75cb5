import { z } from 'zod';
import { domain, type Aggregate, type EventOf } from '../eventsourcing/aggregate.js';
import { conflict, notFound } from '../eventsourcing/domain-error.js';
import { Instant, InstantText, line } from './fields.js';
import { secret } from './personal.js';
import { derived, field, input, record, text } from './record.js';

/** Requests per minute. Only an operator may set a higher limit. */
export const TENANT_MAX_RATE_LIMIT = 60;
const OPERATOR_MAX_RATE_LIMIT = 1_000_000;

/** The partner's name for its system. It is part of every sale's identity. */
const SourceId = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/,
    'Must be 1 to 64 letters, digits, points, hyphens or underscores, the first no sign.',
  );

export const integrationKeyRecord = record({
  name: text(line(120)),
  sourceId: text(SourceId, { description: "The partner's system: part of the identity of every sale it pushes." }),
  rateLimit: field(z.int().min(1).max(TENANT_MAX_RATE_LIMIT).default(TENANT_MAX_RATE_LIMIT), z.int(), {
    description: 'Requests in a window of 60 seconds.',
  }),
  revokedAt: derived(InstantText.nullable()),
});
export const CreateIntegrationKey = input('CreateIntegrationKeyDto', integrationKeyRecord.create);
export type CreateIntegrationKey = z.output<typeof CreateIntegrationKey>;

export const SetIntegrationKeyRateLimit = input('UpdateIntegrationKeyDto', {
  rateLimit: z.exactOptional(z.int().min(1).max(OPERATOR_MAX_RATE_LIMIT)),
});
export type SetIntegrationKeyRateLimit = z.output<typeof SetIntegrationKeyRateLimit>;

const secretHash = secret(z.string());
const IntegrationKeyCreated = z.object({ ...integrationKeyRecord.stored, secretHash });
export type NewIntegrationKey = z.output<typeof IntegrationKeyCreated>;

export const integrationKeyEvents = {
  IntegrationKeyCreated: domain('CREATE', 'integration-key', IntegrationKeyCreated),
  IntegrationKeyRotated: domain('UPDATE', 'integration-key', z.object({ secretHash })),
  IntegrationKeyRevoked: domain('DELETE', 'integration-key', z.object({ revokedAt: Instant })),
  IntegrationKeyRateLimitSet: domain('UPDATE', 'integration-key', z.object({ rateLimit: z.int() })),
};
export type IntegrationKeyEvent = EventOf<typeof integrationKeyEvents>;

export type IntegrationKey =
  { status: 'absent' } | ({ status: 'active' | 'revoked'; revokedAt: string | null } & NewIntegrationKey);

export const integrationKey: Aggregate<IntegrationKey, IntegrationKeyEvent> = {
  name: 'integration-key',
  events: integrationKeyEvents,
  initial: { status: 'absent' },
  evolve: (state, event) => {
    if (event.type === 'IntegrationKeyCreated') return { status: 'active', revokedAt: null, ...event.data };
    if (state.status === 'absent') return state;
    switch (event.type) {
      case 'IntegrationKeyRotated':
        return { ...state, secretHash: event.data.secretHash };
      case 'IntegrationKeyRevoked':
        return { ...state, status: 'revoked', revokedAt: event.data.revokedAt };
      case 'IntegrationKeyRateLimitSet':
        return { ...state, rateLimit: event.data.rateLimit };
    }
  },
};

export type RecordedIntegrationKey = Exclude<IntegrationKey, { status: 'absent' }>;

/** Returns the key, revoked or not. @throws DomainError not_found */
export function recordedIntegrationKey(state: IntegrationKey): RecordedIntegrationKey {
  if (state.status === 'absent') throw notFound('integration key');
  return state;
}

function usable(state: IntegrationKey): RecordedIntegrationKey {
  const found = recordedIntegrationKey(state);
  if (found.status === 'revoked') throw conflict('KEY_REVOKED', 'The key is revoked: make a new one.');
  return found;
}

export const createIntegrationKey = (state: IntegrationKey, data: NewIntegrationKey): IntegrationKeyEvent[] =>
  state.status === 'absent' ? [{ type: 'IntegrationKeyCreated', data }] : [];

/** Replaces the secret; the previous one is invalid at once. @throws DomainError not_found; conflict KEY_REVOKED */
export function rotateIntegrationKey(
  state: IntegrationKey,
  { secretHash: next }: { secretHash: string },
): IntegrationKeyEvent[] {
  if (usable(state).secretHash === next) return [];
  return [{ type: 'IntegrationKeyRotated', data: { secretHash: next } }];
}

/** Permanent; revoking again returns `[]`. @throws DomainError not_found */
export function revokeIntegrationKey(state: IntegrationKey, _: object, now: Date): IntegrationKeyEvent[] {
  if (recordedIntegrationKey(state).status === 'revoked') return [];
  return [{ type: 'IntegrationKeyRevoked', data: { revokedAt: now.toISOString() } }];
}

export function setIntegrationKeyRateLimit(
  state: IntegrationKey,
  { rateLimit }: SetIntegrationKeyRateLimit,
): IntegrationKeyEvent[] {
  if (usable(state).rateLimit === rateLimit || rateLimit === undefined) return [];
  return [{ type: 'IntegrationKeyRateLimitSet', data: { rateLimit } }];
}
