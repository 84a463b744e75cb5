import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises';
import { EmbeddedEventStore } from '../../src/adapters/embedded/event-store.js';
import { catalogue } from '../../src/app/catalogue.js';
import { IntegrationKeyUses } from '../../src/commands/integration-key-uses.js';
import type { DomainEvent } from '../../src/eventsourcing/aggregate.js';
import { Appender } from '../../src/eventsourcing/appender.js';
import { Claims } from '../../src/eventsourcing/claims.js';
import { CommandRunner } from '../../src/eventsourcing/command-runner.js';
import { Memberships } from '../../src/eventsourcing/memberships.js';
import { Progress } from '../../src/projecting/progress.js';
import { RecordReader } from '../../src/eventsourcing/record-reader.js';
import { FaultyEventStore } from '../support/faulty-event-store.js';
import { ManualClock, SeededIds } from '../support/manual-clock.js';
import { until, whileTimePasses } from '../support/while-time-passes.js';
import { TENANT } from '../support/member.toy.js';

/** Pending commands. */
const running = new Set<Promise<unknown>>();
let directory: string;
let store: FaultyEventStore;
let clock: ManualClock;
let said: string[];
const ids = new SeededIds(7);
beforeEach(async () => {
  running.clear();
  directory = await mkdtemp(join(tmpdir(), 'kontor-uses-'));
  clock = new ManualClock();
  store = new FaultyEventStore(EmbeddedEventStore.open({ directory, clock }));
  said = [];
});
afterEach(async () => {
  await store.close();
  await rm(directory, { recursive: true });
});

class NotedRunner extends CommandRunner {
  override execute<S, E extends DomainEvent, D>(...of: Parameters<typeof CommandRunner.prototype.execute<S, E, D>>) {
    const work = super.execute(...of);
    running.add(work);
    const over = (): void => void running.delete(work);
    work.then(over, over);
    return work;
  }
}

/** Creates a replica's recorder of key uses. */
function replica(): IntegrationKeyUses {
  const reader = new RecordReader(store, catalogue, clock);
  const appender = new Appender(store, catalogue, clock);
  const claims = new Claims(reader, appender, catalogue, clock, ids);
  const memberships = new Memberships(reader, appender, catalogue, clock, ids);
  const runner = new NotedRunner(reader, appender, claims, memberships, clock);
  const say = (_: object, message: string): void => void said.push(message);
  const logger = { info: say, warn: say, error: say };
  const uses = new IntegrationKeyUses(runner, new Progress(clock), clock, ids, logger);
  uses.onApplicationBootstrap();
  return uses;
}

const key = (keyId = 'key-1') => ({ tenantId: TENANT, keyId });
const recorded = async (): Promise<string[]> =>
  (await store.inner.readAll({ maxCount: 100_000 })).map(({ data }) =>
    (data as { usedAt: string }).usedAt.slice(11, 19),
  );
const ended = (uses: IntegrationKeyUses): Promise<void> => whileTimePasses(clock, uses.onApplicationShutdown());
/** Resolves when the writes in progress have ended. */
async function settle(): Promise<void> {
  await nextTurn();
  // After a conflict, a write sleeps on the clock, which stands still. The 300 ms delay therefore limits the wait.
  await Promise.race([Promise.allSettled([...running]), delay(300)]);
  await nextTurn();
}

test('Continuous use of a key is recorded once a minute', async () => {
  const uses = replica();
  for (let second = 0; second < 180; second += 1) {
    uses.note(key());
    uses.note(key());
    if (second % 60 === 0) await settle();
    await clock.advance(1_000);
  }
  await settle();
  expect(await recorded()).toEqual(['00:00:00', '00:00:59', '00:01:59', '00:02:59']);
  // Key uses that were not recorded must not have caused additional stream reads.
  expect(store.streamReads.length).toBeLessThanOrEqual(4);
  uses.note(key());
  await ended(uses);
  expect(await recorded()).toEqual(['00:00:00', '00:00:59', '00:01:59', '00:02:59', '00:03:00']);
});

test('The last use before a pause is recorded after a minute, and then nothing more', async () => {
  const uses = replica();
  uses.note(key());
  await settle();
  await clock.advance(20_000);
  uses.note(key());
  await until(clock, async () => (await recorded()).length === 2);
  expect(await recorded()).toEqual(['00:00:00', '00:00:20']);
  expect(clock.monotonicMs()).toBeGreaterThanOrEqual(60_000);
  expect(clock.monotonicMs()).toBeLessThan(70_000);
  await clock.advance(200_000);
  await ended(uses);
  expect(await recorded()).toEqual(['00:00:00', '00:00:20']);
});

test('Two replicas together record the use of a key about once a minute', async () => {
  const [one, two] = [replica(), replica()];
  for (let second = 0; second <= 120; second += 1) {
    for (const uses of [one, two]) {
      uses.note(key());
      if (second % 60 === 0) await settle();
    }
    await clock.advance(1_000);
  }
  expect(await recorded()).toEqual(['00:00:00', '00:00:59', '00:01:59']);
  await ended(one);
  await ended(two);
});

test('A burst of uses is recorded for a bounded number of keys, once for each', async () => {
  const uses = replica();
  for (let index = 0; index < 10_050; index += 1) uses.note(key(`key-${index}`));
  await until(clock, async () => (await recorded()).length >= 10_000, 60_000);
  await ended(uses);
  expect((await recorded()).length).toBe(10_000);
});

test('An unavailable history blocks no request, logs one warning, and delays the record', async () => {
  const uses = replica();
  store.away = true;
  for (let index = 0; index < 50; index += 1) uses.note(key(`key-${index % 5}`));
  await settle();
  expect(said).toEqual(['the use of integration keys could not be recorded; retrying']);
  store.away = false;
  await until(clock, async () => (await recorded()).length === 5);
  await ended(uses);
  expect((await recorded()).length).toBe(5);
});

test('Shutdown does not wait long for a blocked sweep', async () => {
  const uses = replica();
  const used = [key('key-1'), key('key-2'), key('key-3')];
  for (const one of used) uses.note(one);
  await until(clock, async () => (await recorded()).length === used.length);
  await clock.advance(1_000);
  for (const one of used) uses.note(one);
  const pause = store.pauseAppendTo('integration-key-use-');
  await whileTimePasses(clock, pause.reached);
  const beganMs = clock.monotonicMs();
  await ended(uses);
  expect(clock.monotonicMs() - beganMs).toBeLessThan(3_000);
  pause.resume();
});

test('Shutdown does not wait long for a history that does not respond', async () => {
  const uses = replica();
  uses.note(key());
  await settle();
  await clock.advance(1_000);
  uses.note(key());
  const pause = store.pauseAppendTo('integration-key-use-');
  const beganMs = clock.monotonicMs();
  await ended(uses);
  expect(clock.monotonicMs() - beganMs).toBeLessThan(5_000);
  pause.resume();
  await until(clock, async () => (await recorded()).length === 2);
});
