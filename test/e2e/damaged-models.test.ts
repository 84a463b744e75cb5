import { open, rm, stat, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { auditData } from '../support/data-audit.js';
import { eventually } from '../support/eventually.js';
import {
  invoices,
  KontorProcess,
  openBooks,
  PLAIN,
  SaleLoad,
  statusOf,
  until,
  withDirectory,
  type Books,
} from './kontor-process.js';

type Probe = {
  readonly status: string;
  readonly checks: readonly { readonly name: string; readonly reason?: string }[];
};

async function overwrite(file: string, from: number, bytes: number): Promise<void> {
  const handle = await open(file, 'r+');
  await handle.write(Buffer.alloc(bytes, 0xa5), 0, bytes, from);
  await handle.close();
}
const sizeOf = async (file: string): Promise<number> => (await stat(file)).size;

/** Moves the content of SQLite's write-ahead log to the database file. */
function intoTheFile(file: string): void {
  const db = new DatabaseSync(file);
  db.exec('PRAGMA wal_checkpoint(PASSIVE)');
  db.close();
}

const damages: readonly (readonly [string, (file: string) => Promise<void>])[] = [
  ['deleted', (file) => rm(file)],
  ['emptied', (file) => truncate(file)],
  ['cut in half', async (file) => truncate(file, Math.floor((await sizeOf(file)) / 2))],
  ['overwritten from its beginning', async (file) => overwrite(file, 0, await sizeOf(file))],
  ['overwritten behind its header', async (file) => overwrite(file, 4_096, (await sizeOf(file)) - 4_096)],
];

const METRICS_TOKEN = 'token-of-the-metrics';
/** Number of sales before the read models are damaged, and after each recovery. */
const [BEFORE, AFTER] = [60, 20];

/** A service under load from sales. */
class Sold {
  readonly taken: string[] = [];

  constructor(
    private readonly url: string,
    private readonly books: Books,
  ) {}

  /** Damages the read models under load. Resolves when the service has recovered and all sales are booked. */
  async damageUnderLoad(name: string, damage: () => Promise<void>): Promise<void> {
    const load = new SaleLoad(this.url, this.books, name.replaceAll(' ', '-'), 3, 20);
    const accepted = (count: number): Promise<number> =>
      until(
        () => Promise.resolve(load.accepted.length),
        (taken) => taken >= count,
        20_000,
      );
    await accepted(BEFORE);
    await damage();
    const down = await eventually(
      async () => {
        // Data cached in memory does not reveal the damage, so the test reads data from disk.
        const [probed] = await Promise.all([this.probe(), invoices(this.url, this.books).catch(() => [])]);
        return probed.status === 503 && probed;
      },
      2_000,
      () => name,
    );
    expect([name, down.body.checks.map(({ reason }) => reason).join()]).toEqual([
      name,
      expect.stringMatching(/damaged|thread has ended|being built/),
    ]);
    await eventually(
      async () => (await this.probe()).status === 200,
      15_000,
      () => name,
    );
    await accepted(load.accepted.length + AFTER);
    await load.stop();
    expect([name, load.refused]).toEqual([name, []]);
    this.taken.push(...load.accepted);
    for (const externalId of load.accepted)
      await until(
        () => statusOf(this.url, this.books, externalId),
        (status) => status === 'BOOKED',
      );
    await eventually(
      async () => (await invoices(this.url, this.books)).length === this.taken.length,
      20_000,
      () => name,
    );
    expect([name, (await invoices(this.url, this.books)).toSorted()]).toEqual([name, this.taken.toSorted()]);
  }

  /** Returns the number of times that the service has moved its read models aside. */
  async setAside(): Promise<number> {
    const metrics = await fetch(`${this.url}/metrics`, { headers: { authorization: `Bearer ${METRICS_TOKEN}` } });
    return Number(/kontor_read_models_set_aside_total (\d+)/.exec(await metrics.text())?.[1]);
  }

  private async probe(): Promise<{ status: number; body: Probe }> {
    const answer = await fetch(`${this.url}/readyz`);
    return { status: answer.status, body: (await answer.json()) as Probe };
  }
}

test('A service whose read models are damaged under load is not ready, gives the reason, and recovers without a restart', async () => {
  await withDirectory(async (directory) => {
    const kontor = await KontorProcess.ready(directory, { ...PLAIN, METRICS_TOKEN });
    const url = await kontor.url();
    const service = new Sold(url, await openBooks(url));
    const file = join(directory, 'models.sqlite');
    let before = await service.setAside();
    for (const [name, damage] of damages) {
      await service.damageUnderLoad(name, async () => {
        intoTheFile(file);
        await damage(file);
      });
      const after = await service.setAside();
      expect([name, after]).toEqual([name, before + 1]);
      before = after;
    }
    expect(kontor.isRunning).toBe(true);
    await kontor.stopCleanly();
    expect((await auditData(directory)).sales.size).toBe(service.taken.length);
  });
}, 300_000);
