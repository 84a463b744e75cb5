import { get, type IncomingMessage } from 'node:http';
import { call, caughtUp, KontorProcess, openBooks, pause, PLAIN, until, withDirectory } from '../e2e/kontor-process.js';
import { cyclesOf, noteCycles } from '../support/fault-row.js';
import { memoryOf } from '../support/partners.js';

const WATCHERS = 1_000;
const AT_ONCE = 50;
const JOBS = cyclesOf(60, 1_000);
const GROWTH_BYTES = 60 * 1024 * 1024;

/** Opens a stream whose client reads only the headers. */
const silent = (url: string, token: string): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}` };
    get(`${url}/api/platform/jobs/stream`, { headers, agent: false }, (response) => {
      response.on('error', () => undefined);
      response.pause();
      resolve(response);
    }).on('error', reject);
  });

test(`${WATCHERS} watchers that never read: memory stays bounded, and requests are served`, async () => {
  await withDirectory(async (directory) => {
    const kontor = await KontorProcess.ready(directory, PLAIN);
    const url = await kontor.url();
    const books = await openBooks(url);
    const open: IncomingMessage[] = [];
    while (open.length < WATCHERS)
      open.push(...(await Promise.all(Array.from({ length: AT_ONCE }, () => silent(url, books.operator)))));
    expect(open.filter(({ statusCode }) => statusCode !== 200)).toEqual([]);
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
    const grown = (await memoryOf(kontor.pid)) - before;
    expect(grown).toBeLessThan(GROWTH_BYTES);
    for (const response of open) response.destroy();
    await kontor.stopCleanly();
    noteCycles(
      'silent watchers',
      WATCHERS,
      `${JOBS} jobs watched; memory growth ${Math.round(grown / 1024 / 1024)} MB`,
    );
  });
}, 240_000);
