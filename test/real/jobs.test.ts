import { EventStoreDb } from '../../src/adapters/eventstoredb/event-store.js';
import { SystemClock } from '../../src/adapters/system-time.js';
import { silentLogger } from '../../src/ports/log.js';
import { call, KontorProcess, openBooks, OPERATOR, pause, PLAIN, until, withDirectory } from '../e2e/kontor-process.js';
import { mulberry32 } from '../support/manual-clock.js';
import { parkLetters } from '../support/parked-letters.js';
import { Servers } from '../support/servers.js';
import { messagesAt } from '../support/stored-messages.js';
import { Watcher } from '../support/watcher.js';

const CYCLES = Number(process.env['JOB_KILLS'] ?? 3);
const SEED = 20_261_121;
const JOB = 'session-cleanup';

type Execution = { readonly id: string; readonly status: string; readonly error: string | null };
type Job = { readonly name: string; readonly isRunning: boolean; readonly lastExecution: Execution | null };
type Page = { readonly items: readonly Execution[]; readonly totalPages: number };

let servers: Servers;
beforeAll(async () => {
  servers = await Servers.start();
});
afterAll(() => servers.dispose());

/** Triggers the job. Returns the response status, or 0 if there was no response. */
async function trigger(url: string, token: string): Promise<number> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ jobName: JOB });
  return fetch(`${url}/api/platform/jobs/trigger`, { method: 'POST', headers, body }).then(
    ({ status }) => status,
    () => 0,
  );
}
const jobAt = async (url: string, token: string): Promise<Job | undefined> =>
  (await call<{ data: Job[] }>(`${url}/api/platform/jobs`, { token })).data.find(({ name }) => name === JOB);

async function executions(url: string, token: string): Promise<Execution[]> {
  const found: Execution[] = [];
  for (let page = 1, pages = 1; page <= pages; page += 1) {
    const list = await call<Page>(`${url}/api/platform/jobs/logs?pageNumber=${page}&pageSize=100`, { token });
    found.push(...list.items);
    pages = list.totalPages;
  }
  return found;
}

test(
  `A job triggered repeatedly while its leader is killed (seed ${SEED}): each run ends once, one at a time`,
  () =>
    withDirectory(async (directory) => {
      const random = mulberry32(SEED);
      const settings = { ...PLAIN, ...servers.settings, JOB_SCHEDULES: 'off' };
      let replicas = [await KontorProcess.ready(directory, settings), await KontorProcess.ready(directory, settings)];
      const leader = () => replicas.find((one) => one.leads().includes('jobs'));
      const { operator } = await openBooks((await replicas[0]?.url()) ?? '');
      const began = await Watcher.open(`${(await replicas[0]?.url()) ?? ''}/api/platform/jobs/stream`, operator);
      const { id: from = '0' } = await began.next();
      began.leave();
      const started = { count: 0 };
      for (let cycle = 0; cycle < CYCLES; cycle += 1) {
        const killed = await until(
          () => Promise.resolve(leader()),
          (found) => found !== undefined,
          30_000,
        );
        const kept = replicas.find((one) => one !== killed);
        const url = (await kept?.url()) ?? '';
        const triggering = { isOver: false };
        const triggered = (async () => {
          while (!triggering.isOver) if ((await trigger(url, operator)) === 201) started.count += 1;
        })();
        await pause(300 + random() * 700);
        await killed?.stop('SIGKILL');
        // Another replica takes over the killed replica's unfinished run, and the job runs again.
        const before = started.count;
        await until(
          () => Promise.resolve(started.count),
          (count) => count > before + 2,
          30_000,
        );
        triggering.isOver = true;
        await triggered;
        replicas = [...(kept ? [kept] : []), await KontorProcess.ready(directory, settings)];
      }
      const url = (await replicas[0]?.url()) ?? '';
      await until(
        () => jobAt(url, operator),
        (job) => job?.isRunning === false,
      );
      const all = await executions(url, operator);
      // A trigger request may have started a run even if its response was lost.
      expect(all.length).toBeGreaterThanOrEqual(started.count);
      expect(all.filter(({ status }) => status === 'RUNNING')).toEqual([]);
      for (const { status, error } of all)
        expect([status, error]).toEqual(
          status === 'FAILED' ? ['FAILED', 'The process that executed the run no longer exists.'] : ['SUCCEEDED', null],
        );

      // In the event stream, every run must begin after the previous run has ended, and must end exactly once.
      const watcher = await Watcher.open(`${url}/api/platform/jobs/stream`, operator, from);
      await until(
        () => Promise.resolve(watcher.events.length),
        (count) => count >= all.length * 2,
        30_000,
      );
      const changes = watcher.events.map(({ data }) => data as Execution);
      const running: string[] = [];
      for (const { id, status } of changes) {
        if (status !== 'RUNNING') expect(running.pop()).toBe(id);
        else if (running.at(-1) !== id) running.push(id);
        expect(running.length).toBeLessThanOrEqual(1);
      }
      const ids = changes.filter(({ status }) => status !== 'RUNNING').map(({ id }) => id);
      expect(new Set(ids).size).toBe(ids.length);
      expect(ids.toSorted()).toEqual(all.map(({ id }) => id).toSorted());
      watcher.leave();
      for (const replica of replicas) await replica.stopCleanly();
    }),
  60_000 + CYCLES * 60_000,
);

test('A paused leader: the next one runs what is triggered meanwhile, once, and the first does nothing more when it resumes', () =>
  withDirectory(async (directory) => {
    const settings = { ...PLAIN, ...servers.settings, JOB_SCHEDULES: 'off' };
    const replicas = [await KontorProcess.ready(directory, settings), await KontorProcess.ready(directory, settings)];
    const urls = await Promise.all(replicas.map((one) => one.url()));
    const paused = await until(
      () => Promise.resolve(replicas.find((one) => one.leads().includes('jobs'))),
      (found) => found !== undefined,
    );
    const other = urls[paused === replicas[0] ? 1 : 0] ?? '';
    const login = { body: OPERATOR };
    const operator = (await call<{ data: { accessToken: string } }>(`${other}/api/auth/login`, login)).data.accessToken;
    const earlier = await jobAt(other, operator);
    paused?.send('SIGSTOP');
    expect(await trigger(other, operator)).toBe(201);
    expect(await trigger(other, operator)).toBe(409);
    const done = await until(
      () => jobAt(other, operator),
      (job) => job?.isRunning === false,
      30_000,
    );
    expect(done?.lastExecution?.status).toBe('SUCCEEDED');
    expect(done?.lastExecution?.id).not.toBe(earlier?.lastExecution?.id);
    paused?.send('SIGCONT');
    await until(
      () => Promise.resolve(paused?.leads()),
      (leads) => leads?.includes('jobs') === false,
    );
    expect((await jobAt(other, operator))?.lastExecution).toEqual(done?.lastExecution);
    for (const replica of replicas) await replica.stopCleanly();
  }));

const LETTERS = Number(process.env['LETTERS'] ?? 300);
const PER_SECOND = 40;
/** Number of letters replayed between two checkpoints. */
const BATCH = 50;
/** One letter in five fails again when it is replayed. */
const FAILING = LETTERS / 5;
const BULK = 'dead-letter-replay';

type Bulk = Execution & { readonly progress: number; readonly message: string | null };
type Progressed = {
  readonly executionId: string;
  readonly checkpoint?: { readonly upTo: number; readonly seen: number };
};

test.each([
  ['killed', { code: 'REFUSED' }],
  // Letters that fail again still match this filter, because it does not depend on the reason.
  ['suspended', { eventType: 'CustomerCreated' }],
])(
  `A bulk replay whose leader is %s continues at its checkpoint on the other replica, and replays each letter once`,
  (end, matching) =>
    withDirectory(async (directory) => {
      const settings = { ...PLAIN, ...servers.settings, JOB_SCHEDULES: 'off' };
      const replicas = [await KontorProcess.ready(directory, settings), await KontorProcess.ready(directory, settings)];
      const first = await until(
        () => Promise.resolve(replicas.find((one) => one.leads().includes('jobs'))),
        (found) => found !== undefined,
        30_000,
      );
      const second = replicas.find((one) => one !== first);
      const url = (await second?.url()) ?? '';
      const { operator, token: owner } = await openBooks(url);
      const store = EventStoreDb.open({ url: servers.eventStore.url, clock: new SystemClock(), logger: silentLogger });
      const [tenantId, letters] = await parkLetters(store, url, owner, LETTERS);
      expect(letters).toHaveLength(LETTERS);
      const filter = { tenantId, ...matching };
      const replay = (body: object) =>
        call<{ data: { matched?: number; executionLogId?: string } }>(`${url}/api/platform/dead-letters/replay`, {
          ...{ token: operator, body: { filter, ...body } },
        });
      await until(
        () => replay({}),
        ({ data }) => data.matched === LETTERS,
        30_000,
      );
      const begun = await store.head();
      const { data } = await replay({ dryRun: false, perSecond: PER_SECOND });
      const id = data.executionLogId ?? '';
      const run = async (): Promise<Bulk | undefined> => {
        const logs = `${url}/api/platform/jobs/logs?pageNumber=1&pageSize=5&search=${BULK}`;
        return (await call<{ items: Bulk[] }>(logs, { token: operator })).items.find((one) => one.id === id);
      };
      /** Returns the replay outcomes, each as a letter id and an event type. */
      const outcomes = async (): Promise<string[]> => {
        const of = { on: 'type', prefixes: ['DeadLetterReplay', 'DeadLetterDiscarded'] } as const;
        const events = await store.readAll({ from: begun, filter: of, maxCount: 100_000 });
        return events.map(({ stream, type }) => `${stream.split('_')[1]} ${type}`);
      };
      await until(run, (bulk) => (bulk?.progress ?? 0) >= 25, 60_000);
      // Waits for the middle of a batch, so that some letters have been replayed since the last checkpoint.
      await until(outcomes, ({ length }) => length % BATCH >= 10 && length % BATCH <= 40);
      if (end === 'killed') await first?.stop('SIGKILL');
      else first?.send('SIGSTOP');
      const before = await outcomes();
      const done = await until(run, (bulk) => bulk?.status !== 'RUNNING', 120_000);
      first?.send('SIGCONT');
      expect([before.length > LETTERS / 5, before.length < LETTERS]).toEqual([true, true]);
      expect(done).toMatchObject({
        status: 'SUCCEEDED',
        message: `${LETTERS - FAILING} of ${LETTERS} replayed, ${FAILING} failed again.`,
      });
      if (end === 'suspended')
        await until(
          () => Promise.resolve(first?.leads()),
          (leads) => leads?.includes('jobs') === false,
        );

      expect((await outcomes()).toSorted()).toEqual(
        letters
          .map((letter, n) => `${letter} ${n % 5 === 0 ? 'DeadLetterReplayFailed' : 'DeadLetterReplayed'}`)
          .toSorted(),
      );
      const causes = (await messagesAt(servers.nats.url)).map((message) => message.id.split('~')[1]);
      const again = new Set(letters.map((letter) => `${letter}.2`));
      expect(causes.filter((cause) => cause !== undefined && again.has(cause)).toSorted()).toEqual(
        letters
          .filter((_, n) => n % 5 !== 0)
          .map((letter) => `${letter}.2`)
          .toSorted(),
      );
      const ofRun = await store.readAll({
        ...{ from: begun, maxCount: 100_000 },
        filter: { on: 'type', prefixes: ['JobClaimed', 'JobProgressed'] },
      });
      const runners = ofRun.filter(({ type }) => type === 'JobClaimed').map(({ data: claim }) => claim);
      expect(runners).toEqual([1, 2].map(() => expect.objectContaining({ executionId: id }) as object));
      const seen = ofRun.flatMap(({ data: progress }) => (progress as Progressed).checkpoint ?? []);
      // The second runner must neither start over nor count a letter twice.
      expect(new Set(seen.map(({ upTo }) => upTo)).size).toBe(1);
      expect(seen.map(({ seen: count }) => count)).toEqual(
        seen.map(({ seen: count }) => count).toSorted((a, b) => a - b),
      );
      process.stdout.write(`${end} after ${before.length} of ${LETTERS} letters, ${seen.length} checkpoints\n`);
      await store.close();
      for (const replica of replicas) if (!replica.hasExited) await replica.stopCleanly();
    }),
  300_000,
);
