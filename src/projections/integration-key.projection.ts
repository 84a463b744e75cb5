import type { IntegrationKeyUseEvent } from '../aggregates/integration-key-use.aggregate.js';
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

/** A key of a partner, revoked or not; never its secret, nor the digest of it. */
export type IntegrationKeyView = {
  readonly id: string;
  readonly name: string;
  readonly sourceId: string;
  readonly rateLimit: number;
  readonly revokedAt: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly revision: number;
};

export const integrationKeys: ReadModel<IntegrationKeyView> = {
  name: 'integration_keys',
  version: 1,
  fields: { createdAt: { type: 'text', of: ({ createdAt }) => createdAt } },
  filters: [],
  order: { fields: ['createdAt'], direction: 'descending' },
};

export const integrationKeyProjection: Projection<IntegrationKeyView, IntegrationKeyEvent> = {
  model: integrationKeys,
  sources: ['integration-key'],
  documents: ofRecord,
  evolve: (view, event) => {
    const { recordId: id, revision } = event;
    const at = event.metadata.timestamp;
    if (event.type === 'IntegrationKeyCreated') {
      const { name, sourceId, rateLimit } = event.data;
      return { id, name, sourceId, rateLimit, revokedAt: null, createdAt: at, updatedAt: at, revision };
    }
    return view && { ...view, ...changes(event), updatedAt: at, revision };
  },
};

function changes(event: Exclude<IntegrationKeyEvent, { type: 'IntegrationKeyCreated' }>): Partial<IntegrationKeyView> {
  switch (event.type) {
    case 'IntegrationKeyRotated':
      return {};
    case 'IntegrationKeyRevoked':
      return { revokedAt: event.data.revokedAt };
    case 'IntegrationKeyRateLimitSet':
      return { rateLimit: event.data.rateLimit };
  }
}

/** When a key was last used. Apart from the key, whose revision no use changes. */
export type IntegrationKeyUseView = { readonly id: string; readonly lastUsedAt: string };

export const integrationKeyUses: ReadModel<IntegrationKeyUseView> = {
  name: 'integration_key_uses',
  version: 1,
  fields: { id: { type: 'text', of: ({ id }) => id } },
  filters: [],
  order: { fields: ['id'], direction: 'ascending' },
};

export const integrationKeyUseProjection: Projection<IntegrationKeyUseView, IntegrationKeyUseEvent> = {
  model: integrationKeyUses,
  sources: ['integration-key-use'],
  documents: ofRecord,
  evolve: (_, { recordId: id, data: { usedAt } }) => ({ id, lastUsedAt: usedAt }),
};
