import { connect, type Socket } from 'node:net';
import { performance } from 'node:perf_hooks';

/**
 * A load generator in a process of its own: keep-alive connections over raw sockets, one request in flight on each.
 * Reads its plan as JSON from the command line, prints its result as JSON. Ends by itself.
 */
type Plan = {
  readonly host: string;
  readonly port: number;
  readonly path: string;
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  /** Body of the n-th request: `{n}` is replaced by `<prefix>-<n>`. */
  readonly body?: string;
  readonly prefix: string;
  readonly connections: number;
  readonly seconds: number;
  /** Requests per second over all connections; absent: as fast as the answers come. */
  readonly rate?: number;
  /** Stops after so many requests. */
  readonly count?: number;
};
export type LoadResult = {
  readonly requests: number;
  readonly errors: number;
  readonly statuses: Readonly<Record<string, number>>;
  readonly seconds: number;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
};

const plan = JSON.parse(process.argv[2] ?? '{}') as Plan;
const head = [
  `${plan.method} ${plan.path} HTTP/1.1`,
  `Host: ${plan.host}:${plan.port}`,
  ...Object.entries(plan.headers).map(([name, value]) => `${name}: ${value}`),
].join('\r\n');

let sent = 0;
let errors = 0;
const statuses: Record<string, number> = {};
const latencies: number[] = [];
const startedMs = performance.now();
const endsMs = startedMs + plan.seconds * 1_000;

function nextRequest(): string | undefined {
  if (performance.now() >= endsMs || (plan.count !== undefined && sent >= plan.count)) return undefined;
  sent += 1;
  if (plan.body === undefined) return `${head}\r\n\r\n`;
  const body = plan.body.replaceAll('{n}', `${plan.prefix}-${sent}`);
  return `${head}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

/** When the n-th request is due, so that a slow answer shows in the latencies of those after it. */
const dueMs = (n: number): number =>
  plan.rate === undefined ? performance.now() : startedMs + (n * 1_000) / plan.rate;

async function drive(socket: Socket): Promise<void> {
  for (;;) {
    const request = nextRequest();
    if (request === undefined) break;
    const due = dueMs(sent - 1);
    const waitMs = due - performance.now();
    if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
    socket.write(request);
    const status = await answer(socket);
    latencies.push(performance.now() - Math.min(due, performance.now()));
    statuses[status] = (statuses[status] ?? 0) + 1;
    if (!status.startsWith('2')) errors += 1;
  }
  socket.destroy();
}

/** Resolves with the status when the whole answer has arrived. */
function answer(socket: Socket): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    const done = (status: string) => {
      socket.off('data', onData);
      socket.off('close', onClose);
      resolve(status);
    };
    const onClose = () => {
      done('closed');
    };
    const onData = (chunk: Buffer) => {
      text += chunk.toString('latin1');
      const end = text.indexOf('\r\n\r\n');
      if (end < 0) return;
      const length = /content-length: (\d+)/i.exec(text.slice(0, end))?.[1];
      if (text.length >= end + 4 + Number(length ?? 0)) done(text.slice(9, 12));
    };
    socket.on('data', onData);
    socket.on('close', onClose);
  });
}

const open = (): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const socket = connect(plan.port, plan.host, () => {
      socket.setNoDelay(true);
      resolve(socket);
    });
    socket.on('error', reject);
  });

const sockets = await Promise.all(Array.from({ length: plan.connections }, open));
await Promise.all(sockets.map(drive));
const seconds = (performance.now() - startedMs) / 1_000;
latencies.sort((a, b) => a - b);
const at = (share: number): number =>
  latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * share))] ?? 0;
const result: LoadResult = {
  requests: latencies.length,
  errors,
  statuses,
  seconds,
  perSecond: latencies.length / seconds,
  p50Ms: at(0.5),
  p99Ms: at(0.99),
  maxMs: at(1),
};
process.stdout.write(JSON.stringify(result));
