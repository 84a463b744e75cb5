import { spawn, type ChildProcess } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { EmbeddedEventStore } from '../src/adapters/embedded/event-store.js';
import { EmbeddedReadStore } from '../src/adapters/embedded/read-store.js';
import { SystemClock } from '../src/adapters/system-time.js';
import { catalogue } from '../src/catalogue.js';
import { backUp } from '../src/jobs/database-backup.job.js';
import { hashOf } from '../src/platform/projection-tables.js';
import { project, Projector } from '../src/platform/projector.js';
import type { EventReader } from '../src/ports/event-store.js';
import { projections } from '../src/projections/projections.js';
import { fillHistory } from './history-store.js';
import { load } from './processes.js';

/**
 * Backup of a large history while sales come in, its verification, its restore into another embedded store, and whether
 * both histories and the read models are the same (those named in BENCH_MODELS, else all). The jobs run in the worker threads of the
 * compiled service; a second process sends sales at a fixed rate. With BENCH_SERVE=false nothing is served: the backup runs
 * by itself. With BENCH_REBUILD=true all read models are rebuilt before that, with sales coming in.
 */
const EVENTS = Number(process.env['BENCH_EVENTS'] ?? 1_000_000);
const RATE = Number(process.env['BENCH_RATE'] ?? 50);
const SEED = Number(process.env['BENCH_SEED'] ?? 20_260_101);
const SECONDS = Number(process.env['BENCH_SECONDS'] ?? 60);
const MODELS = process.env['BENCH_MODELS']?.split(',') ?? projections.map(({ model }) => model.name);

const OPERATOR = { email: 'bench@kontor.example', password: 'bench-password-1' };
const OWNER = { fullName: 'Owner', email: 'owner@bench.example', password: 'owner-password-1' };
const SALE = JSON.stringify({
  externalId: '{n}',
  occurredAt: '2026-03-01T10:15:00.000Z',
  currency: 'EUR',
  lines: [{ sku: 'A-1', description: 'Espresso machine', quantity: 1, unitPrice: '200.00', taxRate: 19 }],
  total: '238.00',
  payments: [{ method: 'CARD', amount: '238.00' }],
});

const clock = new SystemClock();
const report: Record<string, unknown> = { events: EVENTS, salesPerSecond: RATE, node: process.version };
function note(name: string, value: unknown): void {
  report[name] = value;
  process.stdout.write(`${name} ${JSON.stringify(value)}\n`);
}

const fill = async (directory: string): Promise<void> => {
  note('generated', { perSecond: await fillHistory(directory, EVENTS, SEED, clock) });
};

type Row = {
  readonly name: string;
  readonly rebuild: object | null;
  readonly lastRebuild: { readonly status: string; readonly changedDocuments: number | null } | null;
};

class BenchedService {
  private constructor(
    private readonly child: ChildProcess,
    private readonly lines: AsyncIterator<string>,
    readonly url: URL,
  ) {}

  static async start(directory: string): Promise<BenchedService> {
    const env = {
      ...process.env,
      ...{ DATA_DIR: directory, PORT: '0', SEED_DEMO: 'false', LOG_LEVEL: 'error' },
      ...{ OPERATOR_EMAIL: OPERATOR.email, OPERATOR_PASSWORD: OPERATOR.password },
    };
    const program = new URL('./backup-service.mjs', import.meta.url).pathname;
    const child = spawn(process.execPath, [program], { env, stdio: ['pipe', 'pipe', 'inherit'] });
    process.on('exit', () => child.kill());
    const reader: Interface = createInterface({ input: child.stdout });
    const lines = reader[Symbol.asyncIterator]();
    const first = await lines.next();
    return new BenchedService(child, lines, new URL(String(first.value)));
  }

  async carryOut(line: string): Promise<Record<string, unknown>> {
    this.child.stdin?.write(`${line}\n`);
    return JSON.parse(String((await this.lines.next()).value)) as Record<string, unknown>;
  }

  async stop(): Promise<void> {
    const ended = once(this.child, 'exit');
    this.child.stdin?.write('end\n');
    await ended;
  }

  async call<T>(method: string, path: string, token?: string, body?: object): Promise<T> {
    const response = await fetch(new URL(path, this.url), {
      method,
      headers: {
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as T;
  }

  private async signIn({ email, password }: typeof OPERATOR): Promise<string> {
    const path = '/api/auth/login';
    return (await this.call<{ data: { accessToken: string } }>('POST', path, undefined, { email, password })).data
      .accessToken;
  }

  /** All read models anew, asked for at once, while the projections' list is read all the time. */
  async rebuildAll(): Promise<Record<string, unknown>> {
    const path = '/api/platform/projections';
    let token = await this.signIn(OPERATOR);
    const names = (await this.call<{ data: Row[] }>('GET', path, token)).data.map(({ name }) => name);
    const startedMs = performance.now();
    const seconds: Record<string, number> = {};
    for (const name of names) await this.call('POST', `${path}/${name}/rebuild`, token);
    for (let changed = 0, failed = 0, signedInMs = startedMs; ;) {
      await sleep(250);
      if (performance.now() - signedInMs > 300_000)
        [token, signedInMs] = [await this.signIn(OPERATOR), performance.now()];
      const rows = (await this.call<{ data: Row[] }>('GET', path, token)).data;
      const done = rows.filter(({ rebuild, lastRebuild }) => rebuild === null && lastRebuild !== null);
      const nowSeconds = Number(((performance.now() - startedMs) / 1_000).toFixed(1));
      for (const { name } of done) seconds[name] ??= nowSeconds;
      if (done.length < names.length) continue;
      for (const { lastRebuild } of done) {
        changed += lastRebuild?.changedDocuments ?? 0;
        if (lastRebuild?.status !== 'DONE') failed += 1;
      }
      return { models: names.length, seconds: nowSeconds, changedDocuments: changed, failed, endedAfter: seconds };
    }
  }

  /** A partner's key without a practical limit. */
  async key(): Promise<string> {
    type Data<T> = { readonly data: T };
    const operator = await this.signIn(OPERATOR);
    const tenant = { name: 'Bench', slug: 'bench', currency: 'EUR', timeZone: 'Europe/Berlin', owner: OWNER };
    await this.call('POST', '/api/platform/tenants', operator, tenant);
    const wanted = { name: 'Bench', sourceId: 'bench' };
    const owner = await this.signIn(OWNER);
    const made = await this.call<Data<{ id: string; key: string }>>('POST', '/api/integration-keys', owner, wanted);
    const { id, key } = made.data;
    await this.call('PATCH', `/api/platform/integration-keys/${id}`, operator, { rateLimit: 1_000_000 });
    return key;
  }
}

/** Over everything of every event up to a position that a restore keeps, in order. */
async function contentOf(events: EventReader, upTo: number): Promise<string> {
  const hash = createHash('sha256');
  const filter = { on: 'stream', prefixes: catalogue.streamPrefixes } as const;
  for await (const batch of events.subscribeToAll({ after: -1, filter, maxBatchSize: 1_000 })) {
    const due = batch.events.filter(({ position }) => position <= upTo);
    for (const { id, stream, revision, type, data, metadata } of due)
      hash.update(JSON.stringify([id, stream, revision, type, data, metadata]));
    if (batch.position >= upTo || batch.caughtUp) break;
  }
  return hash.digest('hex');
}

async function run(args: readonly string[], directory: string): Promise<{ seconds: number; said: string }> {
  const startedMs = performance.now();
  const program = new URL('../dist/restore.js', import.meta.url).pathname;
  const child = spawn(process.execPath, [program, ...args], { env: { ...process.env, DATA_DIR: directory } });
  let said = '';
  child.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
  const [code] = (await once(child, 'close')) as [number];
  if (code !== 0) throw new Error(said);
  said = said.trim().split('\n').at(-1) ?? '';
  return { seconds: Number(((performance.now() - startedMs) / 1_000).toFixed(1)), said };
}

/** Of every read model that is compared, made anew from a history in one reading of it. */
async function hashes(events: EventReader, generation: number): Promise<(readonly [name: string, hash: string])[]> {
  const tables = chosen.map(({ model }) => ({ model, generation }));
  await reads.prepare(tables, { bulk: true });
  const projectors = chosen.map((projection, at) => new Projector(reads, { projection, table: tables[at] as never }));
  const filter = { on: 'stream', prefixes: catalogue.streamPrefixes } as const;
  for await (const batch of events.subscribeToAll({ after: -1, filter, maxBatchSize: 200 })) {
    const due = batch.events.filter(({ position }) => position <= upTo).map((event) => catalogue.decode(event));
    await project(reads, projectors, due, Math.min(batch.position, upTo));
    if (batch.position >= upTo || batch.caughtUp) break;
  }
  return Promise.all(tables.map(async (table) => [table.model.name, await hashOf(reads, table)] as const));
}

const folder = await mkdtemp(join(tmpdir(), 'kontor-backup-bench-'));
const [original, copy] = [join(folder, 'original'), join(folder, 'copy')];
type Outcome = { message: string; artifact: { fileName: string } };

/** The job while sales come in, beside the same load without it. Answers a last backup, of a history that stands still. */
async function served(): Promise<Outcome> {
  // The key is made before: its limit is raised where the read models have caught up.
  const empty = await BenchedService.start(original);
  const key = await empty.key();
  await empty.stop();
  await fill(original);
  // As after a restore: the read models are made from the history.
  for (const ending of ['', '-wal', '-shm']) await rm(join(original, `models.sqlite${ending}`), { force: true });
  const service = await BenchedService.start(original);
  note('settled', await service.carryOut('settle'));
  const measured = async (job: string, seconds: number): Promise<Record<string, unknown>> => {
    const plan = { path: '/api/integrations/v1/sales', body: SALE, connections: 4, rate: RATE };
    const headers = { 'Content-Type': 'application/json', 'X-Integration-Key': key };
    const sales = load(service as never, { ...plan, headers, prefix: job.replace(' ', '-'), seconds });
    const ended = await service.carryOut(job);
    const { requests, errors, p50Ms, p99Ms, maxMs } = await sales;
    return { ...ended, sales: { requests, errors, p50Ms, p99Ms, maxMs } };
  };
  note('without', await measured('watch 20', 20));
  if (process.env['BENCH_REBUILD'] === 'true') {
    const plan = { path: '/api/integrations/v1/sales', body: SALE, connections: 4, rate: RATE, prefix: 'rebuild' };
    const headers = { 'Content-Type': 'application/json', 'X-Integration-Key': key };
    const sales = load(service as never, { ...plan, headers, seconds: SECONDS });
    note('rebuild', await service.rebuildAll());
    const { requests, errors, p50Ms, p99Ms, maxMs } = await sales;
    note('after', await service.carryOut('watch 5'));
    note('sales while rebuilding', { requests, errors, p50Ms, p99Ms, maxMs });
  }
  note('backup', await measured('database-backup', SECONDS));
  note('projectionVerify', await measured('projection-verify', SECONDS));
  const { outcome } = (await service.carryOut('database-backup')) as { outcome: Outcome };
  await service.stop();
  return outcome;
}

/** The job alone. */
async function alone(): Promise<Outcome> {
  await fill(original);
  const store = EmbeddedEventStore.open({ directory: original, clock });
  const task = { kind: 'backup', executionId: randomUUID(), directory: join(original, 'backups') } as const;
  const parts = { events: store, reads: undefined as never, clock, sharesThread: false };
  const control = { signal: new AbortController().signal, report: () => undefined };
  const startedMs = performance.now();
  const outcome = await backUp({ ...task, kept: 1, service: 'bench' }, parts, control);
  const seconds = Number(((performance.now() - startedMs) / 1_000).toFixed(1));
  note('backup', { outcome, seconds, rssMiB: Math.round(process.memoryUsage().rss / 2 ** 20) });
  await store.close();
  return outcome as Outcome;
}

const isServed = process.env['BENCH_SERVE'] !== 'false';
const outcome = isServed ? await served() : await alone();
note('historyBytes', (await stat(join(original, 'history.sqlite'))).size);
const file = join(original, 'backups', outcome.artifact.fileName);
const { said: _, ...verification } = await run([file, '--verify-only'], copy);
note('verify', verification);
await mkdir(copy, { recursive: true });
note('restore', await run([file], copy));

const stores = [original, copy].map((directory) => EmbeddedEventStore.open({ directory, clock }));
// What a service appends when it stops is not in the backup; positions are the same, since nothing else is in the store.
const upTo = Math.min(...(await Promise.all(stores.map((store) => store.head()))));
const contents: string[] = [];
for (const store of stores) contents.push(await contentOf(store, upTo));
note('sameHistory', contents[0] === contents[1]);
const reads = await EmbeddedReadStore.open({ directory: join(folder, 'models'), mode: 'readwrite' });
const chosen = projections.filter(({ model }) => MODELS.includes(model.name));
const models: Record<string, readonly string[]> = {};
for (const [index, store] of stores.entries())
  for (const [name, hash] of await hashes(store, index + 1)) models[name] = [...(models[name] ?? []), hash];
const different = Object.keys(models).filter((name) => models[name]?.[0] !== models[name]?.[1]);
note('readModels', { compared: chosen.length, different });
await Promise.all([reads.close(), ...stores.map((store) => store.close())]);
await rm(folder, { recursive: true, force: true });
const day = new Date().toISOString().slice(0, 10);
note('machine', { cores: cpus().length, load: loadavg().map((one) => Number(one.toFixed(1))) });
await writeFile(
  new URL(`results/${day}-backup${isServed ? '-served' : ''}.json`, import.meta.url),
  `${JSON.stringify(report, null, 1)}\n`,
);
