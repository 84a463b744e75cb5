import { join } from 'node:path';
import { rm } from 'node:fs/promises';
import { EmbeddedEventStore } from '../src/adapters/embedded/event-store.js';
import { EmbeddedReadStore } from '../src/adapters/embedded/read-store.js';
import { SystemClock } from '../src/adapters/system-time.js';
import { catalogue } from '../src/app/catalogue.js';
import { GrowingTree } from '../src/integrity/growing-tree.js';
import { leafHashOf } from '../src/integrity/leaf.js';
import { TileStore, type EndedTile } from '../src/integrity/tile-store.js';
import { verifyIntegrity } from '../src/jobs/integrity-verify.job.js';
import type { EventReader } from '../src/ports/event-store.js';
import { IntegrityKeys } from '../src/security/integrity-keys.js';
import { historyAlone, readHistory } from './history-store.js';
import { folder, options, pick } from './options.js';
import { pin } from './processes.js';
import { say, tell } from './report.js';
import { round } from './statistics.js';

/**
 * B14: cost of the integrity tree per event, and verification rate. The cost is the CPU time for adding a history's
 * events to the tree and storing the tiles. It excludes the CPU time for reading the history, which is measured
 * separately in the same run. The verification is the nightly job, run in this process. The job reads the history. It
 * compares every leaf with the stored tiles, and the roots with the checkpoints.
 */
const EVENTS = options.sizes?.[0] ?? pick(1_000_000, 20_000);
const SAVE_EVERY = 4_096;
const clock = new SystemClock();

const cpuMs = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
};

async function readOnly(events: EventReader, upTo: number): Promise<number> {
  const beganMs = cpuMs();
  await readHistory(events, { upTo, textOnly: true }, () => undefined);
  return cpuMs() - beganMs;
}

/** Builds the tree as the follower does. Returns the CPU time and the tree. */
async function follow(events: EventReader, upTo: number, tiles: TileStore) {
  let complete: EndedTile[] = [];
  let [end, saved] = [-1, 0];
  const tree = new GrowingTree((tile) => complete.push({ ...tile, end }));
  const save = async (): Promise<void> => {
    const edge = tree.edge().flatMap((tile) => (tile.hashes.length === 0 ? [] : [{ ...tile, end }]));
    await tiles.save([...complete, ...edge], { size: tree.size, position: end });
    [complete, saved] = [[], tree.size];
  };
  const beganMs = cpuMs();
  await readHistory(events, { upTo, textOnly: true }, async (some) => {
    for (const event of some) {
      end = event.position;
      tree.append(leafHashOf(event));
    }
    if (tree.size - saved >= SAVE_EVERY) await save();
  });
  await save();
  return { ms: cpuMs() - beganMs, tree };
}

pin('measured', process.pid);
const directory = await historyAlone(EVENTS, clock);
const events = EmbeddedEventStore.open({ directory, clock });
const upTo = await events.head();
const keys = await IntegrityKeys.open(join(folder, 'integrity-keys'));
const costs: number[] = [];
const rates: number[] = [];
const cpuRates: number[] = [];
for (let run = 0; run < options.runs; run += 1) {
  const models = join(folder, `integrity-models-${run}`);
  await rm(models, { recursive: true, force: true });
  const reads = await EmbeddedReadStore.open({ directory: models, mode: 'readwrite' });
  const tiles = new TileStore(reads);
  await tiles.prepare();
  const alone = await readOnly(events, upTo);
  const { ms, tree } = await follow(events, upTo, tiles);
  costs.push(((ms - alone) * 1_000) / EVENTS);
  const verifiers = keys.verifiers.map(({ text }) => text).join('\n');
  const task = { kind: 'integrity', verifiers, checkpoints: join(models, 'checkpoints') } as const;
  const parts = { events, reads, catalogue, clock, sharesThread: false };
  const [beganMs, beganCpuMs] = [performance.now(), cpuMs()];
  await verifyIntegrity(task, parts, { signal: new AbortController().signal, report: () => undefined });
  rates.push(EVENTS / ((performance.now() - beganMs) / 1_000));
  cpuRates.push(EVENTS / ((cpuMs() - beganCpuMs) / 1_000));
  say(`run ${run + 1}: ${round(costs.at(-1) ?? 0)} µs per event, ${Math.round(rates.at(-1) ?? 0)} events/s verified`);
  say(
    `  ${Math.round(cpuRates.at(-1) ?? 0)} events per second of CPU; root ${tree.root().toString('hex').slice(0, 16)}`,
  );
  await reads.close();
  await rm(models, { recursive: true, force: true });
}
await events.close();
const shared = { figure: 'B14', operations: EVENTS * options.runs, errors: 0, concurrency: 1, events: EVENTS };
tell([
  {
    ...{ ...shared, name: 'integrity: cost per event', unit: 'µs of CPU', runs: costs },
    goal: { of: 'value', atMost: 5 },
  },
  {
    ...{ ...shared, name: 'integrity: verification', unit: 'events/s', runs: rates },
    goal: { of: 'value', atLeast: 100_000 },
    details: { eventsPerCpuSecond: cpuRates.map((rate) => Math.round(rate)) },
  },
]);
