import fc from 'fast-check';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { EmbeddedEventStore } from '../../src/adapters/embedded/event-store.js';
import { EmbeddedReadStore } from '../../src/adapters/embedded/read-store.js';
import { SystemClock, Uuid7Ids } from '../../src/adapters/system-time.js';
import { branch, createBranch, updateBranch } from '../../src/aggregates/branch.aggregate.js';
import {
  createWebhook,
  deleteWebhook,
  disableWebhook,
  noteWebhookProgress,
  requestRecovery,
  requestResend,
  updateWebhook,
  webhook,
  webhookProgress,
} from '../../src/aggregates/webhook.aggregate.js';
import { priceSale, saleId, SalePayload } from '../../src/aggregates/sale-payload.js';
import { closePeriod, createTenant, tenant as tenantAggregate } from '../../src/aggregates/tenant.aggregate.js';
import { acceptSale, rejectSale, sale } from '../../src/aggregates/sale.aggregate.js';
import { catalogue } from '../../src/app/catalogue.js';
import type { Aggregate, Decision, DomainEvent } from '../../src/eventsourcing/aggregate.js';
import { Appender } from '../../src/eventsourcing/appender.js';
import { Claims } from '../../src/eventsourcing/claims.js';
import { CommandRunner } from '../../src/eventsourcing/command-runner.js';
import { asService } from '../../src/eventsourcing/context.js';
import { Memberships } from '../../src/eventsourcing/memberships.js';
import { type AnyAggregate, EventCatalogue } from '../../src/eventsourcing/event-catalogue.js';
import { RecordReader } from '../../src/eventsourcing/record-reader.js';
import { reasonOf } from '../../src/integration/dead-letters.js';
import { FAILING_FOR_MS, RETRIED_FOR_MS } from '../../src/integration/webhook-attempts.js';
import { WebhookDispatcher } from '../../src/integration/webhook-dispatcher.js';
import type { SavedLane } from '../../src/integration/webhook-lane.js';
import { DELIVERY_TABLE, type Delivery, DeliveryLog, type StoredLane } from '../../src/observability/delivery-log.js';
import { PLATFORM_TENANT, streamName } from '../../src/eventsourcing/stream-name.js';
import type { EventReader } from '../../src/ports/event-store.js';
import { type ReadStore, ReadStoreUnavailable } from '../../src/ports/read-store.js';
import { silentLogger } from '../../src/ports/log.js';
import { overriding } from '../../src/ports/overriding.js';
import { WebhookKeys } from '../../src/security/webhook-keys.js';
import { WebhookSender } from '../../src/security/webhook-sender.js';
import { eventually } from '../support/eventually.js';
import { saleOf } from '../support/service.js';
import { ManualClock } from '../support/manual-clock.js';
import { type HookReply, WebhookReceiver } from '../support/webhook-receiver.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const PATIENCE_MS = 60_000;
const ids = new Uuid7Ids();
const real = new SystemClock();

/** Counts the messages that were sent and have no response yet. */
class CountingSender extends WebhookSender {
  unanswered = 0;

  override async send(...message: Parameters<WebhookSender['send']>): ReturnType<WebhookSender['send']> {
    this.unanswered += 1;
    try {
      return await super.send(...message);
    } finally {
      this.unanswered -= 1;
    }
  }
}

/**
 * A history with webhooks of several tenants, and the dispatchers that deliver to them. The clock stands still unless a
 * test advances it.
 */
class Office {
  clock = new ManualClock(Date.now());
  readonly letters: { subscriber: string; eventId: string; code: string }[] = [];
  readonly reader: RecordReader;
  private readonly runner: CommandRunner;
  private readonly dispatchers: WebhookDispatcher[] = [];
  private readonly senders: CountingSender[] = [];
  reads!: EmbeddedReadStore;
  readonly warnings: string[] = [];
  /** Number of reports that the dispatchers have appended, or that required no event. */
  reports = 0;
  /** Number of dispatchers that gave up their lease. */
  resigned = 0;
  private made = 0;

  private constructor(
    private readonly directory: string,
    readonly events: EmbeddedEventStore,
    readonly receiver: WebhookReceiver,
    readonly keys: WebhookKeys,
  ) {
    this.reader = new RecordReader(events, catalogue, real);
    const appender = new Appender(events, catalogue, real);
    const claims = new Claims(this.reader, appender, catalogue, real, ids);
    const memberships = new Memberships(this.reader, appender, catalogue, real, ids);
    this.runner = new CommandRunner(this.reader, appender, claims, memberships, real);
  }

  static async open(): Promise<Office> {
    const directory = await mkdtemp(join(tmpdir(), 'kontor-hooks-'));
    const events = EmbeddedEventStore.open({ directory, clock: real });
    const office = new Office(directory, events, await WebhookReceiver.start(), await WebhookKeys.open(directory));
    await office.openReads();
    return office;
  }

  async close(): Promise<void> {
    await Promise.all(this.dispatchers.map((one) => one.stop()));
    await this.receiver.close();
    await this.reads.close();
    await this.events.close();
    await rm(this.directory, { recursive: true });
  }

  get log(): DeliveryLog {
    return new DeliveryLog(this.reads);
  }

  /** Deletes the entire content of the read store. */
  async loseReads(): Promise<void> {
    await this.reads.close();
    await rm(join(this.directory, 'models.sqlite'));
    await this.openReads();
  }

  /** Freezes the clock of the running dispatchers, as if their process had been killed. */
  crash(): void {
    this.clock = new ManualClock(this.clock.nowMs());
  }

  start(
    allowPrivate = true,
    events: EventReader = this.events,
    store: ReadStore = this.reads,
    known = catalogue,
  ): WebhookDispatcher {
    const { clock, keys, letters } = this;
    const warn = (_: object, message: string) => void this.warnings.push(message);
    const sender = new CountingSender({ clock, keys, allowPrivate });
    this.senders.push(sender);
    const dispatcher = new WebhookDispatcher({
      ...{ events, catalogue: known, clock, ids, logger: { ...silentLogger, warn }, store, sender },
      resign: () => {
        this.resigned += 1;
      },
      park: (subscriber, { id: eventId }, error) => {
        letters.push({ subscriber, eventId, code: reasonOf(error).code });
        return Promise.resolve();
      },
      report: async ({ tenantId, id }, report) => {
        if (report.kind === 'disabled') await this.act(webhook, tenantId, id, report, disableWebhook);
        else await this.act(webhookProgress, tenantId, id, report, noteWebhookProgress);
        this.reports += 1;
      },
    });
    this.dispatchers.push(dispatcher);
    dispatcher.start();
    return dispatcher;
  }

  async webhook(tenantId: string, path: string, types = ['*']): Promise<{ id: string; secret: string }> {
    const [id, secretId] = [ids.next(), ids.next()];
    const data = { url: this.receiver.urlOf(path), types, secretId, keyFingerprint: this.keys.fingerprint };
    await this.act(webhook, tenantId, id, data, createWebhook);
    return { id, secret: this.keys.secretOf({ tenantId, webhookId: id, secretId }) };
  }

  /** Creates a record with the given number of events. */
  async record(tenantId: string, events: number): Promise<string> {
    const id = ids.next();
    await this.act(branch, tenantId, id, { code: `B-${(this.made += 1)}`, name: '1', isActive: true }, createBranch);
    for (let count = 2; count <= events; count += 1) await this.change(tenantId, id, String(count));
    return id;
  }

  /** Creates a tenant's own record, which belongs to the platform. */
  async tenantRecord(tenantId: string): Promise<void> {
    const one = ids.next();
    const accounts = { cash: one, bank: one, card: one, sales: one, tax: one, openingBalances: one, adjustments: one };
    await this.act(
      tenantAggregate,
      PLATFORM_TENANT,
      tenantId,
      {
        ...{ name: 'Acme', slug: `acme-${one}`, currency: 'EUR', timeZone: 'Europe/Berlin' },
        owner: { userId: one, fullName: 'Olga Owner', email: `${one}@kontor.test`, passwordHash: '-' },
        seeds: { branchId: one, customerId: one, accounts },
      },
      createTenant,
    );
  }

  closing(tenantId: string, through: string): Promise<void> {
    return this.act(tenantAggregate, PLATFORM_TENANT, tenantId, { through, note: null }, closePeriod);
  }

  /** Records a sale that is accepted and then rejected. Returns the sale's external id. */
  async sale(tenantId: string): Promise<string> {
    const externalId = `S-${(this.made += 1)}`;
    const acceptance = { sourceId: 'pos', sale: priceSale(SalePayload.parse(saleOf(externalId))) };
    const id = saleId(tenantId, 'pos', externalId);
    await this.act(sale, tenantId, id, acceptance, acceptSale);
    await this.act(sale, tenantId, id, { code: 'NO_RULE', message: 'No rule', attempts: 1 }, rejectSale);
    return externalId;
  }

  /**
   * Requests the redelivery of all events of the webhook's tenant. Returns the position of the last of these events.
   */
  async recovery(tenantId: string, id: string): Promise<number> {
    const upTo = await this.events.head();
    await this.act(webhook, tenantId, id, { since: new Date(0).toISOString(), upTo }, requestRecovery);
    return upTo;
  }

  resend(tenantId: string, { webhookId, id, number, createdAt, attempts, messageId, source }: Delivery): Promise<void> {
    const request = { logged: { id, number, createdAt }, attempts, messageId, source };
    return this.act(webhook, tenantId, webhookId, request, requestResend);
  }

  enable(tenantId: string, id: string, isEnabled: boolean): Promise<void> {
    return this.act(webhook, tenantId, id, { isEnabled }, updateWebhook);
  }

  move(tenantId: string, id: string, path: string): Promise<void> {
    return this.act(webhook, tenantId, id, { url: this.receiver.urlOf(path) }, updateWebhook);
  }

  remove(tenantId: string, id: string): Promise<void> {
    return this.act(webhook, tenantId, id, undefined, deleteWebhook);
  }

  change(tenantId: string, id: string, name: string): Promise<void> {
    return this.act(branch, tenantId, id, { name }, updateBranch);
  }

  /** Lets time pass until the condition holds. @throws Error if the condition does not hold in time */
  async until(found: () => boolean | Promise<boolean>, stepMs = 1_000): Promise<void> {
    await eventually(
      async () => {
        await this.answered();
        await this.clock.leap(stepMs);
        return found();
      },
      PATIENCE_MS,
      () => `${this.receiver.received.length} received; after ${this.clock.monotonicMs() / HOUR_MS} h`,
    );
  }

  /** Waits for the receiver's responses. Otherwise, on a busy machine, the clock would reach the time limit of requests. */
  private async answered(): Promise<void> {
    const unanswered = () => this.senders.reduce((sum, sender) => sum + sender.unanswered, 0);
    while (unanswered() > this.receiver.unanswered) await nextTurn();
  }

  private async openReads(): Promise<void> {
    this.reads = await EmbeddedReadStore.open({ directory: this.directory, mode: 'readwrite' });
  }

  private async act<S, D, E extends DomainEvent>(
    aggregate: Aggregate<S, E>,
    tenantId: string,
    id: string,
    data: D,
    decide: Decision<S, D, E>,
  ): Promise<void> {
    const own = { tenantId, name: 'test', commandId: ids.next() };
    await asService(own, () => this.runner.execute(aggregate, { tenantId, id }, data, decide));
  }
}

let office: Office;
beforeEach(async () => {
  office = await Office.open();
});
afterEach(() => office.close());

const tenant = ids.next();
const other = ids.next();
const answers = (byPath: Readonly<Record<string, HookReply>>) => (path: string) => byPath[path] ?? { status: 204 };
/** Returns the names in a record's events, in order of first arrival. */
const namesAt = (path: string, recordId: string): string[] => {
  const seen = new Set<string>();
  return office.receiver
    .eventsAt(path)
    .filter(({ id, subject }) => subject === recordId && !seen.has(id) && seen.add(id))
    .map(({ data }) => String((data['changes'] as { name: string } | undefined)?.name ?? data['name']));
};
const upTo = (count: number): string[] => Array.from({ length: count }, (_, index) => String(index + 1));
const countAt = (path: string): number => new Set(office.receiver.eventsAt(path).map(({ id }) => id)).size;

describe('Messages about the books as a whole', () => {
  const closings = (path: string) =>
    office.receiver.eventsAt(path).map(({ type, data }) => [type, (data as { through?: string }).through]);
  const closed = (through: string) => ['kontor.period.closed.v1', through];

  test('are sent to the webhooks of their tenant only, now and in a recovery', async () => {
    for (const tenantId of [tenant, other]) await office.tenantRecord(tenantId);
    await office.closing(tenant, '2026-01-31');
    const { id } = await office.webhook(tenant, '/own', ['kontor.period.*']);
    await office.webhook(other, '/other');
    office.start();
    await office.record(other, 1);
    await office.until(() => countAt('/other') === 1);
    await office.closing(tenant, '2026-02-28');
    await office.until(() => closings('/own').length > 0);
    expect(closings('/own')).toEqual([closed('2026-02-28')]);
    await office.recovery(tenant, id);
    await office.until(() => closings('/own').length > 1);
    expect(closings('/own')).toEqual([closed('2026-02-28'), closed('2026-01-31')]);
    expect(countAt('/other')).toBe(1);
  });
});

describe('While a receiver fails', () => {
  test.each<[string, HookReply]>([
    ['is down', { status: 503 }],
    ['redirects', { status: 302, headers: { location: '/elsewhere' } }],
    ['hangs', 'hang'],
  ])(
    'because it %s for an hour, nothing is lost, the order of each record stays, and others get theirs',
    async (_, reply) => {
      const { id: webhookId } = await office.webhook(tenant, '/failing');
      await office.webhook(other, '/healthy');
      office.receiver.answer = answers({ '/failing': reply });
      office.start();
      // Appends more events than a webhook may have pending.
      const records: string[] = [];
      for (let count = 0; count < 120; count += 1) records.push(await office.record(tenant, 3));
      await office.record(other, 3);
      await office.until(() => countAt('/healthy') === 3, 10);
      await office.until(() => office.clock.monotonicMs() > HOUR_MS, MINUTE_MS);
      await office.record(other, 2);
      await office.until(() => countAt('/healthy') === 5, 10);
      expect(countAt('/failing')).toBe(0);
      const { items } = await office.log.list(tenant, { webhookId, status: 'PENDING' }, 0, 1_000);
      const [latest] = items.toSorted((one, next) => (one.lastAttemptAt < next.lastAttemptAt ? 1 : -1));
      // Other messages are sent to the receiver first.
      expect(latest?.nextAttemptAt).toBeNull();

      office.receiver.answer = () => ({ status: 204 });
      await office.until(() => countAt('/failing') === 360);
      for (const id of records) expect(namesAt('/failing', id)).toEqual(upTo(3));
      // Deliveries resume within the longest retry delay after the receiver has recovered.
      expect(office.clock.monotonicMs()).toBeLessThan(HOUR_MS + 20 * MINUTE_MS);
      expect(office.letters).toEqual([]);
    },
  );

  test('because it resolves to a private address, nothing is sent or lost', async () => {
    const { id: webhookId } = await office.webhook(tenant, '/private');
    const strict = office.start(false);
    const record = await office.record(tenant, 3);
    await office.until(() => office.clock.monotonicMs() > HOUR_MS, MINUTE_MS);
    const { items } = await office.log.list(tenant, { webhookId, status: 'PENDING' }, 0, 10);
    expect(items[0]).toMatchObject({ responseStatus: null, code: 'ADDRESS_NOT_PUBLIC' });
    expect(office.receiver.received).toEqual([]);
    await strict.stop();
    office.start();
    await office.until(() => countAt('/private') === 3, MINUTE_MS);
    expect(namesAt('/private', record)).toEqual(upTo(3));
    expect(office.letters).toEqual([]);
  });

  test('for one record only, deliveries of other records continue', async () => {
    const { id: webhookId } = await office.webhook(tenant, '/picky');
    office.start();
    const poisoned = await office.record(tenant, 1);
    office.receiver.answer = (_, body) => ({ status: body.includes(poisoned) ? 422 : 204 });
    await office.change(tenant, poisoned, '2');
    const fine = await office.record(tenant, 5);
    await office.until(() => namesAt('/picky', fine).length === 5, 100);
    expect(namesAt('/picky', poisoned)).not.toContain('2');
    const where = { webhookId, status: 'PENDING' };
    await office.until(async () => (await office.log.list(tenant, where, 0, 10)).totalCount >= 1, 100);
    office.receiver.answer = () => ({ status: 204 });
    await office.until(() => namesAt('/picky', poisoned).length === 2, MINUTE_MS);
    expect(namesAt('/picky', poisoned)).toEqual(['1', '2']);
  });

  describe('for one type of message only, because it rejects that type,', () => {
    const PATH = '/strict';
    const stored = async () => (await office.log.lanes<SavedLane>())[0];
    beforeEach(async () => {
      await office.webhook(tenant, PATH);
      office.receiver.answer = (_, body) => ({ status: body.includes('kontor.branch.') ? 422 : 204 });
    });
    const rejected = async (records: number, events = 1) => {
      for (let count = 0; count < records; count += 1) await office.record(tenant, events);
      await office.until(() => office.receiver.received.length >= records, 10);
    };
    const saleArrivesAtOnce = async () => {
      const beganMs = office.clock.monotonicMs();
      await office.sale(tenant);
      await office.until(() => countAt(PATH) > 0, 10_000);
      expect(office.clock.monotonicMs() - beganMs).toBeLessThan(MINUTE_MS);
    };

    test('messages of other types arrive at once', async () => {
      office.start();
      await rejected(20);
      await office.until(() => office.clock.monotonicMs() > HOUR_MS, MINUTE_MS);
      await saleArrivesAtOnce();
    });

    test.each([
      [300, 1],
      [20, 20],
    ])('messages of other types arrive at once, even if %i records with %i events wait', async (records, events) => {
      office.start();
      await rejected(records, events);
      await saleArrivesAtOnce();
    });

    test('a recovery of messages of other types does not wait', async () => {
      await office.sale(tenant);
      const { id } = await office.webhook(tenant, '/late');
      office.start();
      await rejected(100);
      await office.recovery(tenant, id);
      await office.until(() => countAt('/late') > 0, 100);
    });

    test('the number of open events stays limited, and every event is delivered later', async () => {
      office.start();
      await rejected(1_400);
      await office.until(async () => (await stored())?.isAttached === false, 10);
      await office.until(async () => ((await stored())?.open.length ?? 0) > 1_150, 10);
      const lane = await stored();
      expect(lane?.open.length).toBeLessThanOrEqual(1_280);
      expect(JSON.stringify(lane).length).toBeLessThan(700_000);
      office.receiver.answer = () => ({ status: 204 });
      await office.until(() => countAt(PATH) === 1_400, MINUTE_MS);
    });

    test('its events are read again only for their next attempts', async () => {
      let reads = 0;
      const events = overriding<EventReader, Pick<EventReader, 'readStream'>>(office.events, {
        readStream: (stream, range) => {
          if (stream.startsWith('branch-')) reads += 1;
          return office.events.readStream(stream, range);
        },
      });
      office.start(true, events);
      await rejected(20);
      await office.until(() => office.receiver.received.length > 60);
      await eventually(() => reads === office.receiver.received.length - 20, PATIENCE_MS);
    });
  });

  test('for three days, the message becomes a dead letter, and later messages of the record follow', async () => {
    const { id } = await office.webhook(tenant, '/dead');
    office.start();
    office.receiver.answer = (_, body) => ({ status: body.includes('"name":"2"') ? 500 : 204 });
    const record = await office.record(tenant, 3);
    const beganMs = office.clock.monotonicMs();
    await office.until(() => office.letters.length > 0, HOUR_MS);
    expect(office.clock.monotonicMs() - beganMs).toBeGreaterThanOrEqual(RETRIED_FOR_MS);
    expect(office.letters).toMatchObject([{ subscriber: `webhook:${id}`, code: 'UNDELIVERED' }]);
    await office.until(() => namesAt('/dead', record).length === 2);
    expect(namesAt('/dead', record)).toEqual(['1', '3']);
    const failed = async () => (await office.log.list(tenant, { webhookId: id, status: 'FAILED' }, 0, 10)).items;
    await office.until(async () => (await failed()).length === 1);
    expect((await failed())[0]).toMatchObject({ responseStatus: 500, code: 'HTTP_500', nextAttemptAt: null });
  });

  test('and asks for a pause of a month, it is tried again within the hour', async () => {
    const { id: webhookId } = await office.webhook(tenant, '/patient');
    office.start();
    office.receiver.answer = () => ({ status: 503, headers: { 'retry-after': String(30 * 24 * 3_600) } });
    for (let count = 0; count < 3; count += 1) await office.record(tenant, 1);
    const refused = async () => {
      const { items } = await office.log.list(tenant, { webhookId, status: 'PENDING' }, 0, 10);
      return items.filter(({ responseStatus }) => responseStatus === 503);
    };
    await office.until(async () => (await refused()).length === 3, 10);
    office.receiver.answer = () => ({ status: 204 });
    const beganMs = office.clock.monotonicMs();
    await office.until(() => countAt('/patient') === 3, MINUTE_MS);
    expect(office.clock.monotonicMs() - beganMs).toBeLessThanOrEqual(HOUR_MS + MINUTE_MS);
  });

  test('once, long after an earlier failure, the message is retried and the webhook stays enabled', async () => {
    const { id } = await office.webhook(tenant, '/seldom');
    office.start();
    office.receiver.answer = () => ({ status: 500 });
    await office.record(tenant, 1);
    await office.until(() => office.letters.length > 0, HOUR_MS);
    const quietUntilMs = office.clock.monotonicMs() + FAILING_FOR_MS;
    await office.until(() => office.clock.monotonicMs() >= quietUntilMs, HOUR_MS);
    const tried = office.receiver.received.length;
    const late = await office.record(tenant, 1);
    await office.until(() => office.receiver.received.length > tried, 10);
    office.receiver.answer = () => ({ status: 204 });
    await office.until(() => namesAt('/seldom', late).length === 1, MINUTE_MS);
    expect((await office.reader.read(webhook, tenant, id)).state).toMatchObject({ isEnabled: true });
  });

  test('a resend of a waiting message makes its next attempt due, and sends it once', async () => {
    const { id: webhookId } = await office.webhook(tenant, '/pending');
    office.receiver.answer = () => ({ status: 503 });
    office.start();
    await office.record(tenant, 1);
    let found: Delivery | undefined;
    await office.until(async () => {
      [found] = (await office.log.list(tenant, { webhookId }, 0, 1)).items;
      return Date.parse(found?.nextAttemptAt ?? '') > office.clock.nowMs() + 10 * MINUTE_MS;
    }, 10_000);
    if (!found) throw new Error('The delivery is not in the log');
    const sent = office.receiver.received.length;
    office.receiver.answer = () => ({ status: 204 });
    const dueMs = Date.parse(String(found.nextAttemptAt));
    await office.resend(tenant, found);
    const isDelivered = async () => (await office.log.find(tenant, found?.id ?? ''))?.status === 'DELIVERED';
    await office.until(isDelivered, 100);
    expect(office.clock.nowMs()).toBeLessThan(dueMs - MINUTE_MS);
    await office.until(() => office.clock.nowMs() > dueMs + HOUR_MS, MINUTE_MS);
    expect(office.receiver.received.length).toBe(sent + 1);
  });

  test('for five days, the webhook is disabled', async () => {
    const { id } = await office.webhook(tenant, '/lost');
    office.start();
    office.receiver.answer = () => ({ status: 500 });
    const state = async () => (await office.reader.read(webhook, tenant, id)).state;
    for (let day = 0; day < 5; day += 1) {
      const passedMs = office.clock.monotonicMs() + FAILING_FOR_MS / 5;
      await office.record(tenant, 1);
      expect(await state()).toMatchObject({ isEnabled: true });
      await office.until(() => office.clock.monotonicMs() >= passedMs, 20 * MINUTE_MS);
    }
    await office.record(tenant, 1);
    await office.until(async () => {
      const found = await state();
      return found.status === 'present' && !found.isEnabled;
    }, 10 * MINUTE_MS);
    const { items } = await office.log.list(tenant, { webhookId: id, status: 'PENDING' }, 0, 10);
    await office.until(
      async () => (await office.log.list(tenant, { webhookId: id, status: 'PENDING' }, 0, 1)).totalCount === 0,
    );
    expect(items.length).toBeLessThanOrEqual(10);
  });
});

describe('When the URL of a webhook changes', () => {
  const isEnabled = async (id: string) => {
    const { state } = await office.reader.read(webhook, tenant, id);
    return state.status === 'present' && state.isEnabled;
  };

  test.each([['while it is delivered', false] as const, ['while no process delivers', true] as const])(
    '%s, waiting messages are due, and earlier failures do not count',
    async (_, isStopped) => {
      const { id } = await office.webhook(tenant, '/old');
      office.receiver.answer = answers({ '/old': { status: 503, headers: { 'retry-after': '3600' } } });
      const dispatcher = office.start();
      for (let count = 0; count < 3; count += 1) await office.record(tenant, 1);
      const where = { webhookId: id, status: 'PENDING' };
      await office.until(async () => (await office.log.list(tenant, where, 0, 10)).totalCount === 3, 10);
      if (isStopped) await dispatcher.stop();
      const beganMs = office.clock.monotonicMs();
      await office.move(tenant, id, '/new');
      if (isStopped) office.start();
      await office.until(() => countAt('/new') === 3, 1_000);
      expect(office.clock.monotonicMs() - beganMs).toBeLessThan(MINUTE_MS);
      await office.until(async () => (await office.log.lanes<SavedLane>())[0]?.failingSinceMs === null, 100);
    },
  );

  test('a 410 response from the previous URL does not disable it', async () => {
    const { id } = await office.webhook(tenant, '/old');
    let respond: (() => void) | undefined;
    office.receiver.answer = async (path) => {
      if (path !== '/old') return { status: 204 };
      await new Promise<void>((resolve) => (respond = resolve));
      return { status: 410 };
    };
    office.start();
    const record = await office.record(tenant, 2);
    await office.until(() => respond !== undefined, 10);
    await office.move(tenant, id, '/new');
    await office.record(tenant, 1);
    await office.until(() => countAt('/new') === 1, 10);
    respond?.();
    await office.until(() => countAt('/new') === 3, 10);
    expect(namesAt('/new', record)).toEqual(upTo(2));
    expect(await isEnabled(id)).toBe(true);
  });

  test('a 410 response that arrives before the change has been read does not disable it', async () => {
    const { id } = await office.webhook(tenant, '/old');
    let read: Promise<void> = Promise.resolve();
    let proceed: () => void = () => undefined;
    const events = overriding<EventReader, Pick<EventReader, 'subscribeToAll'>>(office.events, {
      async *subscribeToAll(subscription) {
        for await (const batch of office.events.subscribeToAll(subscription)) {
          await read;
          yield batch;
        }
      },
    });
    office.receiver.answer = async (path) => {
      if (path !== '/old') return { status: 204 };
      read = new Promise((resolve) => (proceed = resolve));
      await office.move(tenant, id, '/new');
      return { status: 410 };
    };
    office.start(true, events);
    const record = await office.record(tenant, 1);
    await office.until(() => office.reports > 0, 10);
    await office.change(tenant, record, '2');
    expect(await isEnabled(id)).toBe(true);
    proceed();
    await office.until(() => countAt('/new') === 2, 10);
    expect(namesAt('/new', record)).toEqual(upTo(2));
  });
});

test('A slow receiver gets each event once, in order for each record, and does not delay other tenants', async () => {
  const waiting: (() => void)[] = [];
  let most = 0;
  office.receiver.answer = async (path) => {
    if (path === '/slow') await new Promise<void>((resolve) => waiting.push(resolve));
    return { status: 204 };
  };
  await office.webhook(tenant, '/slow');
  await office.webhook(other, '/healthy');
  office.start();
  const records: string[] = [];
  for (let count = 0; count < 40; count += 1) records.push(await office.record(tenant, 3));
  await office.until(() => waiting.length > 0, 10);
  await office.record(other, 3);
  await office.until(() => countAt('/healthy') === 3, 10);
  expect(countAt('/slow')).toBe(0);
  await office.clock.leap(2_000);
  await office.until(() => {
    most = Math.max(most, waiting.length);
    for (const respond of waiting.splice(0)) respond();
    return countAt('/slow') === 120;
  }, 2_000);
  for (const id of records) expect(namesAt('/slow', id)).toEqual(upTo(3));
  expect(office.receiver.eventsAt('/slow')).toHaveLength(120);
  expect(most).toBeLessThan(20);
});

test('Only sales of tenants with webhooks are read, and a new webhook gets every later sale', async () => {
  const [first, second] = ['a', 'b'].map((digit) => ids.next().slice(0, -1) + digit) as [string, string];
  const read: string[] = [];
  const events = overriding<EventReader, Pick<EventReader, 'subscribeToAll'>>(office.events, {
    async *subscribeToAll(subscription) {
      for await (const batch of office.events.subscribeToAll(subscription)) {
        read.push(...batch.events.map(({ stream }) => stream).filter((stream) => stream.startsWith('sale-')));
        yield batch;
      }
    },
  });
  const streamOf = (tenantId: string, externalId: string) =>
    streamName('sale', tenantId, saleId(tenantId, 'pos', externalId));
  const salesOf = async (tenantId: string, count: number): Promise<string[]> => {
    const made: string[] = [];
    while (made.length < count) made.push(await office.sale(tenantId));
    return made;
  };
  const salesAt = (path: string) => [
    ...new Set(office.receiver.eventsAt(path).flatMap(({ data }) => (data['externalId'] as string | undefined) ?? [])),
  ];
  const { id } = await office.webhook(first, '/first');
  office.start(true, events);
  await salesOf(second, 3);
  const early = await salesOf(first, 2);
  await office.until(() => salesAt('/first').length === 2, 10);
  expect(new Set(read)).toEqual(new Set(early.map((made) => streamOf(first, made))));

  await office.webhook(second, '/second');
  const later = await salesOf(second, 20);
  await office.until(() => salesAt('/second').length === 20, 10);
  expect(salesAt('/second')).toEqual(later);
  await office.remove(first, id);
  const last = await office.sale(first);
  await office.record(second, 1);
  await office.until(
    () => office.receiver.eventsAt('/second').some(({ data }) => 'code' in data && 'name' in data),
    10,
  );
  expect(salesAt('/first')).toEqual(early);
  expect(read).not.toContain(streamOf(first, last));
});

test('A webhook that is disabled and enabled while the read store is away receives every later event', async () => {
  const { id } = await office.webhook(tenant, '/enabled');
  let isAway = false;
  let refused = 0;
  const store = overriding<ReadStore, Pick<ReadStore, 'getMany'>>(office.reads, {
    getMany: (...query) => {
      if (!isAway) return office.reads.getMany(...query);
      refused += 1;
      return Promise.reject(new ReadStoreUnavailable('The read store is away'));
    },
  });
  office.start(true, office.events, store);
  await office.record(tenant, 1);
  await office.until(() => countAt('/enabled') === 1, 10);
  isAway = true;
  await office.enable(tenant, id, false);
  await office.until(() => refused > 0, 10);
  await office.enable(tenant, id, true);
  isAway = false;
  const later = await office.record(tenant, 2);
  await office.until(() => namesAt('/enabled', later).length === 2, 100);
  expect(namesAt('/enabled', later)).toEqual(upTo(2));
});

test('A leader that continues after a pause does not overwrite the progress of its successor', async () => {
  await office.webhook(tenant, '/paused');
  let isPaused = false;
  const events = overriding<EventReader, Pick<EventReader, 'subscribeToAll'>>(office.events, {
    async *subscribeToAll(subscription) {
      for await (const batch of office.events.subscribeToAll(subscription)) {
        if (isPaused) return;
        yield batch;
      }
    },
  });
  const stored = async () => (await office.log.lanes<SavedLane>())[0];
  const former = office.start(true, events);
  const record = await office.record(tenant, 1);
  await office.until(async () => countAt('/paused') === 1 && (await stored())?.open.length === 0, 100);
  // The time does not advance, so the former leader has not stored this delivery.
  await office.change(tenant, record, '2');
  await eventually(() => countAt('/paused') === 2, PATIENCE_MS);
  isPaused = true;
  const { clock } = office;
  office.crash();
  office.receiver.answer = () => ({ status: 503 });
  office.start();
  await office.change(tenant, record, '3');
  await office.until(async () => (await stored())?.open.length === 2, 100);

  await clock.leap(1_000);
  await former.stop();
  expect((await stored())?.open).toHaveLength(2);
  expect(office.resigned).toBe(1);
  office.crash();
  office.receiver.answer = () => ({ status: 204 });
  office.start();
  await office.until(() => countAt('/paused') === 3);
  expect(namesAt('/paused', record)).toEqual(upTo(3));
});

test('A leader of an older release waits at events of a newer version, which its successor delivers', async () => {
  const events = { ...branch.events, BranchUpdated: { ...branch.events.BranchUpdated, version: 0 } };
  const earlier = new EventCatalogue([
    ...catalogue.aggregates.filter(({ name }) => name !== branch.name),
    { ...branch, events } as AnyAggregate,
  ]);
  await office.webhook(tenant, '/upgraded');
  const older = office.start(true, office.events, office.reads, earlier);
  const [changed, unchanged] = [await office.record(tenant, 3), await office.record(tenant, 1)];
  await office.until(() => namesAt('/upgraded', unchanged).length === 1);
  await office.until(() => office.warnings.length > 0);
  expect([namesAt('/upgraded', changed), office.letters]).toEqual([['1'], []]);
  await older.stop();
  office.start();
  await office.until(() => namesAt('/upgraded', changed).length === 3);
  expect([namesAt('/upgraded', changed), office.letters]).toEqual([upTo(3), []]);
});

describe('The delivery log of a deleted webhook', () => {
  /** Returns the number of documents in the log, including tombstones, by webhook. */
  const logged = async () => {
    const counts = new Map<string, number>();
    for await (const { id } of office.reads.scan(DELIVERY_TABLE)) {
      const [webhookId = ''] = id.split('~');
      counts.set(webhookId, (counts.get(webhookId) ?? 0) + 1);
    }
    return counts;
  };
  const EVENTS = 450;
  let [kept, deleted] = ['', ''];
  let dispatcher: WebhookDispatcher;
  beforeEach(async () => {
    kept = (await office.webhook(tenant, '/kept')).id;
    deleted = (await office.webhook(tenant, '/deleted')).id;
    dispatcher = office.start();
    for (let count = 0; count < EVENTS; count += 50) await office.record(tenant, 50);
    await office.until(async () => {
      const counts = await logged();
      return counts.get(kept) === EVENTS && counts.get(deleted) === EVENTS;
    }, 100);
  });
  const isRemoved = async () => !(await logged()).has(deleted);
  afterEach(async () => {
    expect(await logged()).toEqual(new Map([[kept, EVENTS]]));
    expect((await office.log.slotsOf(tenant, kept)).size).toBe(EVENTS);
  });

  test('is removed', async () => {
    await office.remove(tenant, deleted);
    await office.until(isRemoved, 10);
  });

  test('is removed if the webhook was disabled before', async () => {
    await office.enable(tenant, deleted, false);
    await office.until(async () => (await office.log.lanes()).length === 1, 100);
    expect(await isRemoved()).toBe(false);
    await office.remove(tenant, deleted);
    await office.until(isRemoved, 10);
  });

  test('is removed if no process delivered webhooks at the time', async () => {
    await dispatcher.stop();
    await office.remove(tenant, deleted);
    office.start();
    await office.until(isRemoved, 10);
  });

  test('is removed after an interruption', async () => {
    await dispatcher.stop();
    const purges: number[] = [];
    const store = overriding<ReadStore, Pick<ReadStore, 'purge'>>(office.reads, {
      purge: (table, keys) => {
        purges.push(keys.length);
        if (purges.length === 2) return Promise.reject(new ReadStoreUnavailable('The read store is away'));
        return office.reads.purge(table, keys);
      },
    });
    office.start(true, office.events, store);
    await office.remove(tenant, deleted);
    await office.until(isRemoved, 100);
    expect(purges.length).toBeGreaterThan(2);
  });
});

test('Lanes that another process has changed, removed or added since are not overwritten', async () => {
  const [former, successor] = [office.log, office.log];
  await former.prepare();
  const save = (log: DeliveryLog, lanes: Readonly<Record<string, StoredLane | null>>) =>
    log.save(new Map(Object.entries(lanes)), { key: 'test', position: 1 });
  const lane = (id: string, after: number) => ({ id, after });
  expect(await save(former, { changed: lane('changed', 1), removed: lane('removed', 1) })).toBe(true);
  await successor.lanes();
  expect(await save(successor, { changed: lane('changed', 2), removed: null, added: lane('added', 2) })).toBe(true);
  for (const id of ['changed', 'removed', 'added']) expect(await save(former, { [id]: lane(id, 1) })).toBe(false);
  expect(await office.log.lanes()).toEqual([lane('added', 2), lane('changed', 2)]);
  expect(await save(successor, { changed: null, removed: lane('removed', 3), added: lane('added', 3) })).toBe(true);
});

describe('After a crash', () => {
  test('the next leader delivers what was open, and the rest in order', async () => {
    await office.webhook(tenant, '/crashed');
    office.receiver.answer = () => ({ status: 503 });
    office.start();
    const records: string[] = [];
    for (let count = 0; count < 120; count += 1) records.push(await office.record(tenant, 3));
    const stored = async () => (await office.log.lanes<SavedLane>())[0];
    await office.until(async () => (await stored())?.isAttached === false, 100);
    office.crash();
    office.start();
    office.receiver.answer = () => ({ status: 204 });
    await office.until(() => countAt('/crashed') === 360);
    for (const id of records) expect(namesAt('/crashed', id)).toEqual(upTo(3));
    await office.record(tenant, 2);
    await office.until(() => countAt('/crashed') === 362);
  });

  test('a dispatcher that was stopped repeats nothing that it has recorded as delivered', async () => {
    await office.webhook(tenant, '/stopped');
    const first = office.start();
    await office.record(tenant, 5);
    await office.until(() => countAt('/stopped') === 5, 100);
    await first.stop();
    const record = await office.record(tenant, 3);
    office.start();
    await office.until(() => namesAt('/stopped', record).length === 3, 100);
    expect(office.receiver.eventsAt('/stopped')).toHaveLength(8);
  });

  test('a recovery that was interrupted repeats nothing that the log records as delivered', async () => {
    const { id } = await office.webhook(tenant, '/interrupted');
    const EVENTS = 150;
    let isAway = false;
    const pages: number[] = [];
    const events = overriding<EventReader, Pick<EventReader, 'readAll'>>(office.events, {
      readAll: (range) => {
        if (isAway) pages.push(range?.from ?? -1);
        if (isAway && pages.length > 1) throw new Error('The history is away');
        return office.events.readAll(range);
      },
    });
    const first = office.start(true, events);
    for (let count = 0; count < EVENTS; count += 5) await office.record(tenant, 5);
    const isDelivered = async () =>
      countAt('/interrupted') === EVENTS && (await office.log.lanes<SavedLane>())[0]?.open.length === 0;
    await office.until(isDelivered, 100);
    isAway = true;
    await office.recovery(tenant, id);
    const stored = async () => (await office.log.lanes<SavedLane>())[0]?.recovery;
    await office.until(async () => pages.length > 1 && ((await stored())?.after ?? -1) > -1, 100);
    await first.stop();
    office.start();
    const record = await office.record(tenant, 1);
    await office.until(async () => namesAt('/interrupted', record).length === 1 && (await stored()) === null, 100);
    expect(office.receiver.eventsAt('/interrupted')).toHaveLength(EVENTS + 1);
  });

  test('that lost the read store, delivery continues from the reported progress', async () => {
    await office.webhook(tenant, '/recalled');
    const first = office.start();
    await office.record(tenant, 5);
    // An attempt whose response has not been processed yet would be repeated when time passes.
    await office.until(async () => {
      const [one] = await office.log.lanes<SavedLane>();
      return countAt('/recalled') === 5 && one?.open.length === 0;
    }, 100);
    await office.until(async () => {
      const [one] = await office.log.lanes<SavedLane>();
      return one !== undefined && (await office.reader.read(webhookProgress, tenant, one.id)).state.position >= 0;
    }, MINUTE_MS);
    await first.stop();
    await office.loseReads();
    const record = await office.record(tenant, 2);
    office.start();
    await office.until(() => namesAt('/recalled', record).length === 2, 100);
    expect(office.receiver.eventsAt('/recalled')).toHaveLength(7);
  });

  test('that lost the read store, a recovery continues, but a completed one does not', async () => {
    const path = '/recovering';
    await office.record(tenant, 5);
    const { id } = await office.webhook(tenant, path);
    const progress = async () => (await office.reader.read(webhookProgress, tenant, id)).state.position;
    const sentAfter = (count: number) =>
      new Set(
        office.receiver
          .eventsAt(path)
          .slice(count)
          .map((sent) => sent.id),
      );
    /** Loses the read store and restarts delivery. Returns the number of messages received before the restart. */
    const lose = async (dispatcher: WebhookDispatcher): Promise<[number, WebhookDispatcher]> => {
      await dispatcher.stop();
      await office.loseReads();
      return [office.receiver.eventsAt(path).length, office.start()];
    };
    office.receiver.answer = () => ({ status: 503 });
    const first = office.start();
    const upTo = await office.recovery(tenant, id);
    await office.until(() => office.receiver.received.length > 0);
    await office.until(() => office.clock.monotonicMs() > HOUR_MS, HOUR_MS / 5);
    expect(await progress()).toBeLessThan(upTo);
    const [before, second] = await lose(first);
    office.receiver.answer = () => ({ status: 204 });
    await office.until(() => sentAfter(before).size === 5);

    await office.until(async () => (await progress()) > upTo, MINUTE_MS);
    const [done] = await lose(second);
    await office.record(tenant, 1);
    await office.until(() => sentAfter(done).size > 0);
    expect(sentAfter(done).size).toBe(1);
  });
});

test('A receiver gets every event once it accepts messages, in order for each record, regardless of its earlier responses', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom(204, 204, 500, 429, 503, 302), { minLength: 1, maxLength: 60 }),
      fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 5 }),
      fc.integer({ min: 0, max: 20 }),
      async (statuses, sizes, restartAfter) => {
        const own = ids.next();
        const path = `/${own}`;
        await office.webhook(own, path);
        let answered = 0;
        office.receiver.answer = (to) => ({ status: to === path ? (statuses[answered++] ?? 204) : 204 });
        let dispatcher = office.start();
        const records: string[] = [];
        for (const size of sizes) records.push(await office.record(own, size));
        await office.until(() => answered >= Math.min(restartAfter, 1), 100);
        await dispatcher.stop();
        dispatcher = office.start();
        const total = sizes.reduce((sum, size) => sum + size, 0);
        await office.until(() => countAt(path) === total, MINUTE_MS);
        for (const [index, id] of records.entries()) expect(namesAt(path, id)).toEqual(upTo(sizes[index] ?? 0));
        await dispatcher.stop();
      },
    ),
    { numRuns: 15 },
  );
});
