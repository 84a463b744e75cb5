import { parse, validate } from 'uuid';
import { z } from 'zod';
import { type Aggregate, domain, type EventOf, technical } from '../eventsourcing/aggregate.js';
import { conflict, invalid, notFound } from '../eventsourcing/domain-error.js';
import { stepUpRequired } from '../security/step-up.js';
import { changesTo, Instant, InstantInput, InstantText, line } from './fields.js';
import { secret } from './personal.js';
import { derived, field, input, optional, record, text } from './record.js';

const PREFIX = 'kontor_';
const IDS_LENGTH = 43;

/** The parts of an integration key: the tenant id, the key id, and the secret that authenticates the partner. */
export type IntegrationKeyParts = { readonly tenantId: string; readonly keyId: string; readonly secret: string };

/**
 * Formats the X-Integration-Key header: `kontor_<tenant and key id, base64url>_<secret>`. The ids identify the key's
 * stream, so no lookup by secret is required. The prefix allows secret scanners to detect a leaked key.
 */
export function formatIntegrationKey({ tenantId, keyId, secret }: IntegrationKeyParts): string {
  const ids = Buffer.concat([parse(tenantId), parse(keyId)]).toString('base64url');
  return `${PREFIX}${ids}_${secret}`;
}

/** Returns undefined if the value is malformed. */
export function parseIntegrationKey(value: string): IntegrationKeyParts | undefined {
  if (!/^kontor_[\w-]{43}_[\w-]{20,100}$/.test(value)) return undefined;
  const hex = Buffer.from(value.slice(PREFIX.length, PREFIX.length + IDS_LENGTH), 'base64url').toString('hex');
  const tenantId = uuidOf(hex.slice(0, 32));
  const keyId = uuidOf(hex.slice(32));
  if (tenantId === undefined || keyId === undefined) return undefined;
  return { tenantId, keyId, secret: value.slice(PREFIX.length + IDS_LENGTH + 1) };
}

function uuidOf(hex: string): string | undefined {
  const text = `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
  return validate(text) ? text : undefined;
}

/** Maximum rate limit that a tenant may set, in requests per minute. Operators may set a higher limit. */
export const TENANT_MAX_RATE_LIMIT = 60;
const OPERATOR_MAX_RATE_LIMIT = 1_000_000;

/** The partner's name for its system. This name is part of the identity of every sale. */
const SourceId = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/,
    'Must be 1 to 64 letters, digits, periods, hyphens or underscores, and start with a letter or digit.',
  );

export const integrationKeyRecord = record({
  name: text(line(120)),
  sourceId: text(SourceId, {
    description: "Identifies the partner's system, and is part of every sale's identity.",
  }),
  rateLimit: field(z.int().min(1).max(TENANT_MAX_RATE_LIMIT).default(TENANT_MAX_RATE_LIMIT), z.int(), {
    description: 'Number of requests allowed in 60 seconds. Every sale in a batch counts as a request.',
  }),
  expiresAt: optional(InstantInput.nullable(), InstantText.nullable(), null, {
    description: 'Time from which the key is rejected; null if it does not expire.',
  }),
  previousSecretExpiresAt: derived(InstantText.nullable(), {
    description: 'Time until which the previous secret still works; null if only the current secret works.',
  }),
  revokedAt: derived(InstantText.nullable()),
});
export const CreateIntegrationKey = input('CreateIntegrationKeyDto', integrationKeyRecord.create);
export type CreateIntegrationKey = z.output<typeof CreateIntegrationKey>;

export const UpdateIntegrationKey = input('UpdateIntegrationKeyDto', {
  rateLimit: z.exactOptional(z.int().min(1).max(OPERATOR_MAX_RATE_LIMIT)),
  expiresAt: z.exactOptional(InstantInput.nullable()),
});
export type UpdateIntegrationKey = z.output<typeof UpdateIntegrationKey>;

const HOUR_MS = 3_600_000;
export const RotateIntegrationKey = input('RotateIntegrationKeyDto', {
  overlapHours: z
    .int()
    .min(0)
    .max(168)
    .default(0)
    .meta({ description: 'Number of hours for which the old secret remains valid.' }),
});
export type RotateIntegrationKey = z.output<typeof RotateIntegrationKey>;

const secretHash = secret(z.string());
const IntegrationKeyCreated = z.object({ ...integrationKeyRecord.stored, secretHash });
export type NewIntegrationKey = z.output<typeof IntegrationKeyCreated>;

export const integrationKeyEvents = {
  IntegrationKeyCreated: domain('CREATE', 'integration-key', IntegrationKeyCreated, {
    version: 2,
    upcasters: { 1: (data) => ({ expiresAt: null, ...data }) },
  }),
  /** Without `previousUntil`, the previous secret stops working immediately. */
  IntegrationKeyRotated: domain(
    'UPDATE',
    'integration-key',
    z.object({ secretHash, previousUntil: z.exactOptional(Instant) }),
  ),
  IntegrationKeyRevoked: domain('DELETE', 'integration-key', z.object({ revokedAt: Instant })),
  IntegrationKeyRateLimitSet: domain('UPDATE', 'integration-key', z.object({ rateLimit: z.int() })),
  IntegrationKeyExpirySet: domain('UPDATE', 'integration-key', z.object({ expiresAt: Instant.nullable() })),
};
export type IntegrationKeyEvent = EventOf<typeof integrationKeyEvents>;

type Secret = { readonly secretHash: string; readonly until: string };
export type RecordedIntegrationKey = NewIntegrationKey & {
  readonly status: 'active' | 'revoked';
  readonly revokedAt: string | null;
  /**
   * The secret replaced by the last rotation; null before the first rotation, or if that secret stopped working
   * immediately.
   */
  readonly previous: Secret | null;
};
export type IntegrationKey = { readonly status: 'absent' } | RecordedIntegrationKey;

export const integrationKey: Aggregate<IntegrationKey, IntegrationKeyEvent> = {
  name: 'integration-key',
  events: integrationKeyEvents,
  initial: { status: 'absent' },
  evolve: (state, event) => {
    if (event.type === 'IntegrationKeyCreated')
      return { status: 'active', revokedAt: null, previous: null, ...event.data };
    if (state.status === 'absent') return state;
    switch (event.type) {
      case 'IntegrationKeyRotated': {
        const { secretHash: next, previousUntil: until } = event.data;
        return { ...state, secretHash: next, previous: until ? { secretHash: state.secretHash, until } : null };
      }
      case 'IntegrationKeyRevoked':
        return { ...state, status: 'revoked', revokedAt: event.data.revokedAt };
      case 'IntegrationKeyRateLimitSet':
        return { ...state, rateLimit: event.data.rateLimit };
      case 'IntegrationKeyExpirySet':
        return { ...state, expiresAt: event.data.expiresAt };
    }
  },
};

/** Returns the key, even if it has been revoked. @throws DomainError not_found */
export function recordedIntegrationKey(state: IntegrationKey): RecordedIntegrationKey {
  if (state.status === 'absent') throw notFound('integration key');
  return state;
}

function usable(state: IntegrationKey): RecordedIntegrationKey {
  const found = recordedIntegrationKey(state);
  if (found.status === 'revoked') throw conflict('KEY_REVOKED', 'The key is revoked. Create a new one.');
  return found;
}

export const hasExpired = ({ expiresAt }: Pick<NewIntegrationKey, 'expiresAt'>, nowMs: number): boolean =>
  expiresAt !== null && Date.parse(expiresAt) <= nowMs;

/** Returns the digests of the secrets that are valid at `nowMs`. */
export const secretHashesAt = ({ secretHash: current, previous }: RecordedIntegrationKey, nowMs: number): string[] =>
  previous && nowMs < Date.parse(previous.until) ? [current, previous.secretHash] : [current];

function ensureFuture(expiresAt: string | null | undefined, now: Date): void {
  if (expiresAt && Date.parse(expiresAt) <= now.getTime())
    throw invalid([{ path: 'expiresAt', message: 'Must be in the future.' }]);
}

/** @throws DomainError invalid VALIDATION_FAILED if the requested expiry time is in the past */
export function createIntegrationKey(
  state: IntegrationKey,
  data: CreateIntegrationKey & Pick<NewIntegrationKey, 'secretHash'>,
  now: Date,
): IntegrationKeyEvent[] {
  if (state.status !== 'absent') return [];
  ensureFuture(data.expiresAt, now);
  return [{ type: 'IntegrationKeyCreated', data: { ...integrationKeyRecord.otherwise, ...data } }];
}

/**
 * Replaces the secret. The previous secret remains valid for another `overlapHours`. Any older secret stops working
 * immediately.
 * @throws DomainError not_found; conflict KEY_REVOKED, KEY_EXPIRED
 */
export function rotateIntegrationKey(
  state: IntegrationKey,
  { secretHash: next, overlapHours }: RotateIntegrationKey & Pick<NewIntegrationKey, 'secretHash'>,
  now: Date,
): IntegrationKeyEvent[] {
  const found = usable(state);
  if (found.secretHash === next) return [];
  if (hasExpired(found, now.getTime())) throw conflict('KEY_EXPIRED', 'The key has expired. Create a new one.');
  const previousUntil = new Date(now.getTime() + overlapHours * HOUR_MS).toISOString();
  return [{ type: 'IntegrationKeyRotated', data: { secretHash: next, ...(overlapHours > 0 && { previousUntil }) } }];
}

/** Revokes the key permanently. Returns `[]` if it is already revoked. @throws DomainError not_found */
export function revokeIntegrationKey(state: IntegrationKey, _: object, now: Date): IntegrationKeyEvent[] {
  if (recordedIntegrationKey(state).status === 'revoked') return [];
  return [{ type: 'IntegrationKeyRevoked', data: { revokedAt: now.toISOString() } }];
}

/** @throws DomainError not_found; conflict KEY_REVOKED; forbidden STEP_UP_REQUIRED; invalid VALIDATION_FAILED */
export function updateIntegrationKey(
  state: IntegrationKey,
  { mayRaise, ...patch }: UpdateIntegrationKey & { readonly mayRaise: boolean },
  now: Date,
): IntegrationKeyEvent[] {
  const found = usable(state);
  const { rateLimit, expiresAt } =
    changesTo<UpdateIntegrationKey>({ rateLimit: found.rateLimit, expiresAt: found.expiresAt }, patch) ?? {};
  if (rateLimit !== undefined && rateLimit > found.rateLimit && !mayRaise) throw stepUpRequired();
  ensureFuture(expiresAt, now);
  return [
    ...(rateLimit !== undefined ? [{ type: 'IntegrationKeyRateLimitSet', data: { rateLimit } } as const] : []),
    ...(expiresAt !== undefined ? [{ type: 'IntegrationKeyExpirySet', data: { expiresAt } } as const] : []),
  ];
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
 * The last use of the key with the same id, accurate to one minute. Uses are recorded in a separate stream, so that
 * they do not change the key's revision.
 */
export const integrationKeyUse: Aggregate<IntegrationKeyUse, IntegrationKeyUseEvent> = {
  name: 'integration-key-use',
  events: integrationKeyUseEvents,
  initial: { status: 'unused' },
  evolve: (_, event) => ({ status: 'used', ...event.data }),
};

export type UseOfKey = {
  readonly usedAt: string;
  /**
   * Whether this is the last opportunity to record the use. If so, the minimum interval between recorded uses does not
   * apply.
   */
  readonly isFinal: boolean;
};

/**
 * Returns `[]` if a replica has already recorded this use or a later one. Unless `isFinal` is set, also returns `[]` if
 * a replica has recorded any use within the last minute.
 */
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
