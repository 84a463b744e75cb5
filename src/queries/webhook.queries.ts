import { Inject, Injectable } from '@nestjs/common';
import { answers, query } from '../eventsourcing/handler.js';
import { type Delivery, DeliveryLog, type DeliveryStatus } from '../observability/delivery-log.js';
import { tenantScope, type Scope } from '../ports/read-store.js';
import { webhooks } from '../projections/webhook.projection.js';
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

const recordOf = ({ source: _, number: __, ...delivery }: Delivery): DeliveryRecord => ({
  ...delivery,
  updatedAt: delivery.lastAttemptAt,
  revision: delivery.attempts,
});

export const webhookQueryHandlers = [
  getsFrom(GetWebhook),
  listsFrom(ListWebhooks),
  answers(ListDeliveries, [ReadModels, DeliveryLog], async (models, log, scope, webhookId, filters) => {
    await models.found(webhooks, scope, webhookId, 'webhook');
    const { pageNumber, pageSize, status } = filters;
    const where = { webhookId, ...(status !== undefined && { status }) };
    const { items, totalCount } = await log.list(scope, where, offsetOf(pageNumber, pageSize), pageSize);
    return pageOf(items.map(recordOf), totalCount, pageNumber, pageSize);
  }),
];
