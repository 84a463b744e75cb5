import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api, data, whole, type Shapes } from './client';

export type Webhook = Shapes['WebhookDto'];
/** A webhook, including its signing secret, which the service returns only once. */
export type IssuedWebhook = Shapes['IssuedWebhookDto'];
export type Delivery = Shapes['WebhookDeliveryDto'];

export const webhooksQuery = (query: { pageNumber: number; pageSize: number }) =>
  queryOptions({
    queryKey: ['webhooks', query],
    queryFn: ({ signal }) => whole(api.GET('/api/webhooks', { params: { query }, signal })),
    placeholderData: keepPreviousData,
  });

export const webhookQuery = (id: string) =>
  queryOptions({
    queryKey: ['webhook', id],
    queryFn: ({ signal }) => data(api.GET('/api/webhooks/{id}', { params: { path: { id } }, signal })),
  });

/** Event types that webhooks can receive. They change only when the service is updated. */
export const integrationEventsQuery = queryOptions({
  queryKey: ['integration-events'],
  queryFn: ({ signal }) => data(api.GET('/api/integration-events', { signal })),
  staleTime: Infinity,
});

type DeliveryFilters = { pageNumber: number; pageSize: number; status?: Delivery['status'] | undefined };

export const deliveriesQuery = (id: string, query: DeliveryFilters) =>
  queryOptions({
    queryKey: ['deliveries', id, query],
    queryFn: ({ signal }) =>
      whole(api.GET('/api/webhooks/{id}/deliveries', { params: { path: { id }, query }, signal })),
    placeholderData: keepPreviousData,
  });
