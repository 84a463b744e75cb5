import { Inject, Injectable } from '@nestjs/common';
import { readModelBehind } from '../platform/domain-error.js';
import { Progress } from '../platform/progress.js';
import { EVENT_STORE, type EventStore } from '../ports/event-store.js';

/** For answers that may not rest on a read model that lags. */
@Injectable()
export class CaughtUp {
  constructor(
    @Inject(EVENT_STORE) private readonly events: EventStore,
    @Inject(Progress) private readonly progress: Progress,
  ) {}

  /**
   * Resolves when the read model has everything that is stored at the moment of the call.
   * @throws DomainError unavailable READ_MODEL_BEHIND where that takes longer than `timeoutMs`
   */
  async withHead({ name }: { readonly name: string }, timeoutMs: number): Promise<void> {
    if (!(await this.progress.reached(await this.events.head(), timeoutMs, [name]))) throw readModelBehind();
  }

  /** The same for a position, in several read models. @throws DomainError unavailable READ_MODEL_BEHIND */
  async withPosition(models: readonly { readonly name: string }[], position: number, timeoutMs: number): Promise<void> {
    const names = models.map(({ name }) => name);
    if (!(await this.progress.reached(position, timeoutMs, names))) throw readModelBehind();
  }
}
