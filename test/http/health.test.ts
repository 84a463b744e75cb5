import { createRequire } from 'node:module';
import { catalogue } from '../../src/app/catalogue.js';
import { ReadModelReadiness } from '../../src/projecting/read-model-readiness.js';
import { Progress } from '../../src/projecting/progress.js';
import type { QueueState } from '../../src/observability/queue-board.js';
import { lastOwnEvent } from '../../src/eventsourcing/stream-events.js';
import { Readiness } from '../../src/app/readiness.js';
import { eventually } from '../support/eventually.js';
import { FaultyEventStore } from '../support/faulty-event-store.js';
import { FaultyReadStore } from '../support/faulty-read-store.js';
import type { Reply } from '../support/reply.js';
import { TestService, type Books } from '../support/service.js';

type Check = {
  readonly name: string;
  readonly status: string;
  readonly latencyMs: number;
  readonly reason?: string | undefined;
};
type Report = { readonly status: string; readonly checks: readonly Check[] };
type System = {
  readonly status: string;
  readonly version: string;
  readonly uptimeSeconds: number;
  readonly nodeVersion: string;
  readonly roles: readonly string[];
  readonly checks: readonly Check[];
  readonly eventStore: { readonly head: number | null };
  readonly engines: readonly {
    readonly name: string;
    readonly engine: string | null;
    readonly version: string | null;
  }[];
  readonly projections: readonly (Pick<QueueState, 'name' | 'position' | 'lag'> & { readonly status: string })[];
  readonly memory: Readonly<Record<string, number>>;
  readonly eventLoopDelay: Readonly<Record<string, number>>;
};

const { version } = createRequire(import.meta.url)('../../package.json') as { version: string };
const HEALTH = '/api/system/health';
const ALL_UP = ['event-store up', 'read-store up', 'subscribers up', 'read-models up', 'broker up', 'cache up'];

/** Starts a service with engines that can become unavailable. */
async function opened() {
  let events: FaultyEventStore | undefined;
  let reads: FaultyReadStore | undefined;
  const service = await TestService.start({
    between: (engines) => {
      events = new FaultyEventStore(engines.events);
      reads = new FaultyReadStore(engines.reads);
      return { ...engines, events, reads };
    },
  });
  if (!events || !reads) throw new Error('There are no engines.');
  return { service, events, reads };
}

let service: TestService;
let events: FaultyEventStore;
let reads: FaultyReadStore;
let books: Books;
let operator: string;
beforeEach(async () => {
  ({ service, events, reads } = await opened());
  books = await service.openBooks();
  operator = await service.operator();
  await service.quiet();
});
afterEach(async () => {
  events.away = reads.away = false;
  await service.close();
});

const ready = (): Promise<Reply> => service.get(`${HEALTH}/ready`, books.tenant.token);
const statusesOf = ({ checks }: { readonly checks: readonly Check[] }): string[] =>
  checks.map(({ name, status }) => `${name} ${status}`);
const without = (...names: readonly string[]): string[] =>
  ALL_UP.map((line) => (names.includes(line.split(' ')[0] ?? '') ? line.replace(' up', ' down') : line));

test('A healthy service reports its status to every signed-in caller', async () => {
  for (const token of [books.tenant.token, operator]) {
    const { status, data } = await service.get(HEALTH, token);
    expect([status, data]).toEqual([
      200,
      { status: 'up', version, uptimeSeconds: expect.any(Number) as number, timestamp: expect.any(String) as string },
    ]);
    const { timestamp } = data as { timestamp: string };
    expect(Math.abs(Date.parse(timestamp) - service.clock.nowMs())).toBeLessThan(60_000);
    expect((await service.get(`${HEALTH}/live`, token)).data).toEqual({ status: 'alive' });
    const reply = await service.get(`${HEALTH}/ready`, token);
    const report = reply.data as Report;
    expect([reply.status, report.status, statusesOf(report)]).toEqual([200, 'ready', ALL_UP]);
    for (const { latencyMs } of report.checks) expect(latencyMs).toBeGreaterThanOrEqual(0);
  }
});

test('Unknown parameters are rejected', async () => {
  for (const path of ['', '/live', '/ready', '/system'])
    expect((await service.get(`${HEALTH}${path}?verbose=true`, operator)).told).toBe('400 VALIDATION_FAILED verbose');
});

test('Operators see all details of the process and its engines', async () => {
  const reply = await service.get(`${HEALTH}/system`, operator);
  const system = reply.data as System;
  const head = await service.quiet();
  expect(reply.status).toBe(200);
  expect(system).toMatchObject({ status: 'up', version, nodeVersion: process.version, eventStore: { head } });
  expect(system.roles).toEqual(['http', 'projections', 'forwarder', 'policies', 'jobs']);
  expect(statusesOf(system)).toEqual(ALL_UP);
  const sqlite = expect.stringMatching(/^3\.\d+/) as string;
  expect(system.engines).toEqual([
    { name: 'event-store', engine: 'sqlite', version: sqlite },
    { name: 'read-store', engine: 'sqlite', version: sqlite },
    { name: 'broker', engine: 'sqlite', version: sqlite },
    { name: 'cache', engine: 'memory', version: null },
  ]);
  expect(system.projections.map(({ name }) => name)).toEqual([...service.service.engines.progress.names]);
  for (const projection of system.projections)
    expect(projection).toMatchObject({ position: head, lag: 0, status: 'running' });
  expect(system.memory['rssBytes']).toBeGreaterThan(10_000_000);
  expect(system.memory['heapUsedBytes']).toBeGreaterThan(1_000_000);
  expect(Object.keys(system.eventLoopDelay)).toEqual(['meanMs', 'p50Ms', 'p99Ms', 'maxMs']);
  for (const delay of Object.values(system.eventLoopDelay)) expect(delay).toBeGreaterThanOrEqual(0);
  expect((await service.get(`${HEALTH}/system`, books.tenant.token)).told).toBe('403 FORBIDDEN');
});

test('A process without its history is not ready and gives the reason, until the history is back', async () => {
  expect((await ready()).status).toBe(200);
  events.away = true;
  const reply = await ready();
  expect([reply.status, (reply.body as { statusCode: number }).statusCode]).toEqual([503, 503]);
  expect((reply.data as Report).status).toBe('not-ready');
  expect(statusesOf(reply.data as Report)).toEqual(without('event-store'));
  expect((await service.get('/readyz')).status).toBe(503);
  expect((await service.get('/livez')).status).toBe(200);
  const overview = await service.get(HEALTH, books.tenant.token);
  expect([overview.status, (overview.data as { status: string }).status]).toEqual([200, 'down']);
  const system = (await service.get(`${HEALTH}/system`, operator)).data as System;
  expect(system).toMatchObject({ status: 'down', eventStore: { head: null } });
  expect(system.engines[0]).toEqual({ name: 'event-store', engine: null, version: null });
  expect(system.projections[0]).toMatchObject({ lag: null });
  events.away = false;
  expect((await ready()).status).toBe(200);
  expect((await service.get('/readyz')).status).toBe(200);
});

const filledOver = (progress: Progress): ReadModelReadiness => {
  const { reads: store, checkpoints, clock } = service.service.engines;
  // Uses version 99 of each read model, which this store has never contained.
  const models = progress.names.map((name) => ({ name, version: 99 }));
  const lastStored = () => lastOwnEvent(events, catalogue);
  return new ReadModelReadiness({ models, progress, store, checkpoints, lastStored, clock });
};

test('A process is not ready until its read models are known to be complete', async () => {
  const { engines } = service.service;
  const readiness = new Readiness(engines, filledOver(engines.progress));
  events.away = true;
  expect(statusesOf(await readiness.report())).toEqual(without('event-store', 'read-models'));
  events.away = false;
  expect(statusesOf(await readiness.report())).toEqual(ALL_UP);
});

test('A process is not ready until its read models are built once, and stays ready when they lag', async () => {
  const { engines } = service.service;
  const progress = new Progress(service.clock, ['customers', 'balances', 'branches']);
  const readiness = new Readiness({ ...engines, progress }, filledOver(progress));
  const head = await service.quiet();
  progress.stop('branches');
  progress.advance('customers', head);
  progress.advance('balances', head - 1);
  const statuses = async () => [(await readiness.check()).status, (await readiness.report()).status];
  expect(await statuses()).toEqual(['not-ready', 'not-ready']);
  progress.advance('balances', head);
  expect(await statuses()).toEqual(['ready', 'degraded']);
  await service.post('/api/branches', { code: 'N', name: 'North' }, books.tenant.token);
  expect((await readiness.check()).status).toBe('ready');
});

test('A process without its read models is not ready', async () => {
  reads.away = true;
  const reply = await ready();
  expect(reply.status).toBe(503);
  expect(statusesOf(reply.data as Report)).toEqual(without('read-store'));
  const probe = (await service.get('/readyz')).body as Report;
  expect(probe.status).toBe('not-ready');
  expect(probe.checks).toContainEqual({ name: 'read-store', status: 'down', reason: 'does not respond' });
});

test('A process without its broker and cache serves requests and reports them as unavailable', async () => {
  await service.service.engines.broker.close();
  expect(statusesOf((await ready()).data as Report)).toEqual(without('broker'));
  await service.service.engines.cache.close();
  const reply = await ready();
  expect([reply.status, (reply.data as Report).status]).toEqual([200, 'degraded']);
  expect(statusesOf(reply.data as Report)).toEqual(without('broker', 'cache'));
  expect((await service.get('/readyz')).status).toBe(200);
  expect((await service.get(HEALTH, operator)).data).toMatchObject({ status: 'degraded' });
});

test('Several failing projections make the service not ready, but a single one does not', async () => {
  const { progress } = service.service.engines;
  const told = async () => {
    const { status, body } = await service.get('/readyz');
    const found = (body as Report).checks.find(({ name }) => name === 'read-models');
    return [status, found?.status, found?.reason];
  };
  progress.fail(['branches']);
  expect(await told()).toEqual([200, 'up', undefined]);
  progress.fail(['branches']);
  expect(await told()).toEqual([200, 'degraded', 'stopped: branches']);
  for (const _ of [1, 2]) progress.fail(['customers']);
  expect(await told()).toEqual([503, 'down', '2 read models cannot be updated']);
  for (const name of ['branches', 'customers']) progress.advance(name, progress.position(name));
  expect(await told()).toEqual([200, 'up', undefined]);
});

test('A stopped projection is reported, but does not affect readiness', async () => {
  // Marks the projection as stopped. The test repeats this on every attempt, because a progress report from the running
  // projection clears the mark.
  const stop = () => {
    service.service.engines.progress.stop('branches');
  };
  const report = await eventually(async () => {
    stop();
    const { status, data } = await ready();
    expect(status).toBe(200);
    return statusesOf(data as Report).includes('read-models degraded') && (data as Report);
  }, 5_000);
  expect(report.status).toBe('degraded');
  await eventually(async () => {
    stop();
    const { projections } = (await service.get(`${HEALTH}/system`, operator)).data as System;
    const stopped = projections.filter(({ status }) => status === 'stopped').map(({ name }) => name);
    expect(['', 'branches']).toContain(stopped.join());
    return stopped.length > 0;
  }, 5_000);
});

test('An engine check times out after two seconds without affecting the others', async () => {
  expect((await ready()).status).toBe(200);
  events.head = () => new Promise(() => undefined);
  const beganAtMs = performance.now();
  const reply = await ready();
  expect(performance.now() - beganAtMs).toBeLessThan(8_000);
  expect(reply.status).toBe(503);
  expect(statusesOf(reply.data as Report)).toEqual(without('event-store'));
  expect((reply.data as Report).checks[0]?.latencyMs).toBeGreaterThanOrEqual(1_990);
});

test('The API document describes every status of a component that is not up', async () => {
  type Schema = { readonly enum?: readonly string[]; readonly description?: string };
  const levelsIn = (value: unknown): Schema[] => {
    if (typeof value !== 'object' || value === null) return [];
    const { enum: values } = value as Schema;
    const own = Array.isArray(values) && values.includes('up') ? [value] : [];
    return [...own, ...Object.values(value).flatMap(levelsIn)];
  };
  const levels = levelsIn(JSON.parse((await service.get('/openapi.json')).text) as unknown);
  expect(levels.length).toBeGreaterThan(4);
  for (const { enum: values = [], description = '' } of levels)
    for (const status of values.filter((one) => one !== 'up')) expect(description).toContain(`\`${status}\`: `);
});
