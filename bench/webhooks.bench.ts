import { randomUUID } from 'node:crypto';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { EmbeddedEventStore } from '../src/adapters/embedded/event-store.js';
import { EmbeddedReadStore } from '../src/adapters/embedded/read-store.js';
import { SystemClock, Uuid7Ids } from '../src/adapters/system-time.js';
import { webhook, type WebhookEvent } from '../src/aggregates/webhook.aggregate.js';
import { catalogue } from '../src/app/catalogue.js';
import { streamName } from '../src/eventsourcing/stream-name.js';
import { WebhookDispatcher, WEBHOOKS } from '../src/integration/webhook-dispatcher.js';
import { newLane } from '../src/integration/webhook-lane.js';
import { DeliveryLog } from '../src/observability/delivery-log.js';
import { BEFORE_ALL } from '../src/ports/event-store.js';
import { silentLogger } from '../src/ports/log.js';
import { subscriberKey } from '../src/projecting/checkpoints.js';
import { WebhookKeys } from '../src/security/webhook-keys.js';
import { WebhookSender } from '../src/security/webhook-sender.js';
import { historyAlone, TENANT_ALONE as tenantId } from './history-store.js';
import { options, pick } from './options.js';
import { pin, startReceiver } from './processes.js';
import { say, tell } from './report.js';
import { round } from './statistics.js';

/**
 * B13: a webhook processes its tenant's history from the first event. Every message is signed and delivered to a local
 * receiver, which acknowledges the delivery. As in the service, the webhook logs its deliveries and stores its
 * progress.
 */
const EVENTS = pick(60_000, 5_000);
const LOOK_EVERY_MS = 5;
const clock = new SystemClock();
const ids = new Uuid7Ids();

type Run = { readonly perSecond: number; readonly deliveries: number; readonly cpuUs: number; readonly errors: number };

async function deliver(directory: string, url: string): Promise<Run> {
  const keys = await WebhookKeys.open(directory);
  const events = EmbeddedEventStore.open({ directory, clock });
  const id = ids.next();
  const created: WebhookEvent = {
    type: 'WebhookCreated',
    data: { url, types: ['*'], description: null, secretId: ids.next(), keyFingerprint: keys.fingerprint },
  };
  const metadata = { tenantId, timestamp: new Date().toISOString(), version: 1 };
  const stream = streamName(webhook.name, tenantId, id);
  await events.append({ stream, expected: 'no_stream', events: [{ id: randomUUID(), ...created, metadata }] });
  const head = await events.head();
  const store = await EmbeddedReadStore.open({ directory, mode: 'readwrite' });
  const log = new DeliveryLog(store);
  await log.prepare();
  const lane = newLane({ tenantId, id }, BEFORE_ALL);
  await log.save(new Map([[id, lane]]), { key: subscriberKey(WEBHOOKS), position: head });
  const sender = new WebhookSender({ clock, keys, allowPrivate: true });
  let errors = 0;
  const failed = () => Promise.resolve(void (errors += 1));
  const dispatcher = new WebhookDispatcher({
    ...{ events, store, catalogue, clock, ids, logger: silentLogger, sender, park: failed },
    report: () => Promise.resolve(),
    resign: () => void (errors += 1),
  });
  const [beganMs, cpu] = [performance.now(), process.cpuUsage()];
  dispatcher.start();
  while (!(await isDone(log, id))) await clock.sleep(LOOK_EVERY_MS);
  const seconds = (performance.now() - beganMs) / 1_000;
  const { user, system } = process.cpuUsage(cpu);
  await dispatcher.stop();
  sender.close();
  await store.close();
  await events.close();
  const deliveries = Number(await (await fetch(url)).text());
  return { perSecond: deliveries / seconds, deliveries, cpuUs: (user + system) / deliveries, errors };
}

/** Whether the webhook has caught up and has no pending deliveries. */
async function isDone(log: DeliveryLog, id: string): Promise<boolean> {
  const lanes = await log.lanes<ReturnType<typeof newLane>>();
  const lane = lanes.find((one) => one.id === id);
  return lane !== undefined && lane.isAttached && lane.open.length === 0;
}

async function measure(): Promise<Run> {
  const directory = await mkdtemp(`${history}-copy-`);
  await cp(history, directory, { recursive: true });
  const receiver = await startReceiver();
  const run = await deliver(directory, receiver.url.href);
  await receiver.stop();
  await rm(directory, { recursive: true });
  say(`${round(run.perSecond)} deliveries/s, ${round(run.cpuUs)} µs of CPU each`);
  return run;
}

pin('measured', process.pid);
const history = await historyAlone(EVENTS, clock);
const runs: Run[] = [];
for (let n = 0; n < options.runs; n += 1) runs.push(await measure());
tell([
  {
    ...{ figure: 'B13', name: 'webhook deliveries, signed and acknowledged', unit: '/s', events: EVENTS },
    runs: runs.map(({ perSecond }) => perSecond),
    operations: runs.reduce((sum, { deliveries }) => sum + deliveries, 0),
    errors: runs.reduce((sum, { errors }) => sum + errors, 0),
    concurrency: 64,
    goal: { of: 'value', atLeast: 3_000 },
    details: { cpuUsOfDelivery: Math.round(runs[0]?.cpuUs ?? 0) },
  },
]);
