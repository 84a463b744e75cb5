import {
  integrationKey,
  type IntegrationKeyEvent,
  integrationKeyRecord,
  type IntegrationKeyUseEvent,
} from '../aggregates/integration-key.aggregate.js';
import type { ViewOf } from '../aggregates/record.js';
import { ofRecord, type Projection } from '../projecting/projection.js';
import { PLATFORM } from '../ports/read-store.js';
import { keyedBy, readModelOf, recordProjection } from './record-projection.js';

/** Maps a key to its tenant, because operators address a key by its id alone. */
export type IntegrationKeyEntry = { readonly id: string; readonly tenantId: string };

export const integrationKeyDirectory = keyedBy<IntegrationKeyEntry>('integration_key_directory', 'id');

export const integrationKeyDirectoryProjection: Projection<IntegrationKeyEntry, IntegrationKeyEvent> = {
  model: integrationKeyDirectory,
  sources: ['integration-key'],
  documents: ofRecord,
  scope: () => PLATFORM,
  evolve: (entry, { recordId, tenantId }) => entry ?? { id: recordId, tenantId },
};

/** A partner's key, revoked or not, without its secret or digest. */
export type IntegrationKeyView = ViewOf<typeof integrationKeyRecord.fields>;
export const integrationKeys = readModelOf(integrationKeyRecord, { name: 'integration_keys', version: 2 });

export const integrationKeyProjection = recordProjection(integrationKeys, integrationKey, 'IntegrationKeyCreated', {
  IntegrationKeyCreated: ({ data: { secretHash: _, ...facts } }) => ({
    ...facts,
    previousSecretExpiresAt: null,
    revokedAt: null,
  }),
  IntegrationKeyRotated: ({ data }) => ({ previousSecretExpiresAt: data.previousUntil ?? null }),
  IntegrationKeyRevoked: ({ data }) => data,
  IntegrationKeyRateLimitSet: ({ data }) => data,
  IntegrationKeyExpirySet: ({ data }) => data,
});

/** Time of a key's last use. This is a separate model, because using a key does not change its revision. */
export type IntegrationKeyUseView = { readonly id: string; readonly lastUsedAt: string };

export const integrationKeyUses = keyedBy<IntegrationKeyUseView>('integration_key_uses', 'id');

export const integrationKeyUseProjection: Projection<IntegrationKeyUseView, IntegrationKeyUseEvent> = {
  model: integrationKeyUses,
  sources: ['integration-key-use'],
  documents: ofRecord,
  evolve: (_, { recordId: id, data: { usedAt } }) => ({ id, lastUsedAt: usedAt }),
};
