import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EmbeddedBroker } from '../../src/adapters/embedded/broker.js';
import { EmbeddedEventStore } from '../../src/adapters/embedded/event-store.js';
import {
  cancelRewinds,
  FORWARDER,
  forwarder as aggregate,
  noteForwarder,
  pauseForwarder,
  resumeForwarder,
  rewindForwarder,
  type Forwarder as State,
  type ForwarderEvent,
  type RewindStart,
} from '../../src/aggregates/forwarder.aggregate.js';
import { saleId } from '../../src/aggregates/sale-payload.js';
import { sale } from '../../src/aggregates/sale.aggregate.js';
import { catalogue } from '../../src/app/catalogue.js';
import type { CloudEvent } from '../../src/integration/contracts-fields.js';
import { Forwarder } from '../../src/integration/forwarder.js';
import type { Checkpoints } from '../../src/projecting/checkpoints.js';
import type { Marks } from '../../src/projecting/marks.js';
import type { LedPortion } from '../../src/projecting/range-leadership.js';
import { type AnyAggregate, EventCatalogue } from '../../src/eventsourcing/event-catalogue.js';
import { RecordReader } from '../../src/eventsourcing/record-reader.js';
import { WHOLE } from '../../src/eventsourcing/ranges.js';
import { streamName } from '../../src/eventsourcing/stream-name.js';
import { silentLogger } from '../../src/ports/log.js';
import type { BrokerMessage } from '../../src/ports/broker.js';
import type { RecordedEvent } from '../../src/ports/event-store.js';
import { appendAllNext } from '../support/append-next.js';
import { choosy } from '../support/choosy-broker.js';
import { eventually } from '../support/eventually.js';
import { ShiftedClock } from '../support/shifted-clock.js';
import { messagesIn, type StoredMessage } from '../support/stored-messages.js';

const PATIENCE_MS = 20_000;
const until = (look: () => Promise<boolean> | boolean): Promise<boolean> => eventually(look, PATIENCE_MS);

const TENANT = randomUUID();
const SHOP = 'shop';
const idOf = (externalId: string): string => saleId(TENANT, SHOP, externalId);
const saleStream = (externalId: string): string => streamName('sale', TENANT, idOf(externalId));

type Fact = { readonly stream: string; readonly type: string; readonly data: object };
const accepted = (externalId: string, relatedExternalId: string | null = null): Fact => ({
  stream: saleStream(externalId),
  type: 'SaleAccepted',
  data: {
    ...{ externalId, relatedExternalId, sourceId: SHOP, type: relatedExternalId === null ? 'SALE' : 'RETURN' },
    ...{ occurredAt: '2026-03-04T10:00:00.000Z', acceptedAt: '2026-03-04T10:00:00.000Z', currency: 'EUR' },
    ...{ total: '1.00', totalNet: '1.00', totalTax: '0.00', lines: [], payments: [] },
    ...{ branchCode: null, customer: null, metadata: null },
  },
});
const rejected = (externalId: string): Fact => ({
  stream: saleStream(externalId),
  type: 'SaleRejected',
  data: { code: 'BRANCH_UNKNOWN', message: 'There is no such branch.', attempts: 1 },
});
const booking = { customerId: randomUUID(), branchId: null, date: '2026-03-04', transactions: [] };
const booked = (externalId: string): Fact => ({
  stream: saleStream(externalId),
  type: 'SaleBooked',
  data: booking,
});
const returned = (externalId: string, relatedExternalId: string): Fact => ({
  stream: saleStream(relatedExternalId),
  type: 'ReturnBooked',
  data: { saleId: idOf(externalId), externalId, gross: '1.00', ...booking },
});
const opened = (code: string): Fact => ({
  stream: streamName('branch', TENANT, randomUUID()),
  type: 'BranchCreated',
  data: { code, name: code, description: null, address: null, phone: null, email: null, isActive: true },
});
type Stored = { readonly message: StoredMessage; readonly event: CloudEvent };
type Settings = {
  readonly restoreForward?: 'wait' | 'all';
  readonly portion?: LedPortion;
  readonly known?: EventCatalogue;
};

/** The catalogue of an earlier release, which cannot read the acceptances in these tests. */
const earlierCatalogue = new EventCatalogue([
  ...catalogue.aggregates.filter(({ name }) => name !== sale.name),
  { ...sale, events: { ...sale.events, SaleAccepted: { ...sale.events.SaleAccepted, version: 0 } } } as AnyAggregate,
]);

class Scene {
  readonly clock = new ShiftedClock();
  /** The types of all parked events. */
  readonly parked: string[] = [];
  readonly warnings: string[] = [];
  /** While this function returns an error, attempts to park events fail with that error. */
  failParking: () => Error | undefined = () => undefined;
  /** Called after the forwarder has saved its marks. */
  whenMarked: (marks: Readonly<Record<string, number>>) => void = () => undefined;
  /** Checkpoints by name, which survive a restart of the forwarder. */
  readonly kept = new Map<string, number>();
  private readonly started: Forwarder[] = [];
  private readonly seen: Stored[] = [];
  private readonly reader: RecordReader;

  private constructor(
    private readonly directory: string,
    readonly events: EmbeddedEventStore,
    readonly broker: EmbeddedBroker,
    readonly line: ReturnType<typeof choosy>,
  ) {
    this.reader = new RecordReader(events, catalogue, this.clock);
  }

  static async open(): Promise<Scene> {
    const directory = await mkdtemp(join(tmpdir(), 'kontor-forwarder-'));
    const clock = new ShiftedClock();
    const broker = await EmbeddedBroker.open({ directory, clock, keptMessages: 100_000 });
    return new Scene(directory, EmbeddedEventStore.open({ directory, clock }), broker, choosy(broker));
  }

  private readonly checkpoints: Checkpoints = {
    load: (name) => this.marks.load(name),
    loadRanges: () => Promise.resolve([]),
    save: (name, position) => this.marks.save({ [name]: position }),
  };
  private readonly marks: Marks = {
    load: (name) => Promise.resolve(this.kept.get(name) ?? -1),
    save: (marks) => {
      for (const [name, position] of Object.entries(marks))
        this.kept.set(name, Math.max(position, this.kept.get(name) ?? -1));
      this.whenMarked(marks);
      return Promise.resolve();
    },
  };

  async happen(...facts: readonly Fact[]): Promise<void> {
    const timestamp = new Date(this.clock.nowMs()).toISOString();
    const metadata = { version: 1, tenantId: TENANT, timestamp };
    const appends = facts.map(({ stream, type, data }) => ({
      stream,
      events: [{ id: randomUUID(), type, data, metadata }],
    }));
    await appendAllNext(this.events, appends);
  }

  /** Makes a decision on the forwarder's stream, and appends the resulting events, as a command does. */
  async decide(decision: (state: State, now: Date) => readonly ForwarderEvent[]): Promise<void> {
    const { state, stream } = await this.reader.read(aggregate, 'platform', FORWARDER);
    await this.happen(...decision(state, new Date(this.clock.nowMs())).map((event) => ({ ...event, stream })));
  }

  async rewind(from: RewindStart): Promise<void> {
    const upTo = await this.events.head();
    await this.decide((state, now) => rewindForwarder(state, { from, upTo }, now));
  }

  resume(after: number | null): Promise<void> {
    return this.decide((state, now) => resumeForwarder(state, { after }, now));
  }

  async state(): Promise<State> {
    return (await this.reader.read(aggregate, 'platform', FORWARDER)).state;
  }

  forward({ restoreForward = 'wait', portion, known = catalogue }: Settings = {}): Forwarder {
    const { events, broker, marks, clock } = this;
    const warn = (_: object, message: string) => void this.warnings.push(message);
    const forwarder = new Forwarder({
      ...{ events, broker, catalogue: known, marks, clock, restoreForward, portion, logger: { ...silentLogger, warn } },
      checkpoints: this.checkpoints,
      report: (report) => this.decide((state, now) => noteForwarder(state, report, now)),
      park: (event: RecordedEvent) => {
        const failure = this.failParking();
        if (failure) return Promise.reject(failure);
        this.parked.push(event.type);
        return Promise.resolve();
      },
    });
    forwarder.start();
    this.started.push(forwarder);
    return forwarder;
  }

  /** Returns the messages stored by the broker, in order. */
  stored(): Promise<readonly Stored[]> {
    for (const message of messagesIn(this.directory, this.seen.at(-1)?.message.sequence))
      this.seen.push({ message, event: JSON.parse(message.payload) as CloudEvent });
    return Promise.resolve(this.seen);
  }

  /** Returns the messages about a record, in the broker's order. */
  async told(subject: string, isReplay = false): Promise<string[]> {
    const own = (await this.stored()).filter(({ event }) => event.subject === subject);
    return own.filter(({ event }) => (event.replayed ?? false) === isReplay).map(({ event }) => event.type);
  }

  async close(): Promise<void> {
    this.line.accept();
    this.failParking = () => undefined;
    await Promise.all(this.started.map((forwarder) => forwarder.stop()));
    await Promise.all([this.events.close(), this.broker.close()]);
    await rm(this.directory, { recursive: true });
  }
}

const inScene = async (work: (scene: Scene) => Promise<void>): Promise<void> => {
  const scene = await Scene.open();
  try {
    await work(scene);
  } finally {
    await scene.close();
  }
};

const isAbout = (event: 'accepted' | 'rejected', externalId: string, message: BrokerMessage): boolean => {
  const { type, subject } = JSON.parse(message.payload) as CloudEvent;
  return type === `kontor.sale.${event}.v1` && subject === idOf(externalId);
};
const whole = ['kontor.sale.accepted.v1', 'kontor.sale.rejected.v1', 'kontor.sale.booked.v1'];

describe('The events of a return', () => {
  /** A sale, and a return of that sale. The return was first rejected and then booked. */
  const history = [
    ...[accepted('S'), booked('S')],
    ...[accepted('R', 'S'), rejected('R'), returned('R', 'S'), accepted('last')],
  ];

  test.each(['accepted', 'rejected'] as const)('are in order even if a %s one is retried', (event) =>
    inScene(async (scene) => {
      scene.line.failNext((message) => isAbout(event, 'R', message));
      await scene.happen(...history);
      scene.forward();
      await until(async () => (await scene.told(idOf('R'))).length === 3);
      expect(await scene.told(idOf('R'))).toEqual(whole);
      expect(scene.parked).toEqual([]);
    }),
  );

  test('are also in order in a rewind', () =>
    inScene(async (scene) => {
      await scene.happen(...history);
      scene.forward();
      await until(async () => (await scene.told(idOf('last'))).length === 1);
      scene.line.failNext((message) => isAbout('accepted', 'R', message));
      await scene.rewind({ position: 0 });
      await until(async () => (await scene.told(idOf('R'), true)).length === 3);
      expect(await scene.told(idOf('R'), true)).toEqual(whole);
      expect(await scene.told(idOf('S'), true)).toEqual(['kontor.sale.accepted.v1', 'kontor.sale.booked.v1']);
    }));
});

const branches = (count: number, name = 'B'): Fact[] =>
  Array.from({ length: count }, (_, at) => opened(`${name}${at}`));
const again = async (scene: Scene): Promise<number> =>
  (await scene.stored()).filter(({ event }) => event.replayed).length;
/** Returns the codes of the published branches, in the broker's order. Replayed messages are marked `again`. */
const codes = async (scene: Scene): Promise<string[]> =>
  (await scene.stored()).map(
    ({ event }) => `${(event.data as { code: string }).code}${event.replayed ? ' again' : ''}`,
  );

describe('A rewind', () => {
  test('of five thousand events ends when the forwarder stops, and the next one continues it', () =>
    inScene(async (scene) => {
      await scene.happen(...branches(5_000));
      const first = scene.forward();
      await until(async () => (await scene.state()).isStarted);
      await scene.rewind({ position: 0 });
      await until(async () => (await again(scene)) > 500);
      const startedMs = performance.now();
      await first.stop();
      expect(performance.now() - startedMs).toBeLessThan(2_000);
      expect(await again(scene)).toBeLessThan(5_000);
      expect(scene.parked).toEqual([]);
      const reached = [...scene.kept].filter(([name]) => name.startsWith('rewind.'));
      expect(reached.map(([, position]) => position > 0)).toEqual([true, true]);
      scene.forward();
      await until(async () => (await scene.state()).lastRewind !== null);
      expect(await again(scene)).toBe(5_000);
      expect((await scene.state()).lastRewind).toMatchObject({
        published: 5_000,
        endedAt: expect.any(String) as string,
      });
    }));

  test('continues once a rejected message can be parked', () =>
    inScene(async (scene) => {
      await scene.happen(...branches(3));
      scene.forward();
      await until(async () => (await scene.stored()).length === 3);
      let failures = 3;
      // An error from another thread arrives without its original class.
      scene.failParking = () => ((failures -= 1) >= 0 ? new Error('the event store is away') : undefined);
      scene.line.refuse(({ payload }) => payload.includes('"B1"'));
      await scene.rewind({ position: 0 });
      await until(async () => (await scene.state()).lastRewind !== null);
      expect(await again(scene)).toBe(2);
      expect(scene.parked).toEqual(['BranchCreated']);
    }));

  test('gives priority to live messages', () =>
    inScene(async (scene) => {
      await scene.happen(...branches(4_000));
      const forwarder = scene.forward();
      const head = await scene.events.head();
      await until(() => forwarder.position >= head);
      await scene.rewind({ position: 0 });
      await until(async () => (await again(scene)) > 100);
      await scene.happen(...branches(20, 'live'));
      await until(async () => (await again(scene)) === 4_000);
      const order = await codes(scene);
      expect(order.lastIndexOf('live19')).toBeLessThan(order.indexOf('B2000 again'));
    }));

  test('that is cancelled ends, and the next one starts', () =>
    inScene(async (scene) => {
      await scene.happen(...branches(5_000));
      scene.forward();
      await until(async () => (await scene.stored()).length === 5_000);
      // The broker accepts only some of the first rewind's messages, so the rewind cannot finish.
      const limit = scene.line.attempts + 1_000;
      scene.line.letThrough(({ payload }) => scene.line.attempts < limit || payload.includes('"after"'));
      await scene.rewind({ position: 0 });
      await until(() => Promise.resolve(scene.line.attempts >= limit));
      await scene.decide((state, now) => cancelRewinds(state, {}, now));
      await scene.happen(opened('after'));
      const { position = 0 } = (await scene.events.readAll({ direction: 'backwards', maxCount: 1 }))[0] ?? {};
      await scene.rewind({ position });
      await until(async () => (await scene.state()).lastRewind?.published === 1);
      expect(await again(scene)).toBeLessThan(5_000);
      expect(await codes(scene)).toContain('after again');
    }));

  test('excludes events recorded after its request, and rewinds completed by earlier versions', () =>
    inScene(async (scene) => {
      await scene.happen(opened('before'));
      const stream = streamName('forwarder', 'platform', FORWARDER);
      await scene.happen({ stream, type: 'ForwarderRewindRequested', data: { from: { position: 0 } } });
      await scene.rewind({ instant: '2026-01-01T00:00:00.000Z' });
      await scene.happen(opened('later'));
      scene.forward();
      await until(async () => (await scene.state()).lastRewind !== null);
      await until(async () => (await scene.stored()).length === 3);
      expect((await codes(scene)).sort()).toEqual(['before', 'before again', 'later']);
    }));
});

describe('A leader of an older release', () => {
  test('waits at an event of a newer version, and the next leader publishes the record in order', () =>
    inScene(async (scene) => {
      await scene.happen(opened('before'));
      await scene.happen(accepted('s1'), rejected('s1'), opened('other'));
      const older = scene.forward({ known: earlierCatalogue });
      await until(async () => (await codes(scene)).includes('other'));
      await until(() => scene.warnings.includes('retrying an event'));
      expect([older.position, scene.parked, await scene.told(idOf('s1'))]).toEqual([0, [], []]);
      await older.stop();
      const newer = scene.forward();
      await until(async () => newer.position >= (await scene.events.head()));
      expect(await scene.told(idOf('s1'))).toEqual(whole.slice(0, 2));
      expect(scene.parked).toEqual([]);
    }));

  test('waits in a rewind, which the next leader completes', () =>
    inScene(async (scene) => {
      await scene.happen(accepted('s1'), rejected('s1'));
      const first = scene.forward();
      await until(async () => (await scene.told(idOf('s1'))).length === 2);
      await first.stop();
      await scene.rewind({ position: 0 });
      const older = scene.forward({ known: earlierCatalogue });
      await until(() => scene.warnings.length > 0);
      expect([scene.parked, (await scene.state()).lastRewind]).toEqual([[], null]);
      await older.stop();
      scene.forward();
      await until(async () => (await scene.state()).lastRewind !== null);
      expect(await scene.told(idOf('s1'), true)).toEqual(whole.slice(0, 2));
      expect(scene.parked).toEqual([]);
    }));
});

test('Two concurrent forwarders publish everything once, and repeat it once in a rewind', () =>
  inScene(async (scene) => {
    await scene.happen(...branches(300));
    scene.forward();
    await until(async () => (await scene.stored()).length > 0);
    scene.forward();
    await until(async () => (await scene.stored()).length === 300);
    await scene.rewind({ position: 0 });
    await scene.happen(...branches(20, 'live'));
    await until(async () => (await scene.state()).lastRewind !== null);
    await until(async () => (await scene.stored()).length === 620);
    expect(await again(scene)).toBe(300);
    const ids = (await scene.stored()).map(({ message }) => message.id);
    expect(new Set(ids).size).toBe(620);
  }));

const HOUR_MS = 60 * 60_000;

describe('A forwarder without a checkpoint', () => {
  /** Creates a history that has been forwarded, but for which there is no checkpoint. */
  const restored = async (scene: Scene): Promise<void> => {
    await scene.happen(...branches(3));
    const first = scene.forward();
    await until(async () => (await scene.stored()).length === 3);
    await first.stop();
    scene.kept.clear();
    scene.clock.pass(HOUR_MS);
  };
  const waits = async (scene: Scene): Promise<void> => {
    await until(async () => (await scene.state()).pause?.reason === 'CHECKPOINT_MISSING');
  };

  test('waits for resume after a restore, across restarts, and continues from now', () =>
    inScene(async (scene) => {
      await restored(scene);
      const first = scene.forward();
      await waits(scene);
      expect(scene.warnings).toEqual([expect.stringContaining('until it is resumed')]);
      await first.stop();
      await scene.happen(opened('while it waits'));
      scene.forward();
      await scene.resume(await scene.events.head());
      await scene.happen(opened('new'));
      await until(async () => (await scene.stored()).length === 4);
      expect(await codes(scene)).toEqual(['B0', 'B1', 'B2', 'new']);
    }));

  test('marks messages from a position of the restored history, and none that are newer', () =>
    inScene(async (scene) => {
      await restored(scene);
      const [, second] = await scene.events.readAll({ filter: { on: 'type', prefixes: ['BranchCreated'] } });
      scene.forward();
      await waits(scene);
      await scene.happen(opened('while it waits'));
      scene.clock.pass(HOUR_MS);
      await scene.resume((second?.position ?? 0) - 1);
      await until(async () => (await scene.stored()).length === 6);
      expect(await codes(scene)).toEqual(['B0', 'B1', 'B2', 'B1 again', 'B2 again', 'while it waits']);
      expect((await scene.stored())[3]?.message.id).toBe(`${second?.id ?? ''}~retry`);
    }));

  test('publishes everything unmarked if the settings require it', () =>
    inScene(async (scene) => {
      await restored(scene);
      await scene.decide((state, now) => pauseForwarder(state, {}, now));
      const before = (await scene.stored()).length;
      scene.forward({ restoreForward: 'all' });
      await scene.happen(opened('new'));
      // The embedded broker still has the message ids of the other events, so it stores only one more message.
      await until(async () => (await scene.stored()).length === before + 1);
      expect(await codes(scene)).toEqual(['B0', 'B1', 'B2', 'new']);
      expect(scene.line.attempts).toBeGreaterThanOrEqual(7);
    }));

  test('does not wait in a new installation', () =>
    inScene(async (scene) => {
      await scene.happen(...branches(2));
      scene.forward();
      await until(async () => (await scene.stored()).length === 2);
      expect(await scene.state()).toMatchObject({ isStarted: true, pause: null });
    }));

  test('does not wait after an upgrade, which has a checkpoint', () =>
    inScene(async (scene) => {
      await scene.happen(...branches(2));
      scene.clock.pass(2 * HOUR_MS);
      const [first] = await scene.events.readAll({ maxCount: 1 });
      scene.kept.set(FORWARDER, first?.position ?? 0);
      await scene.happen(opened('new'));
      scene.forward();
      await until(async () => (await scene.stored()).length === 2);
      expect((await codes(scene)).sort()).toEqual(['B1 again', 'new']);
      expect(await scene.state()).toMatchObject({ isStarted: true, pause: null });
    }));

  test('waits if an earlier version recorded the history long ago', () =>
    inScene(async (scene) => {
      await scene.happen(...branches(2));
      scene.clock.pass(2 * HOUR_MS);
      scene.forward();
      await waits(scene);
      expect(await scene.stored()).toEqual([]);
    }));
});

test.each([
  ['transactions', 'none'],
  ['ids', [{ id: 5, reversalOf: null }]],
])('An event without readable %s is parked, live and in a rewind, and later events are published', (_, transactions) =>
  inScene(async (scene) => {
    // The service itself never appends an event with such transactions.
    await scene.happen({ ...booked('S'), data: { ...booking, transactions } }, opened('after'));
    scene.forward();
    await until(async () => (await scene.stored()).length === 1);
    await scene.rewind({ position: 0 });
    await until(async () => (await scene.state()).lastRewind !== null);
    expect(await codes(scene)).toEqual(['after', 'after again']);
    expect(scene.parked).toEqual(['SaleBooked', 'SaleBooked']);
  }),
);

describe('A paused forwarder', () => {
  test('publishes nothing, and resumes where it was', () =>
    inScene(async (scene) => {
      const forwarder = scene.forward();
      await scene.happen(opened('first'));
      await until(async () => (await scene.stored()).length === 1);
      await scene.decide((state, now) => pauseForwarder(state, {}, now));
      await until(() => forwarder.position === -1);
      await scene.happen(opened('second'));
      await scene.rewind({ position: 0 });
      scene.clock.pass(10 * 60_000);
      await scene.resume(null);
      await until(async () => (await scene.state()).lastRewind !== null);
      await until(async () => (await scene.stored()).length === 3 + 1);
      expect((await codes(scene)).sort()).toEqual(['first', 'first again', 'second', 'second again']);
    }));
});

describe('A message that may have been stored', () => {
  const OUTAGE_MS = 3 * 60_000;

  test('is marked if the response was lost and the broker was unavailable beyond its duplicate window', () =>
    inScene(async (scene) => {
      scene.forward();
      scene.line.loseAnswers();
      await scene.happen(opened('lost'));
      await until(async () => (await scene.stored()).length === 1);
      scene.line.goAway();
      scene.clock.pass(OUTAGE_MS);
      scene.line.accept();
      await until(async () => (await scene.stored()).length === 2);
      expect(await codes(scene)).toEqual(['lost', 'lost again']);
      const [first, second] = await scene.stored();
      expect([second?.event.id, second?.message.id]).toEqual([first?.event.id, `${first?.message.id ?? ''}~retry`]);
    }));

  test('is deduplicated by its id if the broker recovers soon', () =>
    inScene(async (scene) => {
      scene.forward();
      scene.line.loseAnswers();
      await scene.happen(opened('lost'));
      await until(async () => (await scene.stored()).length === 1);
      scene.line.accept();
      await scene.happen(opened('next'));
      await until(async () => (await scene.stored()).length === 2);
      expect(await codes(scene)).toEqual(['lost', 'next']);
    }));

  test('is not one that was never sent, even after a long outage of the broker', () =>
    inScene(async (scene) => {
      scene.line.refuseConnection();
      scene.forward();
      await scene.happen(...branches(3));
      await until(() => scene.line.attempts > 3);
      scene.clock.pass(OUTAGE_MS);
      scene.line.accept();
      await until(async () => (await scene.stored()).length === 3);
      expect((await codes(scene)).sort()).toEqual(['B0', 'B1', 'B2']);
    }));

  test('is marked after a crash beyond the duplicate window, but later messages are not', () =>
    inScene(async (scene) => {
      const first = scene.forward();
      await scene.happen(opened('before'));
      await until(() => (scene.kept.get(FORWARDER) ?? -1) > 0);
      const kept = new Map(scene.kept);
      await scene.happen(...branches(2));
      await until(async () => (await scene.stored()).length === 3);
      await first.stop();
      scene.kept.clear();
      for (const [name, position] of kept) scene.kept.set(name, position);
      scene.clock.pass(OUTAGE_MS);
      await scene.happen(opened('meanwhile'));
      scene.clock.pass(OUTAGE_MS);
      scene.forward();
      await until(async () => (await scene.stored()).length === 6);
      expect((await codes(scene)).sort()).toEqual(['B0', 'B0 again', 'B1', 'B1 again', 'before', 'meanwhile']);
    }));
});

describe('A leader that is suspended', () => {
  /** Time for which a suspended leader's heartbeat remains out of date after the leader has resumed. */
  const STALE_MS = 100;

  /** Records, for each message, whether the leader's heartbeat was recent when the message was passed to the broker. */
  const watched = (scene: Scene) => {
    const leader = { isFresh: true, handed: [] as boolean[] };
    scene.line.refuse(() => {
      leader.handed.push(leader.isFresh);
      return false;
    });
    const portion: LedPortion = { ...WHOLE, isFresh: () => leader.isFresh };
    const suspend = (): void => {
      leader.isFresh = false;
      void scene.clock.sleep(STALE_MS).then(() => (leader.isFresh = true));
    };
    return { leader, portion, suspend };
  };

  test('while it saves a mark publishes the event only after its next heartbeat', () =>
    inScene(async (scene) => {
      const { leader, portion, suspend } = watched(scene);
      await scene.happen(...branches(2));
      scene.clock.pass(10_000);
      scene.whenMarked = (marks) => {
        if (Object.values(marks).some((position) => position > 0)) suspend();
      };
      scene.forward({ portion });
      await until(async () => (await scene.stored()).length === 2);
      expect(leader.handed).toEqual([true, true]);
    }));

  test('continues a rewind only after its next heartbeat', () =>
    inScene(async (scene) => {
      const { leader, portion, suspend } = watched(scene);
      await scene.happen(...branches(50));
      scene.forward({ portion });
      await until(async () => (await scene.stored()).length === 50);
      suspend();
      await scene.rewind({ position: 0 });
      await until(async () => (await again(scene)) === 50);
      expect(leader.handed).toEqual(Array.from({ length: 100 }, () => true));
    }));
});
