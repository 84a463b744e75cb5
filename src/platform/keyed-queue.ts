/** Runs tasks of one key after another, tasks of different keys side by side. Holds nothing for a key at rest. */
export class KeyedQueue {
  private readonly tails = new Map<string, Promise<unknown>>();

  /**
   * Resolves or rejects as `task` does; a failed task does not hold up the next. With `also` the task is one of that key,
   * too: tasks wait only for earlier ones, so two keys cannot lock each other out.
   */
  run<T>(key: string, task: () => Promise<T>, also?: string): Promise<T> {
    const before = also === undefined ? this.tails.get(key) : this.tailOf(key, also);
    const result = before === undefined ? task() : before.then(task, task);
    this.follow(key, result);
    if (also !== undefined) this.follow(also, result);
    return result;
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
