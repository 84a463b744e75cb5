import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { BATCH_BYTES, maximalBatch } from '../support/maximal-batch.js';
import { call, caughtUp, KontorProcess, openBooks, PLAIN, withDirectory } from './kontor-process.js';
import { at, figures, latencies } from './latencies.js';

const CONNECTIONS = 8;
const BATCHES = 8;
const CALLS = 100;
/**
 * Limit on the median delay of other requests. If batches take turns, the delay is a fraction of this limit. Otherwise,
 * the delay is several times the limit.
 */
const GOAL_MS = 120;
const goalMs = (medianBeforeMs: number): number => Math.max(GOAL_MS, 20 * medianBeforeMs);
/**
 * Maximum growth of the process's memory. Each connection needs memory for a body as bytes, as text and as values, and
 * for the sales in flight.
 */
const GROWTH_BYTES = CONNECTIONS * 12 * BATCH_BYTES;

/** Sends batches from a separate thread, so that the measured delay excludes the cost of sending. */
const SENDER = `
  const { request, Agent } = require('node:http');
  const { workerData: { url, key, connections, bodies }, parentPort } = require('node:worker_threads');
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const headers = { 'content-type': 'application/json', 'x-integration-key': key };
  const statuses = {};
  let sent = 0;
  const send = () => {
    const body = bodies[(sent += 1) % bodies.length];
    const asked = request(url, { method: 'POST', agent, headers }, (answer) => {
      statuses[answer.statusCode] = (statuses[answer.statusCode] ?? 0) + 1;
      answer.resume().on('end', send);
    });
    asked.on('error', () => setTimeout(send, 10)).end(body);
  };
  for (let index = 0; index < connections; index += 1) send();
  parentPort.on('message', () => parentPort.postMessage(statuses));
`;

type Statuses = Readonly<Record<string, number>>;

const mebibytes = (bytes: number): string => `${Math.round(bytes / 1_048_576)} MiB`;

test(`${CONNECTIONS} partners that keep sending batches of 500 sales and 4 MiB do not delay others, or exhaust the memory`, async () => {
  await withDirectory(async (directory) => {
    const kontor = await KontorProcess.ready(directory, PLAIN);
    const url = await kontor.url();
    const books = await openBooks(url);
    const { token, operator, key } = books;
    const memory = async (): Promise<number> =>
      (await call<{ data: { memory: { rssBytes: number } } }>(`${url}/api/system/health/system`, { token: operator }))
        .data.memory.rssBytes;
    const before = await latencies(url, token, CALLS);
    const memoryBefore = await memory();
    const bodies = Array.from({ length: CONNECTIONS }, (_, n) => maximalBatch(`partner-${n}`));
    const workerData = { url: `${url}/api/integrations/v1/sales/batch`, key, connections: CONNECTIONS, bodies };
    const sender = new Worker(SENDER, { eval: true, workerData });
    const answered = async (): Promise<Statuses> => {
      sender.postMessage('how many?');
      const [statuses] = (await once(sender, 'message')) as [Statuses];
      return statuses;
    };
    const beganMs = performance.now();
    const meanwhile: number[] = [];
    let most = 0;
    while (((await answered())['207'] ?? 0) < BATCHES) {
      meanwhile.push(...(await latencies(url, token, CALLS)));
      most = Math.max(most, await memory());
    }
    const statuses = await answered();
    const tookMs = performance.now() - beganMs;
    await sender.terminate();
    const sorted = meanwhile.toSorted((a, b) => a - b);
    process.stdout.write(
      `${JSON.stringify(statuses)} in ${Math.round(tookMs)} ms; others before: ${figures(before)}; meanwhile: ${figures(sorted)}; ` +
        `memory before: ${mebibytes(memoryBefore)}; meanwhile: ${mebibytes(most)}\n`,
    );
    expect(Object.keys(statuses)).toEqual(['207']);
    expect(at(0.5, sorted)).toBeLessThan(goalMs(at(0.5, before)));
    expect(most - memoryBefore).toBeLessThan(GROWTH_BYTES);
    await caughtUp(url, books);
    await kontor.stopCleanly();
  });
}, 300_000);
