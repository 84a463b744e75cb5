import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import fc from 'fast-check';
import type { TrialBalance } from '../../src/queries/trial-balance.query.js';
import { Bookkeeper } from '../support/bookkeeper.js';
import { someSteps } from '../support/bookkeeping-steps.js';
import { writeHistory } from '../support/history.js';
import { TestService } from '../support/service.js';

/*
 * Exports the general ledger in beancount's format. beancount itself checks that every transaction balances, that every
 * account is open, and that every balance assertion holds. SEED reproduces an earlier run.
 */

const home = process.env['BEANCOUNT_HOME'] ?? join(import.meta.dirname, '../support/beancount/python');
const seed = Number(process.env['SEED'] ?? Date.now() % 2_147_483_647);
const run = promisify(execFile);

let service: TestService;
let directory: string;
beforeAll(async () => {
  process.stdout.write(`seed ${seed}\n`);
  directory = await mkdtemp(join(tmpdir(), 'kontor-beancount-'));
  service = await TestService.start();
});
afterAll(async () => {
  await service.close();
  await rm(directory, { recursive: true });
});

/** Runs bean-check and returns its output. The output is empty if bean-check accepts the file. */
async function complaintsOf(ledger: string): Promise<string> {
  const file = join(directory, 'ledger.beancount');
  await writeFile(file, ledger);
  return run(join(home, 'bin', 'bean-check'), ['--no-cache', file]).then(
    ({ stdout, stderr }) => stdout + stderr,
    (error: unknown) => {
      const { stdout, stderr } = error as { stdout: string; stderr: string };
      return stdout + stderr;
    },
  );
}

async function ledgerOf(token: string, query = ''): Promise<string> {
  const reply = await service.get(`/api/reports/general-ledger?format=beancount${query}`, token);
  expect(reply.told).toBe('200');
  expect(reply.headers['content-type']).toBe('text/plain; charset=utf-8');
  return reply.text;
}

/** Returns the balances that a ledger asserts on a date, by account id. */
function assertedOn(ledger: string, date: string): Record<string, string> {
  const ids = new Map(
    [...ledger.matchAll(/^\d{4}-\d\d-\d\d open (\S+) .*\n(?: {2}name: .*\n) {2}id: "(.*)"$/gm)].map(([, label, id]) => [
      label,
      id,
    ]),
  );
  const found = [...ledger.matchAll(/^(\S+) balance (\S+) (\S+) \w+$/gm)].filter(([, day]) => day === date);
  return Object.fromEntries(found.map(([, , label, amount]) => [ids.get(label ?? '') ?? '', amount ?? '']));
}

test('The ledger of a year passes bean-check, and asserts the balances of the trial balance', async () => {
  const books = await service.openBooks();
  const { token } = books.tenant;
  await writeHistory(service, books, { seed, sales: 60 });
  const name = 'A "quoted" \\ name; Çay & Söhne';
  const opening = { direction: 'OUT', date: '2026-02-01' };
  for (const [code, amount] of [
    ['Şişli / 7', '7.00'],
    ['sisli-7', '8.00'],
    ['Sisli 7', '9.00'],
  ]) {
    const body = { name, code, openingBalance: { ...opening, amount } };
    expect((await service.post('/api/customers', body, token)).status).toBe(201);
  }
  const { body } = await service.get('/api/accounts?pageNumber=1&pageSize=2&type=CASH&type=BANK', token);
  const [one, other] = (body as { items: { id: string }[] }).items;
  const lines = [
    { accountId: one?.id, debit: '3.00', description: 'A "quoted" \\ note; over\ntwo lines' },
    { accountId: other?.id, credit: '3.00' },
  ];
  const journal = { type: 'JOURNAL', date: '2026-02-02', lines };
  expect((await service.post('/api/transactions', journal, token)).status).toBe(201);
  await service.quiet();
  for (const [query, end] of [
    ['', undefined],
    ['&from=2026-01-01&to=2026-12-31', '2026-12-31'],
    ['&from=2026-02-01&to=2026-02-27', '2026-02-27'],
    ['&to=2026-02-01', '2026-02-01'],
  ] as const) {
    const ledger = await ledgerOf(token, query);
    expect([query, await complaintsOf(ledger)]).toEqual([query, '']);
    if (end === undefined) continue;
    const asOf = (await service.get(`/api/reports/trial-balance?asOf=${end}`, token)).data as TrialBalance;
    const next = new Date(Date.parse(end) + 86_400_000).toISOString().slice(0, 10);
    const balances = Object.fromEntries(asOf.rows.map(({ accountId, balance }) => [accountId, balance]));
    expect(assertedOn(ledger, next)).toEqual(balances);
    expect(asOf.rows.length).toBeGreaterThan(5);
  }
});

test('The ledger of one account passes bean-check', async () => {
  const books = await service.openBooks();
  const { token } = books.tenant;
  await writeHistory(service, books, { seed: seed + 1, sales: 20 });
  const { rows } = (await service.get('/api/reports/trial-balance', token)).data as TrialBalance;
  for (const { accountId } of rows.slice(0, 4))
    for (const query of ['', '&from=2026-02-01'])
      expect(await complaintsOf(await ledgerOf(token, `${query}&accountId=${accountId}`))).toBe('');
});

test('bean-check rejects a ledger in which one amount is wrong, so the check can fail', async () => {
  const books = await service.openBooks();
  await writeHistory(service, books, { seed: seed + 2, sales: 5 });
  const ledger = await ledgerOf(books.tenant.token);
  const spoiled = ledger.replace(/^( {2}Assets\S+ )(\S+)( EUR)$/m, '$1123456.78$3');
  expect(spoiled).not.toBe(ledger);
  expect(await complaintsOf(spoiled)).toContain('Transaction does not balance');
  const asserted = ledger.replace(/( balance Assets\S+ )(\S+)( EUR)/, '$1123456.78$3');
  expect(await complaintsOf(asserted)).toContain('Balance failed');
});

test.each(['EUR', 'JPY', 'KWD'] as const)(
  'Whatever is booked in %s, the ledger passes bean-check (property)',
  async (currency) => {
    await fc.assert(
      fc.asyncProperty(someSteps(20, 40), async (steps) => {
        const keeper = await Bookkeeper.open(service, currency);
        for (const step of steps) await keeper.take(step);
        await service.quiet();
        for (const query of ['', '&from=2025-12-31', '&from=2024-03-01&to=2026-01-01'])
          expect([query, await complaintsOf(await ledgerOf(keeper.token, query))]).toEqual([query, '']);
      }),
      { numRuns: 2, seed, endOnFailure: true },
    );
  },
);
