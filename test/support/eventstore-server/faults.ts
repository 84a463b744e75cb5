/** Faults that a test can inject. They take effect immediately, including on open connections and calls. */
export class Faults {
  #slowMs = 0;
  #refusing = false;
  #dropsLeft = 0;
  #silences = 0;
  readonly #subscriptions = new Set<() => void>();
  #hung: { readonly until: Promise<void>; readonly end: () => void } | undefined;

  /** Accepts connections and calls, but stores and answers nothing until `resume`. */
  hang(): void {
    if (this.#hung) return;
    let end = (): void => undefined;
    const until = new Promise<void>((resolve) => (end = resolve));
    this.#hung = { until, end };
  }

  /** Ends the effect of `hang` and carries out the pending calls. */
  resume(): void {
    this.#hung?.end();
    this.#hung = undefined;
  }

  /** Stores the next `count` appends, but breaks the connection before the response. */
  dropAfterCommit(count: number): void {
    this.#dropsLeft = count;
  }

  /** Delays every response, and every page of a read or subscription, by `ms`. The value 0 ends the delays. */
  slow(ms: number): void {
    this.#slowMs = ms;
  }

  /**
   * Stops deliveries to all open subscriptions, but keeps the subscriptions open. Later subscriptions deliver normally.
   */
  silenceSubscriptions(): void {
    this.#silences += 1;
  }

  /** Ends the open subscriptions with ABORTED, as EventStoreDB does when a consumer is too slow. */
  abortSubscriptions(): void {
    for (const abort of this.#subscriptions) abort();
  }

  /** Rejects calls with UNAVAILABLE, like a node that is not ready. */
  refuse(): void {
    this.#refusing = true;
  }

  /** Ends `refuse`. */
  accept(): void {
    this.#refusing = false;
  }

  /** Clears all active faults. Silenced subscriptions remain silent. */
  clear(): void {
    this.resume();
    this.accept();
    this.#slowMs = 0;
    this.#dropsLeft = 0;
  }

  get refusing(): boolean {
    return this.#refusing;
  }

  /** Number of calls to `silenceSubscriptions`. A subscription that began when the number was lower is silent. */
  get silences(): number {
    return this.#silences;
  }

  /**
   * Returns whether the response to the current append must be lost. If so, decrements the number of responses left to
   * lose.
   */
  takeDrop(): boolean {
    if (this.#dropsLeft === 0) return false;
    this.#dropsLeft -= 1;
    return true;
  }

  /** Registers a subscription. Returns a function that removes the subscription. */
  watch(abort: () => void): () => void {
    this.#subscriptions.add(abort);
    return () => this.#subscriptions.delete(abort);
  }

  /**
   * Resolves when the current delay has ended. If there is no delay, returns undefined to save an event-loop turn.
   */
  hold(): Promise<void> | undefined {
    return this.#hung || this.#slowMs > 0 ? this.#wait() : undefined;
  }

  /** Like `hold`, but waits only for the end of `hang`. */
  whileHung(): Promise<void> | undefined {
    return this.#hung ? this.#untilResumed() : undefined;
  }

  async #wait(): Promise<void> {
    await this.#untilResumed();
    if (this.#slowMs > 0) await new Promise((resolve) => setTimeout(resolve, this.#slowMs).unref());
    await this.#untilResumed();
  }

  async #untilResumed(): Promise<void> {
    for (let hung = this.#hung; hung; hung = this.#hung) await hung.until;
  }
}
