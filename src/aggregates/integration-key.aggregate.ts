import { z } from 'zod';
import { domain, type Aggregate, type EventOf } from '../platform/aggregate.js';
import { conflict, notFound } from '../platform/domain-error.js';
import { Instant, line } from './fields.js';
import { secret } from './personal.js';

/** Requests a minute. Above what a tenant may set, an operator decides. */
export const TENANT_MAX_RATE_LIMIT = 60;
const OPERATOR_MAX_RATE_LIMIT = 1_000_000;

/** A partner's name for its system: part of every sale's identity. */
const SourceId = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/,
    'Must be 1 to 64 letters, digits, points, hyphens or underscores, the first no sign.',
  );

export const CreateIntegrationKey = z
  .strictObject({
    name: line(120),
    sourceId: SourceId,
    rateLimit: z.int().min(1).max(TENANT_MAX_RATE_LIMIT).default(TENANT_MAX_RATE_LIMIT),
  })
  .meta({ id: 'CreateIntegrationKeyDto' });
export type CreateIntegrationKey = z.output<typeof CreateIntegrationKey>;

export const SetIntegrationKeyRateLimit = z
  .strictObject({ rateLimit: z.int().min(1).max(OPERATOR_MAX_RATE_LIMIT) })
  .meta({ id: 'UpdateIntegrationKeyDto' });
export type SetIntegrationKeyRateLimit = z.output<typeof SetIntegrationKeyRateLimit>;

const secretHash = secret(z.string());
const IntegrationKeyCreated = z.object({
  name: z.string(),
  sourceId: z.string(),
  rateLimit: z.int(),
  secretHash,
});
/** The request with the secret made and hashed. */
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

/** The key, revoked or not. @throws DomainError not_found */
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

/** Another secret: the one before ends at once. @throws DomainError not_found; conflict KEY_REVOKED */
export function rotateIntegrationKey(
  state: IntegrationKey,
  { secretHash: next }: { secretHash: string },
): IntegrationKeyEvent[] {
  if (usable(state).secretHash === next) return [];
  return [{ type: 'IntegrationKeyRotated', data: { secretHash: next } }];
}

/** For ever; once more changes nothing. @throws DomainError not_found */
export function revokeIntegrationKey(state: IntegrationKey, _: object, now: Date): IntegrationKeyEvent[] {
  if (recordedIntegrationKey(state).status === 'revoked') return [];
  return [{ type: 'IntegrationKeyRevoked', data: { revokedAt: now.toISOString() } }];
}

export function setIntegrationKeyRateLimit(
  state: IntegrationKey,
  { rateLimit }: SetIntegrationKeyRateLimit,
): IntegrationKeyEvent[] {
  if (usable(state).rateLimit === rateLimit) return [];
  return [{ type: 'IntegrationKeyRateLimitSet', data: { rateLimit } }];
}
