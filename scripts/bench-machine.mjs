// The machine on which `npm run bench` runs, and its load.
import { spawnSync } from 'node:child_process';
import { closeSync, fdatasyncSync, mkdtempSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { cpus, loadavg, release, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { root } from './checkout.mjs';

const FLUSHES = 300;
const LOOK_MS = 2_000;
/** Maximum CPU share of other processes. Above this share, the benchmark reports the machine as busy. */
const QUIET_SHARE = 0.1;

const git = (...args) => spawnSync('git', args, { cwd: root }).stdout?.toString().trim();

/** Median time, in milliseconds, to write and flush 4 KiB in the folder where the figures store their data. */
function fdatasyncP50Ms() {
  const folder = mkdtempSync(join(tmpdir(), 'kontor-bench-'));
  const file = openSync(join(folder, 'flush'), 'w');
  const block = Buffer.alloc(4_096, 1);
  const taken = Array.from({ length: FLUSHES }, () => {
    const startedMs = performance.now();
    writeSync(file, block);
    fdatasyncSync(file);
    return performance.now() - startedMs;
  });
  closeSync(file);
  rmSync(folder, { recursive: true });
  return Number(taken.sort((a, b) => a - b)[FLUSHES / 2].toPrecision(3));
}

export const machine = () => ({
  cores: cpus().length,
  cpu: cpus()[0]?.model ?? 'unknown',
  memoryMiB: Math.round(totalmem() / 2 ** 20),
  node: process.version,
  platform: process.platform,
  kernel: release(),
  fdatasyncP50Ms: fdatasyncP50Ms(),
});

export const canPin = () => cpus().length >= 2 && spawnSync('taskset', ['-c', '1', 'true']).status === 0;

export const commit = () => ({
  commit: git('rev-parse', 'HEAD') || 'unknown',
  isChanged: git('status', '--porcelain', '--untracked-files=no', '--', 'src', 'bench', 'package-lock.json') !== '',
});

/** Busy and total CPU ticks of all cores. */
function ticks() {
  const [user, nice, system, idle, iowait, ...rest] = readFileSync('/proc/stat', 'utf8')
    .split('\n')[0]
    .split(/\s+/)
    .slice(1)
    .map(Number);
  const busy = user + nice + system + rest.slice(0, 3).reduce((sum, one) => sum + one, 0);
  return { busy, all: busy + idle + iowait };
}

/** Load from other processes while no benchmark runs: the load average, and the utilization of all cores. */
export async function otherWork() {
  const load = loadavg().map((one) => Number(one.toFixed(2)));
  if (process.platform !== 'linux') return { load, busyShare: null, isQuiet: load[0] < QUIET_SHARE * cpus().length };
  const before = ticks();
  await sleep(LOOK_MS);
  const after = ticks();
  const busyShare = Number(((after.busy - before.busy) / (after.all - before.all)).toFixed(2));
  return { load, busyShare, isQuiet: busyShare <= QUIET_SHARE };
}
