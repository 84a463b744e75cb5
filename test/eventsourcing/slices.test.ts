import fc from 'fast-check';
import { EmbeddedEventStore } from '../../src/adapters/embedded/event-store.js';
import { catalogue } from '../../src/app/catalogue.js';
import { documentsOf, scopeOf, wants } from '../../src/projecting/projection.js';
import {
  ALL_RANGES,
  portionOf,
  rangeOf,
  rangeOfStream,
  RANGES,
  sliceOf,
  SLICES,
} from '../../src/eventsourcing/slices.js';
import { projections } from '../../src/projections/projections.js';
import { ManualClock } from '../support/manual-clock.js';
import { recordings, store } from '../support/corpus.js';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const TENANT = 'f81d4fae-7dec-41d0-a765-00a0c91e6bf6';

describe('Slices of the history', () => {
  test('are stable: checkpoints depend on the slice of each tenant', () => {
    expect(sliceOf('platform')).toBe(0);
    expect(sliceOf(TENANT)).toBe(60);
    expect(sliceOf('0190163d-8694-739b-aea5-966c26f8ad91')).toBe(18);
  });

  test('give every stream of a tenant, including the record of the tenant itself, the same range', () => {
    fc.assert(
      fc.property(
        fc.uuid(),
        fc.constantFrom('sale', 'transaction', 'push-subscription'),
        fc.uuid(),
        (id, entity, record) => {
          const range = rangeOf(id);
          expect(ALL_RANGES).toContain(range);
          expect(rangeOfStream(`${entity}-${id}_${record}`)).toBe(range);
          expect(rangeOfStream(`tenant-platform_${id}`)).toBe(range);
          expect(rangeOfStream(`operator-platform_${id}`)).toBe(0);
        },
      ),
    );
  });

  test('are spread evenly over tenants', () => {
    const counts = new Array<number>(SLICES).fill(0);
    for (const id of fc.sample(fc.uuid(), { numRuns: 12_800, seed: 7 })) {
      const slice = sliceOf(id);
      counts[slice] = (counts[slice] ?? 0) + 1;
    }
    // The expected number in each slice is 200. The tolerance of 60 is more than four standard deviations.
    for (const count of counts) expect(Math.abs(count - 200)).toBeLessThan(60);
  });

  test('are all in exactly one of the portions of several leaders', () => {
    const portions = [portionOf([0, 3, 15]), portionOf(ALL_RANGES.filter((range) => ![0, 3, 15].includes(range)))];
    fc.assert(fc.property(fc.uuid(), (id) => portions.filter((portion) => portion.has(`sale-${id}_1`)).length === 1));
    expect(portions.map(({ coordinates }) => coordinates)).toEqual([true, false]);
    expect(RANGES).toBe(16);
  });

  describe('of recorded histories', () => {
    let directory: string;
    beforeAll(async () => {
      directory = await mkdtemp(join(tmpdir(), 'kontor-slices-'));
    });
    afterAll(() => rm(directory, { recursive: true }));

    test.each(recordings().map((recording) => [recording.name, recording] as const))(
      'contain every document of %s whole, unless its projection is declared to be undivided',
      async (name, recording) => {
        const events = EmbeddedEventStore.open({ directory: join(directory, name), clock: new ManualClock() });
        await store(events, recording.events);
        const ranges = new Map<string, Set<number>>();
        for (const stored of await events.readAll({ maxCount: 100_000 })) {
          const event = catalogue.decode(stored);
          for (const projection of projections) {
            if (projection.acrossTenants || !wants(projection, event.entity)) continue;
            for (const id of documentsOf(projection, event)) {
              const key = `${projection.model.name}/${scopeOf(projection, event)}/${id}`;
              ranges.set(key, (ranges.get(key) ?? new Set()).add(rangeOfStream(event.stream)));
            }
          }
        }
        await events.close();
        expect(ranges.size).toBeGreaterThan(20);
        expect([...ranges].filter(([, some]) => some.size > 1).map(([key]) => key)).toEqual([]);
      },
    );
  });
});
