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

describe('A service whose read models are damaged under load', () => {
  test.each(damages)(
    '%s: it is not ready, gives the reason, and recovers without a restart',
    async (_, damage) => {
      await withDirectory(async (directory) => {
        const kontor = await KontorProcess.ready(directory, { ...PLAIN, METRICS_TOKEN: 'token-of-the-metrics' });
        const url = await kontor.url();
        const books = await openBooks(url);
        const load = new SaleLoad(url, books, 'damage', 3, 10);
        const accepted = (count: number) =>
          until(
            () => Promise.resolve(load.accepted.length),
            (taken) => taken >= count,
            20_000,
          );
        await accepted(100);
        const probe = async () => {
          const answer = await fetch(`${url}/readyz`);
          return { status: answer.status, body: (await answer.json()) as Probe };
        };
        const file = join(directory, 'models.sqlite');
        intoTheFile(file);
        await damage(file);
        const down = await eventually(async () => {
          // The damage is not visible in data cached in memory, so the test reads data from disk.
          const [probed] = await Promise.all([probe(), invoices(url, books).catch(() => [])]);
          return probed.status === 503 && probed;
        }, 2_000);
        expect(down.body.checks.map(({ reason }) => reason).join()).toMatch(/damaged|thread has ended|being built/);
        await eventually(async () => (await probe()).status === 200, 15_000);
        await accepted(load.accepted.length + 20);
        await load.stop();
        expect(load.refused).toEqual([]);
        for (const externalId of load.accepted)
          await until(
            () => statusOf(url, books, externalId),
            (status) => status === 'BOOKED',
          );
        await eventually(async () => (await invoices(url, books)).length === load.accepted.length, 20_000);
        expect((await invoices(url, books)).toSorted()).toEqual(load.accepted.toSorted());
        const metrics = await fetch(`${url}/metrics`, { headers: { authorization: 'Bearer token-of-the-metrics' } });
        expect(await metrics.text()).toMatch(/kontor_read_models_set_aside_total [1-9]/);
        expect(kontor.isRunning).toBe(true);
        await kontor.stopCleanly();
        expect((await auditData(directory)).sales.size).toBe(load.accepted.length);
      });
    },
    90_000,
  );
});
