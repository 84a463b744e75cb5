import { AsyncLocalStorage } from 'node:async_hooks';
import type { Position } from '../ports/event-store.js';
import { readModelBehind } from './domain-error.js';
import type { Progress } from './progress.js';

/** How long a caller's read waits for a model that is being filled before it is refused, milliseconds. */
const WAIT_MS = 5_000;

const reading = new AsyncLocalStorage<true>();

/**
 * Which read models once had everything that was stored when this process started. Before that (a new version, a restore)
 * they lack what is there. One that stands still counts: it will not have more until somebody mends it.
 */
export class FilledModels {
  private readonly filled = new Set<string>();
  private startedAt: Position | undefined;
  private areAll = false;

  /** `lastStored`: asked once, at the first call of `all`. */
  constructor(
    private readonly progress: Progress,
    private readonly lastStored: () => Promise<Position>,
  ) {}

  /** @throws EventStoreUnavailable */
  async all(): Promise<boolean> {
    this.startedAt ??= await this.lastStored();
    return this.areAllFilled();
  }

  /**
   * Runs `work` (and all that it awaits) as a caller's read, which is not answered from a model that is not filled. Once all
   * are, it just runs: a context of its own would cost every read some microseconds.
   */
  readonly asRead = (work: () => void): void => {
    if (this.areAllFilled()) work();
    else reading.run(true, work);
  };

  private areAllFilled(): boolean {
    if (this.areAll || this.startedAt === undefined) return this.areAll;
    for (const name of this.progress.names)
      if (this.progress.isStopped(name) || this.progress.position(name) >= this.startedAt) this.filled.add(name);
    this.areAll = this.progress.names.every((name) => this.filled.has(name));
    return this.areAll;
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
