import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { MongoClient } from 'mongodb';
import type { ServerRecipe } from '../server-process.js';

/** Folder in which `.ci/mongo-server.sh` installs the server. */
const lib = process.env.MONGO_SERVER_LIB ?? join(import.meta.dirname, 'lib');
const main = join(import.meta.dirname, 'MongoServerMain.java');
const cache = join(import.meta.dirname, '..', '..', '..', 'node_modules', '.cache', 'mongo-server');

/**
 * mongo-java-server, which speaks MongoDB's protocol. Its data survives restarts, and journaled writes survive a kill.
 * The server has no query plans (`explain`), and scans whole collections for all queries except look-ups by id. Java's
 * second compiler is off, because most tests end before its code saves as much CPU time as it costs to compile.
 */
export const mongoRecipe: ServerRecipe = mongoRecipeWith(['-XX:TieredStopAtLevel=1']);

/** @param options further JVM options */
export function mongoRecipeWith(options: readonly string[] = []): ServerRecipe {
  return {
    name: 'mongo-java-server',
    command: 'java',
    args: (port, directory) => [
      ...['-Xmx1g', '-XX:+UseSerialGC', ...options, '-cp', [compiled(), join(lib, '*')].join(delimiter)],
      ...['MongoServerMain', String(port), directory],
    ],
    url: (port) => `mongodb://127.0.0.1:${port}/kontor`,
    probe,
    startWithinMs: 60_000,
  };
}

/**
 * Returns the folder of the compiled main class. Compiles the class only once, because compilation takes longer than
 * the start of the server.
 */
function compiled(): string {
  const folder = join(cache, createHash('sha256').update(lib).update(readFileSync(main)).digest('hex'));
  if (existsSync(folder)) return folder;
  mkdirSync(cache, { recursive: true });
  const made = mkdtempSync(`${folder}-`);
  try {
    const jars = readdirSync(lib).map((name) => join(lib, name));
    const args = ['-cp', jars.join(delimiter), '-d', made, main];
    execFileSync('java', ['-m', 'jdk.compiler/com.sun.tools.javac.Main', ...args]);
    renameSync(made, folder);
  } catch (error) {
    rmSync(made, { recursive: true });
    // Another process may have compiled the class meanwhile.
    if (!existsSync(folder)) throw error;
  }
  return folder;
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
