import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** Whose bytes: the client's requests, or the server's answers. */
export type Side = 'client' | 'server';
type Delayed = { readonly chunk: Buffer; readonly dueMs: number };
/** Read ahead of a slow line; beyond it the sender has to wait. */
const MAX_WAITING_BYTES = 1_048_576;

/** One direction of one connection: bytes in their order, each when it is due. */
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

  /** Sends what is due, and reads on where that is allowed. */
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

  /** Its sender is gone: what it had sent still arrives. */
  finish(): void {
    this.ended = true;
    this.move();
  }

  /** Nobody is there to take anything any more. */
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
    // What may still pass arrives, and then both ends see the connection close in the middle of a frame.
    this.waiting = [];
    this.to.end(chunk.subarray(0, allowed));
    this.from.destroy();
  }
}

type Link = { readonly client: Socket; readonly server: Socket; readonly flows: readonly Flow[] };

/** A TCP line between a client and a server on the loopback interface that a test may disturb. It begins passing all. */
export class FaultProxy {
  private readonly links = new Set<Link>();
  private listener: Server | undefined;
  private listeningPort = 0;
  private cut: { readonly side: Side; left: number } | undefined;
  delayMs = 0;
  isHanging = false;
  /** What came from either side so far. */
  readonly taken = { client: 0, server: 0 };

  private constructor(private readonly targetPort: number) {}

  /** @param target the server's port on 127.0.0.1 */
  static async start({ port }: { readonly port: number }): Promise<FaultProxy> {
    const proxy = new FaultProxy(port);
    await proxy.listen();
    return proxy;
  }

  get port(): number {
    return this.listeningPort;
  }

  /** Connections that are open now. */
  get connections(): number {
    return this.links.size;
  }

  /** All is well again: what hung goes on, nothing is delayed or cut, new connections are taken. */
  async pass(): Promise<void> {
    this.isHanging = false;
    this.delayMs = 0;
    this.cut = undefined;
    if (!this.listener) await this.listen();
    this.moveAll();
  }

  /** Connections stay (and new ones are taken), and nothing passes until `pass`; nothing of it is lost. */
  hang(): void {
    this.isHanging = true;
    this.moveAll();
  }

  /** Resets every connection that is open now. */
  reset(): void {
    for (const { client, server, flows } of this.links) {
      for (const flow of flows) flow.stop();
      client.resetAndDestroy();
      server.resetAndDestroy();
    }
  }

  /** New connections are refused until `pass`; those that are open stay. */
  async refuse(): Promise<void> {
    const { listener } = this;
    this.listener = undefined;
    if (!listener?.listening) return;
    listener.close();
    // It closes only with its last connection; the port is free at once.
    await new Promise((resolve) => setImmediate(resolve));
  }

  /** What is read from now on arrives so much later, each way, in its order. */
  slow(ms: number): void {
    this.delayMs = ms;
  }

  /** Lets so many more bytes of a side pass (over all connections), then closes that connection and passes again. */
  cutAfter(bytes: number, side: Side = 'server'): void {
    this.cut = { side, left: bytes };
  }

  async close(): Promise<void> {
    await this.refuse();
    this.reset();
  }

  /** How much of a chunk passes before its connection is cut; undefined: all of it, uncut. */
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
        // Its close follows.
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
