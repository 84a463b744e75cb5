import {
  invoices,
  KontorProcess,
  openBooks,
  PLAIN,
  postSale,
  statusOf,
  until,
  withDirectory,
} from './kontor-process.js';

const PAIRS = 200;

describe('Two concurrent requests with one sale', () => {
  test.each([
    ['under one key', () => ['same', 'same']],
    ['under two keys', () => ['one', 'other']],
  ])(
    `are accepted once with equal responses, ${PAIRS} times, %s`,
    async (_, keys) => {
      await withDirectory(async (directory) => {
        const kontor = await KontorProcess.ready(directory, PLAIN);
        const url = await kontor.url();
        const books = await openBooks(url);
        const sales = Array.from({ length: PAIRS }, (__, index) => `twin-${index}`);
        for (const externalId of sales) {
          const [a, b] = await Promise.all(
            keys().map((key) => postSale(url, books, externalId, `${externalId}-${key}`)),
          );
          expect([a?.status, b?.status].toSorted()).toEqual([200, 202]);
          expect(a?.body).toBe(b?.body);
          expect([a?.replayed, b?.replayed].toSorted()).toEqual([null, 'true'].toSorted());
        }
        for (const externalId of sales)
          await until(
            () => statusOf(url, books, externalId),
            (status) => status === 'BOOKED',
          );
        expect((await invoices(url, books)).toSorted()).toEqual(sales.toSorted());
        await kontor.stop();
      });
    },
    60_000,
  );
});
