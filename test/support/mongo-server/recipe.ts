import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import type { ServerRecipe } from '../server-process.js';

/** Folder in which `.ci/mongo-server.sh` installs the server. */
const lib = process.env.MONGO_SERVER_LIB ?? join(import.meta.dirname, 'lib');

/**
 * mongo-java-server, which speaks MongoDB's protocol. Its data survives restarts, and journaled writes survive a kill.
 * The server has no query plans (`explain`), and scans whole collections for all queries except look-ups by id.
 */
export const mongoRecipe: ServerRecipe = mongoRecipeWith();

/** @param options further JVM options */
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
