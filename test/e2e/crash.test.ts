import {
  invoices,
  KontorProcess,
  openBooks,
  pause,
  PLAIN,
  postSale,
  SaleLoad,
  statusOf,
  trialBalance,
  until,
  withDirectory,
  type Books,
} from './kontor-process.js';

/** How often the service is killed. */
const KILLS = Number(process.env['KILLS'] ?? 3);
const SEED = Number(process.env['SEED'] ?? Date.now() % 1_000_000);
const NET = 100;

/** Lehmer's generator, so that a seed gives the same moments again. */
function lehmer(seed: number): () => number {
  let state = (seed % 2_147_483_646) + 1;
  return () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
}

async function expectEqualSides(url: string, books: Books, sales: number): Promise<void> {
  const { totalDebit, totalCredit, rows } = await trialBalance(url, books);
  expect(totalDebit).toBe(totalCredit);
  expect(rows.find(({ type }) => type === 'INCOME')?.balance).toBe(`-${(sales * NET).toFixed(2)}`);
}

describe('a service that is killed', () => {
  test(
    `keeps and books every sale that it answered, killed ${KILLS} times under load (SEED=${SEED})`,
    async () => {
      const random = lehmer(SEED);
      await withDirectory(async (directory) => {
        let kontor = await KontorProcess.ready(directory, PLAIN);
        const books = await openBooks(await kontor.url());
        const accepted: string[] = [];
        const unanswered: string[] = [];
        for (let run = 0; run < KILLS; run += 1) {
          const load = new SaleLoad(await kontor.url(), books, `run${run}`);
          await pause(100 + random() * 400);
          await kontor.stop('SIGKILL');
          await load.stop();
          expect(load.refused).toEqual([]);
          accepted.push(...load.accepted);
          unanswered.push(...load.unanswered);

          kontor = await KontorProcess.ready(directory, PLAIN);
          const url = await kontor.url();
          for (const externalId of load.accepted)
            await until(
              () => statusOf(url, books, externalId),
              (status) => status === 'BOOKED',
            );
        }
        expect(accepted.length).toBeGreaterThan(KILLS * 10);
        const url = await kontor.url();

        // Whoever got no answer asks again: taken then, or taken already; in the end every sale has one effect.
        for (const externalId of unanswered) {
          expect([200, 202]).toContain((await postSale(url, books, externalId)).status);
          await until(
            () => statusOf(url, books, externalId),
            (status) => status === 'BOOKED',
          );
        }
        const booked = await invoices(url, books);
        expect(booked.toSorted()).toEqual([...accepted, ...unanswered].toSorted());
        await expectEqualSides(url, books, booked.length);
        expect(await kontor.stop()).toEqual({ code: 0, signal: null });
      });
    },
    60_000 + KILLS * 15_000,
  );
});

describe('a service that is asked to end', () => {
  test('answers what it had taken on, exits with 0 within ten seconds, and has every sale afterwards', async () => {
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
  }, 60_000);

  test('ends alike when npm passes the signal on', async () => {
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
  }, 60_000);

  test('is not hurried by a second signal, which Ctrl-C under npm sends', async () => {
    await withDirectory(async (directory) => {
      const kontor = await KontorProcess.ready(directory, PLAIN, [process.execPath, 'scripts/start.mjs']);
      kontor.send('SIGINT');
      kontor.send('SIGINT');
      expect(await kontor.exit).toEqual({ code: 0, signal: null });
    });
  }, 60_000);
});
