import { z } from 'zod';
import { domain, type Aggregate, type EventOf } from '../platform/aggregate.js';
import { notFound } from '../platform/domain-error.js';
import { PLATFORM_TENANT } from '../platform/stream-name.js';
import { Credentials, recordedEmail, recordedName, recordedPasswordHash } from './credentials.js';
import { changesTo, line, someOf, TimeZone } from './fields.js';
import { Currency } from './money.js';

const Slug = z
  .string()
  .max(63)
  .regex(
    /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/,
    'Must be small letters, digits and hyphens, with no hyphen at either end.',
  );

export const CreateTenant = z
  .strictObject({ name: line(120), slug: Slug, currency: Currency, timeZone: TimeZone, owner: Credentials })
  .meta({ id: 'CreateTenantDto' });
export type CreateTenant = z.output<typeof CreateTenant>;

export const UpdateTenant = z
  .strictObject(someOf({ name: line(120), isActive: z.boolean() }).shape)
  .meta({ id: 'UpdateTenantDto' });
export type UpdateTenant = z.output<typeof UpdateTenant>;

/** Ids of the records that a new tenant starts with; policies make them under exactly these ids. */
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
  name: z.string(),
  slug: z.string(),
  currency: z.string(),
  timeZone: z.string(),
  owner: z.object({
    userId: z.string(),
    fullName: recordedName,
    email: recordedEmail,
    passwordHash: recordedPasswordHash,
  }),
  seeds: TenantSeeds,
});
/** What `createTenant` needs: the request with the password hashed and ids given. */
export type NewTenant = z.output<typeof TenantCreated>;

export const tenantEvents = {
  TenantCreated: domain('CREATE', 'tenant', TenantCreated),
  TenantUpdated: domain('UPDATE', 'tenant', z.object({ changes: someOf({ name: z.string() }) })),
  TenantDeactivated: domain('UPDATE', 'tenant', z.object({})),
  TenantReactivated: domain('UPDATE', 'tenant', z.object({})),
};
export type TenantEvent = EventOf<typeof tenantEvents>;

export type Tenant =
  | { status: 'absent' }
  | ({
      status: 'active' | 'inactive';
      ownerUserId: string;
      /** Grows with each deactivation: the sessions that began before it have ended. */
      epoch: number;
    } & Omit<NewTenant, 'owner'>);

export const tenant: Aggregate<Tenant, TenantEvent> = {
  name: 'tenant',
  events: tenantEvents,
  initial: { status: 'absent' },
  evolve: (state, event) => {
    if (event.type === 'TenantCreated') {
      const { owner, ...rest } = event.data;
      return { status: 'active', ownerUserId: owner.userId, epoch: 0, ...rest };
    }
    if (state.status === 'absent') return state;
    switch (event.type) {
      case 'TenantUpdated':
        return { ...state, ...event.data.changes };
      case 'TenantDeactivated':
        return { ...state, status: 'inactive', epoch: state.epoch + 1 };
      case 'TenantReactivated':
        return { ...state, status: 'active' };
    }
  },
  claims: (state) =>
    state.status === 'absent'
      ? []
      : [
          {
            scope: PLATFORM_TENANT,
            kind: 'tenant-slug',
            value: state.slug,
            refusal: { code: 'SLUG_TAKEN', message: 'Another tenant has this slug.' },
          },
        ],
};

export const createTenant = (state: Tenant, data: NewTenant): TenantEvent[] =>
  state.status === 'absent' ? [{ type: 'TenantCreated', data }] : [];

export function updateTenant(state: Tenant, { isActive, ...patch }: UpdateTenant): TenantEvent[] {
  if (state.status === 'absent') throw notFound('tenant');
  const events: TenantEvent[] = [];
  const changes = changesTo<{ name: string }>(state, patch);
  if (changes) events.push({ type: 'TenantUpdated', data: { changes } });
  if (isActive === false && state.status === 'active') events.push({ type: 'TenantDeactivated', data: {} });
  if (isActive === true && state.status === 'inactive') events.push({ type: 'TenantReactivated', data: {} });
  return events;
}

/** The tenant, unless there is none. @throws DomainError not_found */
export function presentTenant(state: Tenant): Exclude<Tenant, { status: 'absent' }> {
  if (state.status === 'absent') throw notFound('tenant');
  return state;
}
