import { connect, type Socket } from 'node:net';
import { performance } from 'node:perf_hooks';
import { latenciesOf, type Latencies } from './statistics.js';

/**
 * A load generator in a separate process. Uses keep-alive connections over raw sockets, with one request in flight per
 * connection. Reads its plan as JSON from the command line, prints its result as JSON, and exits.
 */
type Plan = {
  readonly host: string;
  readonly port: number;
  readonly path: string;
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  /** Request body. `{n}` is replaced by `<prefix>-<n>`. */
  readonly body?: string;
  readonly prefix: string;
  readonly connections: number;
  readonly seconds: number;
  /**
   * Total requests per second. If undefined, each connection sends its next request as soon as it has received a
   * response.
   */
  readonly rate?: number;
  /** Ports to distribute the connections among. Default: `port`. */
  readonly ports?: readonly number[];
  /**
   * Values of the `X-Integration-Key` header, each with its share of the requests. The sequence is random, but
   * reproducible.
   */
  readonly keys?: readonly { readonly key: string; readonly share: number }[];
};
export type LoadResult = Latencies & {
  readonly requests: number;
  /** Number of responses with a status other than 2xx, plus the number of broken connections. */
  readonly errors: number;
  readonly seconds: number;
  readonly perSecond: number;
  /**
   * CPU use of this process, as a fraction of one core. If the value is close to 1, the figure measures the generator
   * instead of the server.
   */
  readonly generatorBusy: number;
};

const plan = JSON.parse(process.argv[2] ?? '{}') as Plan;
/** Returns the key for a request. Requests are spread over the keys by a multiplicative hash of the request number. */
function keyOf(n: number): string {
  const keys = plan.keys ?? [];
  let left = ((Math.imul(n, 2_654_435_761) >>> 0) / 2 ** 32) * keys.reduce((sum, { share }) => sum + share, 0);
  return (keys.find(({ share }) => (left -= share) < 0) ?? keys.at(-1))?.key ?? '';
}

const head = [
  `${plan.method} ${plan.path} HTTP/1.1`,
  `Host: ${plan.host}:${plan.port}`,
  ...Object.entries(plan.headers).map(([name, value]) => `${name}: ${value}`),
].join('\r\n');
const bodyless = Buffer.from(`${head}\r\n\r\n`);
/** The parts of the body around each `{n}`, and their total length. */
const pieces = plan.body?.split('{n}') ?? [];
const piecesLength = pieces.reduce((sum, piece) => sum + Buffer.byteLength(piece), 0);

let sent = 0;
let errors = 0;
const latencies: number[] = [];
let startedMs = 0;

function requestOf(n: number): Buffer | string {
  if (pieces.length === 0) return bodyless;
  const name = `${plan.prefix}-${n}`;
  const length = piecesLength + (pieces.length - 1) * name.length;
  const own = plan.keys ? `${head}\r\nX-Integration-Key: ${keyOf(n)}` : head;
  return `${own}\r\nContent-Length: ${length}\r\n\r\n${pieces.join(name)}`;
}

function isOver(): boolean {
  return performance.now() >= startedMs + plan.seconds * 1_000;
}

/** A connection that sends the next request once the previous response is complete. */
class Connection {
  private sinceMs = 0;
  private received: Buffer[] = [];
  private missing = -1;
  private status = '';
  private ended!: () => void;
  readonly done = new Promise<void>((resolve) => (this.ended = resolve));

  constructor(private readonly socket: Socket) {
    socket.on('data', (chunk) => {
      this.take(chunk);
    });
    socket.on('error', () => undefined);
    socket.on('close', () => {
      if (this.sinceMs > 0) this.count('closed');
      this.ended();
    });
  }

  next(): void {
    if (isOver()) {
      this.sinceMs = 0;
      this.socket.destroy();
      return;
    }
    sent += 1;
    const n = sent;
    if (plan.rate === undefined) {
      this.send(n, performance.now());
      return;
    }
    // Latency is measured from the scheduled time of a request, so that a slow response also affects the latency of
    // subsequent requests. Timer delays are excluded, because the generator itself causes them.
    const dueMs = startedMs + ((n - 1) * 1_000) / plan.rate;
    const waitMs = dueMs - performance.now();
    if (waitMs <= 0) this.send(n, dueMs);
    else
      setTimeout(() => {
        this.send(n, performance.now());
      }, waitMs);
  }

  private send(n: number, sinceMs: number): void {
    this.sinceMs = sinceMs;
    this.socket.write(requestOf(n));
  }

  private take(chunk: Buffer): void {
    if (this.missing < 0) this.readHead(chunk);
    else this.missing -= chunk.length;
    if (this.missing > 0 || (this.missing < 0 && this.received.length > 0)) return;
    this.missing = -1;
    this.count(this.status);
    this.next();
  }

  /** Collects the first chunks of a response until its length is known. */
  private readHead(chunk: Buffer): void {
    const whole = this.received.length === 0 ? chunk : Buffer.concat([...this.received, chunk]);
    const end = whole.indexOf('\r\n\r\n');
    if (end < 0) {
      this.received = [whole];
      return;
    }
    this.received = [];
    const text = whole.toString('latin1', 0, end);
    this.status = text.slice(9, 12);
    const length = /content-length: (\d+)/i.exec(text)?.[1];
    if (length === undefined) throw new Error(`A response without a length: ${text}`);
    this.missing = Math.max(0, end + 4 + Number(length) - whole.length);
  }

  private count(status: string): void {
    latencies.push(performance.now() - this.sinceMs);
    if (!status.startsWith('2')) errors += 1;
  }
}

const open = (port: number): Promise<Connection> =>
  new Promise((resolve, reject) => {
    const socket = connect(port, plan.host, () => {
      socket.setNoDelay(true);
      resolve(new Connection(socket));
    });
    socket.once('error', reject);
  });

const ports = plan.ports ?? [plan.port];
const connections = await Promise.all(
  Array.from({ length: plan.connections }, (_, n) => open(ports[n % ports.length] ?? plan.port)),
);
startedMs = performance.now();
const cpu = process.cpuUsage();
for (const connection of connections) connection.next();
await Promise.all(connections.map(({ done }) => done));
const seconds = (performance.now() - startedMs) / 1_000;
const { user, system } = process.cpuUsage(cpu);
const result: LoadResult = {
  ...latenciesOf(latencies),
  requests: latencies.length,
  errors,
  seconds,
  perSecond: latencies.length / seconds,
  generatorBusy: Number(((user + system) / 1e6 / seconds).toFixed(2)),
};
process.stdout.write(JSON.stringify(result));
