import { execFileSync, spawn, spawnSync, type ChildProcess, type SpawnOptions } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { createInterface } from 'node:readline';
import type { LoadResult } from './load.js';
import { options } from './options.js';

const LOADER = ['--import', new URL('../test/support/typescript.mjs', import.meta.url).pathname];
/** All threads of the subject use the first core. The load generator uses the second core. */
export type Core = 'measured' | 'load';
const NUMBERS: Readonly<Record<Core, string>> = { measured: '0', load: '1' };
const canPin = !options.bothCores && cpus().length >= 2 && spawnSync('taskset', ['-c', '1', 'true']).status === 0;

/** Pins a command to a core, if the machine supports pinning. */
export const pinned = (core: Core, command: readonly string[]): [string, string[]] =>
  canPin ? ['taskset', ['-c', NUMBERS[core], ...command]] : [command[0] ?? '', command.slice(1)];

/** Pins a running process and all of its threads to a core. */
export function pin(core: Core, pid: number | undefined): void {
  if (canPin && pid !== undefined) execFileSync('taskset', ['-acp', NUMBERS[core], String(pid)], { stdio: 'ignore' });
}

const running = new Set<ChildProcess>();
// Ends the servers even if the benchmark fails.
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1));

/** Starts a process that ends no later than this process. */
export function start(core: Core, command: readonly string[], options: SpawnOptions = {}): ChildProcess {
  const [program, args] = pinned(core, command);
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'], ...options });
  running.add(child);
  child.on('exit', () => running.delete(child));
  return child;
}

export async function end(child: ChildProcess, signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill(signal);
  await ended;
}

export type Server = { readonly url: URL; readonly process: ChildProcess; stop(): Promise<void> };

/** Starts a server with all of its threads on one core and waits until it prints its URL. */
export async function startServer(
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
  core: Core = 'measured',
): Promise<Server> {
  const child = start(core, [process.execPath, ...args], { env: { ...process.env, ...env } });
  if (!child.stdout) throw new Error('No output');
  for await (const line of createInterface({ input: child.stdout })) {
    const url = /http:\/\/[\d.]+:\d+/.exec(line)?.[0];
    if (url === undefined) continue;
    child.stdout.resume();
    return { url: new URL(url), process: child, stop: () => end(child) };
  }
  throw new Error('The server ended before it listened');
}

/** A webhook receiver, on the load generator's core. */
export const startReceiver = (): Promise<Server> =>
  startServer([new URL('./webhook-receiver.mjs', import.meta.url).pathname], {}, 'load');

/** @param file path of a file with the response body of GET /bytes */
export const startBare = (file?: string): Promise<Server> =>
  startServer([...LOADER, new URL('./bare.ts', import.meta.url).pathname, ...(file === undefined ? [] : [file])]);

/** Runs a benchmark program on the measured core. Returns the JSON on the last line of its output. */
export async function run<T>(program: string, args: readonly string[] = []): Promise<T> {
  const loader = program.endsWith('.ts') ? LOADER : [];
  const path = new URL(`./${program}`, import.meta.url).pathname;
  return lastJson(start('measured', [process.execPath, ...loader, path, ...args]), program);
}

async function lastJson<T>(child: ChildProcess, what: string): Promise<T> {
  let text = '';
  child.stdout?.on('data', (chunk: Buffer) => (text += chunk.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`${what} ended with ${code ?? 'a signal'}`);
  return JSON.parse(text.trim().split('\n').at(-1) ?? '') as T;
}

export type Load = {
  readonly path: string;
  readonly method?: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly prefix?: string;
  readonly connections: number;
  readonly seconds: number;
  readonly rate?: number;
  readonly ports?: readonly number[];
  readonly keys?: readonly { readonly key: string; readonly share: number }[];
};

/** Runs the load generator on the other core. */
export function load({ url }: { readonly url: URL }, plan: Load): Promise<LoadResult> {
  const { hostname: host, port } = url;
  const defaults = { method: 'POST', headers: {}, prefix: 'n' };
  const file = new URL('./load.ts', import.meta.url).pathname;
  const whole = JSON.stringify({ ...defaults, ...plan, host, port: Number(port) });
  return lastJson(start('load', [process.execPath, ...LOADER, file, whole]), 'The load generator');
}

/** Private memory of a process in MiB. Uses RssAnon, which excludes file pages. */
export async function rssAnonMiB(pid: number | 'self' | undefined): Promise<number> {
  const status = await readFile(`/proc/${pid ?? 'self'}/status`, 'utf8').catch(() => '');
  return Math.round(Number(/RssAnon:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1_024);
}

const MS_PER_TICK = 10;
/**
 * CPU time of a process so far, in milliseconds. CPU time is more meaningful than elapsed time if the machine has other
 * load.
 */
export async function cpuMs(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  // The program name is in parentheses, and may contain spaces. User and system time are fields 14 and 15.
  const [user = '0', system = '0'] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13);
  return (Number(user) + Number(system)) * MS_PER_TICK;
}
