import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EmbeddedEventStore } from '../../src/adapters/embedded/event-store.js';
import { EmbeddedReadStore } from '../../src/adapters/embedded/read-store.js';
import { catalogue } from '../../src/app/catalogue.js';
import { Appender } from '../../src/eventsourcing/appender.js';
import { Claims } from '../../src/eventsourcing/claims.js';
import { CommandRunner } from '../../src/eventsourcing/command-runner.js';
import { Memberships } from '../../src/eventsourcing/memberships.js';
import { Progress } from '../../src/projecting/progress.js';
import { project } from '../../src/projecting/project.js';
import { Projector } from '../../src/projecting/projector.js';
import { ReadModels } from '../../src/queries/query.js';
import { RecordReader } from '../../src/eventsourcing/record-reader.js';
import { streamName } from '../../src/eventsourcing/stream-name.js';
import { RestorationWatch, Restoring } from '../../src/policies/restoration.policy.js';
import { deletedRecordProjection, deletedRecords } from '../../src/projections/account.projection.js';
import { DeletedRecords } from '../../src/queries/ledger-use.js';
import { FaultyEventStore } from '../support/faulty-event-store.js';
import { FaultyReadStore } from '../support/faulty-read-store.js';
import { ManualClock, SeededIds } from '../support/manual-clock.js';
import { lookAt, Office } from '../support/office.js';
import { until, whileTimePasses } from '../support/while-time-passes.js';
import { fixedTables } from '../support/fixed-tables.js';

const TENANT = '0192f0c1-0000-7000-8000-00000000000a';

describe('The watch over deleted records', () => {
  let directory: string;
  let store: FaultyEventStore;
  let reads: FaultyReadStore;
  let clock: ManualClock;
  let office: Office;
  let progress: Progress;
  let watch: RestorationWatch;
  let warnings: string[];

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'kontor-watch-'));
    clock = new ManualClock();
    const inner = EmbeddedEventStore.open({ directory, clock });
    const ids = new SeededIds(1);
    store = new FaultyEventStore(inner);
    reads = new FaultyReadStore(await EmbeddedReadStore.open({ directory, mode: 'readwrite' }));
    office = new Office(TENANT, inner, clock, ids, lookAt(inner, -1));
    const reader = new RecordReader(store, catalogue, clock);
    const appender = new Appender(store, catalogue, clock);
    const claims = new Claims(reader, appender, catalogue, clock, ids);
    const memberships = new Memberships(reader, appender, catalogue, clock, ids);
    const restoring = new Restoring(new CommandRunner(reader, appender, claims, memberships, clock), reader, claims);
    const models = new ReadModels(reads, fixedTables([{ model: deletedRecords, generation: 1 }]));
    progress = new Progress(clock, [deletedRecords.name]);
    warnings = [];
    const logger = {
      info: () => undefined,
      error: () => undefined,
      warn: (_: object, message: string) => void warnings.push(message),
    };
    watch = new RestorationWatch(new DeletedRecords(models, progress), restoring, clock, logger);
    await reads.prepare([{ model: deletedRecords, generation: 1 }]);
  });
  afterEach(async () => {
    store.away = false;
    await store.close();
    await reads.close();
    await rm(directory, { recursive: true });
  });

  /** Creates a deleted customer with a transaction that was posted after the deletion. */
  async function reach(id: string): Promise<void> {
    await office.openCustomer(id, `code of ${id}`);
    await office.openAccount(`account of ${id}`, null);
    await store.inner.append({
      stream: streamName('customer', TENANT, id),
      expected: 0,
      events: [deletion(id)],
    });
    await office.post(id, `account of ${id}`);
  }

  const deletion = (id: string) => ({
    id: `0192f0c1-0000-7000-8000-${Buffer.from(id).toString('hex').padStart(12, '0')}`,
    type: 'CustomerDeleted',
    data: {},
    metadata: { tenantId: TENANT, timestamp: '', version: 1, commandId: 'c', requestId: 'r', $correlationId: 'r' },
  });

  /** Brings the read model up to date. */
  async function follow(): Promise<void> {
    const head = await store.inner.head();
    const events = (await store.inner.readAll({ maxCount: 1_000 })).map((event) => catalogue.decode(event));
    const table = { model: deletedRecords, generation: 1 };
    await project(reads, [new Projector(reads, { projection: deletedRecordProjection, table })], events, head);
    progress.advance(deletedRecords.name, head);
  }

  const isRestored = async (id: string): Promise<boolean> =>
    (await store.inner.readStream(streamName('customer', TENANT, id))).events.at(-1)?.type === 'CustomerRestored';

  test('restores records that are reached while it runs, and checks again only after new events', async () => {
    const running = watch.start();
    await reach('ada');
    expect(await isRestored('ada')).toBe(false);
    await follow();
    await until(clock, () => isRestored('ada'));
    await follow();
    await clock.advance(10_000);
    // Reads fail from here on, so a check would log a warning.
    reads.away = true;
    await clock.advance(60_000);
    expect(warnings).toEqual([]);
    reads.away = false;
    await reach('bob');
    await follow();
    await until(clock, () => isRestored('bob'));
    await running.stop();
    expect(warnings).toEqual([]);
  });

  test('retries until it succeeds, with pauses, while a store is unavailable', async () => {
    await reach('ada');
    await follow();
    store.away = true;
    const running = watch.start();
    await until(clock, () => warnings.length === 3);
    store.away = false;
    reads.away = true;
    await until(clock, () => warnings.length === 6);
    expect(await isRestored('ada')).toBe(false);
    reads.away = false;
    await until(clock, () => isRestored('ada'));
    await running.stop();
  });

  test('restores the others if one cannot be restored', async () => {
    await reach('ada');
    await reach('bob');
    await follow();
    const pause = store.pauseAppendTo(streamName('customer', TENANT, 'ada'));
    const looking = watch.look();
    await whileTimePasses(clock, pause.reached);
    // The appender gives up after this number of attempts.
    store.appendsToLose = 4;
    pause.resume();
    expect(await whileTimePasses(clock, looking)).toBe(false);
    expect(warnings).toHaveLength(1);
    expect(await isRestored('bob')).toBe(true);
    expect(await isRestored('ada')).toBe(false);
    expect(await whileTimePasses(clock, watch.look())).toBe(true);
    expect(await isRestored('ada')).toBe(true);
  });

  test('ends at once when it is stopped', async () => {
    const running = watch.start();
    await until(clock, () => clock.sleeping > 0);
    await running.stop();
    expect(clock.sleeping).toBe(0);
  });
});
