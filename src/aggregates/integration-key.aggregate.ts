import { parse, stringify, validate } from 'uuid';
import { z } from 'zod';
import { type Aggregate, domain, type EventOf, technical } from '../eventsourcing/aggregate.js';
import { conflict, notFound } from '../eventsourcing/domain-error.js';
import { stepUpRequired } from '../security/step-up.js';
import { Instant, InstantText, line } from './fields.js';
import { secret } from './personal.js';
import { derived, field, input, record, text } from './record.js';

const PREFIX = 'kontor_';
const IDS_LENGTH = 43;

/** The parts of an integration key: its tenant and key id, and the secret that authenticates it. */
export type IntegrationKeyParts = { readonly tenantId: string; readonly keyId: string; readonly secret: string };

/**
 * Formats the X-Integration-Key header: `kontor_<tenant and key id, base64url>_<secret>`. The ids address the key's
 * stream, which avoids a lookup by secret. The prefix lets secret scanners detect a leaked key.
 */
export function formatIntegrationKey({ tenantId, keyId, secret }: IntegrationKeyParts): string {
  const ids = Buffer.concat([parse(tenantId), parse(keyId)]).toString('base64url');
  return `${PREFIX}${ids}_${secret}`;
}

/** Returns undefined if the value is malformed. */
export function parseIntegrationKey(value: string): IntegrationKeyParts | undefined {
  if (!/^kontor_[\w-]{43}_[\w-]{20,100}$/.test(value)) return undefined;
  const bytes = Buffer.from(value.slice(PREFIX.length, PREFIX.length + IDS_LENGTH), 'base64url');
  const [tenantId, keyId] = [bytes.subarray(0, 16), bytes.subarray(16, 32)].map(uuidOf);
  if (tenantId === undefined || keyId === undefined) return undefined;
  return { tenantId, keyId, secret: value.slice(PREFIX.length + IDS_LENGTH + 1) };
}

function uuidOf(bytes: Uint8Array): string | undefined {
  try {
    const text = stringify(bytes);
    return validate(text) ? text : undefined;
  } catch {
    return undefined;
  }
}

/** Highest rate limit that a tenant may set, in requests per minute. Operators may set a higher one. */
export const TENANT_MAX_RATE_LIMIT = 60;
const OPERATOR_MAX_RATE_LIMIT = 1_000_000;

/** The partner's name for its system. It is part of every sale's identity. */
const SourceId = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/,
    'Must be 1 to 64 letters, digits, periods, hyphens or underscores, and start with a letter or digit.',
  );

export const integrationKeyRecord = record({
  name: text(line(120)),
  sourceId: text(SourceId, { description: "The partner's system; part of the identity of every sale." }),
  rateLimit: field(z.int().min(1).max(TENANT_MAX_RATE_LIMIT).default(TENANT_MAX_RATE_LIMIT), z.int(), {
    description: 'Requests allowed in 60 seconds.',
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
  if (found.status === 'revoked') throw conflict('KEY_REVOKED', 'The key is revoked. Create a new one.');
  return found;
}

export const createIntegrationKey = (state: IntegrationKey, data: NewIntegrationKey): IntegrationKeyEvent[] =>
  state.status === 'absent' ? [{ type: 'IntegrationKeyCreated', data }] : [];

/**
 * Replaces the secret. The previous one becomes invalid immediately.
 * @throws DomainError not_found; conflict KEY_REVOKED
 */
export function rotateIntegrationKey(
  state: IntegrationKey,
  { secretHash: next }: { secretHash: string },
): IntegrationKeyEvent[] {
  if (usable(state).secretHash === next) return [];
  return [{ type: 'IntegrationKeyRotated', data: { secretHash: next } }];
}

/** Revokes the key permanently. Returns `[]` if it is already revoked. @throws DomainError not_found */
export function revokeIntegrationKey(state: IntegrationKey, _: object, now: Date): IntegrationKeyEvent[] {
  if (recordedIntegrationKey(state).status === 'revoked') return [];
  return [{ type: 'IntegrationKeyRevoked', data: { revokedAt: now.toISOString() } }];
}

export function setIntegrationKeyRateLimit(
  state: IntegrationKey,
  { rateLimit, mayRaise }: SetIntegrationKeyRateLimit & { readonly mayRaise: boolean },
): IntegrationKeyEvent[] {
  const { rateLimit: before } = usable(state);
  if (before === rateLimit || rateLimit === undefined) return [];
  if (rateLimit > before && !mayRaise) throw stepUpRequired();
  return [{ type: 'IntegrationKeyRateLimitSet', data: { rateLimit } }];
}

/** Minimum interval between two recorded uses of a key, in milliseconds. */
export const USE_RECORDED_EVERY_MS = 60_000;

export const integrationKeyUseEvents = {
  IntegrationKeyUsed: technical(z.object({ usedAt: Instant, recordedAt: Instant })),
};
export type IntegrationKeyUseEvent = EventOf<typeof integrationKeyUseEvents>;

export type IntegrationKeyUse =
  { readonly status: 'unused' } | { readonly status: 'used'; readonly usedAt: string; readonly recordedAt: string };

/**
 * The last use of the key with the same id, accurate to one minute. It has a separate stream, so that uses do not
 * change the key's revision.
 */
export const integrationKeyUse: Aggregate<IntegrationKeyUse, IntegrationKeyUseEvent> = {
  name: 'integration-key-use',
  events: integrationKeyUseEvents,
  initial: { status: 'unused' },
  evolve: (_, event) => ({ status: 'used', ...event.data }),
};

export type UseOfKey = {
  readonly usedAt: string;
  /** Whether this is the last chance to record the use. If so, the minimum interval is ignored. */
  readonly isFinal: boolean;
};

/** Returns `[]` if any replica has recorded a later use, or any use within the last minute. */
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

/** Whether this use or a later one has been recorded. */
export const isUseRecorded = (state: IntegrationKeyUse, usedAt: string): boolean =>
  state.status === 'used' && state.usedAt >= usedAt;
