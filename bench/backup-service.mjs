// Runs the compiled service and reads commands from standard input. The name of a job runs that job. `watch SECONDS`
// only observes the service for that time. `settle` waits until the read models are up to date. `end` stops the
// service. For each command, prints a line of JSON with the job's outcome and duration, the serving thread's event-loop
// delay, and the process's memory usage.
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { historyJobs } from '../dist/modules/app/history-jobs.js';
import { host } from './service-host.mjs';

const { config, engines, service } = await host();

const memory = () => Number(/RssAnon:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? 0) / 1024;

async function carryOut(name) {
  if (name.startsWith('watch')) return sleep(Number(name.split(' ')[1]) * 1_000);
  if (name === 'settle') {
    const head = await engines.events.head();
    while (!(await engines.progress.reached(head, 60_000)));
    return `read models have ${head} events`;
  }
  const job = historyJobs(config, engines).find((one) => one.name === name);
  const signal = new AbortController().signal;
  const run = { executionId: randomUUID(), parameters: job.parameters.parse({}), signal, report: () => undefined };
  return job.run(run).catch((error) => ({ failed: error.message }));
}

for await (const line of createInterface({ input: process.stdin })) {
  if (line === 'end') break;
  const delay = monitorEventLoopDelay({ resolution: 1 });
  let mostMiB = memory();
  const sampling = setInterval(() => (mostMiB = Math.max(mostMiB, memory())), 100);
  const startedMs = performance.now();
  delay.enable();
  const outcome = await carryOut(line);
  delay.disable();
  clearInterval(sampling);
  const ms = (nanoseconds) => Number((nanoseconds / 1e6).toFixed(1));
  const loop = { p50Ms: ms(delay.percentile(50)), p99Ms: ms(delay.percentile(99)), maxMs: ms(delay.max) };
  const seconds = Number(((performance.now() - startedMs) / 1_000).toFixed(1));
  console.log(JSON.stringify({ line, outcome, seconds, loop, rssAnonMiB: Math.round(mostMiB) }));
}
await service.close();
process.exit(0);
