import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api, data, whole, type Shapes } from './client';

export type Webhook = Shapes['WebhookDto'];
/** A webhook, including its signing secret, which the service returns only once. */
export type IssuedWebhook = Shapes['IssuedWebhookDto'];
/** A webhook as operators see it. */
export type TenantWebhook = Shapes['TenantWebhookDto'];
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

/** A tenant's webhooks, for operators. */
export const webhooksOfQuery = (id: string) =>
  queryOptions({
    queryKey: ['tenant-webhooks', id],
    queryFn: ({ signal }) => data(api.GET('/api/platform/tenants/{id}/webhooks', { params: { path: { id } }, signal })),
    // Every request is recorded, so the list is not requested again when the window gets the focus.
    refetchOnWindowFocus: false,
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
