import { randomUUID } from 'node:crypto';
import { readConfig } from '../../src/config.js';
import { historyJobs } from '../../src/app/history-jobs.js';
import type { Job, JobRun } from '../../src/jobs/job.js';
import { checkpointKey } from '../../src/projecting/projection.js';
import { verifyProjections } from '../../src/projecting/projection-verifier.js';
import { catalogue } from '../../src/app/catalogue.js';
import { tenantScope, type AnyTable, type Scope } from '../../src/ports/read-store.js';
import { projections } from '../../src/projections/projections.js';
import { writeHistory } from '../support/history.js';
import { saleOf, TestService, type Books } from '../support/service.js';

let service: TestService;
let books: Books;
beforeEach(async () => {
  service = await TestService.start();
  books = await service.openBooks();
  await writeHistory(service, books, { seed: 21, sales: 15 });
  await service.quiet();
});
afterEach(() => service.close());

function job(): Job {
  const config = readConfig({ DATA_DIR: service.directory, SUBSCRIBERS: 'inline' });
  const found = historyJobs(config, service.service.engines).find(({ name }) => name === 'projection-verify');
  if (!found) throw new Error('There is no job');
  return found;
}

const run = (parameters: object = {}, more: Partial<JobRun> = {}) => {
  const quiet = {
    signal: new AbortController().signal,
    report: () => undefined,
    checkpoint: undefined,
    save: () => Promise.resolve(),
  };
  return job().run({ executionId: randomUUID(), parameters, ...quiet, ...more });
};

async function tableOf(name: string): Promise<AnyTable> {
  const model = projections.find((projection) => projection.model.name === name)?.model;
  if (!model) throw new Error(`There is no ${name}`);
  const generation = await service.service.engines.reads.liveGeneration(model.name, model.version);
  return { model, generation: generation ?? 0 };
}

type Stored = { scope: Scope; id: string; document: object | null; position: number };

async function documentsOf(table: AnyTable): Promise<Stored[]> {
  const found: Stored[] = [];
  for await (const { scope, id, json, position } of service.service.engines.reads.scan(table))
    found.push({ scope, id, document: json === null ? null : (JSON.parse(json) as object), position });
  return found;
}

/** Simulates a defect by replacing a stored document. */
async function put(table: AnyTable, { scope, id, position }: Stored, document: object | null, at = position) {
  const writes = [{ scope, id, document, position: at, expected: position }];
  const { conflicts } = await service.service.engines.reads.write({ tables: [{ table, writes }], checkpoints: [] });
  expect(conflicts).toEqual([]);
}

test('Read models that match the history pass the verification', async () => {
  const { message } = await run();
  expect(message).toMatch(
    new RegExp(`^\\d+ documents of ${projections.length} read models compared with \\d+ events up to position \\d+`),
  );
  expect(message).toMatch(/All compared documents match the history\.$/);
  const count = Number(/^\d+/.exec(message)?.[0]);
  const all = await Promise.all(projections.map(async ({ model }) => documentsOf(await tableOf(model.name))));
  expect(count).toBeGreaterThanOrEqual(all.flat().length);
});

test('A changed document fails the run, which reports it', async () => {
  const table = await tableOf('customers');
  const [victim] = (await documentsOf(table)).filter(({ document }) => document !== null);
  if (!victim?.document) throw new Error('There is no customer');
  await put(table, victim, { ...victim.document, name: 'Somebody else' });
  await expect(run()).rejects.toThrow(
    `1 documents differ: customers ${victim.scope} ${victim.id}: differs at position ${victim.position}.`,
  );
  await put(table, victim, victim.document);
  await expect(run()).resolves.toBeDefined();
});

test('A document that is deleted, at another position, or without events also fails the run', async () => {
  const table = await tableOf('transactions');
  const [deleted, moved] = (await documentsOf(table)).filter(({ document }) => document !== null);
  if (!deleted || !moved) throw new Error('There are no transactions');
  await put(table, deleted, null);
  await put(table, moved, moved.document, moved.position + 1);
  const invented = { scope: tenantScope(books.tenant.id), id: randomUUID(), document: moved.document, position: 3 };
  const writes = [{ ...invented, expected: null }];
  await service.service.engines.reads.write({ tables: [{ table, writes }], checkpoints: [] });
  const error: unknown = await run().catch((fault: unknown) => fault);
  const { message } = error as Error;
  expect(message).toContain(`3 documents differ: `);
  expect(message).toContain(`${deleted.id}: is deleted, but should exist`);
  expect(message).toContain(`${moved.id}: is at position ${moved.position + 1}`);
  expect(message).toContain(`${invented.id}: is stored, but no event refers to it`);
});

test('At most twenty documents are listed', async () => {
  const table = await tableOf('transactions');
  const victims = (await documentsOf(table)).filter(({ document }) => document !== null);
  expect(victims.length).toBeGreaterThan(22);
  for (const victim of victims) await put(table, victim, { ...victim.document, amount: '0.00' });
  const error: unknown = await run().catch((fault: unknown) => fault);
  const { message } = error as Error;
  expect(message.match(/transactions /g)).toHaveLength(20);
  expect(message).toContain(`and ${victims.length - 20} more`);
});

test('Concurrent sales have no effect', async () => {
  const over = new AbortController();
  let sold = 0;
  const selling = (async () => {
    for (; !over.signal.aborted; sold += 1) await service.postSale(books.partner, saleOf(`during-${sold}`));
  })();
  const messages: string[] = [];
  try {
    while (messages.length < 3 || sold <= 3) messages.push((await run()).message);
  } finally {
    over.abort();
    await selling;
  }
  for (const message of messages) expect(message).toMatch(/All compared documents match the history\.$/);
});

test('A share and a seed select the documents, deterministically', async () => {
  const { events, reads } = service.service.engines;
  const quiet = { batchSize: 100, signal: new AbortController().signal, report: () => undefined };
  const verify = (more: { share?: number; seed?: number; most?: number }) =>
    verifyProjections(events, reads, catalogue, projections, { share: 1, seed: 1, most: 2_000, ...quiet, ...more });
  const count = async (more: Parameters<typeof verify>[0]) => {
    const { compared, differences } = await verify(more);
    expect(differences).toEqual([]);
    return compared;
  };
  const all = await count({});
  const half = await count({ share: 0.5 });
  expect(half).toBeGreaterThan(all * 0.25);
  expect(half).toBeLessThan(all * 0.75);
  expect(await count({ share: 0.5 })).toBe(half);
  const few = await count({ most: 8 });
  expect(few).toBeLessThanOrEqual(projections.length * 8);
  expect(few).toBeGreaterThan(8);
  await expect(run({ share: 0.5, seed: 2 })).resolves.toMatchObject({
    message: expect.stringMatching(/seed 2/) as string,
  });
  // Corrupts all documents, so that the report lists exactly the documents in the sample.
  const table = await tableOf('transactions');
  for (const victim of await documentsOf(table)) await put(table, victim, { ...victim.document, amount: '0.00' });
  const chosenBy = async (seed: number) => (await verify({ share: 0.5, seed })).differences.map(({ id }) => id).sort();
  const chosen = await chosenBy(1);
  expect(chosen.length).toBeGreaterThan(5);
  expect(await chosenBy(1)).toEqual(chosen);
  expect(await chosenBy(2)).not.toEqual(chosen);
  const { parameters } = job();
  for (const wrong of [{ share: 0 }, { share: 2 }, { seed: -1 }, { seed: 1.5 }, { other: 1 }])
    expect([wrong, parameters.safeParse(wrong).success]).toEqual([wrong, false]);
});

test('A read model that was never built is skipped, and reported', async () => {
  const { events, reads } = service.service.engines;
  const options = { share: 1, seed: 1, most: 9, batchSize: 9, signal: new AbortController().signal };
  const next = projections.map((projection) =>
    projection.model.name === 'branches' ? { ...projection, model: { ...projection.model, version: 99 } } : projection,
  );
  const report = (): void => undefined;
  expect(await verifyProjections(events, reads, catalogue, next, { ...options, report })).toMatchObject({
    leftOut: ['branches'],
    differences: [],
  });
  const { model, generation } = await tableOf('branches');
  expect(await reads.checkpoint(checkpointKey(model, generation))).toBeGreaterThan(0);
});

test('An aborted run gives the reason', async () => {
  const stop = new AbortController();
  const report = (): void => {
    stop.abort(new Error('the process stops'));
  };
  await expect(run({}, { signal: stop.signal, report })).rejects.toThrow('the process stops');
});
