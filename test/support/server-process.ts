import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

export type ServerRecipe = {
  readonly name: string;
  readonly command: string;
  /** `directory` is the server's own, kept over restarts. */
  readonly args: (port: number, directory: string) => readonly string[];
  readonly url: (port: number) => string;
  /** Resolves with the server's version once it answers; throws while it does not. */
  readonly probe: (port: number) => Promise<string>;
  readonly startWithinMs?: number;
};

/** A free port on the loopback interface. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** By itself or by a signal. */
export const hasEnded = ({ exitCode, signalCode }: ChildProcess): boolean => exitCode !== null || signalCode !== null;

/** A real server as a process of the test's own, which it may stop, kill, hang and start again on the same port. */
export class ServerProcess {
  private child: ChildProcess | undefined;
  private output = '';
  version = '';

  private constructor(
    private readonly recipe: ServerRecipe,
    readonly port: number,
    private readonly directory: string,
  ) {}

  /** @throws Error with the server's output when it does not answer in time */
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

  /** Starts it (again). */
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

  /** Ends it as an operator would. */
  stop(): Promise<void> {
    return this.end('SIGTERM');
  }

  /** Ends it as a crash would. */
  kill(): Promise<void> {
    return this.end('SIGKILL');
  }

  async restart(): Promise<void> {
    await this.stop();
    await this.start();
  }

  /** It keeps its connections, and answers nothing. */
  hang(): void {
    this.child?.kill('SIGSTOP');
  }

  resume(): void {
    this.child?.kill('SIGCONT');
  }

  /** Ends it and removes what it stored. */
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
    // A stopped process gets its signals only when it goes on.
    child.kill('SIGCONT');
    await ended;
  }
}
