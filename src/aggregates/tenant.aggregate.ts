import { z } from 'zod';
import { domain, type Aggregate, type Claim, type EventOf } from '../eventsourcing/aggregate.js';
import { calendarDate } from '../eventsourcing/calendar.js';
import { conflict, invalid, notFound } from '../eventsourcing/domain-error.js';
import { PLATFORM_TENANT } from '../eventsourcing/stream-name.js';
import { type Authority, ensureMayChangeSettings } from './authority.js';
import { Credentials, recordedEmail, recordedName, recordedPasswordHash } from './credentials.js';
import { changesTo, CurrencyText, emailKey, IdText, line, someOf, TimeZone } from './fields.js';
import { Currency } from './money.js';
import { derived, field, input, record, text, type ChangesTo } from './record.js';
import { periodEvents, type ClosePeriod, type Closing, type LateEntry, type ReopenPeriod } from './tenant-periods.js';

const Slug = z
  .string()
  .max(63)
  .regex(
    /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/,
    'Must be lower-case letters, digits and hyphens, with no hyphen at either end.',
  );

/**
 * Allows a person to sign in as the user with the same e-mail address. The address must be in this domain, and the
 * issuer must have verified it.
 */
const OidcDomain = z.object({ issuer: z.string(), domain: z.string() });
type OidcDomain = z.output<typeof OidcDomain>;

const DOMAIN = /^(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+[A-Za-z]{2,63}$/;
const OidcDomainInput = z.strictObject({
  issuer: z
    .url()
    .max(2_048)
    .regex(/^https?:\/\//, 'Must begin with https:// or http://.'),
  domain: z.string().max(253).regex(DOMAIN, 'Must be a domain, such as acme.example.').toLowerCase(),
});

export const tenantRecord = record({
  name: text(line(120), { searched: true }),
  slug: text(Slug, { fixed: true, searched: true }),
  currency: field(Currency, z.string(), { fixed: true, shown: CurrencyText }),
  timeZone: field(TimeZone, z.string(), { fixed: true, description: 'IANA time zone name.' }),
  isActive: derived(z.boolean(), {
    filter: 'list',
    description: 'Users and partners of an inactive tenant have no access.',
  }),
  ownerUserId: derived(IdText, { description: 'First owner of the tenant.' }),
  oidcDomains: derived(z.array(OidcDomain), {
    description:
      'At the first sign-in, an identity from `issuer` with a verified e-mail address in `domain` is bound to the ' +
      'user with that address.',
  }),
  requireFactor: derived(z.boolean(), {
    description:
      'Whether owners and administrators must have a second factor. After a password-only sign-in, they can only add ' +
      'a factor.',
  }),
});
export const CreateTenant = input('CreateTenantDto', { ...tenantRecord.create, owner: Credentials });
export type CreateTenant = z.output<typeof CreateTenant>;
export const UpdateTenant = input('UpdateTenantDto', {
  ...tenantRecord.update,
  isActive: z.exactOptional(z.boolean()),
});
export type UpdateTenant = z.output<typeof UpdateTenant>;
export const UpdateSettings = input('UpdateSettingsDto', {
  oidcDomains: z.exactOptional(z.array(OidcDomainInput).max(50)),
  requireFactor: z.exactOptional(z.boolean()),
});
export type UpdateSettings = z.output<typeof UpdateSettings>;

/** Ids with which a new tenant's initial records are created. */
export const TenantSeeds = z.object({
  branchId: z.string(),
  customerId: z.string(),
  accounts: z.object({
    cash: z.string(),
    bank: z.string(),
    card: z.string(),
    sales: z.string(),
    tax: z.string(),
    openingBalances: z.string(),
    adjustments: z.string(),
  }),
});
export type TenantSeeds = z.output<typeof TenantSeeds>;

const TenantCreated = z.object({
  ...tenantRecord.stored,
  owner: z.object({
    userId: z.string(),
    fullName: recordedName,
    email: recordedEmail,
    passwordHash: recordedPasswordHash,
  }),
  seeds: TenantSeeds,
});
/** Input for `createTenant`: the request, with a hashed password and assigned ids. */
export type NewTenant = z.output<typeof TenantCreated>;

export const tenantEvents = {
  TenantCreated: domain('CREATE', 'tenant', TenantCreated),
  TenantUpdated: domain('UPDATE', 'tenant', z.object({ changes: someOf(tenantRecord.changes) })),
  TenantSettingsChanged: domain(
    'UPDATE',
    'tenant',
    z.object({ changes: someOf({ oidcDomains: z.array(OidcDomain), requireFactor: z.boolean() }) }),
  ),
  TenantDeactivated: domain('UPDATE', 'tenant', z.object({})),
  TenantReactivated: domain('UPDATE', 'tenant', z.object({})),
  ...periodEvents,
};
export type TenantEvent = EventOf<typeof tenantEvents>;

/** Settings that the tenant itself controls. */
type Settings = { readonly oidcDomains: OidcDomain[]; readonly requireFactor: boolean };

export type Tenant =
  | { status: 'absent' }
  | ({
      status: 'active' | 'inactive';
      ownerUserId: string;
      /** Incremented by each deactivation, so that all earlier sessions end. */
      epoch: number;
      /** Ids of the late entries in LateEntriesDetected events. */
      lateEntries: readonly string[];
      /** Note on the last closing, or reason for the last reopening, kept for the audit log. */
      closingNote: string | null;
    } & Closing &
      Settings &
      Omit<NewTenant, 'owner'>);

export const slugClaim = (slug: string): Claim => ({
  scope: PLATFORM_TENANT,
  kind: 'tenant-slug',
  value: slug,
  refusal: { code: 'SLUG_TAKEN', message: 'Another tenant has this slug.' },
});

export const tenant: Aggregate<Tenant, TenantEvent> = {
  name: 'tenant',
  events: tenantEvents,
  initial: { status: 'absent' },
  evolve: (state, event) => {
    if (event.type === 'TenantCreated') {
      const { owner, ...rest } = event.data;
      const { userId: ownerUserId } = owner;
      const none = { oidcDomains: [], requireFactor: false, closedThrough: null, closingNote: null, lateEntries: [] };
      return { status: 'active', ownerUserId, epoch: 0, ...none, ...rest };
    }
    if (state.status === 'absent') return state;
    switch (event.type) {
      case 'TenantUpdated':
      case 'TenantSettingsChanged':
        return { ...state, ...event.data.changes };
      case 'TenantDeactivated':
        return { ...state, status: 'inactive', epoch: state.epoch + 1 };
      case 'TenantReactivated':
        return { ...state, status: 'active' };
      case 'PeriodClosed':
        return { ...state, closedThrough: event.data.through, closingNote: event.data.note };
      case 'PeriodReopened':
        return { ...state, closedThrough: event.data.through, closingNote: event.data.reason };
      case 'LateEntriesDetected': {
        const ids = event.data.entries.map(({ transactionId }) => transactionId);
        return { ...state, lateEntries: [...state.lateEntries, ...ids] };
      }
    }
  },
  claims: (state) => (state.status === 'absent' ? [] : [slugClaim(state.slug)]),
};

export const createTenant = (state: Tenant, data: NewTenant): TenantEvent[] =>
  state.status === 'absent' ? [{ type: 'TenantCreated', data }] : [];

export function updateTenant(state: Tenant, { isActive, ...patch }: UpdateTenant): TenantEvent[] {
  if (state.status === 'absent') throw notFound('tenant');
  const events: TenantEvent[] = [];
  const changes = changesTo<ChangesTo<typeof tenantRecord>>(state, patch);
  if (changes) events.push({ type: 'TenantUpdated', data: { changes } });
  if (isActive === false && state.status === 'active') events.push({ type: 'TenantDeactivated', data: {} });
  if (isActive === true && state.status === 'inactive') events.push({ type: 'TenantReactivated', data: {} });
  return events;
}

/** Returns the tenant. @throws DomainError not_found */
export function presentTenant(state: Tenant): Exclude<Tenant, { status: 'absent' }> {
  if (state.status === 'absent') throw notFound('tenant');
  return state;
}

/**
 * Both settings decide how every user signs in. Only callers with all permissions can change them.
 * @throws DomainError forbidden
 */
export function changeSettings(state: Tenant, { by, patch }: { by: Authority; patch: UpdateSettings }): TenantEvent[] {
  const changes = changesTo<Settings>(presentTenant(state), patch);
  if (!changes) return [];
  ensureMayChangeSettings(by);
  return [{ type: 'TenantSettingsChanged', data: { changes } }];
}

/** Closes the books up to and including the day `through`. Returns `[]` if that is already the last closed day. */
export function closePeriod(state: Tenant, { through, note = null }: ClosePeriod, now: Date): TenantEvent[] {
  const { closedThrough, timeZone } = presentTenant(state);
  const today = calendarDate(now.getTime(), timeZone);
  if (through > today)
    throw invalid([{ path: 'through', message: `Must not be after ${today}, the current date of the tenant.` }]);
  if (closedThrough !== null && through < closedThrough)
    throw conflict(
      'PERIOD_CLOSED',
      `The books are closed through ${closedThrough}. To move that date back, reopen the period.`,
    );
  return through === closedThrough ? [] : [{ type: 'PeriodClosed', data: { through, note } }];
}

/** Moves the last closed day to an earlier date, or reopens all periods. */
export function reopenPeriod(state: Tenant, { through, reason }: ReopenPeriod): TenantEvent[] {
  const { closedThrough } = presentTenant(state);
  if (through === closedThrough) return [];
  if (closedThrough === null) throw conflict('PERIOD_NOT_CLOSED', 'No period is closed.');
  if (through !== null && through > closedThrough)
    throw conflict('PERIOD_NOT_CLOSED', `The books are closed only through ${closedThrough}. Choose an earlier date.`);
  return [{ type: 'PeriodReopened', data: { through, reason } }];
}

/** Records late entries. Each entry is recorded only once. */
export function detectLateEntries(state: Tenant, given: Detection): TenantEvent[] {
  const { lateEntries } = presentTenant(state);
  const entries = given.entries.filter(({ transactionId }) => !lateEntries.includes(transactionId));
  const { closedThrough } = given;
  return entries.length === 0 ? [] : [{ type: 'LateEntriesDetected', data: { closedThrough, entries } }];
}
export type Detection = { readonly closedThrough: string; readonly entries: readonly LateEntry[] };

/** Whether the tenant is active and accepts the issuer for the address's domain. */
export const listsDomain = (state: Tenant, issuer: string, email: string): boolean =>
  state.status === 'active' &&
  state.oidcDomains.some((listed) => listed.issuer === issuer && emailKey(email).endsWith(`@${listed.domain}`));
