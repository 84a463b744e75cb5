import { credentials, Metadata } from '@grpc/grpc-js';
import { fileURLToPath } from 'node:url';
import type { ServerRecipe } from '../server-process.js';
import { ServerFeaturesClient, shared } from './protocol.js';
import type { Like } from './server-version.js';

const PROBE_TIMEOUT_MS = 1_000;
const typescript = new URL('../typescript.mjs', import.meta.url).href;
const script = fileURLToPath(new URL('../../../scripts/eventstore-test.mjs', import.meta.url));

/** Checks readiness with the request that a client sends before its first append. */
function probe(port: number): Promise<string> {
  const client = new ServerFeaturesClient(`127.0.0.1:${port}`, credentials.createInsecure());
  return new Promise<string>((resolve, reject) => {
    const deadline = new Date(Date.now() + PROBE_TIMEOUT_MS);
    client.getSupportedMethods(new shared.Empty(), new Metadata(), { deadline }, (error, answer) => {
      if (error) reject(error);
      else resolve(answer.getEventStoreServerVersion());
    });
  }).finally(() => {
    client.close();
  });
}

/** Runs the server as a process, for tests that kill it, suspend it, or restart it on the same data. */
export const eventStoreLike = (like: Like, ...options: readonly string[]): ServerRecipe => ({
  name: 'eventstore',
  command: process.execPath,
  args: (port, directory) => [
    ...['--import', typescript, script],
    ...['--port', String(port), '--data', directory, '--like', like, ...options],
  ],
  url: (port) => `esdb://127.0.0.1:${port}?tls=false`,
  probe,
});
export const eventStoreRecipe = eventStoreLike('23.10');
