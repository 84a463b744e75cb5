import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ApiClient } from './api-client.js';
import { bareRate, CONNECTIONS } from './bare-rate.js';
import type { Measurement } from './figure.js';
import { HostedService } from './hosted-service.js';
import type { LoadResult } from './load.js';
import { options, pick } from './options.js';
import { load, pin } from './processes.js';
import { say, tell } from './report.js';
import { toBare, toService } from './sale.js';
import { createBooks, settled } from './service-client.js';
import { percentile, round } from './statistics.js';

/**
 * B5: time from a durable append until all read models contain the event, measured inside the service. Meanwhile, sales
 * arrive at a quarter of B1b's goal. That goal is 0.04 of bare Fastify's rate. Uses the service's own progress reports,
 * for which commands also wait.
 */
const SECONDS = pick(30, 6);
const SHARE = 0.04 / 4;

type Run = {
  readonly visible: readonly number[];
  readonly turns: readonly number[];
  readonly done: LoadResult;
  readonly rate: number;
};

async function measure(): Promise<Run> {
  const rate = (await bareRate(toBare)) * SHARE;
  const directory = await mkdtemp(join(tmpdir(), 'kontor-bench-'));
  const service = await HostedService.start('visibility-service.mjs', directory);
  const owner = new ApiClient(service.url);
  const { key } = await createBooks(service.operator, owner);
  owner.close();
  const plan = { ...toService(key), connections: CONNECTIONS, rate };
  await load(service, { ...plan, prefix: 'warm', seconds: pick(5, 3) });
  await settled(service.operator);
  // The load starts before the measurement, and ends after the measurement.
  const loading = load(service, { ...plan, prefix: 'sale', seconds: SECONDS + 2 });
  const told = await service.carryOut<Pick<Run, 'visible' | 'turns'>>(`measure ${SECONDS}`);
  const done = await loading;
  await service.stop();
  await rm(directory, { recursive: true, force: true });
  say(
    `${Math.round(rate)}/s: p50 ${round(percentile(told.visible, 0.5))} ms, p99 ${round(percentile(told.visible, 0.99))} ms`,
  );
  return { ...told, done, rate };
}

pin('load', process.pid);
const runs: Run[] = [];
for (let n = 0; n < options.runs; n += 1) runs.push(await measure());

type Point = { readonly name: string; readonly share: number; readonly atMost: number };
const measurementOf = ({ name, share, atMost }: Point): Measurement => ({
  ...{
    figure: 'B5',
    name: `append until visible in all read models, at a quarter of B1b's goal, ${name}`,
    unit: 'ms',
    concurrency: CONNECTIONS,
  },
  runs: runs.map(({ visible }) => percentile(visible, share)),
  operations: runs.reduce((sum, { visible }) => sum + visible.length, 0),
  errors: runs.reduce((sum, { done }) => sum + done.errors, 0),
  against: {
    name: `a turn of the event loop, ${name}`,
    unit: 'ms',
    runs: runs.map((run) => percentile(run.turns, share)),
  },
  goal: { of: 'value', atMost },
  details: {
    salesPerSecond: runs.map(({ done }) => round(done.perSecond)),
    maxMs: runs.map(({ visible }) => round(percentile(visible, 1))),
  },
});
const points: readonly Point[] = [
  { name: 'p50', share: 0.5, atMost: 4 },
  { name: 'p99', share: 0.99, atMost: 25 },
];
tell(points.map(measurementOf));
