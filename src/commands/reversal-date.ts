import { ensureOpen } from '../aggregates/tenant-periods.js';
import { presentTenant, tenant } from '../aggregates/tenant.aggregate.js';
import { calendarDate } from '../eventsourcing/calendar.js';
import { invalid } from '../eventsourcing/domain-error.js';
import type { RecordReader } from '../eventsourcing/record-reader.js';
import { PLATFORM_TENANT } from '../eventsourcing/stream-name.js';
import type { Clock } from '../ports/time.js';

/**
 * Determines the date of a reversal booked by a user. Default: today in the tenant's time zone or the date of the
 * reversed transaction, whichever is later.
 * @throws DomainError invalid for a date before that of the reversed transaction; conflict PERIOD_CLOSED
 */
export async function reversalDate(
  reader: RecordReader,
  clock: Clock,
  { tenantId, requested, reversed }: { tenantId: string; requested: string | undefined; reversed: string },
): Promise<string> {
  if (requested !== undefined && requested < reversed)
    throw invalid([{ path: 'date', message: `Must not be before the date of the transaction, ${reversed}.` }]);
  const found = presentTenant((await reader.read(tenant, PLATFORM_TENANT, tenantId)).state);
  const today = calendarDate(clock.nowMs(), found.timeZone);
  const date = requested ?? (today < reversed ? reversed : today);
  ensureOpen(found, date);
  return date;
}
