import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { ApiClient } from './api-client.js';
import type { Measurement } from './figure.js';
import { LiveSales } from './live-sales.js';
import { options, pick } from './options.js';
import { pin } from './processes.js';
import { say, tell } from './report.js';
import { BenchService } from './service-client.js';
import { latenciesOf, type Latencies } from './statistics.js';

/**
 * Latency of a tenant's sales and of their deliveries, while the receivers of another tenant's webhooks are slow, do
 * not respond, redirect, or return 500. In the baseline, the same receivers accept everything.
 */
const PHASE_MS = pick(20_000, 3_000);
const CHANGE_EVERY_MS = 50;
const SLOW_MS = 3_000;
const SETTLED_MS = 2_000;
const OTHER = { fullName: 'Owner', email: 'failing@bench.example', password: 'bench-password-3' };
const FAILING = { name: 'Failing', slug: 'failing', currency: 'EUR', timeZone: 'Europe/Berlin', owner: OTHER };
const PATHS = ['/slow', '/hanging', '/redirecting', '/broken'];

type Envelope = { readonly type: string; readonly data: { readonly externalId: string } };

/** Receives the webhooks of both tenants, and measures the time from sending a sale until its delivery. */
class Receivers {
  isFailing = false;
  readonly sentAtMs = new Map<string, number>();
  private readonly delays: number[] = [];
  private failed = 0;
  private readonly server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      if (request.url === '/healthy') this.delivered(JSON.parse(Buffer.concat(parts).toString()) as Envelope);
      if (request.url === '/healthy' || !this.isFailing) response.writeHead(204).end();
      else this.fail(request.url ?? '', response);
    });
  });

  async listen(): Promise<void> {
    this.server.keepAliveTimeout = 60_000;
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
  }

  urlOf(path: string): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}${path}`;
  }

  /** Latencies of the deliveries since the last call, and the number of failed attempts. */
  take(): Latencies & { readonly deliveries: number; readonly failedAttempts: number } {
    const delays = this.delays.splice(0);
    const taken = { ...latenciesOf(delays), deliveries: delays.length, failedAttempts: this.failed };
    this.failed = 0;
    return taken;
  }

  close(): void {
    this.server.closeAllConnections();
    this.server.close();
  }

  private delivered({ data: { externalId } }: Envelope): void {
    const sentAtMs = this.sentAtMs.get(externalId);
    if (sentAtMs === undefined) return;
    this.sentAtMs.delete(externalId);
    this.delays.push(performance.now() - sentAtMs);
  }

  private fail(path: string, response: ServerResponse): void {
    this.failed += 1;
    if (path === '/slow') setTimeout(() => response.writeHead(204).end(), SLOW_MS);
    else if (path === '/redirecting') response.writeHead(302, { location: this.urlOf('/healthy') }).end();
    else if (path === '/broken') response.writeHead(500).end();
  }
}

const measured = (sales: Latencies & { readonly sales: number }, deliveries: ReturnType<Receivers['take']>) => ({
  sales,
  deliveries,
});
type Phase = ReturnType<typeof measured>;

async function measure(): Promise<{ readonly alone: Phase; readonly during: Phase }> {
  const receivers = new Receivers();
  await receivers.listen();
  const service = await BenchService.start({ env: { WEBHOOK_ALLOW_PRIVATE: 'true' } });
  const books = await service.createTenant();
  await service.operator.json('POST', '/api/platform/tenants', FAILING);
  const other = await new ApiClient(service.url).signIn(OTHER);
  const webhook = { url: receivers.urlOf('/healthy'), types: ['kontor.sale.accepted.v1'] };
  await service.owner.json('POST', '/api/webhooks', webhook);
  for (const path of PATHS)
    await other.json('POST', '/api/webhooks', { url: receivers.urlOf(path), types: ['kontor.customer.*'] });

  const phase = async (prefix: string, lengthMs: number): Promise<Phase> => {
    const live = new LiveSales(service, books, prefix, (externalId) => {
      receivers.sentAtMs.set(externalId, performance.now());
    });
    for (const endMs = performance.now() + lengthMs; performance.now() < endMs;) {
      await other.json('POST', '/api/customers', { name: 'Customer' });
      await sleep(CHANGE_EVERY_MS);
    }
    const sales = await live.end();
    await sleep(SETTLED_MS);
    return measured(sales, receivers.take());
  };
  await phase('warm-up', PHASE_MS / 4);
  const alone = await phase('alone', PHASE_MS);
  receivers.isFailing = true;
  const during = await phase('during', PHASE_MS);
  other.close();
  await service.stop();
  receivers.close();
  say(`alone ${JSON.stringify(alone)}; during ${JSON.stringify(during)}`);
  return { alone, during };
}

pin('load', process.pid);
const runs: Awaited<ReturnType<typeof measure>>[] = [];
for (let n = 0; n < options.runs; n += 1) runs.push(await measure());

/** A sale that is not delivered in time counts as an error. */
const figure = (name: string, valueOf: (phase: Phase) => number): Measurement => ({
  ...{ figure: 'receivers', name, unit: 'ms', concurrency: 1 },
  runs: runs.map(({ during }) => valueOf(during)),
  operations: runs.reduce((sum, { during }) => sum + during.sales.sales, 0),
  errors: runs.reduce((sum, { during: { sales, deliveries } }) => sum + sales.sales - deliveries.deliveries, 0),
  against: { name: 'accepting receivers', unit: 'ms', runs: runs.map(({ alone }) => valueOf(alone)) },
  details: { runs },
});
tell([
  figure("p99 of another tenant's sales beside failing receivers", ({ sales }) => sales.p99Ms),
  figure("p99 of another tenant's deliveries beside failing receivers", ({ deliveries }) => deliveries.p99Ms),
]);
