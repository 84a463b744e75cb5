import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../test/support/server-process.js';
import { options } from './options.js';
import { end, run, start, startServer, type Server } from './processes.js';

const BIN = process.env['BENCH_POSTGRES_BIN'] ?? '/usr/lib/postgresql/15/bin';
const SERVER = new URL('./peer/server.mjs', import.meta.url).pathname;
const STARTS_WITHIN_MS = 30_000;

export const PEER_NAME = 'emmett 0.42 on PostgreSQL 15 behind a bare Fastify route';

/** PostgreSQL refuses to run as root, so a root process starts it as the `postgres` user. */
function asItself(): { readonly prefix: readonly string[]; readonly own: (directory: string) => void } {
  if (process.getuid?.() !== 0) return { prefix: [], own: () => undefined };
  const id = (flag: string) => Number(spawnSync('id', [flag, 'postgres']).stdout.toString());
  const own = (directory: string) => {
    chownSync(directory, id('-u'), id('-g'));
  };
  return { prefix: ['setpriv', '--reuid=postgres', '--regid=postgres', '--clear-groups'], own };
}

/**
 * The peer: a similar event store in the same language that does equivalent work. PostgreSQL has its default settings,
 * so each commit is flushed. PostgreSQL and the peer's process share the core that the service would use.
 */
export class Peer {
  private databases = 0;
  private constructor(
    private readonly port: number,
    private readonly stopServer: () => Promise<void>,
  ) {}

  /** Starts the peer. Returns undefined if the peer cannot run, for the reason stated in the options. */
  static async start(): Promise<Peer | undefined> {
    if (options.noPeer !== undefined) return undefined;
    const directory = mkdtempSync(join(tmpdir(), 'kontor-bench-postgres-'));
    process.on('exit', () => {
      rmSync(directory, { recursive: true, force: true });
    });
    const { prefix, own } = asItself();
    own(directory);
    chmodSync(directory, 0o700);
    const data = join(directory, 'data');
    const init = [...prefix, join(BIN, 'initdb'), '-D', data, '-A', 'trust', '-U', 'bench', '-E', 'UTF8'];
    const made = spawnSync(init[0] ?? '', init.slice(1), { cwd: directory });
    if (made.status !== 0) throw new Error(`initdb: ${made.stderr.toString()}`);
    const port = await freePort();
    const where = ['-D', data, '-p', String(port), '-k', directory, '-c', 'listen_addresses=127.0.0.1'];
    const child = start('measured', [...prefix, join(BIN, 'postgres'), ...where], {
      ...{ cwd: directory, stdio: 'ignore' },
    });
    await answers(port);
    return new Peer(port, () => end(child, 'SIGINT'));
  }

  /**
   * Starts the peer's server on a new database. Each sale is one durable append. With `project`, the append also writes
   * a row of an indexed read model.
   */
  async serve(mode: 'append' | 'project'): Promise<Server> {
    return startServer([SERVER, await this.database(), mode]);
  }

  /** Events per second in each rebuild of the peer's single read model. */
  async rebuild(events: number, runs: number): Promise<readonly number[]> {
    const args = [await this.database(), String(events), String(runs)];
    return (await run<{ perSecond: number[] }>('peer/rebuild.mjs', args)).perSecond;
  }

  stop(): Promise<void> {
    return this.stopServer();
  }

  private database(): Promise<string> {
    this.databases += 1;
    const name = `bench_${this.databases}`;
    const args = ['-h', '127.0.0.1', '-p', String(this.port), '-U', 'bench', name];
    const made = spawnSync(join(BIN, 'createdb'), args);
    if (made.status !== 0) throw new Error(`createdb: ${made.stderr.toString()}`);
    return Promise.resolve(`postgresql://bench@127.0.0.1:${this.port}/${name}`);
  }
}

async function answers(port: number): Promise<void> {
  const deadlineMs = performance.now() + STARTS_WITHIN_MS;
  const isReady = () => spawnSync(join(BIN, 'pg_isready'), ['-q', '-h', '127.0.0.1', '-p', String(port)]).status === 0;
  while (!(await listens(port)) || !isReady()) {
    if (performance.now() > deadlineMs) throw new Error('PostgreSQL does not respond');
    await sleep(50);
  }
}

const listens = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => {
      resolve(false);
    });
  });
