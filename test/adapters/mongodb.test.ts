import { inspect } from 'node:util';
import fc from 'fast-check';
import { ordered, unordered } from '../../src/adapters/mongodb/ordered-text.js';
import { shapeOf as embeddedShapeOf } from '../../src/adapters/embedded/read-store.shape.js';
import { indexesOf, shapeOf } from '../../src/adapters/mongodb/read-store.collections.js';
import { openMongoDb } from '../../src/adapters/mongodb/read-store.js';
import { SystemClock } from '../../src/adapters/system-time.js';
import type { Logger } from '../../src/ports/log.js';
import { type ReadModel, ReadStoreUnavailable } from '../../src/ports/read-store.js';
import { transactions } from '../../src/projections/ledger.projection.js';
import { sales } from '../../src/projections/sale.projection.js';
import { freePort } from '../support/server-process.js';

const clock = new SystemClock();

describe('Text in MongoDB', () => {
  const edges = ['\0', 'a', '\uD7FE', '\uD7FF', '\uE000', '\uFFFD', '\uFFFF', '\u{10000}', '\u{1F600}', '\u{10FFFF}'];
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.array(fc.constantFrom(...edges), { maxLength: 4 }).map((characters) => characters.join('')),
  );
  const byBytes = (a: string, b: string): number => Math.sign(Buffer.compare(Buffer.from(a), Buffer.from(b)));
  const byUnits = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

  test('is returned unchanged, in code point order, whether bytes or UTF-16 units are compared', () => {
    fc.assert(
      fc.property(text, text, (a, b) => {
        expect(unordered(ordered(a))).toBe(a);
        expect(byBytes(ordered(a), ordered(b))).toBe(byBytes(a, b));
        expect(byUnits(ordered(a), ordered(b))).toBe(byBytes(a, b));
        expect(ordered(a + b)).toBe(ordered(a) + ordered(b));
      }),
      { numRuns: 2_000 },
    );
  });

  test('with lone surrogates is compared as converted to UTF-8', () => {
    expect(unordered(ordered('a\uD800b'))).toBe('a\uFFFDb');
    expect(ordered('\uDC00')).toBe(ordered('\uFFFD'));
  });
});

/** The names of the indexes, mapped to their keys after the scope. */
const indexesFor = (model: ReadModel): Record<string, string> =>
  Object.fromEntries(
    indexesOf(shapeOf({ model, generation: 1 })).map(({ name = '', key }) => [
      name,
      [...(key as Map<string, 1>).keys()].slice(1).join(),
    ]),
  );

test('Transactions have an index for each filter with rare values, and one for ranges of amounts', () => {
  const indexes = indexesFor(transactions);
  expect(indexes).toMatchObject({
    by_amount: 'f_amount,f_date,f_sequence,_id',
    by_direction: 'f_direction,f_date,f_sequence,_id',
  });
  expect(Object.keys(indexes).sort()).toEqual([
    'by_account',
    'by_amount',
    'by_branchId',
    'by_cancelled',
    'by_categoryId',
    'by_customerId',
    'by_direction',
    'by_documentEffect',
    'by_expenseItemId',
    'by_manual',
    'by_posting',
    'by_type',
    'order',
    'words',
  ]);
});

test('Sales have an index for each filter, and one for the list of a partner in its order', () => {
  const order = 'f_occurredAt,f_createdAt,_id';
  expect(indexesFor(sales)).toEqual({
    order,
    order_accepted_by_sourceId: 'f_sourceId,f_createdAt,_id',
    by_customerId: `f_customerId,${order}`,
    by_sourceId: `f_sourceId,${order}`,
    by_status: `f_status,${order}`,
    by_type: `f_type,${order}`,
    words: 'w',
  });
});

test.each([
  ['MongoDB', shapeOf],
  ['SQLite', embeddedShapeOf],
] as const)('A model needs no new version if only its hints for indexes change: %s', (_, shape) => {
  const { common: __, ranged: ___, ...unhinted } = transactions;
  const layoutOf = (model: ReadModel) => shape({ model, generation: 1 }).declaration;
  expect(layoutOf(transactions)).toBe(layoutOf({ ...unhinted, common: ['direction', 'standing'] }));
  const { orderedWithin: ____, ...unordered } = sales;
  expect(layoutOf(sales)).toBe(layoutOf({ ...unordered, common: ['type', 'sourceId'] }));
});

describe('An unavailable MongoDB', () => {
  const password = 'pass-Wörd/?@#';
  const leaks = (anything: unknown): boolean =>
    /pass-W|W%C3%B6rd|Wörd/.test(typeof anything === 'string' ? anything : inspect(anything, { depth: 20 }));

  test.each([
    'localhost',
    `http://me:${password}@localhost`,
    `mongodb://me:${password}@localhost`,
    'mongodb://me:pass-Word@',
    'mongodb://me:pass-Word@localhost/?pass-Word=1',
    'mongodb://me:pass-Word@localhost/a%b',
    'mongodb://me:pass-Word@localhost/?tls=true&ssl=false',
  ])('with an invalid URL is rejected immediately, without showing it: %s', (url) => {
    let thrown: unknown;
    try {
      openMongoDb({ url, clock, logger: { info: () => undefined, warn: () => undefined, error: () => undefined } });
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeInstanceOf(RangeError);
    expect(leaks(thrown)).toBe(false);
  });

  test('leaks no password in errors or logs', async () => {
    const logged: unknown[] = [];
    const log = (fields: object, message: string): void => void logged.push(fields, message);
    const logger: Logger = { info: log, warn: log, error: log };
    const url = `mongodb://me:${encodeURIComponent(password)}@127.0.0.1:${await freePort()}/books`;
    const mongo = openMongoDb({ url, clock, logger, timeoutMs: 200 });
    const { reads, leases } = mongo;
    const calls = [reads.checkpoint('a'), leases.read('a'), reads.liveGeneration('a', 1)];
    const ended = await Promise.allSettled(calls);
    await mongo.close();
    const thrown = ended.map((call): unknown => (call.status === 'rejected' ? call.reason : 'answered'));
    for (const error of thrown) expect(error).toBeInstanceOf(ReadStoreUnavailable);
    // Driver errors contain commands, documents and server names.
    expect(inspect(thrown, { depth: 20 })).not.toMatch(/TopologyDescription|errorLabels/);
    expect(logged).toContain('MongoDB is unavailable');
    expect([leaks(thrown), leaks(logged)]).toEqual([false, false]);
    await expect(reads.checkpoint('a')).rejects.toThrow('closed');
  });
});
