import type { AppendPipeline } from '../ports/append-pipeline.js';
import { type Append, type Appended, EventStoreUnavailable } from '../ports/event-store.js';
import { type SerializedAppend, serializeAppend } from './event-store.input.js';

/**
 * Rejects every append after the first one that failed. `send` must preserve the order of the appends. It must store
 * none of the appends behind a failed one, even if they were sent before the failure was reported.
 */
export class Pipeline implements AppendPipeline {
  private failure: unknown;

  constructor(private readonly send: (append: SerializedAppend) => Promise<Appended>) {}

  async append(append: Append): Promise<Appended> {
    if (this.failure !== undefined) throw behind(this.failure);
    try {
      return await this.send(serializeAppend(append));
    } catch (error) {
      this.failure ??= error;
      throw error;
    }
  }
}

/** The error of an append that was not attempted. */
export const behind = (failure: unknown): EventStoreUnavailable =>
  new EventStoreUnavailable('An earlier append of the pipeline failed', failure);
