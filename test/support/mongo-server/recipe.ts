import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import type { ServerRecipe } from '../server-process.js';

/** Where `.ci/mongo-server.sh` has put the server. */
const lib = process.env.MONGO_SERVER_LIB ?? join(import.meta.dirname, 'lib');

/**
 * mongo-java-server: speaks MongoDB's protocol, keeps its data over restarts, and what was journaled over a kill. It
 * has no plans (`explain`) and reads whole collections for all but look-ups by id.
 */
export const mongoRecipe: ServerRecipe = mongoRecipeWith();

/** @param options further options of the Java machine */
export function mongoRecipeWith(options: readonly string[] = []): ServerRecipe {
  return {
    name: 'mongo-java-server',
    command: 'java',
    args: (port, directory) => [
      ...['-Xmx1g', '-XX:+UseSerialGC', ...options, '-cp', join(lib, '*')],
      ...[join(import.meta.dirname, 'MongoServerMain.java'), String(port), directory],
    ],
    url: (port) => `mongodb://127.0.0.1:${port}/kontor`,
    probe,
    startWithinMs: 60_000,
  };
}

async function probe(port: number): Promise<string> {
  const client = new MongoClient(`mongodb://127.0.0.1:${port}`, { serverSelectionTimeoutMS: 1_000 });
  try {
    const { version } = (await client.db('admin').command({ buildInfo: 1 })) as { version: string };
    return version;
  } finally {
    await client.close();
  }
}
