import { Inject } from '@nestjs/common';
import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { notFound } from '../platform/domain-error.js';
import { getFrom, ReadModels } from '../platform/query.js';
import { integrationKeyDirectory, type IntegrationKeyEntry } from '../projections/integration-key.projection.js';
import { CaughtUp } from './caught-up.js';

const WAIT_MS = 2_000;

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

export const integrationKeyQueryHandlers = [FindIntegrationKeyHandler];
