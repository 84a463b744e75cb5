// node history-job.mjs NAME: runs a job over the whole history. The service runs the job in a worker thread, but this
// is a separate process that handles no requests. Reads its settings from the environment. A line on standard input
// stops the run early. Prints the outcome and the maximum event-loop delay as JSON.
import { randomUUID } from 'node:crypto';
import { monitorEventLoopDelay } from 'node:perf_hooks';

const { readConfig } = await import('../../dist/modules/config.js');
const { historyJobs } = await import('../../dist/modules/app/history-jobs.js');

// The tables of a read store's first history have no prefix.
const history = { known: { historyId: '', space: '' }, noteDamage: () => undefined };
const job = historyJobs(readConfig(), { history }).find(({ name }) => name === process.argv[2]);
const stop = new AbortController();
process.stdin.once('data', () => stop.abort(new Error('the process stops')));
const told = [];
const report = (progress, message) => told.push([progress, message]);
const delay = monitorEventLoopDelay({ resolution: 1 });
delay.enable();
try {
  const parameters = job.parameters.parse({});
  const outcome = await job.run({ executionId: randomUUID(), parameters, signal: stop.signal, report });
  console.log(JSON.stringify({ outcome, told, heldUpMs: delay.max / 1e6 }));
} catch (error) {
  console.log(JSON.stringify({ failed: error.message, told }));
}
process.stdin.destroy();
