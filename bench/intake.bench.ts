import { rm } from 'node:fs/promises';
import { bareRate, CONNECTIONS } from './bare-rate.js';
import type { Measurement } from './figure.js';
import { options, pick } from './options.js';
import { Peer, PEER_NAME } from './peer.js';
import { copyOf, prepared } from './prepared-history.js';
import { load, pin, run } from './processes.js';
import type { LoadResult } from './load.js';
import { say, tell } from './report.js';
import { toBare, toPeer, toService } from './sale.js';
import { BenchService } from './service-client.js';
import { median, round } from './statistics.js';

/**
 * B1 and B2: the cost of a partner's sale, which is durable before the service responds. Baselines: bare Fastify that
 * echoes the same JSON, and the peer, which appends it. Each run uses a separate service, which starts empty or with a
 * copy of a prepared history.
 */
const SECONDS = pick(10, 3);
const ONE_SECONDS = pick(3, 1.5);
const WARM_SECONDS = pick(3, 2);

type Run = {
  readonly bare: number;
  readonly one: LoadResult;
  readonly many: LoadResult;
  /** Time from the end of the load until all read models, policies and the forwarder have caught up. */
  readonly drainMs: number;
  readonly commitsMs: number;
};
type PeerRun = { readonly one: LoadResult; readonly many: LoadResult };

async function measure(size: number | undefined): Promise<Run> {
  const bare = await bareRate(toBare);
  const commits = await run<{ p50Ms: number }>('serial-commits.ts');
  const history = size === undefined ? undefined : await prepared(size);
  const directory = history && (await copyOf(history));
  const service = await BenchService.start(directory === undefined ? {} : { directory });
  const { key } = history?.books ?? (await service.createTenant());
  const plan = toService(key);
  await load(service, { ...plan, prefix: 'warm', connections: CONNECTIONS, seconds: WARM_SECONDS });
  await service.settled();
  const one = await load(service, { ...plan, prefix: 'one', connections: 1, seconds: ONE_SECONDS });
  const many = await load(service, { ...plan, prefix: 'many', connections: CONNECTIONS, seconds: SECONDS });
  const endedMs = performance.now();
  await service.settled();
  const drainMs = performance.now() - endedMs;
  await service.stop();
  if (directory !== undefined) await rm(directory, { recursive: true, force: true });
  return { bare, one, many, drainMs, commitsMs: commits.p50Ms };
}

async function measurePeer(peer: Peer): Promise<PeerRun> {
  const server = await peer.serve('append');
  await load(server, { ...toPeer, prefix: 'warm', connections: CONNECTIONS, seconds: WARM_SECONDS });
  const one = await load(server, { ...toPeer, prefix: 'one', connections: 1, seconds: ONE_SECONDS });
  const many = await load(server, { ...toPeer, prefix: 'many', connections: CONNECTIONS, seconds: SECONDS });
  await server.stop();
  return { one, many };
}

const sum = (loads: readonly LoadResult[], of: 'requests' | 'errors'): number =>
  loads.reduce((total, one) => total + one[of], 0);

function intake(runs: readonly Run[], events: number | undefined): Measurement[] {
  const [many, one] = [runs.map((each) => each.many), runs.map((each) => each.one)];
  const size = events === undefined ? {} : { events };
  const latency = (of: 'p50Ms' | 'p99Ms') => round(median(many.map((each) => each[of])));
  return [
    {
      ...{ figure: 'B1', name: 'sales accepted', unit: '/s', ...size, runs: many.map(({ perSecond }) => perSecond) },
      ...{ operations: sum(many, 'requests'), errors: sum(many, 'errors'), concurrency: CONNECTIONS },
      against: { name: 'bare Fastify, echo', unit: '/s', runs: runs.map(({ bare }) => bare) },
      goal: { of: 'ratio', atLeast: 0.1 },
      details: {
        ...{ p50Ms: latency('p50Ms'), p99Ms: latency('p99Ms') },
        ...{ drainMs: runs.map(({ drainMs }) => round(drainMs)) },
        generatorBusy: many.map(({ generatorBusy }) => generatorBusy),
      },
    },
    {
      ...{ figure: 'B2', name: 'a sale with one connection, p50', unit: 'ms', ...size },
      ...{ runs: one.map(({ p50Ms }) => p50Ms), concurrency: 1 },
      ...{ operations: sum(one, 'requests'), errors: sum(one, 'errors') },
      against: { name: 'two serial durable commits', unit: 'ms', runs: runs.map(({ commitsMs }) => commitsMs) },
      goal: { of: 'ratio', atMost: 1.5 },
      details: { p99Ms: round(median(one.map(({ p99Ms }) => p99Ms))) },
    },
  ];
}

const besidePeer = (runs: readonly Run[], peers: readonly PeerRun[]): Measurement[] => [
  {
    ...{ figure: 'B1', name: 'sales accepted, compared with the peer', unit: '/s', concurrency: CONNECTIONS },
    runs: runs.map(({ many }) => many.perSecond),
    operations: sum(
      [...runs, ...peers].map(({ many }) => many),
      'requests',
    ),
    errors: sum(
      [...runs, ...peers].map(({ many }) => many),
      'errors',
    ),
    against: { name: PEER_NAME, unit: '/s', runs: peers.map(({ many }) => many.perSecond) },
    notes: ['The peer makes one durable append per sale, without a key, validation, booking or read model.'],
    details: { peerOneConnectionP50Ms: peers.map(({ one }) => one.p50Ms) },
  },
];

pin('load', process.pid);
const figures: Measurement[] = [];
const peer = options.sizes ? undefined : await Peer.start();
for (const size of options.sizes ?? [undefined]) {
  const runs: Run[] = [];
  const peers: PeerRun[] = [];
  for (let n = 0; n < options.runs; n += 1) {
    const done = await measure(size);
    runs.push(done);
    say(`${size ?? 0} events: ${round(done.many.perSecond)}/s, bare ${round(done.bare)}/s`);
    if (!peer) continue;
    peers.push(await measurePeer(peer));
    say(`the peer: ${round(peers.at(-1)?.many.perSecond ?? 0)}/s`);
  }
  figures.push(...intake(runs, size));
  if (peers.length > 0) figures.push(...besidePeer(runs, peers));
}
await peer?.stop();
tell(figures);
