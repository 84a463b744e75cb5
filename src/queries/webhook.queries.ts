import { Inject, Injectable } from '@nestjs/common';
import { answers, query } from '../eventsourcing/handler.js';
import { type Delivery, DeliveryLog, type DeliveryStatus } from '../observability/delivery-log.js';
import { PLATFORM, tenantScope, type Scope } from '../ports/read-store.js';
import { CLOCK } from '../ports/time.js';
import { tenants } from '../projections/tenant.projection.js';
import { webhooks, type WebhookView } from '../projections/webhook.projection.js';
import {
  getFrom,
  getsFrom,
  listFrom,
  listsFrom,
  offsetOf,
  type Page,
  pageOf,
  type Paging,
  ReadModels,
} from './query.js';

export class GetWebhook extends getFrom(webhooks) {}
export class ListWebhooks extends listFrom(webhooks) {}

/** Counts a tenant's webhooks, according to the read model. */
@Injectable()
export class WebhookCount {
  constructor(@Inject(ReadModels) private readonly models: ReadModels) {}

  of(tenantId: string): Promise<number> {
    return this.models.count(webhooks, tenantScope(tenantId));
  }
}

/** A delivery as returned by the API. Its revision is the number of attempts. */
export type DeliveryRecord = Omit<Delivery, 'source' | 'number'> & {
  readonly updatedAt: string;
  readonly revision: number;
};
type DeliveryFilters = Paging & { readonly status?: DeliveryStatus | undefined };
export class ListDeliveries extends query<
  Page<DeliveryRecord>,
  [scope: Scope, webhookId: string, filters: DeliveryFilters]
>() {}

/** A webhook as operators see it. */
export type TenantWebhook = Omit<WebhookView, 'url' | 'description'> & {
  /** The rest of the URL may contain secrets. */
  readonly host: string;
  readonly pendingDeliveries: number;
  /** Last failed attempt to deliver the newest message that has not been delivered. */
  readonly lastFailure: { readonly code: string; readonly at: string } | null;
};
/** All webhooks of a tenant, newest first. */
export class ListTenantWebhooks extends query<readonly TenantWebhook[], [tenantId: string]>() {}

async function forOperators(
  log: DeliveryLog,
  tenantId: string,
  { url, description: _, ...webhook }: WebhookView,
): Promise<TenantWebhook> {
  const newest = (status: DeliveryStatus) => log.list(tenantId, { webhookId: webhook.id, status }, 0, 1);
  const [pending, failed] = await Promise.all([newest('PENDING'), newest('FAILED')]);
  const [last] = [...pending.items, ...failed.items].toSorted((a, b) => (a.createdAt < b.createdAt ? 1 : -1));
  return {
    ...webhook,
    host: new URL(url).host,
    pendingDeliveries: pending.totalCount,
    lastFailure: last?.code ? { code: last.code, at: last.lastAttemptAt } : null,
  };
}

/**
 * Omits a time that has passed: the message has been waiting since then for a receiver that is down or slow. The log is
 * written only after attempts.
 */
const timeAhead = (at: string | null, nowMs: number): string | null =>
  at !== null && Date.parse(at) <= nowMs ? null : at;

const recordOf = ({ source: _, number: __, ...delivery }: Delivery, nowMs: number): DeliveryRecord => ({
  ...delivery,
  nextAttemptAt: timeAhead(delivery.nextAttemptAt, nowMs),
  updatedAt: delivery.lastAttemptAt,
  revision: delivery.attempts,
});

export const webhookQueryHandlers = [
  getsFrom(GetWebhook),
  listsFrom(ListWebhooks),
  answers(ListTenantWebhooks, [ReadModels, DeliveryLog], async (models, log, tenantId) => {
    await models.found(tenants, PLATFORM, tenantId, 'tenant');
    const found = await models.all(webhooks, tenantScope(tenantId));
    return Promise.all(found.map((webhook) => forOperators(log, tenantId, webhook)));
  }),
  answers(ListDeliveries, [ReadModels, DeliveryLog, CLOCK], async (models, log, clock, scope, webhookId, filters) => {
    await models.found(webhooks, scope, webhookId, 'webhook');
    const { pageNumber, pageSize, status } = filters;
    const where = { webhookId, ...(status !== undefined && { status }) };
    const { items, totalCount } = await log.list(scope, where, offsetOf(pageNumber, pageSize), pageSize);
    const nowMs = clock.nowMs();
    const shown = items.map((item) => recordOf(item, nowMs));
    return pageOf(shown, totalCount, pageNumber, pageSize);
  }),
];
