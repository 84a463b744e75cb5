import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { LoadResult } from './load.js';

const LOADER = ['--import', new URL('../test/support/typescript.mjs', import.meta.url).pathname];
const SERVER_CORE = '0';
const LOAD_CORE = '1';
const canPin = process.env['BENCH_PIN'] !== 'false' && spawnSync('taskset', ['-c', '0', 'true']).status === 0;

/** A command on one core, where the machine can pin. */
const pinned = (core: string, command: readonly string[]): [string, string[]] =>
  canPin ? ['taskset', ['-c', core, ...command]] : [command[0] ?? '', command.slice(1)];

export type Server = { readonly url: URL; readonly process: ChildProcess; stop(): Promise<void> };

/** Starts a server (all its threads on one core) and waits for the line that holds its address. */
export async function startServer(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Server> {
  const [command, rest] = pinned(SERVER_CORE, [process.execPath, ...args]);
  const child = spawn(command, rest, { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'inherit'] });
  for await (const line of createInterface({ input: child.stdout })) {
    const url = /http:\/\/[\d.]+:\d+/.exec(line)?.[0];
    if (url === undefined) continue;
    child.stdout.resume();
    const stop = async () => {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
    };
    return { url: new URL(url), process: child, stop };
  }
  throw new Error('The server ended before it listened');
}

export const startBare = (): Promise<Server> =>
  startServer([...LOADER, new URL('./bare.ts', import.meta.url).pathname]);

export type Load = {
  readonly path: string;
  readonly method?: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly prefix?: string;
  readonly connections: number;
  readonly seconds: number;
  readonly rate?: number;
  readonly count?: number;
};

/** Runs the load generator on the other core. */
export async function load({ url }: Server, plan: Load): Promise<LoadResult> {
  const { hostname: host, port } = url;
  const defaults = { method: 'POST', headers: {}, prefix: 'n' };
  const file = new URL('./load.ts', import.meta.url).pathname;
  const whole = JSON.stringify({ ...defaults, ...plan, host, port: Number(port) });
  const [command, rest] = pinned(LOAD_CORE, [process.execPath, ...LOADER, file, whole]);
  const child = spawn(command, rest, { stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
  await once(child, 'close');
  return JSON.parse(text) as LoadResult;
}
