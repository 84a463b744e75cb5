import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { ApiClient } from './api-client.js';
import { start } from './processes.js';
import { environmentOf, signedIn } from './service-client.js';

/**
 * Runs the compiled service in a process that a benchmark controls. The process reads one command per line, and replies
 * with one line of JSON.
 */
export class HostedService {
  private constructor(
    private readonly child: ChildProcess,
    private readonly lines: AsyncIterator<string>,
    readonly url: URL,
    readonly operator: ApiClient,
  ) {}

  static async start(program: string, directory: string): Promise<HostedService> {
    const env = { ...process.env, ...environmentOf(directory), LOG_LEVEL: 'error' };
    const path = new URL(`./${program}`, import.meta.url).pathname;
    const child = start('measured', [process.execPath, path], { env, stdio: ['pipe', 'pipe', 'inherit'] });
    if (!child.stdout) throw new Error('No output');
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const url = new URL(String((await lines.next()).value));
    return new HostedService(child, lines, url, await signedIn(url));
  }

  async carryOut<T = Record<string, unknown>>(line: string): Promise<T> {
    this.child.stdin?.write(`${line}\n`);
    return JSON.parse(String((await this.lines.next()).value)) as T;
  }

  async stop(): Promise<void> {
    this.operator.close();
    const ended = once(this.child, 'exit');
    this.child.stdin?.write('end\n');
    await ended;
  }
}
