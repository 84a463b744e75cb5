import { Inject } from '@nestjs/common';
import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { notFound } from '../platform/domain-error.js';
import { getFrom, ReadModels } from '../platform/query.js';
import type { Scope } from '../ports/read-store.js';
import {
  integrationKeyDirectory,
  integrationKeys,
  integrationKeyUses,
  type IntegrationKeyEntry,
  type IntegrationKeyView,
} from '../projections/integration-key.projection.js';
import { CaughtUp } from './caught-up.js';

const WAIT_MS = 5_000;

/** Which tenant a key belongs to. */
export class FindIntegrationKey extends getFrom(integrationKeyDirectory) {}

@QueryHandler(FindIntegrationKey)
export class FindIntegrationKeyHandler implements IQueryHandler<FindIntegrationKey> {
  constructor(
    @Inject(ReadModels) private readonly models: ReadModels,
    @Inject(CaughtUp) private readonly caughtUp: CaughtUp,
  ) {}

  /** A key that was made a moment ago may not be listed yet: that there is none counts when everything is. */
  async execute({ scope, id }: FindIntegrationKey): Promise<IntegrationKeyEntry> {
    const entry = await this.models.get(integrationKeyDirectory, scope, id);
    if (entry) return entry;
    await this.caughtUp.withHead(integrationKeyDirectory, WAIT_MS);
    const late = await this.models.get(integrationKeyDirectory, scope, id);
    if (!late) throw notFound('integration key');
    return late;
  }
}

/** A key as the API shows it. */
export type IntegrationKeyRecord = IntegrationKeyView & { readonly lastUsedAt: string | null };

/** All keys of a tenant, newest first. */
export class ListIntegrationKeys extends Query<readonly IntegrationKeyRecord[]> {
  constructor(readonly scope: Scope) {
    super();
  }
}

@QueryHandler(ListIntegrationKeys)
export class ListIntegrationKeysHandler implements IQueryHandler<ListIntegrationKeys> {
  constructor(@Inject(ReadModels) private readonly models: ReadModels) {}

  async execute({ scope }: ListIntegrationKeys): Promise<IntegrationKeyRecord[]> {
    const keys: IntegrationKeyView[] = [];
    for await (const key of this.models.each(integrationKeys, scope)) keys.push(key);
    const ids = keys.map(({ id }) => id);
    const uses = await this.models.getMany(integrationKeyUses, scope, ids);
    return keys.map((key) => ({ ...key, lastUsedAt: uses.get(key.id)?.lastUsedAt ?? null }));
  }
}

export const integrationKeyQueryHandlers = [FindIntegrationKeyHandler, ListIntegrationKeysHandler];
