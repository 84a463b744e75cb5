import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import { auditData } from '../support/data-audit.js';
import { KontorProcess, openBooks, PLAIN, SaleLoad, until, withDirectory } from './kontor-process.js';

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
