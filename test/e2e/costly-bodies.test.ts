import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { LoginInput } from '../../src/commands/session.commands.js';
import { bodyLimitsOf, decodeJson } from '../../src/http/json-body.js';
import { costliest } from '../support/body-shapes.js';
import { KontorProcess, openBooks, PLAIN, until, withDirectory } from './kontor-process.js';
import { at, figures, latencies } from './latencies.js';

/** `SHAPES=10000 npm run test:e2e -- test/e2e/costly-bodies.test.ts` runs the long form. */
const SHAPES = Number(process.env['SHAPES'] ?? 300);
const SEED = Number(process.env['SEED'] ?? Date.now() % 1_000_000);
const ROUTES = ['/api/auth/login', '/api/auth/refresh', '/console/session'];
const CONNECTIONS = 16;
const CALLS = 400;
/**
 * Target for the long form on an otherwise idle machine. CI machines share their cores, which delays requests even
 * without costly bodies.
 */
const GOAL_MS = 50;
const goalMs = (p99BeforeMs: number): number =>
  process.env['SHAPES'] === undefined ? Math.max(3 * GOAL_MS, 10 * p99BeforeMs) : GOAL_MS;

/** Sends one body repeatedly from a separate thread, so that the measured delay excludes the cost of sending. */
const SENDER = `
  const { request, Agent } = require('node:http');
  const { workerData: { url, routes, connections, body }, parentPort } = require('node:worker_threads');
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
  let sent = 0;
  const send = () => {
    const path = routes[(sent += 1) % routes.length];
    const asked = request(url + path, { method: 'POST', agent, headers }, (answer) => {
      answer.resume().on('end', send);
    });
    asked.on('error', () => setTimeout(send, 10)).end(body);
  };
  for (let index = 0; index < connections; index += 1) send();
  parentPort.on('message', () => parentPort.postMessage(sent));
`;

test(`sixteen anonymous clients with the costliest bodies do not delay others (seed ${SEED})`, async () => {
  const { bytes, values } = bodyLimitsOf({ who: 'public' });
  const { ms, shape } = costliest(SEED, SHAPES, bytes, function* (body) {
    yield LoginInput.safeParse(decodeJson(body, values));
  });
  await withDirectory(async (directory) => {
    const kontor = await KontorProcess.ready(directory, { ...PLAIN, LOG_LEVEL: 'info' });
    const url = await kontor.url();
    const { token } = await openBooks(url);
    const before = await latencies(url, token, CALLS);
    const workerData = { url, routes: ROUTES, connections: CONNECTIONS, body: shape };
    const sender = new Worker(SENDER, { eval: true, workerData });
    const sent = async (): Promise<number> => {
      sender.postMessage('how many?');
      const [count] = (await once(sender, 'message')) as [number];
      return count;
    };
    await until(sent, (count) => count > 1_000);
    const meanwhile = await latencies(url, token, CALLS);
    const count = await sent();
    await sender.terminate();
    process.stdout.write(
      `seed ${SEED}: ${ms.toFixed(2)} ms for ${shape.slice(0, 60)}…; ${count} sent; ` +
        `others before: ${figures(before)}; meanwhile: ${figures(meanwhile)}\n`,
    );
    expect(at(0.99, meanwhile)).toBeLessThan(goalMs(at(0.99, before)));
    await kontor.stopCleanly();
  });
}, 300_000);
