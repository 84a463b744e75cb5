import { execFile } from 'node:child_process';
import { rm, statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import {
  call,
  caughtUp,
  invoices,
  KontorProcess,
  openBooks,
  PLAIN,
  postSale,
  statusOf,
  trialBalance,
  until,
  withDirectory,
  type Answered,
  type Books,
} from '../e2e/kontor-process.js';
import { auditData } from '../support/data-audit.js';
import { cyclesOf, noteCycles } from '../support/fault-row.js';

const run = promisify(execFile);
const CYCLES = cyclesOf(2, 20);
/** Size of the disk. It must hold the data written in all cycles. */
const DISK_MB = cyclesOf(48, 480);
/** Maximum response time of a refused sale. Requests must not wait for the disk. */
const AT_ONCE_MS = 2_000;
const BEFORE = 20;
const REFUSED = 5;
/** Maximum number of rounds of refused sales before readiness must fail. */
const ROUNDS = 5;

/** A fault that makes writes fail from `begin` to `end`. */
type Fault = { readonly begin: () => Promise<void>; readonly end: () => Promise<void> };

/** A service whose disk fails, and a partner who pushes sales to it. */
class Partner {
  readonly taken: string[] = [];
  private sent = 0;

  constructor(
    private readonly url: string,
    private readonly books: Books,
  ) {}

  async bring(count: number): Promise<void> {
    for (let n = 0; n < count; n += 1) {
      const externalId = this.next();
      expect((await postSale(this.url, this.books, externalId)).status).toBe(202);
      this.taken.push(externalId);
    }
  }

  /**
   * Pushes sales until several have been refused. After the first refusal, the free database pages may still hold a few
   * more sales.
   */
  async bringUntilRefused(): Promise<string[]> {
    const refused: string[] = [];
    for (let n = 0; refused.length < REFUSED; n += 1) {
      const externalId = this.next();
      const beganAtMs = performance.now();
      const answered = await postSale(this.url, this.books, externalId);
      expect(performance.now() - beganAtMs).toBeLessThan(AT_ONCE_MS);
      if (answered.status === 202) this.taken.push(externalId);
      else {
        expectUnavailable(answered);
        refused.push(externalId);
      }
      if (n > 50_000) throw new Error('The disk never fails');
    }
    return refused;
  }

  async expectReads(): Promise<void> {
    for (const path of ['/livez', '/readyz']) {
      const { status } = await fetch(`${this.url}${path}`);
      expect([path, [200, 503].includes(status)]).toEqual([path, true]);
    }
    expect((await fetch(`${this.url}/livez`)).status).toBe(200);
    const [first = ''] = this.taken;
    expect(['ACCEPTED', 'BOOKED']).toContain(await statusOf(this.url, this.books, first));
    const { totalDebit, totalCredit } = await trialBalance(this.url, this.books);
    expect(totalDebit).toBe(totalCredit);
    const path = `${this.url}/api/customers?pageNumber=1&pageSize=10&status=ALL`;
    expect((await call<{ items: unknown[] }>(path, { token: this.books.token })).items.length).toBeGreaterThan(0);
  }

  /** Pushes the refused sales again. Each sale must now be accepted exactly once. */
  async bringAgain(refused: readonly string[]): Promise<void> {
    for (const externalId of refused) {
      await until(
        async () => (await postSale(this.url, this.books, externalId)).status,
        (status) => status === 202 || status === 200,
      );
      this.taken.push(externalId);
    }
  }

  private next(): string {
    this.sent += 1;
    return `sale-${this.sent}`;
  }
}

function expectUnavailable({ status, body }: Answered): void {
  expect([status, body]).toEqual([503, expect.stringContaining('"UNAVAILABLE"')]);
}

type Probe = {
  readonly checks: readonly { readonly name: string; readonly status: string; readonly reason?: string }[];
};

/**
 * Pushes sales until several have been refused. Readiness must then fail immediately, because an append failed. If the
 * engine's background work frees some space, the readiness probe succeeds, and the partner pushes more sales.
 */
async function bringUntilNotReady(url: string, partner: Partner, reason: string): Promise<string[]> {
  const refused: string[] = [];
  for (let round = 1; ; round += 1) {
    refused.push(...(await partner.bringUntilRefused()));
    const answer = await fetch(`${url}/readyz`);
    const { checks } = (await answer.json()) as Probe;
    const check = checks.find(({ name }) => name === 'event-store');
    if (check?.status === 'up' && round < ROUNDS) continue;
    const down = { name: 'event-store', status: 'down', reason: `the last append failed: ${reason}` };
    expect([answer.status, check]).toEqual([503, down]);
    return refused;
  }
}

async function survives(directory: string, reason: string, faultOf: (kontor: KontorProcess) => Fault): Promise<string> {
  const kontor = await KontorProcess.ready(directory, PLAIN);
  const url = await kontor.url();
  const books = await openBooks(url);
  const partner = new Partner(url, books);
  const { begin, end } = faultOf(kontor);
  for (let cycle = 0; cycle < CYCLES; cycle += 1) {
    await partner.bring(BEFORE);
    await caughtUp(url, books);
    await begin();
    const refused = await bringUntilNotReady(url, partner, reason);
    await partner.expectReads();
    // No refused sale may exist, not even in the read models.
    for (const externalId of refused) expect(await statusOf(url, books, externalId)).toBe('404');
    await end();
    // The service must detect the recovery itself, because the partner sends no writes.
    await until(
      async () => (await fetch(`${url}/readyz`)).status,
      (status) => status === 200,
    );
    await partner.bringAgain(refused);
    await caughtUp(url, books);
  }
  const all = partner.taken.toSorted();
  expect((await invoices(url, books)).toSorted()).toEqual(all);
  await kontor.stopCleanly();
  const { sales } = await auditData(directory);
  expect([...sales.keys()].toSorted()).toEqual(all);
  return `${all.length} sales accepted`;
}

test(`A full disk: 503 at once, no accepted sale lost, reads continue, and writes resume when there is space, ${CYCLES} times`, async () => {
  await withDirectory(async (directory) => {
    await run('mount', ['-t', 'tmpfs', '-o', `size=${DISK_MB}m`, 'tmpfs', directory]);
    try {
      const filler = join(directory, 'filler');
      const figures = await survives(directory, 'disk full', () => ({
        begin: async () => {
          const { bavail, bsize } = await statfs(directory);
          // The service may write in the meantime. The disk then becomes full before the whole filler has been written.
          await writeFile(filler, Buffer.alloc(bavail * bsize)).catch((error: unknown) => {
            if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
          });
        },
        end: () => rm(filler),
      }));
      noteCycles('disk full', CYCLES, `tmpfs of ${DISK_MB} MB: ${figures}`);
    } finally {
      await run('umount', ['--lazy', directory]);
    }
  });
}, 240_000);

test(`Writes refused by the system have the same effect as a full disk, ${CYCLES} times`, async () => {
  await withDirectory(async (directory) => {
    // Simulates a failing device with a limit on the file size: the kernel rejects every write beyond the limit with an
    // error.
    const figures = await survives(directory, 'disk I/O error', ({ pid }) => ({
      begin: async () => {
        await run('prlimit', ['--pid', String(pid), '--fsize=16384:unlimited']);
      },
      end: async () => {
        await run('prlimit', ['--pid', String(pid), '--fsize=unlimited:unlimited']);
      },
    }));
    noteCycles('write errors', CYCLES, `RLIMIT_FSIZE: ${figures}`);
  });
}, 240_000);
