import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join as pathOf } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import { EmbeddedBroker } from '../../src/adapters/embedded/broker.js';
import { EmbeddedEventStore } from '../../src/adapters/embedded/event-store.js';
import { EmbeddedReadStore } from '../../src/adapters/embedded/read-store.js';
import { NewerEvent, UnknownEvent, type Recorded } from '../../src/eventsourcing/event-catalogue.js';
import { silentLogger, type Logger } from '../../src/ports/log.js';
import { QueueMeter } from '../../src/observability/queue-meters.js';
import { checkpointsIn, subscriberKey, type Checkpoints } from '../../src/projecting/checkpoints.js';
import { WindowedSubscriber, type WindowedOptions } from '../../src/projecting/windowed-subscriber.js';
import { BrokerUnavailable } from '../../src/ports/broker.js';
import type { RecordedEvent } from '../../src/ports/event-store.js';
import { portionOf, RANGES, rangeOf } from '../../src/eventsourcing/ranges.js';
import { catalogue, facts, happen, newerCatalogue } from '../support/club.toy.js';
import { FaultyEventStore } from '../support/faulty-event-store.js';
import { FaultyReadStore } from '../support/faulty-read-store.js';
import { ManualClock } from '../support/manual-clock.js';
import { until } from '../support/while-time-passes.js';
import { TENANT } from '../support/member.toy.js';
import { messagesIn } from '../support/stored-messages.js';

class Away extends Error {}

/** Records which events are handled, and can delay the handlers. */
class Desk {
  readonly begun: string[] = [];
  readonly done: string[] = [];
  readonly parked: string[] = [];
  /** Handlers of these events wait until they are released. */
  private readonly doors = new Map<string, { opened: Promise<void>; open: () => void }>();
  most = 0;
  private atWork = 0;

  hold(...labels: readonly string[]): void {
    for (const label of labels) {
      let open: () => void = () => undefined;
      const opened = new Promise<void>((resolve) => (open = resolve));
      this.doors.set(label, { opened, open });
    }
  }

  release(...labels: readonly string[]): void {
    for (const label of labels) this.doors.get(label)?.open();
  }

  async handle(event: Recorded): Promise<void> {
    const label = labelOf(event);
    this.begun.push(label);
    this.atWork += 1;
    this.most = Math.max(this.most, this.atWork);
    await this.doors.get(label)?.opened;
    await nextTurn();
    this.atWork -= 1;
    this.done.push(label);
  }
}

/** Returns the label of an event: `ada-2` is the event with revision 2 in the stream of the member `ada`. */
const labelOf = ({ stream, revision }: { stream: string; revision: number }): string =>
  `${stream.slice(stream.indexOf('_') + 1)}-${revision}`;

class Scene {
  readonly clock = new ManualClock();
  readonly desk = new Desk();
  readonly warnings: string[] = [];
  private readonly started = new Set<WindowedSubscriber>();

  private constructor(
    readonly directory: string,
    readonly events: FaultyEventStore,
    readonly reads: FaultyReadStore,
  ) {}

  static async open(): Promise<Scene> {
    const directory = await mkdtemp(pathOf(tmpdir(), 'kontor-subscriber-'));
    const events = new FaultyEventStore(EmbeddedEventStore.open({ directory, clock: new ManualClock() }));
    const reads = new FaultyReadStore(await EmbeddedReadStore.open({ directory, mode: 'readwrite' }));
    return new Scene(directory, events, reads);
  }

  get checkpoints(): Checkpoints {
    return checkpointsIn(this.reads);
  }

  saved(): Promise<number> {
    return this.reads.inner.checkpoint(subscriberKey('desk'));
  }

  async start(
    options: Partial<WindowedOptions> = {},
    desk = this.desk,
    known = catalogue,
  ): Promise<WindowedSubscriber> {
    const logger: Logger = { ...silentLogger, warn: (_, message) => void this.warnings.push(message) };
    const subscriber = new WindowedSubscriber(this.events, known, this.checkpoints, this.clock, logger, {
      name: 'desk',
      filter: { on: 'stream', prefixes: ['member-'] },
      handle: (event) => desk.handle(event),
      isTransient: (error) => error instanceof Away || error instanceof BrokerUnavailable,
      park: (event) => {
        desk.parked.push(labelOf(event));
        return Promise.resolve();
      },
      ...options,
    });
    await subscriber.start();
    this.started.add(subscriber);
    return subscriber;
  }

  until(condition: () => boolean | Promise<boolean>): Promise<void> {
    return until(this.clock, condition);
  }

  async turns(count = 20): Promise<void> {
    for (let turn = 0; turn < count; turn += 1) await nextTurn();
  }

  async close(): Promise<void> {
    this.events.away = this.reads.away = false;
    await Promise.all([...this.started].map((subscriber) => subscriber.stop()));
    await Promise.all([this.events.close(), this.reads.close()]);
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

const greetings = (who: string, count: number) => Array.from({ length: count }, (_, at) => facts.greeted(who, `${at}`));

describe('A windowed subscriber', () => {
  test('counts settled events as handled without handling or pacing them, and its checkpoint passes them', () =>
    inScene(async (scene) => {
      const meter = new QueueMeter('desk', 'policy', scene.clock);
      const paced: string[] = [];
      const last = await happen(scene.events, ...greetings('ada', 2), ...greetings('bob', 2));
      await scene.start({
        meter,
        isSettled: ({ stream }) => stream.endsWith('ada'),
        pace: (event) => {
          paced.push(labelOf(event));
          return Promise.resolve();
        },
      });
      await scene.until(async () => (await scene.saved()) === last);
      expect([scene.desk.done, paced]).toEqual([
        ['bob-0', 'bob-1'],
        ['bob-0', 'bob-1'],
      ]);
      expect(meter.read()).toMatchObject({ handled: 4, position: last, isIdle: true });
    }));

  test('measures events in progress, handled and failed, and reports nothing while the subscription is down', () =>
    inScene(async (scene) => {
      const meter = new QueueMeter('desk', 'policy', scene.clock);
      scene.desk.hold('ada-1');
      await happen(scene.events, ...greetings('ada', 3));
      const subscriber = await scene.start({ meter });
      await scene.until(() => scene.desk.begun.includes('ada-1'));
      await scene.until(() => meter.read().inFlight === 2);
      expect(meter.read()).toMatchObject({ handled: 1, isIdle: false, perMinute: 1 });
      scene.desk.release('ada-1');
      await scene.until(() => meter.read().isIdle);
      const head = await scene.events.head();
      expect(meter.read()).toMatchObject({ handled: 3, inFlight: 0, position: head, failures: 0 });

      await happen(scene.events, facts.opened('red', 1));
      await scene.until(() => meter.read().position > head);
      expect(meter.read()).toMatchObject({ handled: 3, isIdle: true });

      scene.events.away = true;
      await happen(scene.events.inner, ...greetings('bea', 1));
      await scene.until(() => !meter.read().isIdle);
      scene.events.away = false;
      await scene.until(() => meter.read().isIdle && meter.read().handled === 4);
      await subscriber.stop();
      expect(meter.isBegun).toBe(false);
    }));

  test('is not idle while an event waits to be handled', () =>
    inScene(async (scene) => {
      const meter = new QueueMeter('desk', 'policy', scene.clock);
      const waiting: (() => void)[] = [];
      await happen(scene.events, facts.opened('red', 1));
      await scene.start({ meter, pace: () => new Promise<void>((resolve) => waiting.push(resolve)) });
      await scene.until(() => meter.read().isIdle);
      await happen(scene.events, ...greetings('ada', 1));
      await scene.until(() => waiting.length === 1);
      const whileItWaits = meter.read();
      waiting[0]?.();
      expect(whileItWaits).toMatchObject({ isIdle: false, handled: 0 });
      await scene.until(() => meter.read().isIdle);
      expect(meter.read()).toMatchObject({ handled: 1 });
    }));

  test('meters every failed attempt', () =>
    inScene(async (scene) => {
      const meter = new QueueMeter('desk', 'policy', scene.clock);
      let left = 2;
      await happen(scene.events, ...greetings('ada', 1));
      await scene.start({
        meter,
        handle: (event) => {
          left -= 1;
          return left >= 0 ? Promise.reject(new Away()) : scene.desk.handle(event);
        },
      });
      await scene.until(() => scene.desk.done.length === 1 && meter.read().inFlight === 0);
      expect(meter.read()).toMatchObject({ failures: 2, handled: 1 });
    }));

  test('handles stored and new events, each once', () =>
    inScene(async (scene) => {
      await happen(scene.events, ...greetings('ada', 2));
      await scene.start();
      await scene.until(() => scene.desk.done.length === 2);
      await happen(scene.events, facts.opened('red', 1), ...greetings('ada', 1));
      await scene.until(() => scene.desk.done.length === 3);
      await scene.turns();
      expect(scene.desk.done).toEqual(['ada-0', 'ada-1', 'ada-2']);
    }));

  test('handles the events of one stream in order, and those of others concurrently', () =>
    inScene(async (scene) => {
      const { desk, events } = scene;
      desk.hold('ada-0');
      await happen(events, ...greetings('ada', 3), ...greetings('eve', 3));
      await scene.start();
      await scene.until(() => desk.done.length === 3);
      await scene.turns();
      expect(desk.begun).toEqual(['ada-0', 'eve-0', 'eve-1', 'eve-2']);
      desk.release('ada-0');
      await scene.until(() => desk.done.length === 6);
      expect(desk.done.slice(3)).toEqual(['ada-0', 'ada-1', 'ada-2']);
    }));

  test('limits the number of events in progress', () =>
    inScene(async (scene) => {
      const { desk, events } = scene;
      await happen(events, ...Array.from({ length: 40 }, (_, at) => facts.joined(`m${at}`)));
      desk.hold('m0-0', 'm1-0', 'm2-0', 'm3-0');
      const subscriber = await scene.start({ maxInFlight: 4 });
      await scene.until(() => desk.begun.length === 4);
      await scene.turns();
      expect([desk.begun.length, subscriber.inFlight]).toEqual([4, 4]);
      desk.release('m2-0');
      await scene.until(() => desk.begun.length >= 5);
      desk.release('m0-0', 'm1-0', 'm3-0');
      await scene.until(() => desk.done.length === 40);
      expect(desk.most).toBe(4);
    }));

  test('never advances its checkpoint past an unfinished event', () =>
    inScene(async (scene) => {
      const { desk, events, clock } = scene;
      desk.hold('b-0');
      await happen(events, facts.joined('a'), facts.joined('b'), facts.joined('c'), facts.opened('red', 1));
      const subscriber = await scene.start();
      await scene.until(() => desk.done.length === 2);
      await clock.advance(1_000);
      await scene.turns();
      expect([subscriber.position, await scene.saved()]).toEqual([0, 0]);
      desk.release('b-0');
      await scene.until(async () => (await scene.saved()) === 3);
      expect(subscriber.position).toBe(3);
    }));

  test('saves only positions given by the store, since others may not exist', () =>
    inScene(async (scene) => {
      const { desk, events } = scene;
      desk.hold('b-0');
      await happen(events, facts.joined('a'), facts.opened('red', 1), facts.opened('blue', 1), facts.joined('b'));
      const subscriber = await scene.start();
      await scene.until(() => desk.begun.includes('b-0') && desk.done.length === 1);
      expect(subscriber.position).toBe(0);
      desk.release('b-0');
      await scene.until(async () => (await scene.saved()) === 3);
    }));

  test('advances its checkpoint even if no event matches', () =>
    inScene(async (scene) => {
      const subscriber = await scene.start();
      const position = await happen(scene.events, facts.opened('red', 1), facts.opened('blue', 1));
      await scene.until(async () => (await scene.saved()) === position);
      expect(subscriber.position).toBe(position);
    }));

  test('stores a checkpoint that passes only events of other processes once per second', () =>
    inScene(async (scene) => {
      const portion = { ...portionOf([(rangeOf(TENANT) + 1) % RANGES]), isFresh: () => true };
      const subscriber = await scene.start({ portion });
      let position = await happen(scene.events, facts.joined('ada'));
      await scene.until(() => subscriber.position === position);
      await scene.clock.advance(1_000);
      const before = scene.reads.writes;
      for (let n = 0; n < 8; n += 1) {
        position = await happen(scene.events, facts.greeted('ada', 'kim'));
        await scene.turns();
        await scene.clock.advance(100);
      }
      expect(scene.reads.writes).toBe(before);
      await scene.until(() => scene.reads.writes > before);
      expect(subscriber.position).toBe(position);
    }));

  test('stores a checkpoint once per second while events keep arriving, and soon after they stop', () =>
    inScene(async (scene) => {
      const range = rangeOf(TENANT);
      const portion = { ...portionOf([range]), isFresh: () => true };
      const saved = async () => (await scene.checkpoints.loadRanges('desk', [range]))[0];
      await scene.start({ portion });
      let position = await happen(scene.events, facts.joined('ada'));
      await scene.until(async () => (await saved()) === position);
      const before = scene.reads.writes;
      for (let n = 0; n < 18; n += 1) {
        position = await happen(scene.events, facts.greeted('ada', 'kim'));
        await scene.turns();
        await scene.clock.advance(100);
      }
      expect(scene.reads.writes - before).toBeLessThanOrEqual(2);
      const stoppedAtMs = scene.clock.monotonicMs();
      await scene.until(async () => (await saved()) === position);
      expect(scene.clock.monotonicMs() - stoppedAtMs).toBeLessThanOrEqual(400);
    }));

  describe('when handling fails', () => {
    /** Returns a handler that fails for each event as often as `times` specifies. */
    const failing = (desk: Desk, times: Record<string, number>, make: () => Error) => async (event: Recorded) => {
      const label = labelOf(event);
      const left = times[label] ?? 0;
      times[label] = left - 1;
      if (left > 0) throw make();
      await desk.handle(event);
    };

    test('temporarily, retries with growing pauses, and then does the rest of that stream', () =>
      inScene(async (scene) => {
        const { desk, events, clock } = scene;
        await happen(events, ...greetings('ada', 2), facts.joined('eve'));
        const handle = failing(desk, { 'ada-0': 6 }, () => new Away());
        await scene.start({ handle });
        await scene.until(() => desk.done.length === 3);
        expect(desk.done).toEqual(['eve-0', 'ada-0', 'ada-1']);
        expect(desk.parked).toEqual([]);
        // The pauses are 50, 100, … 1,600 ms, each shortened by at most half.
        expect(clock.monotonicMs()).toBeGreaterThanOrEqual(1_575);
        expect(clock.monotonicMs()).toBeLessThan(4_000);
      }));

    test('temporarily, logs the same error at most every ten seconds, however many events fail', () =>
      inScene(async (scene) => {
        const { clock, desk, events, warnings } = scene;
        const names = ['ada', 'bob', 'eve'];
        await happen(events, ...names.map((name) => facts.joined(name)));
        let failure: Error | undefined = new Away('no broker');
        await scene.start({ handle: (event) => (failure ? Promise.reject(failure) : desk.handle(event)) });
        await scene.until(() => warnings.length > 0);
        await clock.advance(9_000);
        expect(warnings).toEqual(['retrying an event']);
        await clock.advance(13_000);
        expect(warnings).toHaveLength(3);
        failure = new Away('the broker is full');
        await clock.advance(2_000);
        expect(warnings).toHaveLength(4);
        failure = undefined;
        await scene.until(() => desk.done.length === names.length);
      }));

    test('permanently, parks the event and passes it, even if others of its stream follow', () =>
      inScene(async (scene) => {
        const { desk, events } = scene;
        const last = await happen(events, ...greetings('ada', 2), facts.joined('eve'));
        await scene.start({ handle: failing(desk, { 'ada-0': 99 }, () => new Error('Never')) });
        await scene.until(async () => (await scene.saved()) === last);
        expect(desk.parked).toEqual(['ada-0']);
        expect(desk.done.sort()).toEqual(['ada-1', 'eve-0']);
      }));

    test('first temporarily and then permanently, parks it with the later reason', () =>
      inScene(async (scene) => {
        const reasons: unknown[] = [];
        await happen(scene.events, facts.joined('ada'));
        let tries = 0;
        const handle = () => {
          tries += 1;
          return Promise.reject(tries < 3 ? new Away() : new Error('Never'));
        };
        const park = (_: RecordedEvent, error: unknown) => Promise.resolve(void reasons.push(error));
        await scene.start({ handle, park });
        await scene.until(() => reasons.length > 0);
        expect([tries, reasons]).toEqual([3, [new Error('Never')]]);
      }));

    test('and the event cannot be parked, waits until it can', () =>
      inScene(async (scene) => {
        const { desk, events, clock } = scene;
        await happen(events, facts.joined('ada'), facts.joined('eve'));
        let away = true;
        const park = (event: RecordedEvent) => {
          if (away) return Promise.reject(new Away());
          desk.parked.push(labelOf(event));
          return Promise.resolve();
        };
        const subscriber = await scene.start({ handle: failing(desk, { 'ada-0': 1 }, () => new Error('Never')), park });
        await scene.until(() => desk.done.includes('eve-0'));
        await clock.advance(3_000);
        expect([subscriber.position, await scene.saved()]).toEqual([-1, -1]);
        away = false;
        await scene.until(() => subscriber.position === 1);
        expect([desk.parked, desk.done]).toEqual([['ada-0'], ['eve-0']]);
      }));

    test('because the event is unknown, parks it', () =>
      inScene(async (scene) => {
        const reasons: unknown[] = [];
        const last = await happen(scene.events, facts.unheard('ada'), facts.joined('eve'));
        const subscriber = await scene.start({ park: (_, error) => Promise.resolve(void reasons.push(error)) });
        await scene.until(() => subscriber.position === last);
        expect(reasons).toEqual([expect.any(UnknownEvent)]);
        expect(scene.desk.done).toEqual(['eve-0']);
      }));

    test('because newer releases wrote the events, waits without filling the log until such a release leads', () =>
      inScene(async (scene) => {
        const { clock, desk, events, warnings } = scene;
        await happen(events, facts.joined('eve'));
        const names = ['ada', 'bob', 'kim'];
        const last = await happen(events, ...names.flatMap((name) => [facts.unheard(name), facts.joined(name)]));
        const isTransient = (error: unknown) => error instanceof NewerEvent;
        const older = await scene.start({ isTransient });
        await scene.until(() => warnings.length > 0);
        await clock.advance(9_000);
        expect(warnings).toEqual(['retrying an event']);
        expect([older.position, older.inFlight, desk.done]).toEqual([0, 6, ['eve-0']]);
        await older.stop();
        expect(await scene.saved()).toBe(0);
        const newer = await scene.start({ isTransient }, desk, newerCatalogue);
        await scene.until(() => newer.position === last);
        const orders = names.map((name) => desk.done.filter((label) => label.startsWith(name)));
        expect(orders).toEqual(names.map((name) => [`${name}-0`, `${name}-1`]));
        expect(desk.parked).toEqual([]);
      }));
  });

  test('resumes after the subscription is interrupted or the event store is unavailable', () =>
    inScene(async (scene) => {
      const { desk, events } = scene;
      await scene.start();
      await happen(events, ...greetings('ada', 3));
      await scene.until(() => desk.done.length === 3);
      events.batchesUntilBreak = 0;
      await happen(events.inner, ...greetings('ada', 2));
      await scene.until(() => desk.done.length === 5);
      events.away = true;
      await happen(events.inner, ...greetings('ada', 2));
      await scene.turns();
      await scene.clock.advance(2_000);
      events.away = false;
      await scene.until(() => desk.done.length === 7);
      expect(desk.done).toEqual([0, 1, 2, 3, 4, 5, 6].map((revision) => `ada-${revision}`));
    }));

  test('continues if its checkpoint cannot be saved for a while', () =>
    inScene(async (scene) => {
      await scene.start();
      scene.reads.away = true;
      const last = await happen(scene.events, facts.joined('ada'));
      await scene.until(() => scene.desk.done.length === 1);
      await scene.clock.advance(1_000);
      scene.reads.away = false;
      await scene.until(async () => (await scene.saved()) === last);
    }));

  test('yields to other work', () =>
    inScene(async (scene) => {
      let go: () => void = () => undefined;
      const turn = new Promise<void>((resolve) => (go = resolve));
      await happen(scene.events, facts.joined('ada'), facts.joined('eve'));
      const subscriber = await scene.start({
        pace: ({ revision, stream }) => (labelOf({ stream, revision }) === 'eve-0' ? turn : Promise.resolve()),
      });
      await scene.until(() => scene.desk.done.length === 1);
      await scene.turns();
      expect([scene.desk.begun, subscriber.position]).toEqual([['ada-0'], 0]);
      go();
      await scene.until(() => scene.desk.done.length === 2);
    }));

  describe('that is stopped', () => {
    test('finishes events in progress, starts no more, and saves its checkpoint', () =>
      inScene(async (scene) => {
        const { desk, events } = scene;
        desk.hold('ada-0');
        await happen(events, ...greetings('ada', 2), facts.joined('eve'));
        const subscriber = await scene.start();
        await scene.until(() => desk.done.includes('eve-0'));
        const stopped = subscriber.stop();
        await scene.turns();
        expect(await scene.saved()).toBe(-1);
        desk.release('ada-0');
        await stopped;
        expect(desk.begun).toEqual(['ada-0', 'eve-0']);
        expect(await scene.saved()).toBe(0);
        expect(events.subscriptions).toBe(0);
      }));

    test('does not wait for retries or for space in the window', () =>
      inScene(async (scene) => {
        await happen(scene.events, ...Array.from({ length: 20 }, (_, at) => facts.joined(`m${at}`)));
        const subscriber = await scene.start({ maxInFlight: 4, handle: () => Promise.reject(new Away()) });
        await scene.until(() => subscriber.inFlight === 4);
        await scene.clock.advance(20_000);
        const startedMs = scene.clock.monotonicMs();
        await subscriber.stop();
        expect(scene.clock.monotonicMs()).toBe(startedMs);
        expect(await scene.saved()).toBe(-1);
      }));

    test('does not wait for the pace, and leaves the delayed event open', () =>
      inScene(async (scene) => {
        await happen(scene.events, facts.joined('ada'));
        let isDelayed = false;
        const pace = () => {
          isDelayed = true;
          return new Promise<void>(() => undefined);
        };
        const subscriber = await scene.start({ pace });
        await scene.until(() => isDelayed);
        await subscriber.stop();
        expect([scene.desk.begun, subscriber.position, await scene.saved()]).toEqual([[], -1, -1]);
      }));

    test('aborts slow work, which counts neither as failed nor as done', () =>
      inScene(async (scene) => {
        const meter = new QueueMeter('desk', 'policy', scene.clock);
        await happen(scene.events, facts.joined('ada'));
        const handle = (_: Recorded, stopping: AbortSignal) =>
          new Promise<void>((__, reject) => {
            stopping.addEventListener('abort', () => {
              reject(stopping.reason as Error);
            });
          });
        const subscriber = await scene.start({ meter, handle });
        await scene.until(() => subscriber.inFlight === 1);
        await subscriber.stop();
        expect([subscriber.position, await scene.saved(), scene.desk.parked]).toEqual([-1, -1, []]);
        expect(meter.read()).toMatchObject({ failures: 0, handled: 0 });
      }));

    test('repeats only unfinished events after a restart', () =>
      inScene(async (scene) => {
        const { events } = scene;
        await happen(events, ...greetings('ada', 3));
        const first = await scene.start();
        await scene.until(() => scene.desk.done.length === 3);
        await first.stop();
        await happen(events, ...greetings('ada', 2));
        const again = new Desk();
        await scene.start({}, again);
        await scene.until(() => again.done.length === 2);
        expect(again.done).toEqual(['ada-3', 'ada-4']);
      }));
  });

  test('repeats at most the window after a crash, and loses nothing (property)', async () => {
    const who = fc.constantFrom('ada', 'bob', 'eve', 'kim');
    const plan = fc.record({
      history: fc.array(who, { minLength: 5, maxLength: 40 }),
      held: fc.array(fc.nat(39), { maxLength: 4 }),
      maxInFlight: fc.integer({ min: 1, max: 8 }),
      doneBeforeCrash: fc.nat(30),
      saves: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(plan, ({ history, held, maxInFlight, doneBeforeCrash, saves }) =>
        inScene(async (scene) => {
          await happen(scene.events, ...history.map((id) => facts.greeted(id, 'x')));
          const order = (await scene.events.readAll()).map(labelOf);
          const first = new Desk();
          first.hold(...held.map((at) => order[at] ?? ''));
          const crashed = await scene.start({ maxInFlight }, first);
          for (let turn = 0; turn < 200 && first.done.length < doneBeforeCrash; turn += 1) await nextTurn();
          if (saves) await scene.clock.advance(200);
          await scene.turns(5);
          // After a crash, only the saved checkpoint remains.
          const checkpoint = await scene.saved();
          const open = order.filter((label) => !first.done.includes(label));
          expect(order.slice(0, checkpoint + 1).filter((label) => open.includes(label))).toEqual([]);
          const second = new Desk();
          const restarted = await scene.start({ maxInFlight }, second);
          await scene.until(() => restarted.position === order.length - 1);
          expect(second.done.length).toBe(order.length - 1 - checkpoint);
          for (const id of ['ada', 'bob', 'eve', 'kim']) {
            const own = second.done.filter((label) => label.startsWith(id));
            expect(own).toEqual(order.slice(checkpoint + 1).filter((label) => label.startsWith(id)));
          }
          first.release(...order);
          await crashed.stop();
        }),
      ),
      { numRuns: 40 },
    );
  });

  test('publishes everything once and in order per record across a broker outage', () =>
    inScene(async (scene) => {
      const broker = await EmbeddedBroker.open({ directory: scene.directory, clock: scene.clock, keptMessages: 100 });
      let away = false;
      const handle = async (event: Recorded): Promise<void> => {
        if (away) throw new BrokerUnavailable('The broker is away');
        await broker.publish({ id: event.id, subject: `club.${event.recordId}`, payload: labelOf(event) });
      };
      const subscriber = await scene.start({ handle, maxInFlight: 8 });
      await happen(scene.events, ...greetings('ada', 10), ...greetings('eve', 10));
      await scene.until(() => subscriber.position === 19);
      away = true;
      await happen(scene.events, ...greetings('ada', 10), ...greetings('eve', 10));
      await scene.turns();
      await scene.clock.advance(30_000);
      expect([subscriber.inFlight, subscriber.position, scene.desk.parked]).toEqual([8, 19, []]);
      away = false;
      await scene.until(() => subscriber.position === 39);
      const published = messagesIn(scene.directory);
      for (const id of ['ada', 'eve']) {
        const own = published.filter(({ subject }) => subject === `club.${id}`).map(({ payload }) => payload);
        expect(own).toEqual(Array.from({ length: 20 }, (_, revision) => `${id}-${revision}`));
      }
      await broker.close();
    }));
});
