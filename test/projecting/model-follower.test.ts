import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { EmbeddedReadStore } from '../../src/adapters/embedded/read-store.js';
import { ModelFollower } from '../../src/projecting/model-follower.js';
import { Progress } from '../../src/projecting/progress.js';
import { checkpointKey, stoppedKey } from '../../src/projecting/projection.js';
import { silentLogger } from '../../src/ports/log.js';
import { overriding } from '../../src/ports/overriding.js';
import type { AnyTable, ReadStore } from '../../src/ports/read-store.js';
import type { Clock } from '../../src/ports/time.js';
import { clubProjections } from '../support/club.toy.js';
import { eventually } from '../support/eventually.js';
import { FaultyReadStore } from '../support/faulty-read-store.js';
import { ManualClock } from '../support/manual-clock.js';
import { usedMemory } from '../support/used-memory.js';
import { until, whileTimePasses } from '../support/while-time-passes.js';

const models = clubProjections.map(({ model }) => model);
const [members, greeters] = models as [(typeof models)[number], (typeof models)[number]];
const names = models.map(({ name }) => name);

describe('A replica that follows the read models of another', () => {
  let directory: string;
  let store: FaultyReadStore;
  let clock: ManualClock;
  let progress: Progress;
  let follower: ModelFollower;
  let tables: AnyTable[];
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'kontor-follower-'));
    store = new FaultyReadStore(await EmbeddedReadStore.open({ directory, mode: 'readwrite' }));
    clock = new ManualClock();
    progress = new Progress(clock, names);
    tables = [];
    follower = new ModelFollower(store, models, progress, clock, silentLogger, (table) => {
      tables.push(table);
      return Promise.resolve();
    });
  });
  afterEach(async () => {
    await follower.stop();
    await store.close();
    await rm(directory, { recursive: true });
  });

  /** Advances the checkpoints, as the other replica's projector does. */
  const project = async (position: number, generation = 1): Promise<void> => {
    const checkpoints = models.map((model) => ({ key: checkpointKey(model, generation), position }));
    await store.inner.write({ tables: [], checkpoints });
  };

  test('learns of progress within 20 ms while a caller waits for it', async () => {
    await follower.start();
    const waiting = progress.reached(7, 1_000);
    await whileTimePasses(clock, new Promise((resolve) => setImmediate(resolve)));
    await project(7);
    const beganAtMs = clock.monotonicMs();
    expect(await whileTimePasses(clock, waiting, 1)).toBe(true);
    expect(clock.monotonicMs() - beganAtMs).toBeLessThanOrEqual(20);
  });

  test('waits for models with unknown progress', async () => {
    await follower.start();
    expect(await whileTimePasses(clock, progress.reached(0, 300))).toBe(false);
  });

  test('otherwise learns of progress within a second', async () => {
    await follower.start();
    await project(3);
    const beganAtMs = clock.monotonicMs();
    await until(clock, () => names.every((name) => progress.position(name) === 3));
    expect(clock.monotonicMs() - beganAtMs).toBeLessThanOrEqual(1_000);
  });

  test('does not clear the failures of projections that this process leads', async () => {
    await follower.start();
    progress.fail(names);
    progress.fail(names);
    await project(3);
    await until(clock, () => names.every((name) => progress.position(name) === 3));
    expect(names.map((name) => progress.standing(name))).toEqual(names.map(() => 'failed'));
  });

  test('ignores progress while the projector is in its own process', async () => {
    await follower.start();
    progress.isReportedHere = true;
    await project(3);
    await until(clock, () => clock.monotonicMs() > 2_000);
    expect(progress.position(members.name)).toBe(-1);
    progress.isReportedHere = false;
    await until(clock, () => progress.position(members.name) === 3);
  });

  test('knows of a stopped model until it continues', async () => {
    await follower.start();
    await project(3);
    const key = checkpointKey(members, 1);
    await store.inner.write({ tables: [], checkpoints: [{ key: stoppedKey(key), position: 5 }] });
    await until(clock, () => progress.isStopped(members.name));
    expect(progress.isStopped(greeters.name)).toBe(false);
    await store.inner.write({ tables: [], checkpoints: [{ key, position: 5 }] });
    await until(clock, () => !progress.isStopped(members.name));
  });

  test('reads from the live generation, and switches to the next within a second', async () => {
    await store.inner.setLiveGeneration(members.name, members.version, 4);
    const first = await follower.start();
    expect(first.map(({ generation }) => generation)).toEqual(models.map((model) => (model === members ? 4 : 1)));
    await store.inner.setLiveGeneration(members.name, members.version, 5);
    const beganAtMs = clock.monotonicMs();
    await until(clock, () => tables.length > 0);
    expect(clock.monotonicMs() - beganAtMs).toBeLessThanOrEqual(1_000);
    expect(tables).toEqual([{ model: members, generation: 5 }]);
    await project(9, 5);
    await until(clock, () => progress.position(members.name) === 9);
  });

  test('pauses four times as long as a poll takes while a caller waits, for 8 to 50 ms', async () => {
    const WAIT_MS = 1_000_000;
    const pollsTake = [0, 5, 30];
    const pauses: number[] = [];
    let nowMs = 0;
    const unlessStopped = (signal?: AbortSignal): Promise<void> =>
      new Promise((resolve) =>
        signal?.addEventListener(
          'abort',
          () => {
            resolve();
          },
          { once: true },
        ),
      );
    const own: Clock = {
      nowMs: () => 0,
      monotonicMs: () => nowMs,
      sleep: (ms, signal) => {
        if (ms !== WAIT_MS) pauses.push(ms);
        return ms === WAIT_MS || pauses.length > pollsTake.length ? unlessStopped(signal) : nextTurn();
      },
    };
    const slow = overriding<ReadStore, ReadStore>(store, {
      checkpoints: (keys) => {
        nowMs += pollsTake[pauses.length - 1] ?? 0;
        return store.checkpoints(keys);
      },
    });
    const awaited = new Progress(own);
    void awaited.reached(1, WAIT_MS, [members.name]);
    follower = new ModelFollower(slow, models, awaited, own, silentLogger, () => Promise.resolve());
    await follower.start();
    await eventually(() => pauses.length > pollsTake.length, 5_000);
    expect(pauses).toEqual([8, 8, 20, 50]);
  });

  test('frees the memory of completed turns', async () => {
    let turns = 0;
    // Every sleep ends immediately, so that hours of simulated time pass within a second.
    const hurried: Clock = { nowMs: () => 0, monotonicMs: () => 0, sleep: () => ((turns += 1), nextTurn()) };
    follower = new ModelFollower(store, models, progress, hurried, silentLogger, () => Promise.resolve());
    progress.isReportedHere = true;
    await follower.start();
    const usedAfter = async (count: number): Promise<number> => {
      while (turns < count) await nextTurn();
      return usedMemory();
    };
    const before = await usedAfter(5_000);
    expect((await usedAfter(105_000)) - before).toBeLessThan(2 * 1024 * 1024);
  });

  test('continues after the read store was unavailable', async () => {
    await follower.start();
    store.away = true;
    await until(clock, () => clock.monotonicMs() > 3_000);
    store.away = false;
    await project(2);
    await until(clock, () => progress.position(members.name) === 2);
  });
});
