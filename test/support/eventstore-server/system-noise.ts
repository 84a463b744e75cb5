import { randomUUID } from 'node:crypto';
import type { EventStore, EventToAppend } from '../../../src/ports/event-store.js';
import { wrapBytes } from './event-codec.js';

/** What EventStoreDB writes by itself: statistics of the node, and links of its system projections, in turn. */
export async function appendNoise(store: EventStore, count: number): Promise<void> {
  for (let n = 0; n < count; n += 1) {
    const link = n % 2 === 1;
    const stream = link ? '$ce-noise' : '$stats-127.0.0.1:2113';
    await store.append({ stream, expected: 'any', events: [link ? linkEvent(n) : statistics(n)] });
  }
}

const statistics = (n: number): EventToAppend => ({
  id: randomUUID(),
  type: '$statsCollected',
  data: { 'proc-cpu': n },
  metadata: {},
});

/** A link is no JSON: it names the revision and the stream of another event. */
const linkEvent = (n: number): EventToAppend => ({
  id: randomUUID(),
  type: '$>',
  data: wrapBytes(Buffer.from(`${n}@noise-source`), 'application/octet-stream'),
  metadata: {},
});
