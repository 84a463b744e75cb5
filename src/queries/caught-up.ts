import { Inject, Injectable } from '@nestjs/common';
import { readModelBehind } from '../eventsourcing/domain-error.js';
import { Progress } from '../projecting/progress.js';
import { EVENT_STORE, type EventStore } from '../ports/event-store.js';

/** For results that must not come from a lagging read model. */
@Injectable()
export class CaughtUp {
  constructor(
    @Inject(EVENT_STORE) private readonly events: EventStore,
    @Inject(Progress) private readonly progress: Progress,
  ) {}

  /**
   * Resolves once the read model contains everything stored at the time of the call.
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
}
