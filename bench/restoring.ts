import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import type { EventReader, RecordedEvent } from '../src/ports/event-store.js';
import { readHistory } from './history-store.js';
import { say } from './report.js';

const PROGRAM = new URL('../dist/restore.js', import.meta.url).pathname;

/** Runs the restore program and returns its duration in seconds. */
export async function restore(
  args: readonly string[],
  directory: string,
  env: Readonly<Record<string, string>> = {},
): Promise<number> {
  const startedMs = performance.now();
  const child = spawn(process.execPath, [PROGRAM, ...args], { env: { ...process.env, ...env, DATA_DIR: directory } });
  let said = '';
  child.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
  const [code] = (await once(child, 'close')) as [number];
  if (code !== 0) throw new Error(said);
  say(said.trim().split('\n').at(-1) ?? '');
  return (performance.now() - startedMs) / 1_000;
}

/** Hash of the events for which `isCounted` returns true, in order, up to a position. */
export async function contentOf(
  events: EventReader,
  upTo: number,
  isCounted: (event: RecordedEvent) => boolean = () => true,
): Promise<string> {
  const hash = createHash('sha256');
  await readHistory(events, { upTo, batch: 1_000 }, (batch) => {
    for (const { id, stream, revision, type, data, metadata } of batch.filter(isCounted))
      hash.update(JSON.stringify([id, stream, revision, type, data, metadata]));
  });
  return hash.digest('hex');
}
