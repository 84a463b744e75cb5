import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import { auditData } from '../support/data-audit.js';
import { exchange } from '../support/exchange.js';
import { saleOf } from '../support/service.js';
import { caughtUp, KontorProcess, openBooks, PLAIN, SaleLoad, until, withDirectory } from './kontor-process.js';

/** `DRAINS=20` runs the long form, which also prints request rates. */
const DRAINS = Number(process.env['DRAINS'] ?? 2);
const CLIENTS = 16;

/** Clients that keep their connections open, and send requests one after another until the port is closed. */
class KeepAliveClients {
  answered = 0;
  readonly failures: string[] = [];
  readonly ended: Promise<unknown>;

  constructor(private readonly url: string) {
    this.ended = Promise.all(Array.from({ length: CLIENTS }, () => this.run()));
  }

  private async run(): Promise<void> {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    for (let code: string | undefined; code === undefined;) {
      code = await this.ask(agent);
      if (code === undefined) this.answered += 1;
      else if (code !== 'ECONNREFUSED') this.failures.push(code);
    }
    agent.destroy();
  }

  /** Returns the error that prevented a response, or undefined if there was a response. */
  private ask(agent: Agent): Promise<string | undefined> {
    return new Promise((resolve) => {
      const asked = request(`${this.url}/livez`, { agent }, (response) => {
        response.resume();
        response.on('end', () => {
          resolve(undefined);
        });
      });
      asked.on('error', (error: NodeJS.ErrnoException) => {
        resolve(error.code ?? error.message);
      });
      asked.end();
    });
  }
}

test(`SIGTERM aborts no request of ${CLIENTS} busy keep-alive clients, and loses no accepted sale, ${DRAINS} times`, async () => {
  await withDirectory(async (directory) => {
    const accepted: string[] = [];
    const rates: number[] = [];
    for (let drain = 0; drain < DRAINS; drain += 1) {
      const kontor = await KontorProcess.ready(directory, PLAIN);
      const url = await kontor.url();
      const load = new SaleLoad(url, await openBooks(url), `drain-${drain}`, 1);
      const clients = new KeepAliveClients(url);
      const reach = (count: number): Promise<number> =>
        until(
          () => Promise.resolve(clients.answered),
          (answered) => answered >= count,
        );
      const before = await reach(500);
      const beganAtMs = performance.now();
      rates.push(Math.round((((await reach(2_000)) - before) * 1_000) / (performance.now() - beganAtMs)));
      const askedAtMs = performance.now();
      expect(await kontor.stop()).toEqual({ code: 0, signal: null });
      expect(performance.now() - askedAtMs).toBeLessThan(10_000);
      await Promise.all([clients.ended, load.stop()]);
      expect([clients.failures, load.refused]).toEqual([[], []]);
      accepted.push(...load.accepted);
    }
    if (DRAINS > 2) process.stdout.write(`requests/s before each SIGTERM: ${rates.join(' ')}\n`);
    const { sales } = await auditData(directory);
    expect(accepted.filter((externalId) => !sales.has(externalId))).toEqual([]);
  });
}, 600_000);

test('SIGTERM ends the service despite connections that have sent nothing, or half a request', async () => {
  await withDirectory(async (directory) => {
    const kontor = await KontorProcess.ready(directory, PLAIN);
    const { hostname, port } = new URL(await kontor.url());
    const sockets = ['', 'GET /livez HTTP/1.1\r\nHost: kon'].map((bytes) => {
      const socket = connect(Number(port), hostname).on('error', () => undefined);
      socket.write(bytes);
      return { opened: once(socket, 'connect'), closed: new Promise((resolve) => socket.on('close', resolve)) };
    });
    await Promise.all(sockets.map(({ opened }) => opened));
    const askedAtMs = performance.now();
    expect(await kontor.stop()).toEqual({ code: 0, signal: null });
    expect(performance.now() - askedAtMs).toBeLessThan(5_000);
    await Promise.all(sockets.map(({ closed }) => closed));
  });
}, 60_000);

test('SIGTERM closes downloads that the client does not read, releases the leases, and ends with code 0', async () => {
  await withDirectory(async (directory) => {
    const kontor = await KontorProcess.ready(directory, PLAIN);
    const { origin, hostname, port } = new URL(await kontor.url());
    const books = await openBooks(origin);
    const sales = Array.from({ length: 500 }, (_, n) =>
      saleOf(`sale-${n}`, { customer: { externalId: 'buyer', name: 'B'.repeat(200) } }),
    );
    await exchange(`${origin}/api/integrations/v1/sales/batch`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-integration-key': books.key },
      body: JSON.stringify({ sales }),
    });
    await caughtUp(origin, books);
    const socket = connect(Number(port), hostname).on('error', () => undefined);
    const lines = [
      'GET /api/sales HTTP/1.1',
      'Host: kontor',
      `Authorization: Bearer ${books.token}`,
      'Accept: text/csv',
    ];
    // Together, the downloads exceed the buffers of both sockets.
    socket.write(`${lines.join('\r\n')}\r\n\r\n`.repeat(40));
    await once(socket, 'readable');
    const inFlight = async () =>
      Number(/^kontor_http_requests_in_flight (\d+)/m.exec((await exchange(`${origin}/metrics`)).text)?.[1]);
    await until(inFlight, (requests) => requests > 1);
    expect(await kontor.stop()).toEqual({ code: 0, signal: null });
    expect(kontor.stdout).toContain('requests took too long to drain');
    expect(kontor.stdout).toMatch(/"lease":"policies","term":1,"msg":"this process is no longer the leader"/);
    socket.destroy();
  });
}, 60_000);
