import { setTimeout as sleep } from 'node:timers/promises';
import type { ApiClient } from './api-client.js';

const EVERY_MS = 5;

/**
 * Latencies of a small request that is sent every few milliseconds. The latencies show how much other requests delay
 * this request.
 */
export class Beside {
  private latencies: number[] = [];
  private errors = 0;
  private readonly stopping = new AbortController();
  private readonly running: Promise<void>;

  constructor(private readonly client: ApiClient) {
    this.running = this.run();
  }

  /** Discards the latencies that were measured during a warm-up. */
  forget(): void {
    this.latencies = [];
  }

  async end(): Promise<{ readonly errors: number; readonly maxMs: number }> {
    this.stopping.abort();
    await this.running;
    return { errors: this.errors, maxMs: Math.max(0, ...this.latencies) };
  }

  private async run(): Promise<void> {
    while (!this.stopping.signal.aborted) {
      const { ms, status } = await this.client.ask('GET', '/api/branches/lookup');
      if (status !== 200) this.errors += 1;
      this.latencies.push(ms);
      await sleep(EVERY_MS);
    }
  }
}
