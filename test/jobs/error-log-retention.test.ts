import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { z } from 'zod';
import type { Job, JobOutcome } from '../../src/jobs/job.js';
import type { ErrorLogRecord } from '../../src/queries/error-log.queries.js';
import { ShiftedClock } from '../support/shifted-clock.js';
import { TestService } from '../support/service.js';
import { jobOf } from '../support/toy-job.js';

const DAY_MS = 24 * 60 * 60_000;

const clock = new ShiftedClock();
let service: TestService;
let job: Job;
beforeAll(async () => {
  service = await TestService.start({ clock });
  job = jobOf(service, 'error-log-retention');
});
afterAll(() => service.close());

const list = async (): Promise<ErrorLogRecord[]> => {
  await service.quiet();
  const reply = await service.get('/api/platform/error-logs?pageSize=100', await service.operator());
  return (reply.body as { items: ErrorLogRecord[] }).items;
};
const shown = async (): Promise<string[]> => (await list()).map(({ message }) => message).sort();
const idOf = async (message: string): Promise<string> =>
  (await list()).find((one) => one.message === message)?.id ?? 'none';

async function occur(...messages: string[]): Promise<void> {
  for (const message of messages)
    service.service.engines.errors.note({ fingerprint: message, level: 'ERROR', message });
  for (;;) {
    const there = await list();
    const nowMs = clock.nowMs();
    const isThere = (message: string): boolean =>
      there.some((one) => one.message === message && nowMs - Date.parse(one.lastSeenAt) < DAY_MS / 2);
    if (messages.every(isThere)) return;
    await delay(50);
  }
}
async function resolve(message: string): Promise<void> {
  const path = `/api/platform/error-logs/${await idOf(message)}/resolve`;
  await service.call('PATCH', path, { token: await service.operator() });
}

const executionId = randomUUID();
const progress: number[] = [];
const run = (parameters: z.input<typeof job.parameters> = {}, signal = new AbortController().signal) =>
  job.run({
    executionId,
    parameters: job.parameters.parse(parameters),
    signal,
    report: (percent) => progress.push(percent),
    checkpoint: undefined,
    save: () => Promise.resolve(),
  });
const told = async (running: Promise<JobOutcome>): Promise<string> => (await running).message;

test('Resolved errors are hidden 30 days after they were last seen, the others after 90', async () => {
  await occur('resolved', 'open', 'resolved, and seen again', 'open, and seen again');
  await resolve('resolved');
  clock.pass(29 * DAY_MS);
  expect(await told(run())).toBe('0 error records were hidden.');
  await occur('resolved, and seen again', 'open, and seen again');
  await resolve('resolved, and seen again');
  clock.pass(2 * DAY_MS);
  const hiddenId = await idOf('resolved');
  expect(await told(run())).toBe('1 error record was hidden.');
  expect(await shown()).toEqual(['open', 'open, and seen again', 'resolved, and seen again']);
  const path = `/api/platform/error-logs/${hiddenId}`;
  expect((await service.get(path, await service.operator())).told).toBe('404 NOT_FOUND');
  expect((await service.call('PATCH', `${path}/resolve`, { token: await service.operator() })).status).toBe(404);

  clock.pass(60 * DAY_MS);
  expect(await told(run())).toBe('2 error records were hidden.');
  expect(await shown()).toEqual(['open, and seen again']);
  expect(progress.at(-1)).toBe(100);
  // The job must not remove any event from the history.
  const { events } = await service.service.engines.events.readStream(`error-log-platform_${hiddenId}`);
  expect(events.map(({ type }) => type)).toEqual(['ErrorOccurred', 'ErrorResolved', 'ErrorLogExpired']);
  expect(events.at(-1)?.metadata).toMatchObject({ requestId: executionId, $correlationId: executionId });
});

test('A hidden error that occurs again gets a new record', async () => {
  const hidden = await idOf('open, and seen again');
  clock.pass(100 * DAY_MS);
  await run();
  expect(await shown()).toEqual([]);
  await occur('open, and seen again');
  expect(await idOf('open, and seen again')).not.toBe(hidden);
});

test('A run accepts other retention periods, and can be aborted', async () => {
  await occur('new');
  clock.pass(2 * DAY_MS);
  const ended = AbortSignal.abort();
  await expect(run({ unresolvedDays: 1 }, ended)).rejects.toThrow('abort');
  expect(await shown()).toContain('new');
  expect(await told(run({ unresolvedDays: 1 }))).toBe('2 error records were hidden.');
  for (const parameters of [{ resolvedDays: 0 }, { unresolvedDays: 1.5 }, { unresolvedDays: '7' }, { days: 7 }])
    expect(job.parameters.safeParse(parameters).success).toBe(false);
});
