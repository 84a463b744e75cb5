import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EmbeddedBroker } from '../../src/adapters/embedded/broker.js';
import { EmbeddedEventStore } from '../../src/adapters/embedded/event-store.js';
import { SystemClock } from '../../src/adapters/system-time.js';
import type { RewindStart } from '../../src/aggregates/forwarder.aggregate.js';
import { saleId } from '../../src/aggregates/sale-payload.js';
import { catalogue } from '../../src/catalogue.js';
import type { CloudEvent } from '../../src/integration/cloud-event.js';
import { createForwarder } from '../../src/integration/forwarder.js';
import { streamName } from '../../src/platform/stream-name.js';
import type { Checkpoints, WindowedSubscriber } from '../../src/platform/windowed-subscriber.js';
import { silentLogger } from '../../src/ports/log.js';
import type { BrokerMessage } from '../../src/ports/broker.js';
import type { RecordedEvent } from '../../src/ports/event-store.js';
import { choosy } from '../support/choosy-broker.js';
import { eventually } from '../support/eventually.js';

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
const rewound = (from: RewindStart): Fact => ({
  stream: streamName('forwarder', 'platform', 'integration-events'),
  type: 'ForwarderRewindRequested',
  data: { from },
});

class Scene {
  readonly clock = new SystemClock();
  /** Types of the events that were parked. */
  readonly parked: string[] = [];
  /** As long as it fails nothing can be parked. */
  failParking: () => Error | undefined = () => undefined;
  private checkpoint = -1;
  private readonly started: WindowedSubscriber[] = [];

  private constructor(
    private readonly directory: string,
    readonly events: EmbeddedEventStore,
    readonly broker: EmbeddedBroker,
    readonly line: ReturnType<typeof choosy>,
  ) {}

  static async open(): Promise<Scene> {
    const directory = await mkdtemp(join(tmpdir(), 'kontor-forwarder-'));
    const clock = new SystemClock();
    const broker = await EmbeddedBroker.open({ directory, clock, keptMessages: 100_000 });
    return new Scene(directory, EmbeddedEventStore.open({ directory, clock }), broker, choosy(broker));
  }

  private readonly checkpoints: Checkpoints = {
    load: () => Promise.resolve(this.checkpoint),
    save: (_, position) => {
      this.checkpoint = position;
      return Promise.resolve();
    },
  };

  async happen(...facts: readonly Fact[]): Promise<void> {
    const metadata = { version: 1, tenantId: TENANT, timestamp: '2026-03-04T10:00:00.000Z' };
    const appends = facts.map(({ stream, type, data }) => ({
      stream,
      expected: 'any' as const,
      events: [{ id: randomUUID(), type, data, metadata }],
    }));
    await this.events.appendInOrder(appends);
  }

  async forward(): Promise<WindowedSubscriber> {
    const { events, broker, checkpoints, clock } = this;
    const forwarder = createForwarder({
      ...{ events, broker, catalogue, checkpoints, clock, logger: silentLogger },
      park: (event: RecordedEvent) => {
        const failure = this.failParking();
        if (failure) return Promise.reject(failure);
        this.parked.push(event.type);
        return Promise.resolve();
      },
    });
    await forwarder.start();
    this.started.push(forwarder);
    return forwarder;
  }

  /** What the broker has stored, in its order. */
  async stored(): Promise<{ readonly message: BrokerMessage; readonly event: CloudEvent }[]> {
    const messages = await this.broker.browse({ after: 0, limit: 100_000 });
    return messages.map((message) => ({ message, event: JSON.parse(message.payload) as CloudEvent }));
  }

  /** What was said of a record, in the broker's order. */
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

describe('What is told about a return', () => {
  /** A sale, and a return that was rejected first and then booked on that sale. */
  const history = [
    ...[accepted('S'), booked('S')],
    ...[accepted('R', 'S'), rejected('R'), returned('R', 'S'), accepted('last')],
  ];

  test.each(['accepted', 'rejected'] as const)(
    'comes in its order also when that it was %s has to be tried again',
    (event) =>
      inScene(async (scene) => {
        scene.line.failNext((message) => isAbout(event, 'R', message));
        await scene.happen(...history);
        await scene.forward();
        await until(async () => (await scene.told(idOf('R'))).length === 3);
        expect(await scene.told(idOf('R'))).toEqual(whole);
        expect(scene.parked).toEqual([]);
      }),
  );

  test('comes in its order in a rewind, too', () =>
    inScene(async (scene) => {
      await scene.happen(...history);
      await scene.forward();
      await until(async () => (await scene.told(idOf('last'))).length === 1);
      scene.line.failNext((message) => isAbout('accepted', 'R', message));
      await scene.happen(rewound({ position: 0 }));
      await until(async () => (await scene.told(idOf('R'), true)).length === 3);
      expect(await scene.told(idOf('R'), true)).toEqual(whole);
      expect(await scene.told(idOf('S'), true)).toEqual(['kontor.sale.accepted.v1', 'kontor.sale.booked.v1']);
    }));
});

describe('A rewind', () => {
  const branches = (count: number): Fact[] => Array.from({ length: count }, (_, at) => opened(`B${at}`));
  const again = async (scene: Scene): Promise<number> =>
    (await scene.stored()).filter(({ event }) => event.replayed).length;

  test(
    'of ten thousand events ends at once when the forwarder stops, and is done by the next one',
    () =>
      inScene(async (scene) => {
        await scene.happen(...branches(10_000));
        await scene.happen(rewound({ position: 0 }));
        const first = await scene.forward();
        await until(async () => (await again(scene)) > 0);
        const startedMs = performance.now();
        await first.stop();
        expect(performance.now() - startedMs).toBeLessThan(2_000);
        expect(await again(scene)).toBeLessThan(10_000);
        expect(scene.parked).toEqual([]);
        await scene.forward();
        await until(async () => (await again(scene)) === 10_000);
      }),
    60_000,
  );

  test('goes on when what the broker refuses could not be parked at once', () =>
    inScene(async (scene) => {
      await scene.happen(...branches(3));
      const forwarder = await scene.forward();
      await until(async () => (await scene.stored()).length === 3);
      let failures = 3;
      // As it arrives from another thread: without what it was.
      scene.failParking = () => ((failures -= 1) >= 0 ? new Error('the event store is away') : undefined);
      scene.line.refuse(({ payload }) => payload.includes('"B1"'));
      await scene.happen(rewound({ position: 0 }));
      const head = await scene.events.head();
      await until(() => forwarder.position === head);
      expect(await again(scene)).toBe(2);
      expect(scene.parked).toEqual(['BranchCreated']);
    }));
});
