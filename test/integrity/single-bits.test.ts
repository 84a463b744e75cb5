import { checksum, toRecordedEvent, type EventRow } from '../../src/adapters/embedded/event-store.record.js';
import { pack } from '../../src/adapters/embedded/packed-json.js';
import { leafHashOf } from '../../src/integrity/leaf.js';
import { CorruptEvent } from '../../src/ports/event-store.js';
import { mulberry32 } from '../support/manual-clock.js';
import { plausibleEvents } from '../support/tree-stage.js';

const SEED = Number(process.env['BITS_SEED'] ?? 1);
const CHANGES = 10_000;
const TEXTS = ['stream', 'id', 'type', 'data', 'metadata'] as const;

type Texts = Record<(typeof TEXTS)[number], string>;
const rowOf = ({ stream, id, type, data, metadata }: Texts, revision: number): EventRow => {
  const event = { id, type, data, metadata };
  return [0, stream, revision, id, type, data, metadata, 0, checksum(0, stream, revision, event, 0)];
};

test(`Of ${CHANGES} random single bits of stored events with a new checksum, none goes unnoticed (seed ${SEED})`, () => {
  const random = mulberry32(SEED);
  const below = (most: number): number => Math.floor(random() * most);
  const events = plausibleEvents(500, SEED).map(({ data, metadata, ...event }) => ({
    ...{ ...event, data: pack(JSON.stringify(data)), metadata: pack(JSON.stringify(metadata)) },
  }));
  let [missed, unreadable] = [0, 0];
  for (let change = 0; change < CHANGES; change += 1) {
    const event = events[below(events.length)] as Texts & { revision: number };
    const known = leafHashOf(toRecordedEvent(rowOf(event, event.revision)));
    // The flipped bit is chosen from all bits of the leaf. The revision counts as one byte.
    const sizes = TEXTS.map((name) => Buffer.byteLength(event[name]));
    let at = below(sizes.reduce((sum, size) => sum + size, 1) * 8);
    const forged: Texts = { ...event };
    let { revision } = event;
    for (const [index, name] of TEXTS.entries()) {
      const bits = (sizes[index] ?? 0) * 8;
      if (at >= 0 && at < bits) {
        const bytes = Buffer.from(event[name]);
        bytes[at >> 3] = (bytes[at >> 3] ?? 0) ^ (1 << (at & 7));
        forged[name] = bytes.toString();
      }
      at -= bits;
    }
    if (at >= 0) revision ^= 1 << at;
    try {
      if (leafHashOf(toRecordedEvent(rowOf(forged, revision))).equals(known)) missed += 1;
    } catch (error) {
      if (!(error instanceof CorruptEvent)) throw error;
      unreadable += 1;
    }
  }
  expect(missed).toBe(0);
  // In many cases, the changed event is still valid JSON. Only the tree can detect such a change.
  expect(unreadable).toBeLessThan(CHANGES * 0.9);
});
