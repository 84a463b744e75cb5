import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { SystemClock, Uuid7Ids } from '../../src/adapters/system-time.js';
import { Leadership } from '../../src/projecting/leadership.js';
import { RangeLeadership } from '../../src/projecting/range-leadership.js';
import { ALL_RANGES } from '../../src/eventsourcing/ranges.js';
import { HistoryReadStore } from '../../src/projecting/history-read-store.js';
import { ModelFollower } from '../../src/projecting/model-follower.js';
import { QueueMeters } from '../../src/observability/queue-meters.js';
import { Progress } from '../../src/projecting/progress.js';
import type { AnyProjection } from '../../src/projecting/projection.js';
import { hashOf, rebuild } from '../support/rebuilt-table.js';
import { silentLogger } from '../../src/ports/log.js';
import { openBroker, openEvents, openModels, type StoreSettings } from '../../src/app/stores.js';
import { openWebhooks } from '../../src/app/webhooks.js';
import { leaseOf, startSubscribers } from '../../src/app/subscribers.js';
import { catalogue, clubProjections, facts, happen, memberProjection, roomProjection } from '../support/club.toy.js';
import { Servers } from '../support/servers.js';

const logger = silentLogger;
const clock = new SystemClock();

/** The projection of the next release, which counts every greeting twice. */
const newMembers: typeof memberProjection = {
  ...memberProjection,
  model: { ...memberProjection.model, version: 2 },
  evolve: (view, event, id) => {
    const next = memberProjection.evolve(view, event, id);
    return event.type === 'MemberGreeted' && next ? { ...next, greetings: next.greetings + 1 } : next;
  },
};
const OLD: readonly AnyProjection[] = clubProjections;
const NEW: readonly AnyProjection[] = clubProjections.map((one) => (one === memberProjection ? newMembers : one));

/** Starts one replica of a release: its subscribers and its view of the read models. */
async function startReplica(settings: StoreSettings, name: string, projections: readonly AnyProjection[]) {
  const { events } = await openEvents(settings, { clock, logger });
  const { reads, leases } = await openModels(settings, 'readwrite', { clock, logger });
  const broker = await openBroker(settings, { clock, logger });
  const names = projections.map(({ model }) => model.name);
  const progress = new Progress(clock, names);
  const models = projections.map(({ model }) => model);
  const follower = new ModelFollower(reads, models, progress, clock, logger, () => Promise.resolve());
  await reads.prepare(await follower.start());
  progress.divide(names);
  const state: { ranges: readonly number[] } = { ranges: [] };
  const onRanges = (_: string, ranges: readonly number[]): void => void (state.ranges = ranges);
  const subscribers = startSubscribers({
    ...{ events, store: new HistoryReadStore(reads, { space: '' }), broker, catalogue, clock, logger, projections },
    leadership: new Leadership(leases, clock, logger, { holder: name }),
    ranges: new RangeLeadership(leases, clock, logger, { holder: name, onRanges }),
    roles: ['projections'],
    restoreForward: 'wait',
    batchSize: 100,
    meters: new QueueMeters(clock),
    ids: new Uuid7Ids(),
    integrity: {
      ...{ directory: settings.directory, key: undefined },
      witnessUrl: undefined,
      checkpointEveryMs: 3_600_000,
    },
    webhooks: await openWebhooks({ directory: settings.directory, key: undefined, allowPrivate: false }, clock),
    callbacks: {
      park: () => Promise.resolve(),
      settle: () => Promise.resolve(),
      reportRebuild: () => Promise.resolve(false),
      noteForwarder: () => Promise.resolve(),
      noteWebhook: () => Promise.resolve(),
      recordCheckpoint: () => Promise.resolve(false),
    },
    onProgress: (model, position, ranges) => {
      progress.advance(model, position, ranges);
    },
    onStopped: progress.stop,
    onFailed: () => undefined,
    identity: undefined,
    historyId: 'rolling',
    onHistory: () => undefined,
  });
  return {
    ...{ events, reads, progress, state },
    stop: async () => {
      await Promise.all([subscribers.stop(), follower.stop()]);
      await Promise.all([events.close(), reads.close(), broker.close()]);
    },
  };
}

const until = async (condition: () => boolean, withinMs = 15_000): Promise<void> => {
  const endMs = performance.now() + withinMs;
  while (!condition()) {
    if (performance.now() > endMs) throw new Error('The condition was not met in time');
    await delay(10);
  }
};

test('replicas of the same models form a group, in any order, and replicas of other versions form another', () => {
  expect(leaseOf([...OLD].reverse())).toBe(leaseOf(OLD));
  expect(leaseOf(NEW)).not.toBe(leaseOf(OLD));
});

describe('a release with a new version of a read model', () => {
  let servers: Servers;
  let directory: string;
  let settings: StoreSettings;
  beforeAll(async () => {
    servers = await Servers.start();
    directory = await mkdtemp(join(tmpdir(), 'kontor-rolling-'));
    settings = {
      directory,
      eventStoreUrl: servers.eventStore.url,
      mongoDbUrl: servers.mongo.url,
      natsUrl: servers.nats.url,
      redisUrl: undefined,
    };
  });
  afterAll(async () => {
    await servers.dispose();
    await rm(directory, { recursive: true });
  });

  test('runs alongside the old one: each replica reads its own version, both are updated, and the new one stays', async () => {
    const first = await startReplica(settings, 'old 1', OLD);
    const second = await startReplica(settings, 'old 2', OLD);
    const many = Array.from({ length: 200 }, (_, n) => [facts.joined(`m${n}`), facts.greeted(`m${n}`, 'kim')]).flat();
    const before = await happen(first.events, ...many, facts.opened('red', 3));
    expect(await first.progress.reached(before, 15_000)).toBe(true);
    expect(await second.progress.reached(before, 15_000)).toBe(true);
    await until(() => first.state.ranges.length === 8 && second.state.ranges.length === 8);
    expect([...first.state.ranges, ...second.state.ranges].toSorted((a, b) => a - b)).toEqual(ALL_RANGES);

    const third = await startReplica(settings, 'new 1', NEW);
    await until(() => third.state.ranges.length === 16);
    const during = await happen(first.events, facts.greeted('m0', 'lea'), facts.opened('blue', 4));
    for (const replica of [first, second, third]) expect(await replica.progress.reached(during, 15_000)).toBe(true);
    const greetingsOf = async ({ reads }: typeof first, { model }: AnyProjection): Promise<number> => {
      for await (const { id, json } of reads.scan({ model, generation: 1 }))
        if (id === 'm0') return (JSON.parse(json ?? '{}') as { greetings: number }).greetings;
      return -1;
    };
    expect(await greetingsOf(first, memberProjection)).toBe(2);
    expect(await greetingsOf(third, newMembers)).toBe(4);

    await Promise.all([first.stop(), second.stop()]);
    const after = await happen(third.events, facts.greeted('m0', 'eve'));
    expect(await third.progress.reached(after, 15_000)).toBe(true);
    expect(await greetingsOf(third, newMembers)).toBe(6);
    for (const projection of [newMembers, roomProjection]) {
      await rebuild(third.events, third.reads, catalogue, projection, 2, after);
      const live = await hashOf(third.reads, { model: projection.model, generation: 1 });
      expect(await hashOf(third.reads, { model: projection.model, generation: 2 })).toBe(live);
    }
    await third.stop();
  });
});
