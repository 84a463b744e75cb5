import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { EmbeddedReadStore } from '../../src/adapters/embedded/read-store.js';
import type { Recorded } from '../../src/eventsourcing/event-catalogue.js';
import { hashOf } from '../support/rebuilt-table.js';
import { documentsOf, evolveWith, scopeOf, wants, type AnyProjection } from '../../src/projecting/projection.js';
import { project } from '../../src/projecting/project.js';
import { Projector } from '../../src/projecting/projector.js';
import type { AnyTable } from '../../src/ports/read-store.js';
import { projections } from '../../src/projections/projections.js';
import { anyHistory } from './arbitrary-history.js';

let directory: string;
let store: EmbeddedReadStore;
let generations = 0;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'kontor-'));
  store = await EmbeddedReadStore.open({ directory, mode: 'readwrite' });
});
afterAll(async () => {
  await store.close();
  await rm(directory, { recursive: true, force: true });
});

const all = projections.map((projection) => [projection.model.name, projection] as const);

async function tableOf(projection: AnyProjection): Promise<AnyTable> {
  generations += 1;
  const table = { model: projection.model, generation: generations };
  await store.prepare([table]);
  return table;
}

/** Folds the batches and returns the content of the table. `leaderOf` selects the projector that folds a batch. */
async function folded(
  projection: AnyProjection,
  batches: readonly (readonly Recorded[])[],
  leaderOf: (batch: number) => number = () => 0,
): Promise<string> {
  const table = await tableOf(projection);
  const seen = [0, 0];
  const leaders = [0, 1].map(() => new Projector(store, { projection, table }));
  for (const [index, events] of batches.entries()) {
    const which = leaderOf(index);
    const leader = leaders[which];
    // Every leader reads the whole history in order, so it first folds the batches that only the other leader has
    // folded.
    for (const batch of [...batches.slice(seen[which], index), events])
      if (leader) await project(store, [leader], batch, batch.at(-1)?.position ?? -1);
    seen[which] = index + 1;
  }
  const hash = await hashOf(store, table);
  await store.drop(table);
  return hash;
}

function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    Object.values(value).forEach(frozen);
  }
  return value;
}

/** Returns the documents after folding one event at a time with frozen input. */
function documentsBy(projection: AnyProjection, events: readonly Recorded[]): Map<string, object | undefined> {
  const documents = new Map<string, object | undefined>();
  for (const event of events.filter(({ entity }) => wants(projection, entity)))
    for (const id of documentsOf(projection, event)) {
      const key = `${scopeOf(projection, event)} ${id}`;
      documents.set(key, frozen(evolveWith(projection, documents.get(key), frozen(event), id)));
    }
  return documents;
}

/** Splits a list into pieces, using the given lengths cyclically. */
function cut<T>(list: readonly T[], lengths: readonly number[]): T[][] {
  const pieces: T[][] = [];
  for (let from = 0; from < list.length;) {
    const length = lengths[pieces.length % lengths.length] ?? 1;
    pieces.push(list.slice(from, from + length));
    from += length;
  }
  return pieces;
}

const someLengths = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 5 });

// These limits leave enough time to shrink a failing case to a few events and to print its seed.
const limits = { numRuns: 20, interruptAfterTimeLimit: 50_000, markInterruptAsFailure: true };

describe.each(all)('The projection %s', (_, projection) => {
  test('folds event by event as in one batch, or in any batches', async () => {
    await fc.assert(
      fc.asyncProperty(anyHistory, someLengths, async (events, lengths) => {
        const inOne = await folded(projection, [events]);
        expect(await folded(projection, cut(events, [1]))).toBe(inOne);
        expect(await folded(projection, cut(events, lengths))).toBe(inOne);
      }),
      limits,
    );
  });

  test('is not changed by redelivery, nor by a second leader', async () => {
    await fc.assert(
      fc.asyncProperty(
        anyHistory,
        someLengths,
        fc.array(fc.nat(), { minLength: 1 }),
        async (events, lengths, seeds) => {
          const pieces = cut(events, lengths);
          const seedOf = (index: number): number => seeds[index % seeds.length] ?? 0;
          // Some batches overlap with the previous batch. After some batches, all events since an earlier batch are
          // redelivered.
          const delivered = pieces.flatMap((piece, index) => {
            const again = pieces.slice(seedOf(index) % (index + 1), index + 1);
            return [[again.flat()], [piece, ...again], [piece]][seedOf(index) % 3] ?? [];
          });
          const repeated = await folded(projection, delivered, (batch) => seedOf(batch) % 2);
          expect(repeated).toBe(await folded(projection, [events]));
        },
      ),
      limits,
    );
  });

  test('stores the result of folding by hand, and changes neither events nor documents', async () => {
    await fc.assert(
      fc.asyncProperty(anyHistory, async (events) => {
        const table = await tableOf(projection);
        await project(store, [new Projector(store, { projection, table })], events, events.at(-1)?.position ?? -1);
        const stored = new Map<string, unknown>();
        for await (const { scope, id, json } of store.scan(table))
          stored.set(`${scope} ${id}`, json === null ? undefined : (JSON.parse(json) as unknown));
        await store.drop(table);
        const expected = [...documentsBy(projection, events)].filter(([, document]) => document !== undefined);
        expect([...stored].filter(([, document]) => document !== undefined).sort()).toEqual(
          expected.map(([key, document]) => [key, JSON.parse(JSON.stringify(document)) as unknown]).sort(),
        );
      }),
      limits,
    );
  });
});

test('The histories contain events for every projection', () => {
  const touched = new Set<string>();
  for (const events of fc.sample(anyHistory, { numRuns: 200, seed: 1 }))
    for (const projection of projections)
      if ([...documentsBy(projection, events).values()].some((document) => document !== undefined))
        touched.add(projection.model.name);
  expect([...touched].sort()).toEqual(projections.map(({ model }) => model.name).sort());
});
