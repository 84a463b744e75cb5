import { bareRate, CONNECTIONS } from './bare-rate.js';
import type { Measurement } from './figure.js';
import { LagWatch, worst, type Lag } from './lag-watch.js';
import type { LoadResult } from './load.js';
import { options, pick } from './options.js';
import { Peer, PEER_NAME } from './peer.js';
import { load, pin } from './processes.js';
import { say, tell } from './report.js';
import { toBare, toPeer, toService } from './sale.js';
import { BenchService, type Books } from './service-client.js';
import { round } from './statistics.js';

/**
 * B1b: the highest sales rate that a service sustains with a lag of at most one second throughout. Each sale is
 * accepted, booked, projected, audited and forwarded. Starts at the goal's rate. If that rate is too high, short trials
 * find a lower rate, which is then measured for the full time.
 */
const SECONDS = pick(60, 8);
const TRIAL_SECONDS = pick(15, 4);
const GOAL = 0.04;
const LAG_GOAL_MS = 1_000;
/** After a failed trial, the next rate is this factor times the trial's rate or throughput, whichever is lower. */
const STEP = 0.95;
const MOST_TRIALS = pick(12, 4);

type Held = { readonly load: LoadResult; readonly lag: Lag; readonly holds: boolean };
type Run = Held & { readonly bare: number; readonly asked: number };

async function tried(service: BenchService, books: Books, rate: number, seconds: number): Promise<Held> {
  const name = `${Math.round(rate)}-${Math.round(performance.now())}`;
  const watch = await LagWatch.begin(service, books, `probe-${name}`);
  const done = await load(service, { ...toService(books.key), prefix: name, connections: CONNECTIONS, seconds, rate });
  const lag = await watch.end();
  const holds = done.errors === 0 && done.perSecond >= rate * 0.98 && worst(lag) <= LAG_GOAL_MS;
  say(
    `${Math.round(rate)}/s requested, ${round(done.perSecond)}/s reached, ${JSON.stringify(lag)}: ${holds ? '' : 'not '}sustained`,
  );
  await service.settled();
  return { load: done, lag, holds };
}

async function measure(): Promise<Run> {
  const bare = await bareRate(toBare);
  const service = await BenchService.start();
  const books = await service.createTenant();
  await load(service, { ...toService(books.key), prefix: 'warm', connections: CONNECTIONS, seconds: pick(5, 2) });
  await service.settled();
  const run = { bare, ...(await held(service, books, bare * GOAL)) };
  await service.stop();
  return run;
}

/**
 * Tries decreasing rates, starting at the goal's rate. Returns the first rate that is sustained both in a trial and for
 * the full time. If there is none, returns the last rate that was tried.
 */
async function held(service: BenchService, books: Books, goal: number): Promise<Omit<Run, 'bare'>> {
  let asked = goal;
  for (let trials = 1; ; trials += 1) {
    const trial = await tried(service, books, asked, TRIAL_SECONDS);
    const whole = trial.holds ? await tried(service, books, asked, SECONDS) : trial;
    if (whole.holds || trials === MOST_TRIALS) return { ...whole, asked };
    asked = Math.min(asked, whole.load.perSecond) * STEP;
  }
}

async function measurePeer(peer: Peer): Promise<LoadResult> {
  const server = await peer.serve('project');
  await load(server, { ...toPeer, prefix: 'warm', connections: CONNECTIONS, seconds: 2 });
  const done = await load(server, { ...toPeer, prefix: 'b1b', connections: CONNECTIONS, seconds: SECONDS });
  await server.stop();
  return done;
}

pin('load', process.pid);
const runs: Run[] = [];
const peers: LoadResult[] = [];
const peer = await Peer.start();
for (let n = 0; n < options.runs; n += 1) {
  runs.push(await measure());
  if (peer) peers.push(await measurePeer(peer));
}
await peer?.stop();

const count = (loads: readonly LoadResult[]) => ({
  operations: loads.reduce((sum, { requests }) => sum + requests, 0),
  errors: loads.reduce((sum, { errors }) => sum + errors, 0),
  concurrency: CONNECTIONS,
});
const rates = runs.map((run) => (run.holds ? run.load.perSecond : 0));
const loads = runs.map(({ load: done }) => done);
const figures: Measurement[] = [
  {
    ...{ figure: 'B1b', name: 'sales sustained, all work done', unit: '/s', runs: rates, ...count(loads) },
    against: { name: 'bare Fastify, echo', unit: '/s', runs: runs.map(({ bare }) => bare) },
    goal: { of: 'ratio', atLeast: GOAL },
    notes: [`Sustained for ${SECONDS} s; 0 if no rate was sustained.`],
    details: { asked: runs.map(({ asked }) => round(asked)), p99Ms: loads.map(({ p99Ms }) => p99Ms) },
  },
  {
    ...{ figure: 'B1b', name: 'maximum lag at that rate', unit: 'ms', ...count(loads) },
    runs: runs.map(({ lag }) => worst(lag)),
    goal: { of: 'value', atMost: LAG_GOAL_MS },
    details: { lag: runs.map(({ lag }) => lag) },
  },
];
if (peers.length > 0)
  figures.push({
    ...{
      figure: 'B1b',
      name: 'sales sustained, compared with the peer',
      unit: '/s',
      runs: rates,
      ...count([...loads, ...peers]),
    },
    against: { name: PEER_NAME, unit: '/s', runs: peers.map(({ perSecond }) => perSecond) },
    goal: { of: 'ratio', atLeast: 2 },
    notes: ['The peer appends each sale and writes it to one read model with two indexes in the same transaction.'],
  });
tell(figures);
