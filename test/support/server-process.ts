import { type ChildProcess, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from './eventually.js';

export type ServerRecipe = {
  readonly name: string;
  readonly command: string;
  /** `directory` is the server's data folder, which survives restarts. */
  readonly args: (port: number, directory: string) => readonly string[];
  readonly url: (port: number) => string;
  /** Resolves with the server's version if the server responds, and rejects otherwise. */
  readonly probe: (port: number) => Promise<string>;
  readonly startWithinMs?: number;
};

/**
 * Range of ports for servers, below the range of ephemeral ports. Otherwise, the operating system could assign the port
 * to another process before the server listens on it.
 */
const [LOWEST_PORT, HIGHEST_PORT] = [15_000, 32_000];

/** Returns a free port on the loopback interface. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(LOWEST_PORT, HIGHEST_PORT);
    const server = createServer().listen(port, '127.0.0.1');
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    );
    if (!isFree) continue;
    server.close();
    await once(server, 'close');
    return port;
  }
}

/** Whether the process has exited, normally or because of a signal. */
export const hasEnded = ({ exitCode, signalCode }: ChildProcess): boolean => exitCode !== null || signalCode !== null;

const STOPPED_WITHIN_MS = 5_000;

/** Whether all threads of a process have stopped. True on systems without `/proc`. */
function isStopped(pid: number): boolean {
  const tasks = `/proc/${pid}/task`;
  if (!existsSync(tasks)) return true;
  return readdirSync(tasks).every((task) => /\) [Tt] /.test(readFileSync(`${tasks}/${task}/stat`, 'utf8')));
}

/** A real server as a child process. A test can stop, kill and suspend the server, and restart it on the same port. */
export class ServerProcess {
  private child: ChildProcess | undefined;
  private output = '';
  version = '';

  private constructor(
    private readonly recipe: ServerRecipe,
    readonly port: number,
    /** Folder that contains the server's data. */
    readonly directory: string,
  ) {}

  /** @throws Error with the server's output if it does not respond in time */
  static async start(recipe: ServerRecipe): Promise<ServerProcess> {
    const directory = await mkdtemp(join(tmpdir(), `kontor-${recipe.name}-`));
    const server = new ServerProcess(recipe, await freePort(), directory);
    try {
      await server.start();
    } catch (error) {
      await server.dispose();
      throw error;
    }
    return server;
  }

  get url(): string {
    return this.recipe.url(this.port);
  }

  get pid(): number | undefined {
    return this.child?.pid;
  }

  /** Starts or restarts the server. */
  async start(): Promise<void> {
    const { command, args, name, probe, startWithinMs = 30_000 } = this.recipe;
    this.output = '';
    const child = spawn(command, args(this.port, this.directory), { stdio: ['ignore', 'pipe', 'pipe'] });
    this.child = child;
    const collect = (chunk: Buffer) => (this.output = `${this.output}${chunk.toString()}`.slice(-10_000));
    child.stdout.on('data', collect);
    child.stderr.on('data', collect);
    child.on('error', (error) => collect(Buffer.from(String(error))));
    const deadline = performance.now() + startWithinMs;
    for (;;) {
      try {
        this.version = await probe(this.port);
        return;
      } catch (error) {
        if (hasEnded(child) || performance.now() > deadline) {
          child.kill('SIGKILL');
          throw new Error(`${name} does not answer (${String(error)}):\n${this.output}`, { cause: error });
        }
        await sleep(50);
      }
    }
  }

  /** Stops the server as an operator would. */
  stop(): Promise<void> {
    return this.end('SIGTERM');
  }

  /** Ends the server as a crash would. */
  kill(): Promise<void> {
    return this.end('SIGKILL');
  }

  async restart(): Promise<void> {
    await this.stop();
    await this.start();
  }

  /**
   * Suspends the server, which keeps its connections but does not respond. Resolves once all threads of the server have
   * stopped.
   */
  async hang(): Promise<void> {
    const { pid } = this;
    this.child?.kill('SIGSTOP');
    await eventually(() => pid === undefined || isStopped(pid), STOPPED_WITHIN_MS);
  }

  resume(): void {
    this.child?.kill('SIGCONT');
  }

  /** Ends the server and removes its data. */
  async dispose(): Promise<void> {
    await this.kill();
    await rm(this.directory, { recursive: true, force: true });
  }

  private async end(signal: NodeJS.Signals): Promise<void> {
    const { child } = this;
    this.child = undefined;
    if (!child || hasEnded(child)) return;
    const ended = once(child, 'exit');
    child.kill(signal);
    // A suspended process handles signals only after SIGCONT.
    child.kill('SIGCONT');
    await ended;
  }
}
