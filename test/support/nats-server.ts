import { connect } from '@nats-io/transport-node';
import { jetstreamManager } from '@nats-io/jetstream';
import type { ServerRecipe } from './server-process.js';

/**
 * A NATS server with JetStream. Messages survive a restart. The server stops without waiting for connections to close.
 */
export const natsRecipe: ServerRecipe = natsRecipeWith();

/** @param options further command-line options */
export function natsRecipeWith(options: readonly string[] = []): ServerRecipe {
  return {
    name: 'nats-server',
    command: 'nats-server',
    args: (port, directory) => ['-a', '127.0.0.1', '-p', String(port), '-js', '-sd', directory, ...options],
    url: (port) => `nats://127.0.0.1:${port}`,
    probe: async (port) => {
      const connection = await connect({ servers: `127.0.0.1:${port}`, reconnect: false, timeout: 1_000 });
      try {
        await jetstreamManager(connection, { timeout: 1_000 });
        return connection.info?.version ?? 'unknown';
      } finally {
        await connection.close();
      }
    },
  };
}
