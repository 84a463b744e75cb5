import { Inject } from '@nestjs/common';
import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { notFound, readModelBehind } from '../platform/domain-error.js';
import { Progress } from '../platform/progress.js';
import { getFrom, ReadModels } from '../platform/query.js';
import { EVENT_STORE, type EventStore } from '../ports/event-store.js';
import { integrationKeyDirectory, type IntegrationKeyEntry } from '../projections/integration-key.projection.js';

const WAIT_MS = 2_000;

/** Which tenant a key belongs to. */
export class FindIntegrationKey extends getFrom(integrationKeyDirectory) {}

@QueryHandler(FindIntegrationKey)
export class FindIntegrationKeyHandler implements IQueryHandler<FindIntegrationKey> {
  constructor(
    @Inject(ReadModels) private readonly models: ReadModels,
    @Inject(EVENT_STORE) private readonly events: EventStore,
    @Inject(Progress) private readonly progress: Progress,
  ) {}

  /** A key that was made a moment ago may not be listed yet: that there is none counts when everything is. */
  async execute({ scope, id }: FindIntegrationKey): Promise<IntegrationKeyEntry> {
    const entry = await this.models.get(integrationKeyDirectory, scope, id);
    if (entry) return entry;
    const { name } = integrationKeyDirectory;
    if (!(await this.progress.reached(await this.events.head(), WAIT_MS, [name]))) throw readModelBehind();
    const late = await this.models.get(integrationKeyDirectory, scope, id);
    if (!late) throw notFound('integration key');
    return late;
  }
}

export const integrationKeyQueryHandlers = [FindIntegrationKeyHandler];
