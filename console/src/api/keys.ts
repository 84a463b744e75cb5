import { queryOptions } from '@tanstack/react-query';
import { api, data, type Shapes } from './client';

export type Key = Shapes['IntegrationKeyDto'];
/** A new key, including its secret, which the service returns only once. */
export type IssuedKey = Shapes['IssuedIntegrationKeyDto'];

/** The keys of the signed-in user's tenant. */
export const ownKeysQuery = queryOptions({
  queryKey: ['keys', 'own'],
  queryFn: ({ signal }) => data(api.GET('/api/integration-keys', { signal })),
});

/** A tenant's keys, for operators. */
export const keysOfQuery = (tenantId: string) =>
  queryOptions({
    queryKey: ['keys', tenantId],
    queryFn: ({ signal }) =>
      data(api.GET('/api/platform/integration-keys', { params: { query: { tenantId } }, signal })),
  });
