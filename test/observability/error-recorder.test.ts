import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EmbeddedEventStore } from '../../src/adapters/embedded/event-store.js';
import { SystemClock } from '../../src/adapters/system-time.js';
import { errorLog, errorLogId, resolveErrors, type ErrorReport } from '../../src/aggregates/error-log.aggregate.js';
import { catalogue } from '../../src/app/catalogue.js';
import { ErrorRecorder } from '../../src/commands/error-recorder.js';
import { Appender } from '../../src/eventsourcing/appender.js';
import { Claims } from '../../src/eventsourcing/claims.js';
import { CommandRunner } from '../../src/eventsourcing/command-runner.js';
import { inContext } from '../../src/eventsourcing/context.js';
import { ErrorCollector } from '../../src/observability/error-collector.js';
import { Memberships } from '../../src/eventsourcing/memberships.js';
import { RecordReader } from '../../src/eventsourcing/record-reader.js';
import { redactor } from '../../src/security/redaction.js';
import { PLATFORM_TENANT } from '../../src/eventsourcing/stream-name.js';
import { silentLogger } from '../../src/ports/log.js';
import { FaultyEventStore } from '../support/faulty-event-store.js';
import { ManualClock, SeededIds } from '../support/manual-clock.js';
import { until } from '../support/while-time-passes.js';

const ids = new SeededIds(3);
let directory: string;
let store: FaultyEventStore;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'kontor-errors-'));
  store = new FaultyEventStore(EmbeddedEventStore.open({ directory, clock: new SystemClock() }));
});
afterEach(async () => {
  store.away = false;
  await store.close();
  await rm(directory, { recursive: true });
});

/** Creates a process that shares the history, but no memory, with other processes. */
function replica() {
  const clock = new SystemClock();
  const reader = new RecordReader(store, catalogue, clock);
  const appender = new Appender(store, catalogue, clock);
  const claims = new Claims(reader, appender, catalogue, clock, ids);
  const memberships = new Memberships(reader, appender, catalogue, clock, ids);
  const runner = new CommandRunner(reader, appender, claims, memberships, clock);
  return { runner, recorder: new ErrorRecorder(runner, reader) };
}

const reportOf = (count: number, fingerprint = 'f'): ErrorReport => ({
  reportId: ids.next(),
  count,
  firstSeenAt: '2026-03-01T10:00:00.000Z',
  lastSeenAt: '2026-03-01T10:00:01.000Z',
  requestIds: [],
  tenantIds: [],
  branchIds: [],
  userIds: [],
  latest: { requestId: null, path: null, tenantId: null, branchId: null, userId: null },
  details: {
    fingerprint,
    level: 'ERROR',
    message: 'It broke.',
    code: null,
    statusCode: 500,
    method: 'GET',
    route: '/api/kites',
    stack: null,
  },
});

const resolve = async (runner: CommandRunner, id: string): Promise<void> => {
  const commandId = ids.next();
  const actor = { kind: 'system', name: 'test' } as const;
  const context = { tenantId: PLATFORM_TENANT, actor, requestId: commandId, correlationId: commandId, commandId };
  await inContext(context, () => runner.execute(errorLog, { tenantId: PLATFORM_TENANT, id }, {}, resolveErrors));
};

/** Returns the number of occurrences per record id, in the order in which the records were created. */
async function counts(): Promise<Record<string, number>> {
  const found: Record<string, number> = {};
  const events = await store.inner.readAll({ filter: { on: 'type', prefixes: ['ErrorOccurred'] }, maxCount: 10_000 });
  for (const { stream, data } of events) {
    const id = stream.replace('error-log-platform_', '');
    found[id] = (found[id] ?? 0) + (data as ErrorReport).count;
  }
  return found;
}

test('Replicas that encounter the same error count it on one record, and no count is lost', async () => {
  const recorders = [replica(), replica(), replica()].map(({ recorder }) => recorder);
  for (let round = 0; round < 20; round += 1)
    await Promise.all(recorders.map((recorder, index) => recorder.record(reportOf(index + 1))));
  expect(await counts()).toEqual({ [errorLogId('f', 0)]: 120 });
});

test('A report whose first append has an unknown outcome is counted once', async () => {
  const { recorder } = replica();
  await recorder.record(reportOf(1));
  const report = reportOf(5);
  store.answersToLose = 4;
  await expect(recorder.record(report)).rejects.toThrow('error-log');
  // In the meantime, another replica appends, so the revision does not identify the repeated append.
  await replica().recorder.record(reportOf(10));
  await recorder.record(report);
  // A process that has never read the record must also recognize the repeated append.
  await replica().recorder.record(report);
  store.appendsToLose = 1;
  await recorder.record(reportOf(100));
  expect(await counts()).toEqual({ [errorLogId('f', 0)]: 116 });
});

test('A report is counted once when its error is resolved before the outcome is known', async () => {
  const { recorder, runner } = replica();
  const report = reportOf(5);
  store.answersToLose = 4;
  await expect(recorder.record(report)).rejects.toThrow('error-log');
  await resolve(runner, errorLogId('f', 0));
  await recorder.record(report);
  expect(await counts()).toEqual({ [errorLogId('f', 0)]: 5 });
});

test('A resolved error that occurs again gets a new record, the same for every replica', async () => {
  const [first, second] = [replica(), replica()];
  await first.recorder.record(reportOf(1));
  await second.recorder.record(reportOf(2));
  await resolve(first.runner, errorLogId('f', 0));
  await Promise.all([first.recorder.record(reportOf(4)), second.recorder.record(reportOf(8))]);
  expect(await counts()).toEqual({ [errorLogId('f', 0)]: 3, [errorLogId('f', 1)]: 12 });
});

test('A new process finds the open record among many closed ones with few reads', async () => {
  const { recorder, runner } = replica();
  for (let life = 0; life < 40; life += 1) {
    await recorder.record(reportOf(1));
    await resolve(runner, errorLogId('f', life));
  }
  await recorder.record(reportOf(1));
  const before = store.streamReads.length;
  await replica().recorder.record(reportOf(2));
  expect(store.streamReads.length - before).toBeLessThan(15);
  expect((await counts())[errorLogId('f', 40)]).toBe(3);
});

test('Errors that occur while the event store is unavailable are recorded afterwards', async () => {
  const clock = new ManualClock();
  const collector = new ErrorCollector({ clock, ids, logger: silentLogger, redact: redactor() });
  const { recorder } = replica();
  collector.attach((report) => recorder.record(report));
  const note = (): void => {
    collector.note({ fingerprint: 'f', level: 'ERROR', message: 'The event store is unavailable.' });
  };
  store.away = true;
  for (let second = 0; second < 30; second += 1) {
    note();
    await clock.advance(1_000);
  }
  expect(await counts()).toEqual({});
  store.away = false;
  await until(clock, async () => {
    await clock.advance(1_000);
    return (await counts())[errorLogId('f', 0)] === 30;
  });
  await collector.close();
  expect(store.appends.filter(({ stream }) => stream.startsWith('error-log-')).length).toBeLessThan(10);
});
