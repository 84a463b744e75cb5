/** What a test may make go wrong. Everything takes effect at once, for open connections and calls too. */
export class Faults {
  #slowMs = 0;
  #refusing = false;
  #dropsLeft = 0;
  #silences = 0;
  readonly #subscriptions = new Set<() => void>();
  #hung: { readonly until: Promise<void>; readonly end: () => void } | undefined;

  /** Connections are accepted and calls taken, and nothing is answered nor stored until `resume`. */
  hang(): void {
    if (this.#hung) return;
    let end = (): void => undefined;
    const until = new Promise<void>((resolve) => (end = resolve));
    this.#hung = { until, end };
  }

  /** Ends `hang`: what came meanwhile is carried out. */
  resume(): void {
    this.#hung?.end();
    this.#hung = undefined;
  }

  /** The next `count` appends are stored, and then the connection is broken instead of an answer. */
  dropAfterCommit(count: number): void {
    this.#dropsLeft = count;
  }

  /** Every answer comes `ms` later, and so does every page of a read or subscription; 0 ends it. */
  slow(ms: number): void {
    this.#slowMs = ms;
  }

  /** Subscriptions that are open now stay open and deliver nothing more. Later ones deliver. */
  silenceSubscriptions(): void {
    this.#silences += 1;
  }

  /** Ends the subscriptions that are open with ABORTED, as EventStoreDB ends one whose consumer is too slow. */
  abortSubscriptions(): void {
    for (const abort of this.#subscriptions) abort();
  }

  /** Calls are refused with UNAVAILABLE, as by a node that is not ready. */
  refuse(): void {
    this.#refusing = true;
  }

  /** Ends `refuse`. */
  accept(): void {
    this.#refusing = false;
  }

  /** Ends every fault that is on. Subscriptions that were silenced stay silent. */
  clear(): void {
    this.resume();
    this.accept();
    this.#slowMs = 0;
    this.#dropsLeft = 0;
  }

  get refusing(): boolean {
    return this.#refusing;
  }

  /** How often subscriptions have been silenced: one that began at another count is silent. */
  get silences(): number {
    return this.#silences;
  }

  /** True once for each append that is to lose its answer. */
  takeDrop(): boolean {
    if (this.#dropsLeft === 0) return false;
    this.#dropsLeft -= 1;
    return true;
  }

  /** Takes note of a subscription; returns how to forget it. */
  watch(abort: () => void): () => void {
    this.#subscriptions.add(abort);
    return () => this.#subscriptions.delete(abort);
  }

  /** Waits while calls are held up. Undefined where none is, so that the usual case costs no turn of the event loop. */
  hold(): Promise<void> | undefined {
    return this.#hung || this.#slowMs > 0 ? this.#wait() : undefined;
  }

  /** The same for `hang` alone. */
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
