import { appendFile, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CheckpointFiles, type PublishedCheckpoint } from '../../src/integrity/checkpoint-files.js';

let directory: string;
let files: CheckpointFiles;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'kontor-checkpoints-'));
  files = new CheckpointFiles(directory);
});
afterEach(() => rm(directory, { recursive: true }));

const checkpoint = (size: number, timestamp: string): PublishedCheckpoint => ({
  ...{ note: `kontor\n${size}\n`, size, rootHash: 'ab'.repeat(32), timestamp },
});

/** The clock is an hour ahead until just before midnight, and is then corrected. */
const JUMP = [
  checkpoint(10, '2026-03-01T22:00:00.000Z'),
  checkpoint(20, '2026-03-02T00:30:00.000Z'),
  checkpoint(30, '2026-03-01T23:40:00.000Z'),
] as const;

test('The newest checkpoint is the one that covers the most events, even if the clock has been set back', async () => {
  for (const one of JUMP) await files.add([one]);
  expect(await readdir(directory)).toHaveLength(2);
  expect(await files.last()).toEqual(JUMP[2]);
  expect(await files.all()).toEqual(JUMP);
  const next = checkpoint(40, '2026-03-02T00:10:00.000Z');
  await files.add([next]);
  expect(await files.last()).toEqual(next);
  expect(await files.all()).toEqual([...JUMP, next]);
});

test('A checkpoint of a wrong year remains the newest until another one covers more events', async () => {
  await files.add([checkpoint(10, '2099-01-01T00:00:00.000Z')]);
  await files.add([checkpoint(5, '2026-03-01T00:00:00.000Z'), checkpoint(20, '1970-01-01T00:00:00.000Z')]);
  expect((await files.last())?.size).toBe(20);
  await files.add([checkpoint(30, '2026-03-01T00:01:00.000Z')]);
  expect((await files.last())?.size).toBe(30);
});

test('The last complete line of a file counts, however much of a truncated line follows it', async () => {
  await files.add(JUMP);
  const file = join(directory, '2026-03-01.ndjson');
  for (const part of ['{"note":"', 'x'.repeat(3_000), 'ö'.repeat(200_000)]) {
    await appendFile(file, part);
    expect(await files.last()).toEqual(JUMP[2]);
  }
  await writeFile(join(directory, '2026-03-03.ndjson'), '');
  expect(await files.last()).toEqual(JUMP[2]);
});

test('Without files there is no checkpoint', async () => {
  expect([await files.last(), await files.all()]).toEqual([undefined, []]);
  await rm(directory, { recursive: true });
  expect([await files.last(), await files.all()]).toEqual([undefined, []]);
  await files.add([JUMP[0]]);
});
