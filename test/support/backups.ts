import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { EmbeddedReadStore } from '../../src/adapters/embedded/read-store.js';
import { SystemClock, Uuid7Ids } from '../../src/adapters/system-time.js';
import { catalogue } from '../../src/app/catalogue.js';
import { backUp } from '../../src/jobs/database-backup.job.js';
import { LineChain, type BackupLine } from '../../src/backup/backup-format.js';
import {
  restoreBackup,
  verifyRestorable,
  type Restored,
  type RestoreOptions,
} from '../../src/backup/backup-restore.js';
import { nameUuid } from '../../src/eventsourcing/name-uuid.js';
import { hashOf } from './rebuilt-table.js';
import { project } from '../../src/projecting/project.js';
import { Projector } from '../../src/projecting/projector.js';
import { parseStreamName } from '../../src/eventsourcing/stream-name.js';
import type { EventReader, EventStore, EventToAppend, RecordedEvent } from '../../src/ports/event-store.js';
import type { Pipelined } from '../../src/ports/append-pipeline.js';
import type { HistoryIdentity } from '../../src/ports/history.js';
import { projections } from '../../src/projections/projections.js';

export const EXECUTION = '0199d3a0-0000-7000-8000-0000000000e1';
const NAMESPACE = '0199d3a0-0000-7000-8000-0000000000e0';
const clock = new SystemClock();
const ids = new Uuid7Ids();
const quiet = (): void => undefined;

/** Creates a full backup as the backup job does and returns its path. */
export async function backupOf(events: EventReader, directory: string, executionId = EXECUTION): Promise<string> {
  const parts = { events, reads: undefined as never, catalogue, clock, sharesThread: true };
  const task = { kind: 'backup', executionId, directory, kept: 7, service: '0.0.0-test' } as const;
  const { artifact } = await backUp(task, parts, { signal: new AbortController().signal, report: quiet });
  return join(directory, artifact?.fileName ?? '');
}

export const isKnown = (stream: string): boolean =>
  catalogue.aggregateOf(parseStreamName(stream)?.entity ?? '') !== undefined;
export const verified = (path: string) => verifyRestorable(path, isKnown, quiet);
/** Restores a backup. `identity`: the store itself, unless it is wrapped. */
export const restored = (
  path: string,
  store: EventReader & Pipelined,
  resume = false,
  identity = store as EventReader & Pipelined & HistoryIdentity,
  report: RestoreOptions['report'] = quiet,
): Promise<Restored> =>
  restoreBackup(path, store, { streams: catalogue.streamPrefixes, resume, identity, ids, report });

/** Reads the lines of a backup, without line feeds. */
export async function linesOf(path: string): Promise<string[]> {
  return gunzipSync(await readFile(path))
    .toString()
    .split('\n')
    .slice(0, -1);
}

/** Writes arbitrary lines to a file, compressed as in a backup. */
export const writeLines = (path: string, lines: readonly string[]): Promise<void> =>
  writeFile(path, gzipSync(lines.map((line) => `${line}\n`).join('')));

/** Seals arbitrary lines with a valid chain, as a forger who knows only the chain algorithm could. */
export function chained(lines: readonly object[]): string[] {
  const chain = new LineChain();
  return lines.map((line) =>
    chain
      .seal(line as BackupLine)
      .toString()
      .slice(0, -1),
  );
}

/** Returns the chain value after the given lines, in hex. */
export function chainOver(lines: readonly object[]): string {
  const chain = new LineChain();
  for (const line of lines) chain.seal(line as BackupLine);
  return chain.sha256;
}

export const unchained = (lines: readonly string[]): Record<string, unknown>[] =>
  lines.map((line) => {
    const parsed = JSON.parse(line) as Record<string, unknown>;
    delete parsed['chain'];
    return parsed;
  });

/** Returns all of the service's events in a store, without the fields that the engine assigns. */
export async function contentOf(store: EventReader): Promise<object[]> {
  const filter = { on: 'stream', prefixes: catalogue.streamPrefixes } as const;
  const events = await store.readAll({ filter, maxCount: 100_000 });
  return events.map(({ id, stream, revision, type, data, metadata }) => ({
    ...{ id, stream, revision, type, data, metadata },
  }));
}

type Happened = Pick<RecordedEvent, 'stream' | 'revision' | 'type' | 'data' | 'metadata'> & { readonly id: string };

/** Appends events unchanged, each with a UUID derived from its id. */
export async function appendAll(store: EventStore, events: readonly Happened[]): Promise<void> {
  for (const { id, stream, revision, type, data, metadata } of events) {
    const event: EventToAppend = { id: nameUuid(`${stream} ${id}`, NAMESPACE), type, data, metadata };
    await store.append({ stream, expected: revision === 0 ? 'no_stream' : revision - 1, events: [event] });
  }
}

let generations = 0;

/** Builds all read models from a store's events. Returns their hashes by name. */
export async function modelsOf(events: EventReader, reads: EmbeddedReadStore): Promise<Record<string, string>> {
  generations += 1;
  const filter = { on: 'stream', prefixes: catalogue.streamPrefixes } as const;
  const history = (await events.readAll({ filter, maxCount: 100_000 })).map((event) => catalogue.decode(event));
  const tables = projections.map(({ model }) => ({ model, generation: generations }));
  await reads.prepare(tables);
  const projectors = projections.map(
    (projection) => new Projector(reads, { projection, table: { model: projection.model, generation: generations } }),
  );
  await project(reads, projectors, history, history.at(-1)?.position ?? -1);
  const hashes: Record<string, string> = {};
  for (const table of tables) {
    hashes[table.model.name] = await hashOf(reads, table);
    await reads.drop(table);
  }
  return hashes;
}
