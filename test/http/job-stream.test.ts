import { setTimeout as delay } from 'node:timers/promises';
import { JobFeed, MAX_STREAMS } from '../../src/http/job-feed.js';
import type { JobExecutionView } from '../../src/projections/job-execution.projection.js';
import type { JobRecord } from '../../src/queries/operation.queries.js';
import { mulberry32 } from '../support/manual-clock.js';
import { OPERATOR, PASSWORD, saleOf, TestService } from '../support/service.js';
import { ShiftedClock } from '../support/shifted-clock.js';
import { Watcher } from '../support/watcher.js';
import { addJob, ToyJob } from '../support/toy-job.js';

const PATH = '/api/platform/jobs/stream';

let service: TestService;
let clock: ShiftedClock;
let operator: string;
let toy: ToyJob;
beforeEach(async () => {
  clock = new ShiftedClock();
  service = await TestService.start({ clock });
  operator = await service.operator();
  toy = addJob(service, new ToyJob());
});
afterEach(() => service.close());

const watch = async (lastEventId?: string, token = operator): Promise<Watcher> =>
  Watcher.open(`${await service.service.app.getUrl()}${PATH}`, token, lastEventId);
const feed = (): JobFeed => service.service.app.get(JobFeed);

async function until(condition: () => boolean, withinMs = 10_000): Promise<void> {
  const endMs = performance.now() + withinMs;
  while (!condition()) {
    if (performance.now() > endMs) throw new Error(`It never came: ${service.complaints.join('; ')}`);
    await delay(5);
  }
}

/** Runs the toy job to completion. A run has three visible events. */
async function ran(outcome: 'done' | 'failed' = 'done'): Promise<void> {
  const before = toy.runs.length;
  const reply = await service.post('/api/platform/jobs/trigger', { jobName: 'toy' }, operator);
  if (reply.status !== 201) throw new Error(reply.told);
  await until(() => toy.runs.length > before);
  if (outcome === 'done') toy.latest.finish({ message: `Run ${toy.runs.length}.` });
  else toy.latest.fail(new Error(`Fault ${toy.runs.length}.`));
  for (;;) {
    const jobs = (await service.get('/api/platform/jobs', operator)).data as JobRecord[];
    if (jobs.every(({ isRunning }) => !isRunning)) return;
    await delay(2);
  }
}

/**
 * Returns the expected content of a stream over the whole history: positions and states, derived from the stored
 * events.
 */
async function shown(): Promise<string[]> {
  const { events } = (await service.service.engines.events.readStream('job-platform_toy')) as {
    events: readonly { type: string; position: number }[];
  };
  const status: Record<string, string> = { JobStarted: 'RUNNING', JobSucceeded: 'SUCCEEDED', JobFailed: 'FAILED' };
  return events.flatMap(({ type, position }) => (status[type] ? [`${position} ${status[type]}`] : []));
}
const lines = (watcher: Watcher): string[] =>
  watcher.events
    .filter(({ event }) => event === 'job')
    .map(({ id, data }) => `${id ?? ''} ${(data as JobExecutionView).status}`);

describe('The stream of jobs', () => {
  test('begins with the state of all jobs, and continues with every change', async () => {
    await ran();
    const watcher = await watch();
    expect([watcher.status, watcher.headers['content-type']]).toEqual([200, 'text/event-stream; charset=utf-8']);
    const jobs = (await service.get('/api/platform/jobs', operator)).data as JobRecord[];
    const first = await watcher.next();
    expect([first.event, first.data]).toEqual(['snapshot', jobs]);
    const earlier = await shown();
    expect(Number(first.id)).toBeGreaterThanOrEqual(Number(earlier.at(-1)?.split(' ')[0]));
    await ran('failed');
    await until(() => lines(watcher).length === 2);
    expect(lines(watcher)).toEqual((await shown()).slice(earlier.length));
    const [, last] = watcher.events.filter(({ event }) => event === 'job');
    const listed = (await service.get('/api/platform/jobs/logs?pageNumber=1&pageSize=1', operator)).body as {
      items: object[];
    };
    expect(last?.data).toEqual(listed.items[0]);
    watcher.leave();
    await until(() => feed().open === 0);
  });

  test('shows progress', async () => {
    const watcher = await watch();
    await service.post('/api/platform/jobs/trigger', { jobName: 'toy' }, operator);
    await until(() => toy.runs.length === 1);
    toy.latest.run.report(30, 'a third');
    await until(() => lines(watcher).length === 2);
    expect(watcher.events.at(-1)?.data).toMatchObject({ status: 'RUNNING', progress: 30, message: 'a third' });
    toy.latest.finish({ message: 'Done.' });
    await until(() => lines(watcher).length === 3);
  });

  const SEED = 20_261_121;
  test(`resumes after any event, without gaps or repetitions (seed ${SEED})`, async () => {
    const random = mulberry32(SEED);
    const kept: string[] = [];
    let watcher = await watch();
    let lastId = (await watcher.next()).id ?? '';
    let leaves = 0;
    const resume = async (): Promise<void> => {
      watcher.leave();
      kept.push(...lines(watcher));
      lastId = watcher.events.findLast(({ id }) => id !== undefined)?.id ?? lastId;
      // In some cases, a run takes place while the client is disconnected.
      if (random() < 0.5) await ran();
      leaves += 1;
      watcher = await watch(lastId);
    };
    while ((await shown()).length < 200) {
      if (random() < 0.25) await resume();
      await ran(random() < 0.8 ? 'done' : 'failed');
    }
    const all = await shown();
    await until(() => kept.length + lines(watcher).length >= all.length);
    await delay(20);
    kept.push(...lines(watcher));
    expect(kept).toEqual(all);
    expect(leaves).toBeGreaterThan(10);
    expect(watcher.events.some(({ event }) => event === 'snapshot')).toBe(false);
    expect(feed().open).toBeLessThanOrEqual(2);
    // A stream that starts at a later event has the same content from that event onwards.
    for (const from of [0, 1, 7, 100, 199, 200]) {
      const id = from === 0 ? '0' : (all[from - 1]?.split(' ')[0] ?? '');
      const again = await watch(id);
      await until(() => lines(again).length >= all.length - from);
      expect(lines(again)).toEqual(all.slice(from));
      again.leave();
    }
    watcher.leave();
  });

  test('responds immediately to a resumed client, even without new events', async () => {
    await ran();
    const [last = ''] = (await shown()).slice(-1);
    const watcher = await watch(last.split(' ')[0]);
    expect(watcher.status).toBe(200);
    await until(() => watcher.comments.length === 1);
    expect(watcher.events).toEqual([]);
  });

  test('cannot be resumed after an unknown event', async () => {
    for (const id of ['', '-1', 'x', '1.5', ' ', '01', '1e3', '9007199254740993', '99999999']) {
      const watcher = await watch(id);
      expect([id, watcher.status, JSON.parse(watcher.text)]).toMatchObject([
        ...[id, 400],
        { code: 'VALIDATION_FAILED', errors: [{ path: 'Last-Event-ID' }] },
      ]);
    }
  });

  test('sends a keep-alive every 15 seconds', async () => {
    const watcher = await watch();
    await watcher.next();
    for (const count of [1, 2]) {
      clock.pass(15_000);
      await until(() => watcher.comments.length >= count);
    }
    expect(watcher.comments).toEqual(['keep-alive', 'keep-alive']);
  });

  test('ends with its session, but not with another one', async () => {
    const other = await service.signIn('operator@kontor.test', 'operator-secret');
    const [kept, ended] = [await watch(), await watch(undefined, other)];
    await service.post('/api/auth/logout', undefined, other);
    const beganMs = performance.now();
    await until(() => ended.isOver);
    expect(performance.now() - beganMs).toBeLessThan(3_000);
    expect([ended.failure, kept.isOver]).toEqual([undefined, false]);
    await ran();
    await until(() => lines(kept).length === 2);
  });

  test('ends when the token expires', async () => {
    const watcher = await watch();
    clock.pass(16 * 60_000);
    await until(() => watcher.isOver);
  });

  test('ends when its operator is removed', async () => {
    const gone = { fullName: 'Gone', email: 'gone@kontor.test', password: PASSWORD };
    const { id } = await service.post('/api/platform/operators', gone, operator);
    const watcher = await watch(undefined, await service.signIn(gone.email));
    await service.call('DELETE', `/api/platform/operators/${id}`, { token: operator });
    await until(() => watcher.isOver);
  });

  test('ends with the service, which does not wait for slow readers', async () => {
    const readers = await Promise.all(Array.from({ length: 5 }, () => watch()));
    const silent = await Promise.all(Array.from({ length: 5 }, () => watch()));
    for (const watcher of silent) watcher.stopReading();
    const beganMs = performance.now();
    await service.restart();
    expect(performance.now() - beganMs).toBeLessThan(5_000);
    await until(() => readers.every(({ isOver }) => isOver));
    for (const watcher of readers) expect(watcher.failure).toBeUndefined();
    for (const watcher of silent) watcher.leave();
  });

  test('is rejected beyond the limit, and accepted once another stream ends', async () => {
    const open = feed() as unknown as { streams: Map<object, object> };
    const watcher = await watch();
    const fillers = Array.from({ length: MAX_STREAMS - 1 }, () => ({
      stalledForMs: () => 0,
      comment: () => undefined,
      flow: () => undefined,
      finish: () => undefined,
    }));
    for (const filler of fillers)
      open.streams.set(filler, { token: operator, sessionId: 'another', userId: 'another' });
    const refused = await watch();
    expect([refused.status, refused.headers['retry-after']]).toEqual([503, '5']);
    for (const filler of fillers) open.streams.delete(filler);
    expect((await watch()).status).toBe(200);
    watcher.leave();
  });

  test('does not block other requests, in forty repetitions', async () => {
    const watchers = await Promise.all(Array.from({ length: 40 }, () => watch()));
    const books = await service.openBooks();
    const beganMs = performance.now();
    for (let n = 0; n < 5; n += 1) await service.sell(books.partner, saleOf(`s-${n}`));
    expect(performance.now() - beganMs).toBeLessThan(10_000);
    for (const watcher of watchers) watcher.leave();
  });
});

test('open streams are limited per session and per user', async () => {
  const environment = { SESSION_STREAMS: '2', USER_STREAMS: '3' };
  const own = await TestService.start({ environment });
  try {
    const open = (token: string): Promise<Watcher> => Watcher.open(`${own.url}${PATH}`, token);
    const [first, second] = [
      await own.signIn(OPERATOR.email, OPERATOR.password),
      await own.signIn(OPERATOR.email, OPERATOR.password),
    ];
    const opened = [await open(first), await open(first)];
    const refused = await open(first);
    expect([refused.status, refused.headers['retry-after']]).toEqual([429, '5']);
    opened.push(await open(second));
    expect((await open(second)).status).toBe(429);
    opened[0]?.leave();
    await until(() => own.service.app.get(JobFeed).open === 2);
    opened.push(await open(second));
    expect(opened.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    for (const watcher of opened) watcher.leave();
  } finally {
    await own.close();
  }
});
