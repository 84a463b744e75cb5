import { DeadLetters } from '../../src/integration/dead-letters.js';
import type { CloudEvent } from '../../src/integration/contracts-fields.js';
import type { JobExecutionView } from '../../src/projections/job-execution.projection.js';
import { eventually } from '../support/eventually.js';
import type { Reply } from '../support/reply.js';
import { saleOf, TestService, type Books } from '../support/service.js';
import { isReplay, messagesIn } from '../support/stored-messages.js';

const PATIENCE_MS = 30_000;
const LETTERS = '/api/platform/dead-letters';

type Preview = { readonly matched: number; readonly sample: readonly { readonly subject: string; status: string }[] };

let service: TestService;
let books: Books;
let operator: string;
/** Ids of the customers whose creation messages are dead letters, oldest first. */
let customers: string[] = [];
beforeAll(async () => {
  service = await TestService.start();
  books = await service.openBooks();
  operator = await service.operator();
});
afterAll(() => service.close());

const until = <T>(look: () => Promise<T | undefined>): Promise<T> =>
  eventually(look, PATIENCE_MS, () => service.complaints.join('; '));
const ask = (what: 'replay' | 'discard', body: object, headers = {}) =>
  service.post(`${LETTERS}/${what}`, body, operator, headers);
const preview = async (filter: object): Promise<Preview> => (await ask('replay', { filter })).data as Preview;
const told = ({ status, body }: Reply): string => {
  const { code, errors = [] } = body as { code?: string; errors?: { path: string }[] };
  return [status, code ?? '-', ...errors.map(({ path }) => path)].join(' ');
};
const startedBy = (reply: Reply): string => {
  if (reply.status !== 201) throw new Error(reply.told);
  return (reply.data as { executionLogId: string }).executionLogId;
};
const change = (run: string, what: 'pause' | 'resume' | 'cancel') =>
  service.post(`/api/platform/jobs/execution/${run}/${what}`, undefined, operator);
const runOf = async (id: string): Promise<JobExecutionView | undefined> => {
  const { body } = await service.get('/api/platform/jobs/logs?pageNumber=1&pageSize=100', operator);
  return (body as { items: JobExecutionView[] }).items.find((one) => one.id === id);
};
const reached = (id: string, ...statuses: string[]): Promise<JobExecutionView> =>
  until(async () => {
    const run = await runOf(id);
    return run && statuses.includes(run.status) ? run : undefined;
  });
/** Returns the number of replayed messages per customer. */
function repeats(): Map<string, number> {
  const found = new Map<string, number>();
  for (const { payload } of messagesIn(service.directory).filter(isReplay)) {
    const { subject } = JSON.parse(payload) as CloudEvent;
    if (customers.includes(subject)) found.set(subject, (found.get(subject) ?? 0) + 1);
  }
  return found;
}

/** Creates customers and parks the messages about their creation. */
async function park(count: number, reason: { code: string; message: string }): Promise<void> {
  const letters = service.service.app.get(DeadLetters);
  for (let n = 0; n < count; n += 1) {
    const made = await service.post('/api/customers', { name: `Customer ${n}` }, books.tenant.token);
    const { id } = made.data as { id: string };
    const stream = `customer-${books.tenant.id}_${id}`;
    const { events } = await service.service.engines.events.readStream(stream, { maxCount: 1 });
    const [event] = events;
    if (!event) throw new Error(`${stream} is empty`);
    await letters.park({ origin: 'PUBLISH', subscriber: 'integration-events', event, reason });
    customers.push(id);
  }
  await service.quiet();
}

beforeEach(() => {
  customers = [];
});

describe('Dead letters in bulk', () => {
  test('are counted, with a sample, before anything is done', async () => {
    await park(3, { code: 'COUNTED', message: 'Too large.' });
    const { matched, sample } = await preview({ code: 'COUNTED' });
    expect([matched, sample.map(({ subject }) => subject)]).toEqual([3, customers]);
    const filters = [
      { origin: 'PUBLISH', code: 'COUNTED' },
      { tenantId: books.tenant.id, code: 'COUNTED' },
      { eventType: 'CustomerCreated', code: 'COUNTED', status: 'PARKED' },
      { search: 'COUNTED', dateFrom: '2020-01-01', dateTo: '2999-01-01T00:00:00Z' },
    ];
    for (const filter of filters) expect([filter, (await preview(filter)).matched]).toEqual([filter, 3]);
    const others = [
      { origin: 'PUSH', code: 'COUNTED' },
      { tenantId: '00000000-0000-7000-8000-000000000000' },
      { eventType: 'CustomerUpdated' },
      { code: 'COUNTED', dateTo: '2020-01-01' },
      { code: 'COUNTED', status: 'REPLAYED' },
    ];
    for (const filter of others) expect([filter, (await preview(filter)).matched]).toEqual([filter, 0]);
    expect((await ask('discard', { filter: { code: 'COUNTED' }, reason: 'Not needed.' })).data).toMatchObject({
      matched: 3,
    });
    expect(repeats().size).toBe(0);
  });

  test.each([
    ['replay', {}, '400 VALIDATION_FAILED filter'],
    ['replay', { filter: { origin: 'MAIL' } }, '400 VALIDATION_FAILED filter.origin'],
    ['replay', { filter: { color: 'red' } }, '400 VALIDATION_FAILED filter.color'],
    ['replay', { filter: {}, perSecond: 0 }, '400 VALIDATION_FAILED perSecond'],
    ['replay', { filter: {}, reason: 'x' }, '400 VALIDATION_FAILED reason'],
    ['replay', { filter: {}, dryRun: 'no' }, '400 VALIDATION_FAILED dryRun'],
    ['replay', { filter: { dateFrom: '2026-03-02', dateTo: '2026-03-01' } }, '400 VALIDATION_FAILED filter.dateTo'],
    ['discard', { filter: {}, dryRun: false }, '400 VALIDATION_FAILED reason'],
    ['discard', { filter: {}, reason: ' ' }, '400 VALIDATION_FAILED reason'],
  ] as const)('are not touched by an invalid request (%s %j)', async (what, body, expected) => {
    expect(told(await ask(what, body))).toBe(expected);
  });

  test.each([
    ['dead-letter-replay', { perSecond: 5 }],
    ['dead-letter-replay', undefined],
    ['dead-letter-discard', { reason: 'Not needed.' }],
  ])('are not touched by a %s job that is started without a filter (%j)', async (jobName, parameters) => {
    const reply = await service.post('/api/platform/jobs/trigger', { jobName, parameters }, operator);
    expect(told(reply)).toBe('400 VALIDATION_FAILED parameters.filter');
  });

  test('are replayed, each once, and show the progress of the run', async () => {
    await park(12, { code: 'REPLAYED', message: 'Too large.' });
    const run = startedBy(await ask('replay', { filter: { code: 'REPLAYED' }, dryRun: false, perSecond: 500 }));
    expect(await reached(run, 'SUCCEEDED')).toMatchObject({
      jobName: 'dead-letter-replay',
      progress: 100,
      message: '12 of 12 replayed, 0 failed again.',
    });
    await service.quiet();
    expect(await preview({ code: 'REPLAYED' })).toMatchObject({ matched: 0 });
    expect(repeats()).toEqual(new Map(customers.map((id) => [id, 1])));
    const { body } = await service.get(`${LETTERS}?search=REPLAYED&pageSize=1`, operator);
    expect(body).toMatchObject({ items: [{ status: 'REPLAYED', resolvedBy: 'system:dead-letter-replay' }] });
  });

  test('match an empty search text in the run as in the preview', async () => {
    await park(2, { code: 'ANYTEXT', message: 'Too large.' });
    const filter = { code: 'ANYTEXT', search: '' };
    expect((await preview(filter)).matched).toBe(2);
    const run = startedBy(await ask('replay', { filter, dryRun: false }));
    expect((await reached(run, 'SUCCEEDED')).message).toBe('2 of 2 replayed, 0 failed again.');
  });

  test('share commits when they are replayed', async () => {
    const commits = async () => (await service.service.engines.metrics.commits.get()).values[0]?.value ?? 0;
    const replay = async (code: string): Promise<number> => {
      await park(50, { code, message: 'Too large.' });
      const before = await commits();
      const run = startedBy(await ask('replay', { filter: { code }, dryRun: false, perSecond: 500 }));
      await reached(run, 'SUCCEEDED');
      return (await commits()) - before;
    };
    // Usually 15, and at least 45 if each letter has its own commit. On a busy machine, fewer letters are due together,
    // so one of several runs must need few commits.
    const few = 35;
    const counts = [await replay('TOGETHER')];
    while (counts.length < 4 && Math.min(...counts) >= few) counts.push(await replay(`TOGETHER_${counts.length}`));
    expect(Math.min(...counts)).toBeLessThan(few);
  });

  test('are discarded with the reason', async () => {
    await park(2, { code: 'DISCARDED', message: 'Too large.' });
    const body = { filter: { code: 'DISCARDED' }, dryRun: false, reason: 'The partner has them.' };
    const run = startedBy(await ask('discard', body));
    expect((await reached(run, 'SUCCEEDED')).message).toBe('2 of 2 discarded, 0 failed again.');
    await service.quiet();
    const { body: list } = await service.get(`${LETTERS}?code=DISCARDED`, operator);
    expect(list).toMatchObject({
      items: Array(2).fill({ status: 'DISCARDED', discardReason: 'The partner has them.' }) as object[],
    });
  });

  test('stay parked with one more attempt if they fail again, and are tried only once in a run', async () => {
    await service.postSale(books.partner, saleOf('nowhere-1', { branchCode: 'NOWHERE' }));
    await until(async () => ((await preview({ code: 'BRANCH_UNKNOWN' })).matched === 1 ? true : undefined));
    const run = startedBy(await ask('replay', { filter: { code: 'BRANCH_UNKNOWN' }, dryRun: false }));
    expect((await reached(run, 'SUCCEEDED')).message).toBe('0 of 1 replayed, 1 failed again.');
    await service.quiet();
    const { body } = await service.get(`${LETTERS}?code=BRANCH_UNKNOWN&status=PARKED`, operator);
    expect(body).toMatchObject({ items: [{ status: 'PARKED', attempts: 2 }] });
  });

  test('are processed by one run for each Idempotency-Key, which a preview does not use up', async () => {
    const keyed = (body: object) => ask('discard', { reason: 'Old.', ...body }, { 'idempotency-key': 'old-letters' });
    const filter = { code: 'KEYED' };
    await park(1, { code: 'KEYED', message: 'Too large.' });
    expect((await keyed({ filter })).data).toMatchObject({ matched: 1 });
    await park(1, { code: 'KEYED', message: 'Too large.' });
    expect((await keyed({ filter })).data).toMatchObject({ matched: 2 });
    const first = await keyed({ filter, dryRun: false });
    expect((await reached(startedBy(first), 'SUCCEEDED')).message).toBe('2 of 2 discarded, 0 failed again.');
    const again = await keyed({ filter, dryRun: false });
    expect([again.status, again.text, again.headers['idempotent-replayed']]).toEqual([200, first.text, 'true']);
    expect(told(await keyed({ filter }))).toBe('409 IDEMPOTENCY_CONFLICT dryRun');
  });

  test('that nothing matches end at once', async () => {
    const run = startedBy(await ask('replay', { filter: { code: 'NONE', status: 'DISCARDED' }, dryRun: false }));
    expect((await reached(run, 'SUCCEEDED')).message).toBe('0 of 0 replayed, 0 failed again.');
  });
});

describe('A run over dead letters', () => {
  test('is paused and resumed, even after a restart, and handles each letter once', async () => {
    await park(60, { code: 'PAUSED', message: 'Too large.' });
    const body = { filter: { code: 'PAUSED' }, dryRun: false, perSecond: 30 };
    const run = startedBy(await ask('replay', body));
    expect(told(await change(run, 'resume'))).toBe('409 JOB_NOT_PAUSED');
    await until(() => Promise.resolve(repeats().size > 0 ? true : undefined));
    const paused = await change(run, 'pause');
    expect([paused.status, paused.data]).toMatchObject([201, { success: true, id: 'dead-letter-replay' }]);
    expect(await reached(run, 'PAUSED')).toMatchObject({ finishedAt: null });
    expect(told(await change(run, 'pause'))).toBe('409 JOB_ALREADY_PAUSED');
    expect(told(await ask('replay', body))).toBe('409 JOB_ALREADY_RUNNING');
    await service.restart();
    operator = await service.operator();
    await service.quiet();
    const before = repeats().size;
    expect(before).toBeLessThan(60);
    expect((await reached(run, 'PAUSED')).finishedAt).toBeNull();
    expect((await change(run, 'resume')).status).toBe(201);
    await reached(run, 'RUNNING', 'SUCCEEDED');
    await service.restart();
    operator = await service.operator();
    expect((await reached(run, 'SUCCEEDED')).message).toBe('60 of 60 replayed, 0 failed again.');
    expect([...repeats().values()]).toEqual(Array(60).fill(1));
    for (const what of ['pause', 'resume', 'cancel'] as const)
      expect(told(await change(run, what))).toBe('409 JOB_ALREADY_FINISHED');
  });

  test('stops when it is cancelled, running or paused, and keeps the changes that it has made', async () => {
    await park(40, { code: 'CANCELLED', message: 'Too large.' });
    const body = { filter: { code: 'CANCELLED' }, dryRun: false, perSecond: 20 };
    const run = startedBy(await ask('replay', body));
    await until(() => Promise.resolve(repeats().size > 0 ? true : undefined));
    expect((await change(run, 'cancel')).status).toBe(201);
    const cancelled = await reached(run, 'CANCELLED');
    expect([cancelled.finishedAt, cancelled.error]).toEqual([expect.stringMatching(/Z$/) as string, null]);
    await service.quiet();
    const { matched } = await preview({ code: 'CANCELLED' });
    expect(matched + repeats().size).toBe(40);
    expect(matched).toBeGreaterThan(0);
    const next = startedBy(await ask('replay', body));
    expect((await change(next, 'pause')).status).toBe(201);
    expect((await change(next, 'cancel')).status).toBe(201);
    await reached(next, 'CANCELLED');
  });

  test('counts neither letters that were parked later nor letters that someone else resolved', async () => {
    // Parks more letters than one batch contains, because the run lists the letters of a batch when the batch begins.
    await park(60, { code: 'COUNTS', message: 'Too large.' });
    const { body: list } = await service.get(`${LETTERS}?code=COUNTS&pageSize=1`, operator);
    const [newest] = (list as { items: { id: string }[] }).items;
    const run = startedBy(await ask('replay', { filter: { code: 'COUNTS' }, dryRun: false, perSecond: 20 }));
    await until(() => Promise.resolve(repeats().size > 0 ? true : undefined));
    const reason = { reason: 'Not needed.' };
    expect((await service.post(`${LETTERS}/${newest?.id}/discard`, reason, operator)).status).toBe(201);
    await park(1, { code: 'COUNTS', message: 'Too large.' });
    expect((await reached(run, 'SUCCEEDED')).message).toBe('59 of 60 replayed, 0 failed again, 1 resolved otherwise.');
    await service.quiet();
    expect((await preview({ code: 'COUNTS' })).matched).toBe(1);
  });

  test('is not found by an unknown id', async () => {
    for (const what of ['pause', 'resume', 'cancel'] as const)
      expect(told(await change('00000000-0000-7000-8000-000000000000', what))).toBe('404 NOT_FOUND');
  });
});
