import { createServer, type AddressInfo, type Server } from 'node:net';
import type { Lookup } from '../../src/security/outbound-client.js';

/** A local server that counts all connections, whether or not they send a request, and closes them. */
export class CountingListener {
  connections = 0;

  private constructor(private readonly server: Server) {
    server.on('connection', (socket) => {
      this.connections += 1;
      socket.destroy();
    });
  }

  static async start(): Promise<CountingListener> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new CountingListener(server);
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  close(): void {
    this.server.close();
  }
}

/** Resolves every name to these addresses. */
export const asLookup =
  (...addresses: readonly string[]): Lookup =>
  (_, __, done) => {
    done(
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    );
  };
