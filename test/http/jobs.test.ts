import type { Page } from '../../src/queries/query.js';
import type { JobExecutionView } from '../../src/projections/job-execution.projection.js';
import type { JobRecord } from '../../src/queries/operation.queries.js';
import { eventually } from '../support/eventually.js';
import type { Reply } from '../support/reply.js';
import { TestService, type Books } from '../support/service.js';
import { addJob, ToyJob } from '../support/toy-job.js';

type Result = { executionLogId: string; jobName: string; status: string; startedAt: string };

const PATIENCE_MS = 10_000;

let service: TestService;
let books: Books;
let operator: string;
let toy: ToyJob;
beforeAll(async () => {
  service = await TestService.start();
  books = await service.openBooks();
  operator = await service.operator();
  toy = addJob(service, new ToyJob());
});
afterAll(() => service.close());

const trigger = (body: unknown = { jobName: 'toy' }, token = operator, headers = {}): Promise<Reply> =>
  service.post('/api/platform/jobs/trigger', body, token, headers);
const list = async (): Promise<JobRecord[]> => (await service.get('/api/platform/jobs', operator)).data as JobRecord[];
const toyNow = async (): Promise<JobRecord> => (await list()).find(({ name }) => name === 'toy') as JobRecord;
const logs = async (query = 'pageNumber=1&pageSize=100'): Promise<Page<JobExecutionView>> =>
  (await service.get(`/api/platform/jobs/logs?${query}`, operator)).body as Page<JobExecutionView>;
const told = ({ status, body }: Reply): string => {
  const { code, errors = [] } = body as { code?: string; errors?: { path: string }[] };
  return [status, code ?? '-', ...errors.map(({ path }) => path)].join(' ');
};

const until = <T>(look: () => Promise<T | undefined> | T | undefined): Promise<T> =>
  eventually(look, PATIENCE_MS, () => service.complaints.join('; '));

/** Triggers the toy job and waits until it is running. */
async function begun(parameters?: object): Promise<Result> {
  const before = toy.runs.length;
  const reply = await trigger({ jobName: 'toy', ...(parameters && { parameters }) });
  if (reply.status !== 201) throw new Error(reply.told);
  await until(() => toy.runs[before]);
  return reply.data as Result;
}
const over = (): Promise<JobRecord> =>
  until(async () => {
    const record = await toyNow();
    return record.isRunning ? undefined : record;
  });
const logged = (id: string, status: string): Promise<JobExecutionView> =>
  until(async () => (await logs()).items.find((one) => one.id === id && one.status === status));

describe('A triggered job', () => {
  test('runs, reports its progress, and is listed with its result', async () => {
    expect(await toyNow()).toEqual({
      name: 'toy',
      description: 'Does what a test says.',
      schedule: '0 3 * * *',
      isEnabled: false,
      isRunning: false,
      nextRunAt: null,
      lastExecution: null,
    });
    const reply = await trigger();
    const result = reply.data as Result;
    expect([reply.status, result]).toEqual([
      201,
      {
        executionLogId: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
        jobName: 'toy',
        status: 'RUNNING',
        startedAt: expect.stringMatching(/Z$/) as string,
      },
    ]);
    expect(reply.headers['x-event-position']).toMatch(/^\d+$/);
    const { id: me } = ((await service.get('/api/auth/me', operator)).data as { user: { id: string } }).user;
    const running = {
      ...{ id: result.executionLogId, jobName: 'toy', status: 'RUNNING', trigger: 'MANUAL', triggeredBy: me },
      revision: expect.any(Number) as number,
      ...{ createdAt: result.startedAt, updatedAt: expect.stringMatching(/Z$/) as string },
      ...{ startedAt: result.startedAt, finishedAt: null, durationMs: null, progress: 0 },
      ...{ message: null, error: null, artifact: null },
    };
    expect(await toyNow()).toMatchObject({ isRunning: true, lastExecution: running });
    expect((await logs()).items).toEqual([running]);

    const { run, finish } = await until(() => toy.runs[0]);
    expect([run.executionId, run.parameters]).toEqual([result.executionLogId, {}]);
    run.report(41.9, 'on its way');
    const later = await until(async () => (await logs()).items.find(({ progress }) => progress > 0));
    expect(later).toEqual({ ...running, progress: 41, message: 'on its way' });
    const artifact = { fileName: 'a.gz', sizeBytes: 12, sha256: 'ab' };
    finish({ message: 'All is done.', artifact });
    const done = await logged(run.executionId, 'SUCCEEDED');
    const durationMs = Date.parse(done.finishedAt ?? '') - Date.parse(done.startedAt);
    expect(done).toEqual({
      ...running,
      ...{ status: 'SUCCEEDED', finishedAt: done.finishedAt, durationMs, progress: 100 },
      ...{ message: 'All is done.', artifact },
    });
    expect(durationMs).toBeGreaterThanOrEqual(0);
    expect(await toyNow()).toMatchObject({ isRunning: false, lastExecution: done });
  });

  test('shows no file that has been deleted', async () => {
    const run = await begun();
    const fileName = `kontor-20260101T000000Z-${run.executionLogId}.ndjson.gz`;
    toy.latest.finish({ message: 'Done.', artifact: { fileName, sizeBytes: 12, sha256: 'ab' } });
    await logged(run.executionLogId, 'SUCCEEDED');
    expect((await over()).lastExecution).toMatchObject({ id: run.executionLogId, artifact: null });
  });

  test('is rejected while it runs, and can run again afterwards', async () => {
    const first = await begun();
    expect(told(await trigger())).toBe('409 JOB_ALREADY_RUNNING');
    toy.latest.finish({ message: 'Done.' });
    await over();
    const second = await begun();
    expect(second.executionLogId).not.toBe(first.executionLogId);
    toy.latest.finish({ message: 'Done again.' });
    expect((await over()).lastExecution).toMatchObject({ id: second.executionLogId, message: 'Done again.' });
  });

  test('runs once for each Idempotency-Key, and retries get the same bytes', async () => {
    const before = toy.runs.length;
    const keyed = (body: object) => trigger(body, operator, { 'idempotency-key': 'nightly' });
    const replies = await Promise.all(Array.from({ length: 5 }, () => keyed({ jobName: 'toy' })));
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 201]);
    await until(() => toy.runs[before]);
    toy.latest.finish({ message: 'Done.' });
    await over();
    const again = await keyed({ jobName: 'toy' });
    expect([again.status, again.headers['idempotent-replayed']]).toEqual([200, 'true']);
    expect(new Set([...replies, again].map(({ text }) => text)).size).toBe(1);
    expect((await keyed({ jobName: 'toy', parameters: { note: 'x' } })).told).toBe(
      '409 IDEMPOTENCY_CONFLICT parameters',
    );
    expect([toy.runs.length, (await toyNow()).isRunning]).toEqual([before + 1, false]);
  });

  test('runs once for twenty concurrent requests', async () => {
    const before = toy.runs.length;
    const replies = await Promise.all(Array.from({ length: 20 }, () => trigger()));
    expect(replies.map(told).sort()).toEqual(['201 -', ...Array<string>(19).fill('409 JOB_ALREADY_RUNNING')]);
    await until(() => toy.runs[before]);
    toy.latest.finish({ message: 'Done.' });
    await over();
    expect(toy.runs.length).toBe(before + 1);
  });

  test('fails with its error message, and can be run again', async () => {
    const { executionLogId } = await begun();
    toy.latest.run.report(12, 'half-way');
    toy.latest.fail(new Error('The disk is full.'));
    expect(await logged(executionLogId, 'FAILED')).toMatchObject({
      ...{ progress: 12, message: 'half-way', error: 'The disk is full.', artifact: null },
    });
    await begun();
    toy.latest.finish({ message: 'Done.' });
    expect((await over()).lastExecution?.status).toBe('SUCCEEDED');
  });

  test('gets its validated parameters', async () => {
    await begun({ note: 'abc' });
    expect(toy.latest.run.parameters).toEqual({ note: 'abc' });
    toy.latest.finish({ message: 'Done.' });
    await over();
  });

  test.each([
    [{}, '400 VALIDATION_FAILED jobName'],
    [{ jobName: 7 }, '400 VALIDATION_FAILED jobName'],
    [{ jobName: '' }, '400 VALIDATION_FAILED jobName'],
    [{ jobName: 'toy', more: 1 }, '400 VALIDATION_FAILED more'],
    [{ jobName: 'toy', parameters: { note: 7 } }, '400 VALIDATION_FAILED parameters.note'],
    [{ jobName: 'toy', parameters: { a: 1, b: 2 } }, '400 VALIDATION_FAILED parameters.a parameters.b'],
    [{ jobName: 'toy', parameters: { rooms: ['a', 7] } }, '400 VALIDATION_FAILED parameters.rooms[1]'],
    [{ jobName: 'toy', parameters: null }, '400 VALIDATION_FAILED parameters'],
    [{ jobName: 'toy', parameters: [] }, '400 VALIDATION_FAILED parameters'],
    [[], '400 VALIDATION_FAILED '],
    [{ jobName: 'nothing' }, '404 NOT_FOUND jobName'],
    [{ jobName: 'constructor' }, '404 NOT_FOUND jobName'],
    [{ jobName: 'x'.repeat(101) }, '400 VALIDATION_FAILED jobName'],
  ])('is rejected with %j', async (body, expected) => {
    // Compares only job streams, because the error log may contain failures from other tests.
    const filter = { on: 'stream', prefixes: ['job-'] } as const;
    const last = async () =>
      (await service.service.engines.events.readAll({ direction: 'backwards', filter, maxCount: 1 }))[0];
    const before = await last();
    expect(told(await trigger(body))).toBe(expected);
    expect(await last()).toEqual(before);
  });

  test('ends as failed at shutdown, which does not wait long', async () => {
    const { executionLogId } = await begun();
    toy.heedsItsSignal = false;
    const beganMs = performance.now();
    await service.restart();
    expect(performance.now() - beganMs).toBeLessThan(9_000);
    operator = await service.operator();
    expect(await logged(executionLogId, 'FAILED')).toMatchObject({
      error: expect.stringContaining('was stopped') as string,
    });
    toy = addJob(service, new ToyJob());
    await begun();
    toy.latest.finish({ message: 'After the restart.' });
    expect((await over()).lastExecution?.message).toBe('After the restart.');
  });
});

describe('Job executions', () => {
  test('are listed newest first, page by page', async () => {
    const { items, totalCount } = await logs();
    expect(items.length).toBe(totalCount);
    const starts = items.map(({ startedAt }) => startedAt);
    expect(starts).toEqual([...starts].sort().reverse());
    const second = await logs('pageNumber=2&pageSize=3');
    expect(second).toMatchObject({ pageNumber: 2, pageSize: 3, totalCount, hasPreviousPage: true });
    expect(second.items).toEqual(items.slice(3, 6));
    expect((await logs('pageNumber=99&pageSize=100')).items).toEqual([]);
  });

  test('can be searched by job and message', async () => {
    const count = async (search: string): Promise<number> =>
      (await logs(`pageNumber=1&pageSize=100&search=${encodeURIComponent(search)}`)).totalCount;
    const { items } = await logs();
    expect(await count('toy')).toBe(items.length);
    expect(await count('done again')).toBe(1);
    const without = ({ message, jobName }: (typeof items)[number], word: string): boolean =>
      !`${message} ${jobName}`.toLowerCase().includes(word);
    for (const word of ['disk full', 'failed', items[0]?.triggeredBy ?? ''])
      expect([word, items.every((item) => without(item, word)), await count(word)]).toEqual([word, true, 0]);
    expect(await count('nothing')).toBe(0);
    expect(await count('!')).toBe(0);
  });

  test.each(['', 'pageNumber=1', 'pageSize=1', 'pageNumber=0&pageSize=1', 'pageNumber=1&pageSize=101'])(
    'are not listed for %p',
    async (query) => {
      expect((await service.get(`/api/platform/jobs/logs?${query}`, operator)).status).toBe(400);
    },
  );

  test('are available to operators only', async () => {
    for (const path of ['', '/logs?pageNumber=1&pageSize=1', '/stream'])
      expect((await service.get(`/api/platform/jobs${path}`, books.tenant.token)).status).toBe(403);
    expect((await trigger({ jobName: 'toy' }, books.tenant.token)).status).toBe(403);
  });
});

test('Every event of a run contains the whole execution, and only start and end are audited', async () => {
  const { events } = service.service.engines;
  const stored = (await events.readStream('job-platform_toy')).events;
  const { catalogue } = await import('../../src/app/catalogue.js');
  const audited = stored.filter(({ type }) => catalogue.types.get(type)?.audit !== null).map(({ type }) => type);
  expect(new Set(audited)).toEqual(new Set(['JobStarted', 'JobSucceeded', 'JobFailed']));
  expect(stored.filter(({ data }) => !('executionId' in data && 'startedAt' in data && 'trigger' in data))).toEqual([]);
});
