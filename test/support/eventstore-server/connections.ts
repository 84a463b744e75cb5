import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';

/** A server's port and open connections. A test can break the connections, or close the port temporarily. */
export class Connections {
  readonly #host: string;
  readonly #accept: (socket: Socket) => void;
  readonly #sockets = new Map<string, Socket>();
  #server: Server | undefined;
  #port: number;

  /** Port 0 selects a free port, which the server then reuses when it reopens. */
  constructor(host: string, port: number, accept: (socket: Socket) => void) {
    this.#host = host;
    this.#port = port;
    this.#accept = accept;
  }

  get port(): number {
    return this.#port;
  }

  async open(): Promise<void> {
    const server = createServer({ noDelay: true }, (socket) => {
      const peer = `${socket.remoteAddress ?? ''}:${socket.remotePort ?? 0}`;
      this.#sockets.set(peer, socket);
      socket.on('close', () => this.#sockets.delete(peer));
      // Ignores broken connections, because tests cause them.
      socket.on('error', () => undefined);
      this.#accept(socket);
    });
    server.listen(this.#port, this.#host);
    await once(server, 'listening');
    this.#port = (server.address() as AddressInfo).port;
    this.#server = server;
  }

  /** Breaks the connection to a peer, which is given in gRPC's notation. */
  break(peer: string): void {
    this.#sockets.get(peer)?.destroy();
  }

  breakAll(): void {
    for (const socket of this.#sockets.values()) socket.destroy();
  }

  /** Breaks every connection and closes the port. */
  async close(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    if (!server) return;
    const closed = once(server, 'close');
    server.close();
    this.breakAll();
    await closed;
  }
}
