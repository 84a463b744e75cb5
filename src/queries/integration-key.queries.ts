import { answers, query } from '../eventsourcing/handler.js';
import { CaughtUp } from './caught-up.js';
import { getFrom, ReadModels } from './query.js';
import type { Scope } from '../ports/read-store.js';
import {
  integrationKeyDirectory,
  integrationKeys,
  integrationKeyUses,
  type IntegrationKeyView,
} from '../projections/integration-key.projection.js';

/** Finds the tenant of a key. */
export class FindIntegrationKey extends getFrom(integrationKeyDirectory) {}

/** A key as returned by the API. */
export type IntegrationKeyRecord = IntegrationKeyView & { readonly lastUsedAt: string | null };

/** All keys of a tenant, newest first. */
export class ListIntegrationKeys extends query<readonly IntegrationKeyRecord[], [scope: Scope]>() {}

export const integrationKeyQueryHandlers = [
  answers(FindIntegrationKey, [ReadModels, CaughtUp], (models, caughtUp, scope, id) =>
    caughtUp.found(models, integrationKeyDirectory, scope, id, 'integration key'),
  ),
  answers(ListIntegrationKeys, [ReadModels], async (models, scope) => {
    const keys = await models.all(integrationKeys, scope);
    const ids = keys.map(({ id }) => id);
    const uses = await models.getMany(integrationKeyUses, scope, ids);
    return keys.map((key) => ({ ...key, lastUsedAt: uses.get(key.id)?.lastUsedAt ?? null }));
  }),
];
