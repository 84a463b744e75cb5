import { randomUUID } from 'node:crypto';
import { decodeJwt } from 'jose';
import { session } from '../../src/aggregates/session.aggregate.js';
import type { JobRun } from '../../src/jobs/job.js';
import { RecordReader } from '../../src/eventsourcing/record-reader.js';
import { PLATFORM_TENANT } from '../../src/eventsourcing/stream-name.js';
import { OPERATOR, PASSWORD, TestService, type Books } from '../support/service.js';
import { ShiftedClock } from '../support/shifted-clock.js';
import { jobOf } from '../support/toy-job.js';

const DAY_MS = 24 * 3_600_000;
/** Default period after which a session expires if it is not refreshed. */
const SESSION_MS = 7 * DAY_MS;

let clock: ShiftedClock;
let service: TestService;
let books: Books;
beforeEach(async () => {
  clock = new ShiftedClock();
  service = await TestService.start({ clock });
  books = await service.openBooks();
});
afterEach(() => service.close());

type Tokens = { readonly accessToken: string; readonly refreshToken: string };
const signIn = async (email = books.tenant.email, password: string = PASSWORD): Promise<Tokens> =>
  (await service.post('/api/auth/login', { email, password })).data as Tokens;
const refresh = async ({ refreshToken }: Tokens): Promise<Tokens> =>
  (await service.post('/api/auth/refresh', { refreshToken })).data as Tokens;

/** Returns the status of a token's session and, if the session has ended, the reason. */
async function stateOf({ accessToken }: Tokens): Promise<string> {
  const { sid, tid = PLATFORM_TENANT } = decodeJwt<{ sid: string; tid?: string }>(accessToken);
  const { state } = await service.service.app.get(RecordReader).read(session, tid, sid);
  return 'endReason' in state ? [state.status, state.endReason ?? '-'].join(' ') : state.status;
}

/** Runs the clean-up and returns the reported result. */
async function cleanUp(run: Partial<JobRun> = {}): Promise<string> {
  await service.quiet();
  const job = jobOf(service, 'session-cleanup');
  const { signal } = new AbortController();
  const { message } = await job.run({
    executionId: randomUUID(),
    parameters: {},
    signal,
    report: () => undefined,
    checkpoint: undefined,
    save: () => Promise.resolve(),
    ...run,
  });
  await service.quiet();
  return message;
}

describe('The session cleanup', () => {
  test('ends sessions of tenants and operators that expired a day ago, and no others', async () => {
    const lapsed = [await signIn(), await signIn(OPERATOR.email, OPERATOR.password)];
    const out = await signIn();
    await service.post('/api/auth/logout', undefined, out.accessToken);
    clock.pass(SESSION_MS / 2);
    const later = await signIn();
    clock.pass(SESSION_MS / 2 + DAY_MS + 60_000);
    const fresh = await signIn();
    // The clean-up also ends the operator's session and the sessions that created the tenant. They are as old as the
    // two sessions in `lapsed`.
    expect(await cleanUp()).toMatch(/^[45] sessions ended\.$/);
    for (const tokens of lapsed) expect(await stateOf(tokens)).toBe('ended EXPIRED');
    expect(await stateOf(out)).toBe('ended LOGOUT');
    expect([await stateOf(later), await stateOf(fresh)]).toEqual(['active -', 'active -']);
    expect(await cleanUp()).toBe('0 sessions ended.');
  });

  test('keeps refreshed sessions, and those that expired within the last day', async () => {
    const kept = await signIn();
    const lapsing = await signIn();
    clock.pass(SESSION_MS - DAY_MS);
    const again = await refresh(kept);
    clock.pass(2 * DAY_MS - 60_000);
    expect(await cleanUp()).toBe('0 sessions ended.');
    expect([await stateOf(again), await stateOf(lapsing)]).toEqual(['active -', 'active -']);
    expect((await refresh(again)).accessToken).toBeDefined();
    clock.pass(120_000);
    expect(await cleanUp()).not.toBe('0 sessions ended.');
    expect([await stateOf(again), await stateOf(lapsing)]).toEqual(['active -', 'ended EXPIRED']);
  });

  test('stops when aborted', async () => {
    await signIn();
    clock.pass(SESSION_MS + 2 * DAY_MS);
    const stopped = AbortSignal.abort(new Error('told to end'));
    await expect(cleanUp({ signal: stopped })).rejects.toThrow('told to end');
    expect(await cleanUp()).not.toBe('0 sessions ended.');
  });

  test('is run by an operator like any job, and audited as such', async () => {
    const lapsed = await signIn();
    clock.pass(SESSION_MS + 2 * DAY_MS);
    const token = await service.operator();
    const reply = await service.post('/api/platform/jobs/trigger', { jobName: 'session-cleanup' }, token);
    expect(reply.status).toBe(201);
    const { executionLogId } = reply.data as { executionLogId: string };
    const last = async () => {
      const { items } = (await service.get('/api/platform/jobs/logs?pageNumber=1&pageSize=1', token)).body as {
        items: { id: string; status: string; message: string }[];
      };
      return items[0];
    };
    while ((await last())?.status === 'RUNNING') await service.quiet();
    expect(await last()).toMatchObject({ id: executionLogId, status: 'SUCCEEDED' });
    expect(await stateOf(lapsed)).toBe('ended EXPIRED');
    const history = await service.service.engines.events.readAll({ direction: 'backwards', maxCount: 20 });
    const ended = history.filter(({ type }) => type === 'SessionEnded');
    expect(ended.length).toBeGreaterThan(0);
    for (const { metadata } of ended)
      expect(metadata).toMatchObject({ system: 'session-cleanup', $correlationId: executionLogId });
  });
});
