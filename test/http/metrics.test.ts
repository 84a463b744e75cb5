import { createRequire } from 'node:module';
import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '../support/eventually.js';
import { FaultyEventStore } from '../support/faulty-event-store.js';
import { MetricsText } from '../support/metrics-text.js';
import { saleOf, TestService, type Books } from '../support/service.js';

const { version } = createRequire(import.meta.url)('../../package.json') as { version: string };
const TOKEN = 'a-secret-of-the-scraper';

async function scrape(service: TestService, token?: string): Promise<MetricsText> {
  const reply = await service.get('/metrics', token);
  expect(reply.status).toBe(200);
  expect(reply.headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8');
  expect(reply.headers['cache-control']).toBe('no-store');
  return new MetricsText(reply.text);
}

describe('Metrics', () => {
  let service: TestService;
  let books: Books;
  let events: FaultyEventStore | undefined;
  beforeAll(async () => {
    service = await TestService.start({
      between: (engines) => {
        events = new FaultyEventStore(engines.events);
        return { ...engines, events };
      },
    });
    books = await service.openBooks();
  });
  afterAll(() => service.close());

  const REQUESTS = 'kontor_http_request_duration_seconds';
  const counted = (metrics: MetricsText, method: string, route: string, status: string): number =>
    metrics.all(`${REQUESTS}_count`, { method, route, status })[0]?.value ?? 0;

  test('count requests by route pattern, and all unknown addresses as one', async () => {
    const before = await scrape(service);
    const { id } = await service.post('/api/customers', { name: 'Ada' }, books.tenant.token);
    for (let n = 0; n < 3; n += 1) await service.get(`/api/customers/${id}`, books.tenant.token);
    await service.get(`/api/customers/${service.service.engines.ids.next()}`, books.tenant.token);
    await service.get('/api/customers/nobody', books.tenant.token);
    await service.get(`/api/customers/${id}`);
    for (const path of ['/wp-login.php', '/api/nothing', '/x/y/z']) await service.get(path);
    const after = await scrape(service);
    const rise = (method: string, route: string, status: string): number =>
      counted(after, method, route, status) - counted(before, method, route, status);
    expect(rise('GET', '/api/customers/:id', '2xx')).toBe(3);
    expect(rise('GET', '/api/customers/:id', '4xx')).toBe(3);
    expect(rise('POST', '/api/customers', '2xx')).toBe(1);
    expect(rise('GET', 'unknown', '4xx')).toBe(3);
    expect(rise('GET', '/metrics', '2xx')).toBe(1);
    expect(after.typeOf(`${REQUESTS}_bucket`)).toBe('histogram');
  });

  test('have cumulative buckets and a sum in seconds', async () => {
    const metrics = await scrape(service);
    const labels = { method: 'POST', route: '/api/customers', status: '2xx' };
    const buckets = metrics.all(`${REQUESTS}_bucket`, labels).map(({ value }) => value);
    expect(buckets).toEqual(buckets.toSorted((a, b) => a - b));
    expect(buckets.at(-1)).toBe(metrics.value(`${REQUESTS}_count`, labels));
    const sum = metrics.value(`${REQUESTS}_sum`, labels);
    expect(sum).toBeGreaterThan(0);
    expect(sum).toBeLessThan(30);
  });

  test('name no tenant, no record and no address', async () => {
    const text = (await service.get('/metrics')).text;
    expect(text).not.toMatch(/[0-9a-f]{8}-[0-9a-f]{4}/);
    expect(text).not.toContain('wp-login');
    expect(text).not.toContain(books.tenant.slug);
    const names = new Set(new MetricsText(text).samples.flatMap(({ labels }) => Object.keys(labels)));
    expect([...names].toSorted()).toEqual(
      [
        ...[
          'engine',
          'job',
          'kind',
          'le',
          'method',
          'node_version',
          'operation',
          'projection',
          'reason',
          'result',
          'route',
        ],
        ...['status', 'subscriber', 'version'],
      ].toSorted(),
    );
  });

  test("follow Prometheus' conventions for names and types", async () => {
    const metrics = await scrape(service);
    for (const [name, type] of metrics.types) {
      expect(name).toMatch(/^(kontor|process|nodejs)_[a-z0-9_]+$/);
      expect([name, type === 'counter']).toEqual([name, name.endsWith('_total')]);
      expect([name, /_(ms|milliseconds|kilobytes|percent)$/.test(name)]).toEqual([name, false]);
    }
  });

  test('count sales, replays and refusals', async () => {
    const before = await scrape(service);
    await service.postSale(books.partner, saleOf('metered'));
    for (let n = 0; n < 2; n += 1) await service.postSale(books.partner, saleOf('metered'));
    const limited = await service.createKey(books.tenant, { sourceId: 'limited' });
    await service.setRateLimit(limited.id, 1);
    let refused = 0;
    for (let tries = 0; tries < 200 && refused < 2; tries += 1)
      refused += Number((await service.postSale(limited, saleOf('limited'))).status === 429);
    const after = await scrape(service);
    const rise = (name: string, labels: Record<string, string>): number =>
      after.value(name, labels) - (before.all(name, labels)[0]?.value ?? 0);
    expect(rise('kontor_intake_sales_total', { result: 'accepted' })).toBe(2);
    expect(rise('kontor_intake_sales_total', { result: 'replayed' })).toBeGreaterThanOrEqual(2);
    expect(rise('kontor_rate_limit_refusals_total', { route: '/api/integrations/v1/sales' })).toBe(2);
  });

  test("count appends, conflicts, commits and messages, and show every subscriber's position", async () => {
    const queueOf = { subscriber: 'booking', kind: 'policy' };
    const settled = async (): Promise<MetricsText> => {
      for (;;) {
        const metrics = await scrape(service);
        if (metrics.all('kontor_subscriber_lag_positions').every(({ value }) => value === 0)) return metrics;
        await delay(10);
      }
    };
    const headOf = (metrics: MetricsText): number => metrics.value('kontor_event_store_head_position');
    await service.quiet();
    const before = await settled();
    // The customer is new, so the booking policy, not the intake, books the sale.
    await service.sell(books.partner, saleOf('subscribed', { customer: { externalId: 'c-1', name: 'Ada' } }));
    const sold = await service.quiet();
    const after = await settled();
    // Key use is recorded shortly after the sale, so the history may already extend beyond the head in the metrics.
    const head = headOf(after);
    const appended = (await eventsAfter(headOf(before))).filter(({ position }) => position <= head);
    const rise = (name: string, labels: Record<string, string> = {}): number =>
      after.value(name, labels) - (before.all(name, labels)[0]?.value ?? 0);
    expect(rise('kontor_event_store_append_duration_seconds_count')).toBeGreaterThanOrEqual(2);
    expect(rise('kontor_event_store_appended_events_total')).toBe(appended.length);
    expect(rise('kontor_event_store_commits_total')).toBeGreaterThanOrEqual(2);
    expect(head).toBeGreaterThanOrEqual(sold);
    expect(rise('kontor_subscriber_events_handled_total', queueOf)).toBe(1);
    expect(after.value('kontor_subscriber_position', queueOf)).toBeGreaterThanOrEqual(0);
    expect(after.value('kontor_subscriber_in_flight', queueOf)).toBe(0);
    expect(after.value('kontor_subscriber_position', { subscriber: 'transactions' })).toBe(head);
    // The four messages are sale accepted, sale booked, invoice recorded and customer created.
    expect(rise('kontor_broker_messages_total', { result: 'stored' })).toBe(4);
    const last = after.value('kontor_subscriber_last_processed_timestamp_seconds', queueOf);
    expect(Math.abs(last - service.clock.nowMs() / 1_000)).toBeLessThan(60);

    const append = { stream: 'nothing-platform_x', expected: 5, events: [eventOf(service)] };
    await service.service.engines.events.append(append).catch(() => undefined);
    const conflicts = (metrics: MetricsText): number =>
      metrics.value('kontor_event_store_append_failures_total', { reason: 'conflict' });
    expect(conflicts(await scrape(service)) - conflicts(after)).toBe(1);
  });

  const eventsAfter = (from: number) => service.service.engines.events.readAll({ from });

  test('show the number of parked dead letters', async () => {
    const before = (await scrape(service)).value('kontor_dead_letters_parked');
    await service.postSale(books.partner, saleOf('to-nowhere', { branchCode: 'NOWHERE' }));
    expect((await service.settled(books.partner, 'to-nowhere')).status).toBe('REJECTED');
    for (let tries = 0; tries < 200; tries += 1) {
      if ((await scrape(service)).value('kontor_dead_letters_parked') === before + 1) return;
      await delay(10);
    }
    throw new Error('The letter was never counted.');
  });

  test('describe the process under the usual names', async () => {
    const metrics = await scrape(service);
    expect(metrics.value('process_resident_memory_bytes')).toBeGreaterThan(10_000_000);
    expect(metrics.value('process_cpu_seconds_total')).toBeGreaterThan(0);
    expect(metrics.value('nodejs_heap_size_used_bytes')).toBeGreaterThan(1_000_000);
    expect(metrics.value('nodejs_eventloop_lag_p99_seconds')).toBeGreaterThanOrEqual(0);
    expect(metrics.value('process_start_time_seconds')).toBeLessThan(Date.now() / 1_000);
    const labels = { version, node_version: process.version };
    expect(metrics.all('kontor_build_info')).toMatchObject([{ value: 1, labels }]);
  });

  test('show requests in flight, and end refused ones with their response', async () => {
    for (let n = 0; n < 20; n += 1) await service.get('/api/customers?pageNumber=1&pageSize=1');
    const pending = Array.from({ length: 5 }, () => scrape(service));
    const seen = (await Promise.all(pending)).map((metrics) => metrics.value('kontor_http_requests_in_flight'));
    for (const count of seen) expect(count).toBeGreaterThanOrEqual(1);
    expect(Math.max(...seen)).toBeLessThanOrEqual(6);
  });

  test('show which projection has stopped', async () => {
    const stopped = async (projection: string) =>
      (await scrape(service)).value('kontor_projection_stopped', { projection });
    expect(await stopped('branches')).toBe(0);
    await eventually(async () => {
      // Marks the projection as stopped on every attempt, because a progress report from the running projection clears
      // the mark.
      service.service.engines.progress.stop('branches');
      return (await stopped('branches')) === 1;
    }, 5_000);
    expect(await stopped('customers')).toBe(0);
  });

  test('are served while an engine is unavailable, and show which', async () => {
    if (!events) throw new Error('There is no event store.');
    expect((await scrape(service)).value('kontor_ready')).toBe(1);
    events.away = true;
    const metrics = await scrape(service);
    events.away = false;
    expect(metrics.value('kontor_engine_up', { engine: 'event-store' })).toBe(0);
    expect(metrics.value('kontor_engine_up', { engine: 'read-store' })).toBe(1);
    expect(metrics.value('kontor_ready')).toBe(0);
    expect(metrics.all('kontor_event_store_head_position')).toEqual([]);
    expect(metrics.all('kontor_subscriber_lag_positions')).toEqual([]);
    expect(metrics.all('kontor_subscriber_position')).not.toEqual([]);
    const again = await scrape(service);
    expect([again.value('kontor_ready'), again.all('kontor_event_store_head_position').length]).toEqual([1, 1]);
  });

  test("count failures of the cache's counters", async () => {
    await service.service.engines.cache.close();
    await service.postSale(books.partner, saleOf('uncounted'));
    expect((await scrape(service)).value('kontor_cache_failures_total', { operation: 'count' })).toBeGreaterThan(0);
  });
});

const eventOf = (service: TestService) => ({
  id: service.service.engines.ids.next(),
  type: 'NothingHappened',
  data: {},
  metadata: {},
});

const opened: TestService[] = [];
async function started(environment: Readonly<Record<string, string>> = {}): Promise<TestService> {
  const service = await TestService.start({ environment });
  opened.push(service);
  return service;
}
afterEach(async () => {
  await Promise.all(opened.splice(0).map((service) => service.close()));
});

describe('Access to the metrics', () => {
  test('is limited to this machine if no token is set, and is never granted through a proxy', async () => {
    const service = await started();
    expect((await service.get('/metrics')).status).toBe(200);
    for (const name of ['x-forwarded-for', 'forwarded', 'x-real-ip'])
      expect((await service.get('/metrics', undefined, { [name]: '127.0.0.1' })).told).toBe('401 UNAUTHENTICATED');
  });

  test('requires the token if one is set', async () => {
    const service = await started({ METRICS_TOKEN: TOKEN });
    // The service becomes ready only after its read models have been complete at least once.
    await service.quiet();
    expect((await scrape(service, TOKEN)).value('kontor_ready')).toBe(1);
    for (const token of [undefined, `${TOKEN}x`, TOKEN.slice(1), await service.operator()]) {
      const reply = await service.get('/metrics', token);
      expect(reply.told).toBe('401 UNAUTHENTICATED');
      expect(reply.text).not.toContain('kontor_');
    }
  });
});

test('Two services in one process have separate metrics', async () => {
  const [first, second] = [await started(), await started()];
  const labels = { method: 'GET', route: '/livez', status: '2xx' };
  const livez = async (service: TestService) =>
    (await scrape(service)).all('kontor_http_request_duration_seconds_count', labels)[0]?.value ?? 0;
  await first.get('/livez');
  await first.get('/livez');
  await second.get('/livez');
  expect([await livez(first), await livez(second)]).toEqual([2, 1]);
});
