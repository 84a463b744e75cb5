/** Runs tasks of one key after another, tasks of different keys side by side. Holds nothing for a key at rest. */
export class KeyedQueue {
  private readonly tails = new Map<string, Promise<unknown>>();

  /** Resolves or rejects as `task` does; a failed task does not hold up the next. */
  run<T>(key: string, task: () => Promise<T>): Promise<T> {
    const before = this.tails.get(key);
    const result = before === undefined ? task() : before.then(task, task);
    this.tails.set(key, result);
    const settle = () => {
      if (this.tails.get(key) === result) this.tails.delete(key);
    };
    result.then(settle, settle);
    return result;
  }
}
