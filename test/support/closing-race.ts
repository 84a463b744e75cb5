import type { Engines } from '../../src/app/engines.js';
import type { Periods } from '../../src/queries/period.queries.js';
import { overriding } from '../../src/ports/overriding.js';
import type { Append, EventStore } from '../../src/ports/event-store.js';
import { eventually } from './eventually.js';
import { historyOf, lateIn, lateWarnings } from './late-scan.js';
import { saleOf, type Books, type TestService } from './service.js';

const POSTINGS = 200;
const PATIENCE_MS = 30_000;
/** Number of postings to complete before the closing begins. */
const BEFORE_CLOSING = 40;
const MAX_DELAY_MS = 60;
const CLOSED_THROUGH = '2026-03-31';

/**
 * Delays the appends of postings by a random time, so that closings overtake them. Simulates a slow connection to the
 * event store.
 */
export function withSlowPostings(engines: Engines): Engines {
  const { events, clock } = engines;
  const isPosting = ({ stream }: Append): boolean => /^(?:transaction|sale)-/.test(stream);
  const wait = (): Promise<void> => clock.sleep(Math.random() * MAX_DELAY_MS);
  const slow: Partial<EventStore> = {
    append: async (append) => {
      if (isPosting(append)) await wait();
      return events.append(append);
    },
    appendInOrder: async (appends) => {
      if (appends.some(isPosting)) await wait();
      return events.appendInOrder(appends);
    },
  };
  return { ...engines, events: overriding(events, slow) };
}

export type Race = {
  /** Late entries according to an independent scan of the history. */
  readonly found: readonly string[];
  /** Late entries that each replica lists. */
  readonly listed: readonly (readonly string[])[];
  /** Number of late entries reported by notifications. */
  readonly notified: number;
  readonly answers: ReadonlySet<string>;
};

/** Closes a period during 200 concurrent postings to it: user entries and partner sales, spread over the replicas. */
export async function closeDuringPostings(replicas: readonly TestService[], books: Books): Promise<Race> {
  const [first] = replicas as readonly [TestService];
  const { id: tenantId, token } = books.tenant;
  const bank = await first.post('/api/accounts', { type: 'BANK', name: 'Race' }, token);
  const entry = { type: 'ADJUSTMENT', accountId: bank.id, direction: 'IN', date: '2026-03-15', amount: '1.00' };
  const sales = Array.from({ length: POSTINGS / 4 }, (_, n) => `racing-${n}`);
  const answers = new Set<string>();
  let [answered, next] = [0, 0];
  let startClosing: () => void = () => undefined;
  const closing = new Promise<void>((resolve) => (startClosing = resolve)).then(() =>
    first.post('/api/periods/close', { through: CLOSED_THROUGH }, token),
  );
  await Promise.all(
    Array.from({ length: POSTINGS }, async () => {
      const n = next++;
      const replica = replicas[n % replicas.length] ?? first;
      const externalId = n % 4 === 0 ? sales[n / 4] : undefined;
      const reply = await (externalId === undefined
        ? replica.post('/api/transactions', entry, token)
        : replica.postSale(books.partner, saleOf(externalId)));
      answers.add(reply.told);
      answered += 1;
      if (answered === BEFORE_CLOSING) startClosing();
    }),
  );
  answers.add(`closing ${(await closing).told}`);
  for (const externalId of sales) answers.add((await first.settled(books.partner, externalId)).status);
  for (const replica of replicas) await replica.quiet();
  const found = lateIn(await historyOf(first, tenantId));
  const reported = async (): Promise<number> =>
    (await lateWarnings(first, token)).reduce((sum, { body }) => sum + reportedIn(body), 0);
  await eventually(
    async () => (await reported()) === found.length,
    PATIENCE_MS,
    () => first.complaints.join('; '),
  );
  const listed: string[][] = [];
  for (const replica of replicas) {
    const { late } = (await replica.get('/api/periods', token)).data as Periods;
    listed.push(late.map(({ transactionId }) => transactionId).toReversed());
  }
  return { found, listed, notified: await reported(), answers };
}

/** Returns the number of late entries that a notification reports, including those that it only counts. */
function reportedIn(body: string): number {
  const more = /, and (\d+) more/.exec(body)?.[1] ?? '0';
  return [...body.matchAll(/\d{4}-\d\d-\d\d \d+\.\d\d EUR/g)].length + Number(more);
}

/**
 * Runs the race until at least one entry is late. Expects every late entry to be listed, and to be reported in a
 * notification.
 */
export async function expectAllLateEntriesFound(replicas: readonly TestService[], engine: string): Promise<void> {
  const [first] = replicas as readonly [TestService];
  for (let round = 1; ; round += 1) {
    const { found, listed, notified, answers } = await closeDuringPostings(replicas, await first.openBooks());
    for (const ids of listed) expect(ids).toEqual(found);
    expect(notified).toBe(found.length);
    const expected = ['201', '202', '409 PERIOD_CLOSED', 'BOOKED', 'closing 201'];
    expect([...answers].filter((answer) => !expected.includes(answer))).toEqual([]);
    expect(answers).toContain('closing 201');
    process.stderr.write(`${engine}: ${found.length} of ${POSTINGS} postings were late, all listed and notified\n`);
    if (found.length > 0) return;
    if (round === 5) throw new Error('No closing ever overtook a posting.');
  }
}
