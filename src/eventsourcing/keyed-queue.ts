/** Runs tasks with the same key sequentially, and tasks with different keys concurrently. Idle keys use no memory. */
export class KeyedQueue {
  private readonly tails = new Map<string, Promise<unknown>>();

  /**
   * Settles with the result of `task`. A failed task does not block the next one. `also` is a second key under which
   * the task is queued. A task waits only for earlier tasks, so a second key cannot cause a deadlock.
   */
  run<T>(key: string, task: () => Promise<T>, also?: string): Promise<T> {
    const before = also === undefined ? this.tails.get(key) : this.tailOf(key, also);
    const result = before === undefined ? task() : before.then(task, task);
    this.follow(key, result);
    if (also !== undefined) this.follow(also, result);
    return result;
  }

  /** Resolves when all tasks queued so far have ended. */
  async idle(): Promise<void> {
    await Promise.allSettled(this.tails.values());
  }

  private follow(key: string, result: Promise<unknown>): void {
    this.tails.set(key, result);
    const settle = () => {
      if (this.tails.get(key) === result) this.tails.delete(key);
    };
    result.then(settle, settle);
  }

  private tailOf(...keys: readonly string[]): Promise<unknown> | undefined {
    const tails = keys.flatMap((key) => this.tails.get(key) ?? []);
    return tails.length === 0 ? undefined : Promise.allSettled(tails);
  }
}
