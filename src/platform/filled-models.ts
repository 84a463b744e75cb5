import { AsyncLocalStorage } from 'node:async_hooks';
import type { Position } from '../ports/event-store.js';
import { readModelBehind } from './domain-error.js';
import type { Progress } from './progress.js';

/** How long a caller's read waits for a model that is being filled before it is refused, milliseconds. */
const WAIT_MS = 5_000;

const reading = new AsyncLocalStorage<true>();

/** Runs `work` (and all that it awaits) as a caller's read, which is not answered from a model that is not filled. */
export const inRead = <T>(work: () => T): T => reading.run(true, work);

/**
 * Which read models once had everything that was stored when this process started. Before that (a new version, a restore)
 * they lack what is there. One that stands still counts: it will not have more until somebody mends it.
 */
export class FilledModels {
  private readonly filled = new Set<string>();
  private startedAt: Position | undefined;

  /** `lastStored`: asked once, at the first call of `all`. */
  constructor(
    private readonly progress: Progress,
    private readonly lastStored: () => Promise<Position>,
  ) {}

  /** @throws EventStoreUnavailable */
  async all(): Promise<boolean> {
    const startedAt = (this.startedAt ??= await this.lastStored());
    for (const name of this.progress.names)
      if (this.progress.isStopped(name) || this.progress.position(name) >= startedAt) this.filled.add(name);
    return this.progress.names.every((name) => this.filled.has(name));
  }

  /**
   * Resolves when the model is filled; undefined where it is, and for what is no caller's read: the service's own work
   * says by itself what it waits for.
   * @throws DomainError unavailable READ_MODEL_BEHIND
   */
  whenReadable(name: string): Promise<void> | undefined {
    return this.filled.has(name) || reading.getStore() === undefined ? undefined : this.whenFilled(name);
  }

  private async whenFilled(name: string): Promise<void> {
    const startedAt = (this.startedAt ??= await this.lastStored());
    if (!(await this.progress.reached(startedAt, WAIT_MS, [name])) && !this.progress.isStopped(name))
      throw readModelBehind();
    this.filled.add(name);
  }
}
