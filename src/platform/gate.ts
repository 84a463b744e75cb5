/** How many may be inside, and how many may wait. */
export type GateLimits = {
  /** How many works are under way at once. */
  readonly atOnce: number;
  /** How many more may wait for their turn. */
  readonly maxWaiting: number;
};

/** Lets few works run at once and the others in turn, first come, first served. */
export class Gate {
  private readonly waiting: (() => void)[] = [];
  private running = 0;

  /** `refusal` is what is thrown when too many wait already. */
  constructor(
    private readonly limits: GateLimits,
    private readonly refusal: () => Error,
  ) {}

  /** @throws the refusal, without running the work; what the work throws */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.running < this.limits.atOnce) this.running += 1;
    else if (this.waiting.length >= this.limits.maxWaiting) throw this.refusal();
    // Who ends hands its place on.
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
