/** Limits of a semaphore. */
export type GateLimits = {
  /** Maximum number of concurrent tasks. */
  readonly atOnce: number;
  /** Maximum number of waiting tasks. */
  readonly maxWaiting: number;
};

/** Limits the number of concurrent tasks; the others wait in order of arrival. */
export class Semaphore {
  private readonly waiting: (() => void)[] = [];
  private running = 0;

  /** `refusal` creates the error thrown when the queue is full. */
  constructor(
    private readonly limits: GateLimits,
    private readonly refusal: () => Error,
  ) {}

  /** @throws the refusal, without running the task; any error of the task */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.running < this.limits.atOnce) this.running += 1;
    else if (this.waiting.length >= this.limits.maxWaiting) throw this.refusal();
    // A task that ends passes its slot to the next.
    else await new Promise<void>((resolve) => this.waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = this.waiting.shift();
      if (next) next();
      else this.running -= 1;
    }
  }
}
