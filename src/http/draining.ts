import { Server as TcpServer, type Socket } from 'node:net';
import type { Server, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

const LOOK_EVERY_MS = 20;

/**
 * Closes keep-alive connections without aborting requests: the next response on each connection contains the
 * `Connection: close` header. If an idle socket were closed, a request already in transit would fail with ECONNRESET.
 */
export class Draining {
  private readonly open = new Set<ServerResponse>();
  private readonly sockets = new Set<Socket>();
  private hasBegun = false;

  constructor(private readonly server: Server) {
    // Node.js calls this when the server closes. Its own method also closes connections with unsent response data.
    server.closeIdleConnections = () => {
      this.closeIdle();
    };
    server.prependListener('connection', (socket) => {
      this.sockets.add(socket);
      socket.once('close', () => this.sockets.delete(socket));
    });
    server.prependListener('request', (_request, response) => {
      if (this.hasBegun) response.shouldKeepAlive = false;
      this.open.add(response);
      response.once('close', () => this.open.delete(response));
    });
  }

  /** Number of requests in progress. */
  get inFlight(): number {
    return this.open.size;
  }

  /** Stops accepting connections. Resolves once all connections have ended, or after `graceMs`. */
  async begin(graceMs: number): Promise<void> {
    this.hasBegun = true;
    for (const response of this.open) if (!response.headersSent) response.shouldKeepAlive = false;
    if (!this.server.listening) return;
    // The HTTP server's own `close` would close idle connections immediately.
    TcpServer.prototype.close.call(this.server);
    for (const untilMs = performance.now() + graceMs; performance.now() < untilMs;) {
      if ((await this.connections()) === 0) return;
      await sleep(LOOK_EVERY_MS);
    }
  }

  /**
   * Closes all connections without a request in progress, including those that have not sent a complete request yet.
   */
  closeIdle(): void {
    const busy = new Set<unknown>([...this.open].map(({ req }) => req.socket));
    for (const socket of this.sockets) if (!busy.has(socket)) socket.destroy();
  }

  private connections(): Promise<number> {
    return new Promise((resolve) => {
      this.server.getConnections((error, count) => {
        resolve(error ? 0 : count);
      });
    });
  }
}
