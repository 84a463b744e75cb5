import type { AllSubscription, EventBatch, EventReader, LiveAfter, Reached } from '../ports/event-store.js';
import { stoppable } from './event-store.input.js';
import { unlessAborted } from './waiting.js';

/** Minimum time for which the thread reads separately before it asks the other thread again. */
const ALONE_MS = 1_000;

/**
 * Subscribes to live events that another thread already receives from the server. While that thread cannot provide the
 * events, this function reads them through `reader`.
 */
export function relayed(
  reader: Pick<EventReader, 'subscribeToAll'>,
  liveAfter: LiveAfter,
  subscription: AllSubscription,
): AsyncIterable<EventBatch> {
  return {
    [Symbol.asyncIterator]: () => {
      const ending = new AbortController();
      return stoppable(batches(reader, liveAfter, { ...subscription, signal: ending.signal }), () => {
        ending.abort();
      });
    },
  };
}

async function* batches(
  reader: Pick<EventReader, 'subscribeToAll'>,
  liveAfter: LiveAfter,
  subscription: AllSubscription & { readonly signal: AbortSignal },
): AsyncGenerator<EventBatch, void> {
  const { signal } = subscription;
  let told: Reached = { position: subscription.after, caughtUp: true };
  const next = (batch: EventBatch): EventBatch => {
    told = { position: batch.position, caughtUp: batch.caughtUp };
    return batch;
  };
  const ask = async (): Promise<EventBatch | undefined> => {
    let batch: EventBatch | undefined;
    const asked = liveAfter(told, subscription.filter?.narrowing).then(
      (live) => void (batch = live),
      () => undefined,
    );
    await unlessAborted(asked, signal);
    return batch;
  };
  do {
    for (let batch = await ask(); batch; batch = await ask()) yield next(batch);
  } while (!(yield* alone()));

  /** Reads without the other thread. Returns true if the subscription has ended. */
  async function* alone(): AsyncGenerator<EventBatch, boolean> {
    const beganMs = performance.now();
    for await (const batch of reader.subscribeToAll({ ...subscription, after: told.position })) {
      yield next(batch);
      // The duration is measured with the real clock, which tests cannot stop.
      if (batch.caughtUp && performance.now() - beganMs >= ALONE_MS) return false;
    }
    return true;
  }
}
