import { join } from 'node:path';
import {
  invoices,
  KontorProcess,
  openBooks,
  PLAIN,
  postSale,
  ROOT,
  SaleLoad,
  statusOf,
  trialBalance,
  until,
  withDirectory,
  type Books,
} from './kontor-process.js';

const NET = 100;

async function expectEqualSides(url: string, books: Books, sales: number): Promise<void> {
  const { totalDebit, totalCredit, rows } = await trialBalance(url, books);
  expect(totalDebit).toBe(totalCredit);
  expect(rows.find(({ type }) => type === 'INCOME')?.balance).toBe(`-${(sales * NET).toFixed(2)}`);
}

describe('A service on shutdown', () => {
  test('answers accepted requests, exits with 0 within ten seconds, and keeps every sale', async () => {
    await withDirectory(async (directory) => {
      const first = await KontorProcess.ready(directory, PLAIN);
      const books = await openBooks(await first.url());
      const load = new SaleLoad(await first.url(), books, 'drain');
      await until(
        () => Promise.resolve(load.accepted.length),
        (count) => count >= 200,
      );
      const askedAtMs = Date.now();
      const exit = await first.stop();
      expect({ ...exit, complaints: first.complaints() }).toEqual({ code: 0, signal: null, complaints: [] });
      expect(Date.now() - askedAtMs).toBeLessThan(10_000);
      await load.stop();
      expect(load.refused).toEqual([]);

      const second = await KontorProcess.ready(directory, PLAIN);
      const url = await second.url();
      for (const externalId of load.unanswered)
        expect([200, 202]).toContain((await postSale(url, books, externalId)).status);
      const all = [...load.accepted, ...load.unanswered].toSorted();
      for (const externalId of all)
        await until(
          () => statusOf(url, books, externalId),
          (status) => status === 'BOOKED',
        );
      expect((await invoices(url, books)).toSorted()).toEqual(all);
      await expectEqualSides(url, books, all.length);
      await second.stop();
    });
  });

  test('stops the same way when npm forwards the signal', async () => {
    await withDirectory(async (directory) => {
      const kontor = await KontorProcess.ready(directory, PLAIN, ['npm', 'start']);
      const url = await kontor.url();
      await until(
        async () => (await fetch(`${url}/readyz`)).status,
        (status) => status === 200,
      );
      expect(await kontor.stop('SIGTERM')).toEqual({ code: 0, signal: null });
      expect(kontor.stdout).toContain('"msg":"stopped"');
    });
  });

  test('ignores a second signal, as sent by Ctrl-C under npm', async () => {
    await withDirectory(async (directory) => {
      const kontor = await KontorProcess.ready(directory, PLAIN, [process.execPath, 'scripts/start.mjs']);
      kontor.send('SIGINT');
      kontor.send('SIGINT');
      expect(await kontor.exit).toEqual({ code: 0, signal: null });
    });
  });
});

describe('A service with an uncaught exception', () => {
  test('logs it before it exits', async () => {
    await withDirectory(async (directory) => {
      const fault = `process.once('SIGCONT', () => void Promise.reject(new Error('Nobody awaits this.')))`;
      const broken = ['--import', `data:text/javascript,${encodeURIComponent(fault)}`, join(ROOT, 'dist', 'main.js')];
      const kontor = await KontorProcess.ready(directory, PLAIN, [process.execPath, ...broken]);
      kontor.send('SIGCONT');
      expect(await kontor.exit).toEqual({ code: 1, signal: null });
      expect(kontor.complaints()).toMatchObject([
        { level: 60, origin: 'unhandledRejection', err: { message: 'Nobody awaits this.' } },
      ]);
    });
  });
});
