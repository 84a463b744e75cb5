import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EmbeddedEventStore } from '../../src/adapters/embedded/event-store.js';
import { SystemClock, Uuid7Ids } from '../../src/adapters/system-time.js';
import { catalogue } from '../../src/app/catalogue.js';
import { Appender } from '../../src/eventsourcing/appender.js';
import { Claims } from '../../src/eventsourcing/claims.js';
import { CommandRunner } from '../../src/eventsourcing/command-runner.js';
import { Memberships } from '../../src/eventsourcing/memberships.js';
import { RecordReader } from '../../src/eventsourcing/record-reader.js';
import { PLATFORM_TENANT } from '../../src/eventsourcing/stream-name.js';
import { ALERT_WITHIN_MS, OperatorAlerts } from '../../src/policies/operator-alerts.js';
import type { Sent } from '../../src/policies/push-delivery.js';
import { EventStoreUnavailable } from '../../src/ports/event-store.js';
import { WebhookKeys } from '../../src/security/webhook-keys.js';
import { WebhookSender } from '../../src/security/webhook-sender.js';
import { FaultyEventStore } from '../support/faulty-event-store.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';

const [clock, ids] = [new SystemClock(), new Uuid7Ids()];
const secrets = [`whsec_${Buffer.alloc(32, 7).toString('base64')}`];
const never = new AbortController().signal;

let directory: string;
let receiver: WebhookReceiver;
let events: FaultyEventStore;
let alerts: OperatorAlerts;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'kontor-'));
  receiver = await WebhookReceiver.start();
  events = new FaultyEventStore(EmbeddedEventStore.open({ directory, clock }));
  const [reader, appender] = [new RecordReader(events, catalogue, clock), new Appender(events, catalogue, clock)];
  const claims = new Claims(reader, appender, catalogue, clock, ids);
  const memberships = new Memberships(reader, appender, catalogue, clock, ids);
  const runner = new CommandRunner(reader, appender, claims, memberships, clock);
  const sender = new WebhookSender({ clock, keys: await WebhookKeys.open(directory), allowPrivate: true });
  const to = { receiver: { url: receiver.urlOf('/alerts'), secrets } };
  alerts = new OperatorAlerts(sender, to, runner, reader, clock);
});
afterAll(async () => {
  await events.close();
  await receiver.close();
  await rm(directory, { recursive: true, force: true });
});
beforeEach(() => {
  receiver.received.length = 0;
});

function notification(ageMs = 0): Sent {
  const id = ids.next();
  const data = { title: 'A job failed', body: 'The disk is full.', type: 'ERROR', link: null };
  const metadata = { timestamp: new Date(clock.nowMs() - ageMs).toISOString(), requestId: id, $correlationId: id };
  return { id, tenantId: PLATFORM_TENANT, recordId: id, position: 0, data, metadata } as unknown as Sent;
}

test('An alert is sent once, even if its event is delivered twice', async () => {
  const sent = notification();
  await alerts.deliver(sent, never);
  await alerts.deliver(sent, never);
  expect(receiver.received).toHaveLength(1);
});

test('An alert whose delivery cannot be recorded is not sent again at once, but after a redelivery of its event', async () => {
  const sent = notification();
  events.beforeAppendTo('push-delivery', () => Promise.reject(new EventStoreUnavailable('away')));
  await alerts.deliver(sent, never);
  expect(receiver.received).toHaveLength(1);
  for (let times = 0; times < 2; times += 1) await alerts.deliver(sent, never);
  expect(receiver.received).toHaveLength(2);
});

test('A notification older than a day causes neither an alert nor a dead letter', async () => {
  await expect(alerts.deliver(notification(ALERT_WITHIN_MS), never)).resolves.toBeUndefined();
  expect(receiver.received).toEqual([]);
});
