import { once } from 'node:events';
import { connect } from 'node:net';
import type { ServerRecipe } from './server-process.js';

/** A Redis server without persistence. */
export const redisRecipe: ServerRecipe = redisRecipeWith();

/** @param options further command-line options */
export function redisRecipeWith(options: readonly string[] = []): ServerRecipe {
  return {
    name: 'redis-server',
    command: 'redis-server',
    args: (port, directory) => [
      ...['--port', String(port), '--bind', '127.0.0.1', '--dir', directory],
      ...['--save', '', '--appendonly', 'no', '--daemonize', 'no', ...options],
    ],
    url: (port) => `redis://127.0.0.1:${port}`,
    probe,
  };
}

/**
 * Requests the server's version. A server that requires a password does not reveal its version, but is treated as
 * running.
 */
async function probe(port: number): Promise<string> {
  const socket = connect({ port, host: '127.0.0.1', timeout: 1_000 });
  try {
    await once(socket, 'connect');
    socket.on('timeout', () => socket.destroy(new Error('no answer')));
    socket.write('INFO server\r\n');
    let text = '';
    for await (const chunk of socket) {
      text += String(chunk);
      const version = /redis_version:(\S+)/.exec(text)?.[1] ?? (/^-NOAUTH/.test(text) ? 'unknown' : undefined);
      if (version !== undefined) return version;
      if (text.startsWith('-')) throw new Error(text);
    }
    throw new Error('the connection was closed');
  } finally {
    socket.destroy();
  }
}
