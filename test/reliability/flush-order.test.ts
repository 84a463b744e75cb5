import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { call, KontorProcess, openBooks, PLAIN, postSale, ROOT, withDirectory } from '../e2e/kontor-process.js';
import { cyclesOf, noteCycles } from '../support/fault-row.js';
import { judgeFlushes, straceArgs, type FlushTrace } from '../support/flush-trace.js';

const SALES = cyclesOf(40, 400);
const CUSTOMERS = SALES / 4;
const AT_ONCE = 4;

// The service has no setting that disables flushing. The hooks rewrite the SQL statement while the service is loaded.
const hooks = `
  export async function load(url, context, next) {
    const loaded = await next(url, context);
    if (!/\\/dist\\/[^/]+\\.js$/.test(url)) return loaded;
    return { ...loaded, source: String(loaded.source).replace(/synchronous\\s*=\\s*\\w+/gi, 'synchronous = OFF') };
  }`;
const asUrl = (code: string): string => `data:text/javascript,${encodeURIComponent(code)}`;
const CARELESS = [
  '--import',
  asUrl(`import { register } from 'node:module'; register(${JSON.stringify(asUrl(hooks))});`),
];

/** Runs the service under strace and sends it sales and customers, some of them concurrently. */
async function watched(nodeArgs: readonly string[]): Promise<FlushTrace> {
  return withDirectory(async (directory) => {
    const trace = join(directory, 'trace');
    const node = [process.execPath, ...nodeArgs, join(ROOT, 'dist', 'main.js')];
    const kontor = new KontorProcess(directory, PLAIN, ['strace', ...straceArgs(trace), ...node]);
    const url = await kontor.url(60_000);
    const books = await openBooks(url);
    const markers = Array.from({ length: SALES }, (_, n) => `flush-probe-${String(n).padStart(4, '0')}-`);
    for (let n = 0; n < SALES; n += AT_ONCE) {
      const answered = await Promise.all(markers.slice(n, n + AT_ONCE).map((marker) => postSale(url, books, marker)));
      expect(answered.map(({ status }) => status)).toEqual(answered.map(() => 202));
    }
    for (let n = 0; n < CUSTOMERS; n += 1) {
      const customer = { name: `Customer ${n}` };
      const { data } = await call<{ data: { id: string } }>(`${url}/api/customers`, {
        token: books.token,
        body: customer,
      });
      markers.push(data.id);
    }
    // strace itself blocks the signal, but the service receives it.
    kontor.sendToAll('SIGTERM');
    await kontor.exit;
    return judgeFlushes(await readFile(trace, 'latin1'), 'history.sqlite-wal', markers);
  });
}

test(`No 202 or 201 is sent before its events are flushed: ${SALES} sales, ${CUSTOMERS} customers`, async () => {
  const { answers, flushes, violations } = await watched([]);
  expect(violations).toEqual([]);
  expect(answers).toBe(SALES + CUSTOMERS);
  expect(flushes).toBeGreaterThan(0);
  noteCycles('un-fsynced writes', answers, `${answers} responses, each after its flush (${flushes} flushes, strace)`);
}, 240_000);

test('A service that does not flush is detected', async () => {
  const { answers, violations } = await watched(CARELESS);
  expect(answers).toBe(SALES + CUSTOMERS);
  expect(violations.length).toBeGreaterThan(answers / 2);
}, 240_000);
