import { auditData } from '../support/data-audit.js';
import { ConnectionLost, exchange } from '../support/exchange.js';
import { chanceFor, cyclesOf, noteCycles, SEED } from '../support/fault-row.js';
import {
  caughtUp,
  invoices,
  KontorProcess,
  openBooks,
  pause,
  PLAIN,
  until,
  withDirectory,
  type Books,
} from '../e2e/kontor-process.js';

const KILLS = Number(process.env['KILLS'] ?? cyclesOf(6, 100));
const SIZE = 300;
const CONNECTIONS = 3;
/** Number of sales that a batch shares with other batches. */
const REPEATED = 20;

type Item = { readonly externalId: string; readonly status: number; readonly body: object };

const saleOf = (externalId: string) => ({
  ...{ externalId, occurredAt: '2026-03-04T10:00:00Z', currency: 'EUR' },
  lines: [{ description: 'Goods', quantity: 1, unitPrice: '10.00' }],
});

async function push(url: string, { key }: Books, ids: readonly string[]): Promise<readonly Item[]> {
  const { status, text } = await exchange(`${url}/api/integrations/v1/sales/batch`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-integration-key': key },
    body: JSON.stringify({ sales: ids.map(saleOf) }),
  });
  if (status !== 207) throw new Error(`A batch: ${status} ${text}`);
  return (JSON.parse(text) as { items: readonly Item[] }).items;
}

/** Partners who push batches until the service is killed. */
class BatchLoad {
  readonly receipts = new Map<string, string>();
  readonly unanswered: string[][] = [];
  private stopped = false;
  private readonly running: Promise<unknown>;

  constructor(url: string, books: Books, run: number) {
    this.running = Promise.all(
      Array.from({ length: CONNECTIONS }, async (_, partner) => {
        for (let count = 0; !this.stopped; count += 1) {
          const own = Array.from({ length: SIZE - REPEATED }, (_, n) => `run${run}-${partner}-${count}-${n}`);
          // The other partners in the run also push these sales.
          const shared = Array.from({ length: REPEATED }, (_, n) => `run${run}-shared-${count}-${n}`);
          await this.push(url, books, [...own, ...shared]);
        }
      }),
    );
  }

  async stop(): Promise<void> {
    this.stopped = true;
    await this.running;
  }

  private async push(url: string, books: Books, ids: string[]): Promise<void> {
    try {
      noteReceipts(this.receipts, await push(url, books, ids));
    } catch (error) {
      if (!(error instanceof ConnectionLost)) throw error;
      this.unanswered.push(ids);
      this.stopped = true;
    }
  }
}

/** Expects all responses for a sale to contain the same receipt. */
function noteReceipts(receipts: Map<string, string>, items: readonly Item[]): void {
  for (const { externalId, status, body } of items) {
    expect([200, 202]).toContain(status);
    const text = JSON.stringify(body);
    expect(receipts.get(externalId) ?? text).toBe(text);
    receipts.set(externalId, text);
  }
}

test(
  `a service killed ${KILLS} times during batches keeps every acknowledged sale, once (seed ${SEED})`,
  async () => {
    const random = chanceFor('killed batches');
    await withDirectory(async (directory) => {
      let kontor = await KontorProcess.ready(directory, PLAIN);
      const books = await openBooks(await kontor.url());
      const receipts = new Map<string, string>();
      for (let run = 0; run < KILLS; run += 1) {
        const load = new BatchLoad(await kontor.url(), books, run);
        await until(
          () => Promise.resolve(load.receipts.size),
          (count) => count > 0,
        );
        await pause(random() * 300);
        await kontor.stop('SIGKILL');
        await load.stop();
        kontor = await KontorProcess.ready(directory, PLAIN);
        for (const [id, receipt] of load.receipts) receipts.set(id, receipt);
        const url = await kontor.url();
        // Retries batches that may have been stored only in part.
        for (const ids of load.unanswered) noteReceipts(receipts, await push(url, books, ids));
        const known = [...load.receipts.keys()].slice(0, 500);
        const again = await push(url, books, known);
        expect(new Set(again.map(({ status }) => status))).toEqual(new Set([200]));
        noteReceipts(receipts, again);
      }
      const url = await kontor.url();
      await caughtUp(url, books);
      expect((await invoices(url, books)).toSorted()).toEqual([...receipts.keys()].toSorted());
      expect(await kontor.stop()).toEqual({ code: 0, signal: null });
      const { sales, events } = await auditData(directory);
      expect([...sales.keys()].toSorted()).toEqual([...receipts.keys()].toSorted());
      noteCycles('kill -9 during batches', KILLS, `${receipts.size} sales acknowledged, ${events} events`);
      process.stdout.write(`seed ${SEED}: ${KILLS} kills, ${receipts.size} sales acknowledged, ${events} events\n`);
    });
  },
  60_000 + KILLS * 40_000,
);
