import { readFile } from 'node:fs/promises';
import { pause, postSale, type Answered, type Books } from '../e2e/kontor-process.js';

const PARTNERS = 8;

/** Partners that push one sale after another. Each sale is retried until it is accepted. */
export class Partners {
  readonly taken: string[] = [];
  readonly answers: { status: number; body: string; tookMs: number }[] = [];
  private stopped = false;
  private readonly running: Promise<unknown>;

  constructor(url: string, books: Books, run: string) {
    this.running = Promise.all(
      Array.from({ length: PARTNERS }, async (_, partner) => {
        for (let n = 0; !this.stopped; n += 1) await this.push(url, books, `${run}-${partner}-${n}`);
      }),
    );
  }

  async stop(): Promise<void> {
    this.stopped = true;
    await this.running;
  }

  private async push(url: string, books: Books, externalId: string): Promise<void> {
    for (;;) {
      const { status, body } = await this.timed(() => postSale(url, books, externalId));
      if (status === 200 || status === 202) break;
      // A partner retries after a 503 until the sale is accepted, even after the end of the run.
      await pause(100);
      if (status !== 503) throw new Error(`${externalId}: ${status} ${body}`);
    }
    this.taken.push(externalId);
    await pause(20);
  }

  private async timed(send: () => Promise<Answered>): Promise<Answered> {
    const beganAtMs = performance.now();
    const answered = await send();
    this.answers.push({ status: answered.status, body: answered.body, tookMs: performance.now() - beganAtMs });
    return answered;
  }
}

/** Returns a process's private memory, in bytes. */
export const memoryOf = async (pid: number): Promise<number> =>
  Number(/RssAnon:\s+(\d+) kB/.exec(await readFile(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024;
