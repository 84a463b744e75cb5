import { queryOptions } from '@tanstack/react-query';
import { api, data, type Shapes } from './client';

export type Key = Shapes['IntegrationKeyDto'];
/** Includes the secret, which is returned only once. */
export type IssuedKey = Shapes['IssuedIntegrationKeyDto'];

/** Keys of the signed-in tenant. */
export const ownKeysQuery = queryOptions({
  queryKey: ['keys', 'own'],
  queryFn: ({ signal }) => data(api.GET('/api/integration-keys', { signal })),
});

/** Keys of any tenant, for operators. */
export const keysOfQuery = (tenantId: string) =>
  queryOptions({
    queryKey: ['keys', tenantId],
    queryFn: ({ signal }) =>
      data(api.GET('/api/platform/integration-keys', { params: { query: { tenantId } }, signal })),
  });
