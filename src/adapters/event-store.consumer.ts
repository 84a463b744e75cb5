import { BEFORE_ALL, type EventFilter, type Position, type Reached } from '../ports/event-store.js';

/** Maximum time for which the shared subscription waits for a slow consumer. */
const PATIENCE_MS = 250;

/** A consumer of the shared subscription. */
export class Consumer {
  /** Position and state of the last batch. Its events are omitted, so that they can be freed. */
  told: Reached;
  /**
   * Whether the subscription still waits for this consumer. After a wait times out, it does not wait again until the
   * consumer takes a batch.
   */
  isAwaited = true;

  constructor(
    readonly filter: EventFilter | undefined,
    after: Position = BEFORE_ALL,
    /**
     * Whether the consumer has caught up. Only a read by the consumer itself can establish this, because the shared
     * subscription may have read the consumer's events before the consumer began.
     */
    public hasCaughtUp = false,
  ) {
    this.told = { position: after, caughtUp: false };
  }

  /** Records the position that the consumer reaches with the batch. */
  take({ position, caughtUp }: Reached): void {
    this.told = { position, caughtUp };
    this.isAwaited = true;
  }
}

/** The consumers that read the kept batches. */
export class JoinedConsumers {
  private readonly joined = new Set<Consumer>();
  private moved: () => void = () => undefined;

  constructor(private readonly patienceMs = PATIENCE_MS) {}

  add(consumer: Consumer): void {
    this.joined.add(consumer);
  }

  has(consumer: Consumer): boolean {
    return this.joined.has(consumer);
  }

  delete(consumer: Consumer): void {
    this.joined.delete(consumer);
    this.moved();
  }

  /** Passes a batch to the consumer. */
  give<B extends Reached>(consumer: Consumer, batch: B): B {
    consumer.take(batch);
    this.moved();
    return batch;
  }

  get positions(): readonly Position[] {
    return Array.from(this.joined, ({ told }) => told.position);
  }

  /**
   * Waits until no consumer is slow, but at most for `patienceMs`. Otherwise, a slow consumer would have to read the
   * kept events again on its own, which costs more than a short delay for the others.
   */
  async notSlow(isSlow: (position: Position) => boolean): Promise<void> {
    const slow = () => [...this.joined].filter(({ isAwaited, told }) => isAwaited && isSlow(told.position));
    if (slow().length === 0) return;
    await new Promise<void>((resolve) => {
      const end = (): void => {
        clearTimeout(timer);
        this.moved = () => undefined;
        resolve();
      };
      const timer = setTimeout(end, this.patienceMs);
      this.moved = () => {
        if (slow().length === 0) end();
      };
    });
    for (const consumer of slow()) consumer.isAwaited = false;
  }
}
