// Temporary folder for tests, in memory if there is enough space. On disk, every flush would wait for the device.
// Waiting would not make the tests stricter, because they cannot distinguish data on disk from data in the page cache.
// Uses only Node's own modules.
import { existsSync, mkdtempSync, readdirSync, rmSync, statfsSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const MEMORY = '/dev/shm';
const ENOUGH_BYTES = 2 * 1024 ** 3;
const PREFIX = 'kontor-tests-';
const DAY_MS = 86_400_000;

function hasRoom() {
  if (!existsSync(MEMORY)) return false;
  const { bavail, bsize } = statfsSync(MEMORY);
  return bavail * bsize >= ENOUGH_BYTES;
}

/** Removes folders that killed runs have left behind. */
function removeOld() {
  for (const name of readdirSync(MEMORY).filter((each) => each.startsWith(PREFIX))) {
    const path = join(MEMORY, name);
    const changedMs = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Infinity;
    if (changedMs < Date.now() - DAY_MS) rmSync(path, { recursive: true, force: true });
  }
}

/** A folder for this process, removed when the process ends. */
export function temporaryFolder() {
  if (!hasRoom()) return tmpdir();
  removeOld();
  const folder = mkdtempSync(join(MEMORY, PREFIX));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
