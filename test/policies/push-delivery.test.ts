import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EmbeddedEventStore } from '../../src/adapters/embedded/event-store.js';
import { SystemClock, Uuid7Ids } from '../../src/adapters/system-time.js';
import {
  type FailedPush,
  pushDelivery,
  pushSubscription,
  recordPushes,
  subscribeToPush,
} from '../../src/aggregates/push-subscription.aggregate.js';
import { catalogue } from '../../src/app/catalogue.js';
import { Appender } from '../../src/eventsourcing/appender.js';
import { Backoff } from '../../src/eventsourcing/backoff.js';
import { Claims } from '../../src/eventsourcing/claims.js';
import { CommandRunner } from '../../src/eventsourcing/command-runner.js';
import { asService } from '../../src/eventsourcing/context.js';
import { Memberships } from '../../src/eventsourcing/memberships.js';
import { PushClient } from '../../src/security/push-client.js';
import { RecordReader } from '../../src/eventsourcing/record-reader.js';
import { VapidKeys } from '../../src/security/vapid-keys.js';
import { PushDeliveries, type Sent } from '../../src/policies/push-delivery.js';
import { PushSender } from '../../src/policies/push-sender.js';
import { EventStoreUnavailable } from '../../src/ports/event-store.js';
import type { Clock } from '../../src/ports/time.js';
import type { PushTarget } from '../../src/queries/notification-recipients.js';
import { eventually } from '../support/eventually.js';
import { FaultyEventStore } from '../support/faulty-event-store.js';
import { HurriedClock } from '../support/hurried-clock.js';
import { PushService, type Browser, type PushReply } from '../support/push-service.js';

/** Time runs at twice its normal speed. */
const HURRY = 2;
const [clock, ids] = [new HurriedClock(HURRY), new Uuid7Ids()];
const tenantId = ids.next();
const userId = ids.next();
const refuse = () => Promise.reject(new EventStoreUnavailable('away'));

let directory: string;
let pushes: PushService;
let events: FaultyEventStore;
let client: PushClient;
/** Work that may continue after the end of the test that started it. */
const underWay: Promise<unknown>[] = [];
let tries = 0;
beforeEach(() => {
  tries = 0;
});
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'kontor-'));
  pushes = await PushService.start();
  const vapid = await VapidKeys.open({ directory, clock, subject: 'mailto:push@kontor.test' });
  client = new PushClient({ vapid, clock, allowPrivate: true, ca: pushes.ca });
  events = new FaultyEventStore(EmbeddedEventStore.open({ directory, clock }));
});
afterAll(async () => {
  await Promise.allSettled(underWay);
  client.close();
  await events.close();
  await pushes.close();
  await rm(directory, { recursive: true, force: true });
});

type Listed = Browser & { readonly id: string };
const browser = (...replies: PushReply[]): Listed => Object.assign(pushes.browser(...replies), { id: ids.next() });
/** Creates a browser whose push service is unreachable. */
const unreachable = ({ keys }: Browser) => ({ id: ids.next(), endpoint: 'https://127.0.0.1:1/push', keys });
const targetOf = ({ id, endpoint, keys }: Pick<Listed, 'id' | 'endpoint' | 'keys'>): PushTarget => {
  const createdAt = new Date(clock.nowMs()).toISOString();
  const dates = { createdAt, updatedAt: createdAt, lastUsedAt: null };
  return { id, tenantId, userId, endpoint, keys, userAgent: null, revision: 0, ...dates };
};

/** Creates a process that has just started, and that pushes to the given browsers in batches. */
function newProcess(stretches: readonly (readonly Pick<Listed, 'id' | 'endpoint' | 'keys'>[])[], pace: Clock = clock) {
  const [reader, appender] = [new RecordReader(events, catalogue, clock), new Appender(events, catalogue, clock)];
  const claims = new Claims(reader, appender, catalogue, clock, ids);
  const memberships = new Memberships(reader, appender, catalogue, clock, ids);
  const runner = new CommandRunner(reader, appender, claims, memberships, clock);
  const sender = new PushSender(client, new Backoff({ baseMs: 1_000, maxMs: 60_000 }), pace, () => (tries += 1));
  const all = new Map(stretches.flat().map((one) => [one.id, targetOf(one)]));
  const targets = {
    async *of(_tenantId: string, _id: string, _position: number, cursor: string) {
      for (const [index, stretch] of stretches.entries())
        if (index >= Number(cursor))
          yield await Promise.resolve({ targets: stretch.map(targetOf), cursor: String(index + 1) });
    },
    byId: (_: string, wanted: readonly string[]) => Promise.resolve(wanted.flatMap((id) => all.get(id) ?? [])),
  };
  return { reader, runner, deliveries: new PushDeliveries(runner, reader, targets, sender, pace) };
}
type Process = ReturnType<typeof newProcess>;

function notification(): Sent {
  const id = ids.next();
  const data = { title: 'Hello', body: 'There.', type: 'INFO', link: null };
  const metadata = { timestamp: new Date(clock.nowMs()).toISOString(), requestId: id, $correlationId: id };
  return { id, tenantId, recordId: id, position: 0, data, metadata } as unknown as Sent;
}

const own = <T>(work: () => Promise<T>): Promise<T> =>
  asService({ tenantId, name: 'test', commandId: ids.next() }, work);
const countOf = (one: Browser): number => pushes.pushesTo(one).length;
const arrived = (one: Browser, count = 1): Promise<boolean> => eventually(() => countOf(one) >= count, 10_000);
const never = (): AbortSignal => new AbortController().signal;
/** Records that the service has given up all pushes to these browsers. */
async function giveUp({ recordId: id }: Sent, browsers: readonly Pick<Listed, 'id'>[]): Promise<void> {
  const { runner } = newProcess([]);
  for (let from = 0; from < browsers.length; from += 1_000) {
    const failed = browsers.slice(from, from + 1_000).map((one) => ({ subscriptionId: one.id, code: 'SERVICE_DOWN' }));
    const [after, cursor] = [from === 0 ? '' : String(from), String(from + 1_000)];
    const isLast = from + 1_000 >= browsers.length;
    const stretch = { delivered: 0, gone: 0, failed, used: [], after, cursor, isLast };
    await own(() => runner.execute(pushDelivery, { tenantId, id }, stretch, recordPushes));
  }
}
const failedOf = async ({ recordId }: Sent): Promise<readonly FailedPush[]> =>
  (await newProcess([]).reader.read(pushDelivery, tenantId, recordId)).state.failed;
const subscribe = ({ runner }: Process, { id, endpoint, keys }: Listed) =>
  own(() =>
    runner.execute(
      pushSubscription,
      { tenantId, id },
      { userId, endpoint, keys, userAgent: null, isHere: true },
      subscribeToPush,
    ),
  );

describe('A browser that is gone while the event store is unavailable', () => {
  test('leaves no unhandled rejection, which would end the process', async () => {
    const [slow, gone] = [browser('hang'), browser({ status: 410 })];
    const kontor = newProcess([[slow], [gone]]);
    await subscribe(kontor, gone);
    const refused = new Promise<void>((resolve) => {
      events.beforeAppendTo('push-subscription', () => {
        resolve();
        return refuse();
      });
    });
    const delivering = kontor.deliveries.deliver(notification(), never());
    underWay.push(delivering.catch(() => undefined));
    await refused;
    // The other browser still hangs when the test ends. Jest fails the test if a rejection is unhandled by then.
    await clock.sleep(1_000);
  });

  test('is reported when all others of its batch have ended: the next attempt does not overtake them', async () => {
    const [slow, gone] = [browser('hang'), browser({ status: 410 })];
    const kontor = newProcess([[gone, slow]]);
    await subscribe(kontor, gone);
    events.beforeAppendTo('push-subscription', refuse);
    await expect(kontor.deliveries.deliver(notification(), never())).rejects.toThrow(EventStoreUnavailable);
    expect(countOf(slow)).toBe(2);
  });
});

describe('A stop', () => {
  test('repeats two batches at most, even if one browser of the first was slow', async () => {
    const slow = browser('hang');
    const others = Array.from({ length: 6 }, () => browser());
    const stretches = [[slow], ...others.map((one) => [one])];
    const event = notification();
    const stop = new AbortController();
    const delivering = newProcess(stretches).deliveries.deliver(event, stop.signal);
    await arrived(slow);
    await clock.sleep(1_000);
    stop.abort();
    await expect(delivering).rejects.toThrow();
    await newProcess(stretches).deliveries.deliver(event, never());
    expect(others.slice(1).map(countOf)).toEqual([1, 1, 1, 1, 1]);
    expect(countOf(slow)).toBe(2);
  });

  test('does not wait for a push service that hangs', async () => {
    const hanging = browser('hang');
    const stop = new AbortController();
    const delivering = newProcess([[hanging]]).deliveries.deliver(notification(), stop.signal);
    await arrived(hanging);
    const stoppedAtMs = clock.monotonicMs();
    stop.abort();
    await expect(delivering).rejects.toThrow();
    expect(clock.monotonicMs() - stoppedAtMs).toBeLessThan(8_000);
  });
});

describe('A replay of abandoned pushes', () => {
  test('ends within seconds if a push service hangs, and continues with the others next time', async () => {
    const hanging = Array.from({ length: 20 }, () => browser(...Array.from({ length: 9 }, () => 'hang' as const)));
    const working = browser();
    const event = notification();
    await giveUp(event, [...hanging, working]);
    const { deliveries } = newProcess([[...hanging, working]]);
    const beganMs = clock.monotonicMs();
    const reason = await deliveries.retry(event);
    expect(clock.monotonicMs() - beganMs).toBeLessThan(9_000);
    expect(reason?.code).toBe('PUSH_FAILED');
    while ((await failedOf(event)).length > 20) await deliveries.retry(event);
    expect(countOf(working)).toBeGreaterThan(0);
    expect(await failedOf(event)).toHaveLength(20);
  });

  test('records deliveries, however many are left, and calls an unavailable service only a few times', async () => {
    const working = browser();
    // Uses more browsers than one event can contain.
    const down = Array.from({ length: 13_000 }, () => unreachable(working));
    const event = notification();
    await giveUp(event, [working, ...down]);
    const { deliveries } = newProcess([[working, ...down]], new SystemClock());
    expect((await deliveries.retry(event))?.message).toContain('13000 pushes');
    const left = new Set((await failedOf(event)).map(({ subscriptionId }) => subscriptionId));
    expect([left.size, left.has(working.id)]).toEqual([13_000, false]);
    expect(tries).toBeLessThan(1_000);
  });

  test('is complete if the browsers have unsubscribed meanwhile', async () => {
    const event = notification();
    await giveUp(event, [browser(), browser()]);
    expect(await newProcess([]).deliveries.retry(event)).toBeUndefined();
    expect(await failedOf(event)).toEqual([]);
  });
});
