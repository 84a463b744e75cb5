import { queryOptions } from '@tanstack/react-query';
import { api, data, type Shapes } from './client';

export type Key = Shapes['IntegrationKeyDto'];
/** With its secret, which is shown this once. */
export type IssuedKey = Shapes['IssuedIntegrationKeyDto'];

/** The keys of the tenant that is signed in. */
export const ownKeysQuery = queryOptions({
  queryKey: ['keys', 'own'],
  queryFn: ({ signal }) => data(api.GET('/api/integration-keys', { signal })),
});

/** The keys of a tenant, for operators. */
export const keysOfQuery = (tenantId: string) =>
  queryOptions({
    queryKey: ['keys', tenantId],
    queryFn: ({ signal }) =>
      data(api.GET('/api/platform/integration-keys', { params: { query: { tenantId } }, signal })),
  });
