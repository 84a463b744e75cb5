import { z } from 'zod';
import { domain } from '../eventsourcing/aggregate.js';
import { conflict } from '../eventsourcing/domain-error.js';
import { CalendarDate, EntryDate, line, paragraph } from './fields.js';
import { input } from './record.js';

// The date through which a tenant's books are closed is part of the tenant's record. Every booking reads that record
// anyway, so checking the date requires no additional read operation (docs/adr/0069).

export const ClosePeriod = input('ClosePeriodDto', {
  through: EntryDate.meta({ description: 'Last day to close. Cannot be later than today.' }),
  note: z.exactOptional(paragraph(1000).nullable()),
});
export type ClosePeriod = z.output<typeof ClosePeriod>;

export const ReopenPeriod = input('ReopenPeriodDto', {
  through: EntryDate.nullable().meta({ description: 'Last day that remains closed; null reopens everything.' }),
  reason: line(500),
});
export type ReopenPeriod = z.output<typeof ReopenPeriod>;

/** A transaction recorded after its period had been closed, because its command ran concurrently with the closing. */
export const LateEntry = z.object({
  transactionId: z.string(),
  date: CalendarDate,
  amount: z.string(),
  currency: z.string(),
});
export type LateEntry = z.output<typeof LateEntry>;

/** Returns the label of an audit entry. */
const through = (data: { readonly through: string | null }): string => data.through ?? 'everything';

export const periodEvents = {
  PeriodClosed: domain('UPDATE', 'tenant', z.object({ through: CalendarDate, note: z.string().nullable() }), {
    label: through,
  }),
  PeriodReopened: domain('UPDATE', 'tenant', z.object({ through: CalendarDate.nullable(), reason: z.string() }), {
    label: through,
  }),
  /** Contains only entries that no earlier event contains. */
  LateEntriesDetected: domain(
    'UPDATE',
    'tenant',
    z.object({ closedThrough: CalendarDate, entries: z.array(LateEntry) }),
    { label: ({ closedThrough }) => closedThrough },
  ),
};

/** `closedThrough`: last closed day; null if no period is closed. */
export type Closing = { readonly closedThrough: string | null };

/**
 * Rejects a posting date in a closed period. Every command that records a user's transactions must call this function
 * for the date of each transaction. The state must be the tenant's current state, not a cached one:
 *
 * ensureOpen(presentTenant((await reader.read(tenant, PLATFORM_TENANT, tenantId)).state), date);
 *
 * Another command may close the period between this check and the append. The late-entry projection finds such
 * transactions.
 * @throws DomainError conflict PERIOD_CLOSED
 */
export function ensureOpen({ closedThrough }: Closing, date: string): void {
  if (closedThrough !== null && date <= closedThrough)
    throw conflict(
      'PERIOD_CLOSED',
      `${date} is in a closed period. The books are closed through ${closedThrough}. Choose a later date, or reopen the period.`,
    );
}

/**
 * Returns the date on which a partner's document is booked: its own date or, if that date is in a closed period, the
 * first open day.
 */
export const firstOpenDate = ({ closedThrough }: Closing, date: string): string =>
  closedThrough === null || date > closedThrough ? date : dayAfter(closedThrough);

const DAY_MS = 86_400_000;
const dayAfter = (date: string): string => new Date(Date.parse(date) + DAY_MS).toISOString().slice(0, 10);
