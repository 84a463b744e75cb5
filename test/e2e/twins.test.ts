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

const PAIRS = 50;
const KEYS = { 'one-key': ['same', 'same'], 'two-keys': ['one', 'other'] } as const;

test(`Two concurrent requests with one sale are accepted once with equal responses, ${PAIRS} times under one key and under two`, async () => {
  await withDirectory(async (directory) => {
    const kontor = await KontorProcess.ready(directory, PLAIN);
    const url = await kontor.url();
    const books = await openBooks(url);
    const sales: string[] = [];
    for (const [name, keys] of Object.entries(KEYS))
      for (let pair = 0; pair < PAIRS; pair += 1) {
        const externalId = `${name}-${pair}`;
        const [a, b] = await Promise.all(keys.map((key) => postSale(url, books, externalId, `${externalId}-${key}`)));
        expect([externalId, ...[a?.status, b?.status].toSorted()]).toEqual([externalId, 200, 202]);
        expect(a?.body).toBe(b?.body);
        expect([a?.replayed, b?.replayed].toSorted()).toEqual([null, 'true'].toSorted());
        sales.push(externalId);
      }
    for (const externalId of sales)
      await until(
        () => statusOf(url, books, externalId),
        (status) => status === 'BOOKED',
      );
    expect((await invoices(url, books)).toSorted()).toEqual(sales.toSorted());
    await kontor.stop();
  });
});
