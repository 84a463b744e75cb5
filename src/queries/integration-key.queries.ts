import { Inject } from '@nestjs/common';
import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { notFound } from '../platform/domain-error.js';
import { getFrom, ReadModels } from '../platform/query.js';
import { integrationKeyDirectory, type IntegrationKeyEntry } from '../projections/integration-key.projection.js';

/** Which tenant a key belongs to. */
export class FindIntegrationKey extends getFrom(integrationKeyDirectory) {}

@QueryHandler(FindIntegrationKey)
export class FindIntegrationKeyHandler implements IQueryHandler<FindIntegrationKey> {
  constructor(@Inject(ReadModels) private readonly models: ReadModels) {}

  async execute({ scope, id }: FindIntegrationKey): Promise<IntegrationKeyEntry> {
    const entry = await this.models.get(integrationKeyDirectory, scope, id);
    if (!entry) throw notFound('integration key');
    return entry;
  }
}

export const integrationKeyQueryHandlers = [FindIntegrationKeyHandler];
