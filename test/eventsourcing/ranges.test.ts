import fc from 'fast-check';
import { EmbeddedEventStore } from '../../src/adapters/embedded/event-store.js';
import { passes } from '../../src/adapters/event-store.input.js';
import { catalogue } from '../../src/app/catalogue.js';
import { documentsOf, scopeOf, wants } from '../../src/projecting/projection.js';
import {
  ALL_RANGES,
  portionOf,
  rangeOf,
  rangeOfStream,
  RANGES,
  narrowedTo,
  shareOf,
} from '../../src/eventsourcing/ranges.js';
import { projections } from '../../src/projections/projections.js';
import { ManualClock } from '../support/manual-clock.js';
import { recordings, store } from '../support/corpus.js';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const TENANT = 'f81d4fae-7dec-41d0-a765-00a0c91e6bf6';

describe('Ranges of the history', () => {
  test('are stable: checkpoints depend on the range of each tenant', () => {
    expect(rangeOf('platform')).toBe(0);
    expect(rangeOf(TENANT)).toBe(6);
    expect(rangeOf('0190163d-8694-739b-aea5-966c26f8ad9b')).toBe(11);
  });

  test('are selected by the names of the streams of sales; all other streams are always selected', () => {
    fc.assert(
      fc.property(
        fc.subarray(ALL_RANGES),
        fc.uuid(),
        fc.uuid(),
        fc.constantFrom('sale-', 'sales-'),
        (ranges, id, record, entity) => {
          const isSelected = passes({ on: 'stream', prefixes: ['sale', 'customer-'], ...narrowedTo(ranges) });
          const stream = `${entity}${id}_${record}`;
          expect(isSelected({ stream, type: '' })).toBe(entity === 'sales-' || portionOf(ranges).has(stream));
          expect(isSelected({ stream: `customer-${id}_${record}`, type: '' })).toBe(true);
          expect(isSelected({ stream: `tenant-platform_${id}`, type: '' })).toBe(false);
        },
      ),
    );
    expect(narrowedTo(ALL_RANGES)).toEqual({});
    expect(narrowedTo(undefined)).toEqual({});
  });

  test('need no event of a sale in a projection across tenants, which receives only the sales of its own ranges', () => {
    const across = projections.filter(({ acrossTenants }) => acrossTenants);
    expect(across.filter((projection) => wants(projection, 'sale'))).toEqual([]);
  });

  test('are preferred by processes so that each prefers its own share', () => {
    for (let count = 1; count <= RANGES + 2; count += 1) {
      const shares = Array.from({ length: count }, (_, at) => shareOf(at, count));
      expect(shares.flatMap(({ share, preferred }) => preferred.slice(0, share))).toEqual(ALL_RANGES);
      for (const { preferred } of shares) expect([...preferred].sort((a, b) => a - b)).toEqual(ALL_RANGES);
    }
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
    const counts = new Array<number>(RANGES).fill(0);
    for (const id of fc.sample(fc.uuid(), { numRuns: 3_200, seed: 7 })) {
      const range = rangeOf(id);
      counts[range] = (counts[range] ?? 0) + 1;
    }
    // The expected number of ids in each range is 200. The tolerance of 60 is more than four standard deviations.
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
      directory = await mkdtemp(join(tmpdir(), 'kontor-ranges-'));
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
