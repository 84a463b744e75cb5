import type { IntegrationKeyEvent } from '../aggregates/integration-key.aggregate.js';
import { ofRecord, type Projection } from '../platform/projection.js';
import { PLATFORM, type ReadModel } from '../ports/read-store.js';

/** Which tenant a key belongs to: operators name a key by its id alone. */
export type IntegrationKeyEntry = { readonly id: string; readonly tenantId: string };

export const integrationKeyDirectory: ReadModel<IntegrationKeyEntry> = {
  name: 'integration_key_directory',
  version: 1,
  fields: { id: { type: 'text', of: ({ id }) => id } },
  filters: [],
  order: { fields: ['id'], direction: 'ascending' },
};

export const integrationKeyDirectoryProjection: Projection<IntegrationKeyEntry, IntegrationKeyEvent> = {
  model: integrationKeyDirectory,
  sources: ['integration-key'],
  documents: ofRecord,
  scope: () => PLATFORM,
  evolve: (entry, { recordId, tenantId }) => entry ?? { id: recordId, tenantId },
};
