import { z } from 'zod';
import { ClosePeriod, ReopenPeriod } from '../commands/tenant.commands.js';
import { PLATFORM_TENANT } from '../eventsourcing/stream-name.js';
import { GetPeriods } from '../queries/period.queries.js';
import { controllerOf, routesAt, valueOf } from './routes.js';
import { dateOut, instantOut, named, recordId } from './shapes.js';

const user = { userId: recordId.nullable(), userName: z.string().nullable() };

const PeriodsDto = named(
  'PeriodsDto',
  z.object({
    closedThrough: dateOut
      .nullable()
      .meta({ description: 'Last closed date. No transactions can be posted on or before this date.' }),
    history: z
      .array(
        z.object({
          action: z.enum(['CLOSED', 'REOPENED']),
          through: dateOut.nullable(),
          at: instantOut,
          ...user,
          note: z.string().nullable().meta({ description: 'Note on a closing, or reason for a reopening.' }),
        }),
      )
      .meta({ description: 'Closings and reopenings, newest first.' }),
    late: z
      .array(
        z.object({
          transactionId: recordId,
          date: dateOut,
          amount: z.string(),
          currency: z.string(),
          description: z.string().nullable(),
          recordedAt: instantOut,
          closedThrough: dateOut.meta({ description: 'Last closed day when the transaction was recorded.' }),
          ...user,
        }),
      )
      .meta({
        description:
          'Transactions recorded while the period that contains their date was being closed, newest first. ' +
          'Administrators are notified of each transaction. To accept these transactions, reopen the period and ' +
          'close it again. To reject a transaction, cancel it. Cancelled transactions are not listed.',
      }),
  }),
);

const periods = { who: 'tenant', tag: 'Periods' } as const;
const routes = routesAt('/api/periods', { ...periods, permission: 'periods.close' });

export const PeriodController = controllerOf(
  routesAt('/api/periods', { ...periods, permission: 'reports.read' }).query(
    'Get the closed period with its history and late transactions',
    { answers: valueOf(PeriodsDto) },
    ({ tenantId }) => new GetPeriods(tenantId),
  ),
  routes.command(
    'Close the books up to and including a date',
    { path: '/close', body: ClosePeriod.schema },
    ({ tenantId, body }) => new ClosePeriod({ tenantId: PLATFORM_TENANT, id: tenantId }, body),
  ),
  routes.command(
    'Reopen the books after a date, or entirely',
    { path: '/reopen', stepUp: true, body: ReopenPeriod.schema },
    ({ tenantId, body }) => new ReopenPeriod({ tenantId: PLATFORM_TENANT, id: tenantId }, body),
  ),
);
