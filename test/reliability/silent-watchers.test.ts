import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { call, caughtUp, KontorProcess, openBooks, pause, PLAIN, until, withDirectory } from '../e2e/kontor-process.js';
import { cyclesOf, noteCycles } from '../support/fault-row.js';
import { memoryOf } from '../support/partners.js';

const WATCHERS = 1_000;
const JOBS = cyclesOf(300, 1_000);
const MIB = 1024 * 1024;
/** Maximum growth while jobs run. It includes the young generation, which grows with any load. */
const BUSY_GROWTH_BYTES = 250 * MIB;
/** Maximum growth that remains when the service becomes idle and returns memory to the operating system. */
const GROWTH_BYTES = 60 * MIB;
const IDLE_WITHIN_MS = 120_000;

const CLIENTS = new URL('./silent-watchers.py', import.meta.url).pathname;

/** Opens streams whose clients read only the headers. */
async function watchSilently(url: string, token: string) {
  const { hostname, port } = new URL(url);
  const args = [CLIENTS, hostname, port, '/api/platform/jobs/stream', token, String(WATCHERS)];
  const clients = spawn('python3', args, { stdio: ['pipe', 'pipe', 'inherit'] });
  await Promise.race([once(clients.stdout, 'data'), once(clients, 'exit')]);
  expect(clients.exitCode).toBeNull();
  return clients;
}

test(`${WATCHERS} watchers that never read: memory stays bounded, and requests are served`, async () => {
  await withDirectory(async (directory) => {
    const kontor = await KontorProcess.ready(directory, PLAIN);
    const url = await kontor.url();
    const books = await openBooks(url);
    const clients = await watchSilently(url, books.operator);
    type Jobs = { readonly data: readonly { readonly isRunning: boolean }[] };
    const trigger = async (): Promise<void> => {
      await call(`${url}/api/platform/jobs/trigger`, { token: books.operator, body: { jobName: 'session-cleanup' } });
      const jobs = () => call<Jobs>(`${url}/api/platform/jobs`, { token: books.operator });
      await until(jobs, ({ data }) => data.every(({ isRunning }) => !isRunning));
      await pause(20);
    };
    // Measures after all streams have received the first events, so that the growth excludes the base cost of a stream.
    for (let n = 0; n < 10; n += 1) await trigger();
    await caughtUp(url, books);
    const before = await memoryOf(kontor.pid);
    for (let n = 0; n < JOBS; n += 1) await trigger();
    await caughtUp(url, books);
    const growth = async () => (await memoryOf(kontor.pid)) - before;
    const grown = await growth();
    expect(grown).toBeLessThan(BUSY_GROWTH_BYTES);
    const kept = await until(growth, (bytes) => bytes < GROWTH_BYTES, IDLE_WITHIN_MS);
    expect(clients.exitCode).toBeNull();
    clients.kill();
    await kontor.stopCleanly();
    noteCycles(
      'silent watchers',
      WATCHERS,
      `${JOBS} jobs watched; memory growth ${Math.round(grown / MIB)} MB, when idle ${Math.round(kept / MIB)} MB`,
    );
  });
}, 360_000);
