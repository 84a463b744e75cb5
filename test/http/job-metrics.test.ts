import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { JobRecord } from '../../src/queries/operation.queries.js';
import { eventually } from '../support/eventually.js';
import { MetricsText } from '../support/metrics-text.js';
import { TestService } from '../support/service.js';

type ErrorRow = { readonly message: string; readonly path: string | null; readonly requestId: string | null };

let service: TestService;
let operator: string;
beforeEach(async () => {
  service = await TestService.start();
  operator = await service.operator();
});
afterEach(() => service.close());

/** Runs the backup and returns the id of the run. */
async function backup(status: 'SUCCEEDED' | 'FAILED', requestId = 'a-backup'): Promise<string> {
  const reply = await service.call('POST', '/api/platform/jobs/trigger', {
    ...{ token: operator, body: { jobName: 'database-backup' }, headers: { 'x-request-id': requestId } },
  });
  const { executionLogId } = reply.data as { executionLogId: string };
  await eventually(
    async () => {
      const jobs = (await service.get('/api/platform/jobs', operator)).data as JobRecord[];
      return jobs.some(({ lastExecution }) => lastExecution?.id === executionLogId && lastExecution.status === status);
    },
    15_000,
    () => service.complaints.join('; '),
  );
  return executionLogId;
}
const metric = async (name: string): Promise<number | undefined> =>
  new MetricsText((await service.get('/metrics')).text).all(name, { job: 'database-backup' })[0]?.value;

test('Metrics show the last success and the failures of each job; the error log names the run, its request and the reason', async () => {
  expect(await metric('kontor_job_failures_total')).toBe(0);
  expect(await metric('kontor_job_last_success_timestamp_seconds')).toBeUndefined();
  const beganAtSeconds = Math.floor(service.clock.nowMs() / 1_000);
  await backup('SUCCEEDED');
  expect(await metric('kontor_job_last_success_timestamp_seconds')).toBeGreaterThanOrEqual(beganAtSeconds);

  const folder = join(service.directory, 'backups');
  await rm(folder, { recursive: true });
  await writeFile(folder, 'no folder');
  const run = await backup('FAILED', 'nightly-script-7');
  expect(await metric('kontor_job_failures_total')).toBe(1);
  const found = await eventually(async () => {
    const { body } = await service.get(
      '/api/platform/error-logs?pageNumber=1&pageSize=10&search=nightly-script-7',
      operator,
    );
    return (body as { items: ErrorRow[] }).items.find(({ message }) => message.startsWith('database-backup'));
  }, 15_000);
  expect(found.message).toMatch(/^database-backup: a job failed: .* it is not a directory/);
  expect(found.path).toBe(`/console/jobs/database-backup?run=${run}`);
  expect(found.requestId).toBe('nightly-script-7');
  await rm(folder);
  await service.restart();
  operator = await service.operator();
  expect(await metric('kontor_job_failures_total')).toBe(1);
});
