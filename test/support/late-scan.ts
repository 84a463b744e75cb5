import type { RecordedEvent } from '../../src/ports/event-store.js';
import type { NotificationRecord } from '../../src/queries/notification.queries.js';
import type { Page } from '../../src/queries/query.js';
import type { TestService } from './service.js';

type Dated = { readonly id: string; readonly date: string; readonly postings: readonly unknown[] };

/**
 * Returns the ids of a tenant's late transactions, which follow the closing of their date in the history. Excludes
 * dates that have since been reopened. Independent of the service: searches all events for objects with postings.
 */
export function lateIn(history: readonly RecordedEvent[]): readonly string[] {
  let closedThrough = '';
  let late: Dated[] = [];
  for (const { type, data } of history.toSorted((a, b) => a.position - b.position)) {
    if (type === 'PeriodClosed' || type === 'PeriodReopened') {
      closedThrough = (data as { through: string | null }).through ?? '';
      late = late.filter(({ date }) => date <= closedThrough);
    } else late.push(...entriesIn(data).filter(({ date }) => date <= closedThrough));
  }
  return late.map(({ id }) => id);
}

/** Returns every object with postings, at any depth of a value. */
function entriesIn(value: unknown): Dated[] {
  if (typeof value !== 'object' || value === null) return [];
  if ('postings' in value) return [value as Dated];
  return Object.values(value).flatMap(entriesIn);
}

/** Returns the events of a tenant and of its transactions, sales and customers. */
export const historyOf = (service: TestService, tenantId: string): Promise<readonly RecordedEvent[]> => {
  const prefixes = [
    `tenant-platform_${tenantId}`,
    ...['transaction', 'sale', 'customer'].map((entity) => `${entity}-${tenantId}_`),
  ];
  return service.service.engines.events.readAll({ filter: { on: 'stream', prefixes }, maxCount: 100_000 });
};

/** Returns the late-entry notifications that the caller has received. */
export async function lateWarnings(service: TestService, token: string): Promise<readonly NotificationRecord[]> {
  const { body } = await service.get('/api/notifications?pageSize=100', token);
  const { items } = body as Page<NotificationRecord>;
  return items.filter(({ title }) => title.startsWith('Transactions in the closed period'));
}
