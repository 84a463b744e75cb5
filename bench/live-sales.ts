import { setTimeout as sleep } from 'node:timers/promises';
import { ApiClient } from './api-client.js';
import { SALE, SALES_PATH } from './sale.js';
import type { BenchService, Books } from './service-client.js';
import { latenciesOf, type Latencies } from './statistics.js';

const SALE_EVERY_MS = 25;

/** Sends sales one after another and measures the time that the service takes to accept each. */
export class LiveSales {
  private latencies: number[] = [];
  private readonly stopping = new AbortController();
  private readonly running: Promise<void>;
  private readonly partner: ApiClient;

  /** @param sending called with the external id of each sale */
  constructor(
    { url }: BenchService,
    { key }: Books,
    prefix: string,
    private readonly sending: (externalId: string) => void = () => undefined,
  ) {
    this.partner = new ApiClient(url, { 'x-integration-key': key });
    this.running = this.run(prefix);
  }

  async end(): Promise<Latencies & { readonly sales: number }> {
    this.stopping.abort();
    await this.running;
    this.partner.close();
    return { ...latenciesOf(this.latencies), sales: this.latencies.length };
  }

  private async run(prefix: string): Promise<void> {
    for (let n = 1; !this.stopping.signal.aborted; n += 1) {
      const beganMs = performance.now();
      this.sending(`${prefix}-${n}`);
      await this.partner.json('POST', SALES_PATH, SALE.replaceAll('{n}', `${prefix}-${n}`));
      this.latencies.push(performance.now() - beganMs);
      await sleep(SALE_EVERY_MS);
    }
  }
}
