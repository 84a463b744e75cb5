import { Inject, Injectable } from '@nestjs/common';
import { readModelBehind } from '../eventsourcing/domain-error.js';
import { EVENT_STORE, type EventStore } from '../ports/event-store.js';
import type { ReadModel, Scope } from '../ports/read-store.js';
import { Progress } from '../projecting/progress.js';
import type { ReadModels } from './query.js';

const WAIT_MS = 5_000;

/** Waits for read models to catch up, for results that must not be outdated. */
@Injectable()
export class CaughtUp {
  constructor(
    @Inject(EVENT_STORE) private readonly events: EventStore,
    @Inject(Progress) private readonly progress: Progress,
  ) {}

  /**
   * Resolves once the read model contains all events stored at the time of the call.
   * @throws DomainError unavailable READ_MODEL_BEHIND after `timeoutMs`
   */
  async withHead({ name }: { readonly name: string }, timeoutMs: number): Promise<void> {
    if (!(await this.progress.reached(await this.events.head(), timeoutMs, [name]))) throw readModelBehind();
  }

  /** Like `withHead`, for a position and several read models. @throws DomainError unavailable READ_MODEL_BEHIND */
  async withPosition(models: readonly { readonly name: string }[], position: number, timeoutMs: number): Promise<void> {
    const names = models.map(({ name }) => name);
    if (!(await this.progress.reached(position, timeoutMs, names))) throw readModelBehind();
  }

  /**
   * Like `ReadModels.found`, for a record that may just have been created: it is considered absent only once the model
   * has caught up.
   */
  async found<Doc extends object>(
    models: ReadModels,
    model: ReadModel<Doc>,
    scope: Scope,
    id: string,
    entity: string,
  ): Promise<Doc> {
    const found = await models.get(model, scope, id);
    if (found) return found;
    await this.withHead(model, WAIT_MS);
    return models.found(model, scope, id, entity);
  }
}
