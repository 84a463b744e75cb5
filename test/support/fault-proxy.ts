import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** The side that sends bytes: the client sends requests, and the server sends responses. */
export type Side = 'client' | 'server';
type Delayed = { readonly chunk: Buffer; readonly dueMs: number };
/** Maximum read-ahead on a slow connection. At this limit, the sender has to wait. */
const MAX_WAITING_BYTES = 1_048_576;

/** One direction of a connection: chunks in order, each with its due time. */
class Flow {
  private waiting: Delayed[] = [];
  private waitingBytes = 0;
  private isFull = false;
  private timer: NodeJS.Timeout | undefined;
  private ended = false;

  constructor(
    private readonly proxy: FaultProxy,
    private readonly side: Side,
    private readonly from: Socket,
    private readonly to: Socket,
  ) {
    from.on('data', (chunk: Buffer) => {
      this.waiting.push({ chunk, dueMs: performance.now() + proxy.delayMs });
      this.waitingBytes += chunk.length;
      proxy.taken[side] += chunk.length;
      this.move();
    });
    from.on('end', () => {
      this.ended = true;
      this.move();
    });
    to.on('drain', () => {
      this.isFull = false;
      this.move();
    });
    this.move();
  }

  /** Sends the chunks that are due, and resumes reading if allowed. */
  move(): void {
    clearTimeout(this.timer);
    while (!this.proxy.isHanging && !this.isFull) {
      const next = this.waiting[0];
      if (!next) break;
      const leftMs = this.proxy.delayMs === 0 ? 0 : next.dueMs - performance.now();
      if (leftMs > 0) {
        this.timer = setTimeout(() => {
          this.move();
        }, leftMs);
        break;
      }
      this.waiting.shift();
      this.waitingBytes -= next.chunk.length;
      this.send(next.chunk);
    }
    if (this.proxy.isHanging || this.isFull || this.waitingBytes > MAX_WAITING_BYTES) this.from.pause();
    else this.from.resume();
    if (this.ended && this.waiting.length === 0 && !this.proxy.isHanging) this.to.end();
  }

  /** Called when the sender has closed its side. Data that the sender sent earlier is still forwarded. */
  finish(): void {
    this.ended = true;
    this.move();
  }

  /** Called when the receiver has disconnected. Discards pending bytes. */
  stop(): void {
    clearTimeout(this.timer);
    this.waiting = [];
  }

  private send(chunk: Buffer): void {
    const allowed = this.proxy.take(this.side, chunk.length);
    if (allowed === undefined) {
      this.isFull = !this.to.write(chunk);
      return;
    }
    // Forwards the permitted bytes. The connection then closes in the middle of a frame.
    this.waiting = [];
    this.to.end(chunk.subarray(0, allowed));
    this.from.destroy();
  }
}

type Link = { readonly client: Socket; readonly server: Socket; readonly flows: readonly Flow[] };

/**
 * A TCP proxy between client and server on the loopback interface, with injectable faults. Initially, it forwards
 * everything.
 */
export class FaultProxy {
  private readonly links = new Set<Link>();
  private listener: Server | undefined;
  private listeningPort = 0;
  private cut: { readonly side: Side; left: number } | undefined;
  delayMs = 0;
  isHanging = false;
  /** Bytes received from each side so far. */
  readonly taken = { client: 0, server: 0 };

  private constructor(private readonly targetPort: number) {}

  /** @param target the server, which listens on 127.0.0.1 */
  static async start({ port }: { readonly port: number }): Promise<FaultProxy> {
    const proxy = new FaultProxy(port);
    await proxy.listen();
    return proxy;
  }

  get port(): number {
    return this.listeningPort;
  }

  /** Number of open connections. */
  get connections(): number {
    return this.links.size;
  }

  /** Ends all faults. Forwards held data, without further delays or cuts, and accepts new connections. */
  async pass(): Promise<void> {
    this.isHanging = false;
    this.delayMs = 0;
    this.cut = undefined;
    if (!this.listener) await this.listen();
    this.moveAll();
  }

  /** Keeps connections open and accepts new ones, but forwards nothing until `pass`. No data is lost. */
  hang(): void {
    this.isHanging = true;
    this.moveAll();
  }

  /** Resets every open connection. */
  reset(): void {
    for (const { client, server, flows } of this.links) {
      for (const flow of flows) flow.stop();
      client.resetAndDestroy();
      server.resetAndDestroy();
    }
  }

  /** Rejects new connections until `pass`. Open connections stay open. */
  async refuse(): Promise<void> {
    const { listener } = this;
    this.listener = undefined;
    if (!listener?.listening) return;
    listener.close();
    // The listener closes completely only when its last connection ends, but the port is free immediately.
    await new Promise((resolve) => setImmediate(resolve));
  }

  /** Delays subsequent data by `ms` in each direction. Preserves the order of the data. */
  slow(ms: number): void {
    this.delayMs = ms;
  }

  /**
   * Forwards `bytes` more bytes from a side, across all connections. Then closes the connection that exceeds the limit.
   * Afterwards, the proxy works normally.
   */
  cutAfter(bytes: number, side: Side = 'server'): void {
    this.cut = { side, left: bytes };
  }

  async close(): Promise<void> {
    await this.refuse();
    this.reset();
  }

  /**
   * Returns the number of bytes of a chunk to forward before the connection is cut. Returns undefined to forward the
   * whole chunk without a cut.
   */
  take(side: Side, bytes: number): number | undefined {
    if (this.cut?.side !== side) return undefined;
    const { left } = this.cut;
    if (bytes < left) {
      this.cut.left -= bytes;
      return undefined;
    }
    this.cut = undefined;
    return left;
  }

  private async listen(): Promise<void> {
    const listener = createServer({ allowHalfOpen: true, pauseOnConnect: true }, (client) => {
      this.link(client);
    });
    this.listener = listener;
    listener.listen(this.listeningPort, '127.0.0.1');
    await once(listener, 'listening');
    this.listeningPort = (listener.address() as AddressInfo).port;
  }

  private link(client: Socket): void {
    const server = connect({ port: this.targetPort, host: '127.0.0.1', allowHalfOpen: true });
    const requests = new Flow(this, 'client', client, server);
    const answers = new Flow(this, 'server', server, client);
    const link = { client, server, flows: [requests, answers] };
    this.links.add(link);
    const tie = (socket: Socket, from: Flow, to: Flow, other: Socket): void => {
      socket.setNoDelay(true);
      socket.on('error', () => {
        // Node.js emits `close` after every error, and the handler below cleans up.
      });
      socket.on('close', (hadError) => {
        to.stop();
        if (hadError) other.destroy();
        else from.finish();
        if (client.destroyed && server.destroyed) this.links.delete(link);
      });
    };
    tie(client, requests, answers, server);
    tie(server, answers, requests, client);
  }

  private moveAll(): void {
    for (const { flows } of this.links) for (const flow of flows) flow.move();
  }
}
