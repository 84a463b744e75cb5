import { SystemClock } from '../../src/adapters/system-time.js';
import { chanceFor, cyclesOf, noteCycles, SEED } from '../support/fault-row.js';
import { saleOf, TestService, type Books } from '../support/service.js';

const JUMPS = cyclesOf(8, 200);
const HOUR_MS = 3_600_000;
const SALES_A_JUMP = 5;

/**
 * A machine whose wall clock can be set, for example by a person or a time server. The monotonic clock advances evenly.
 */
class SetClock extends SystemClock {
  private offMs = 0;

  override nowMs(): number {
    return super.nowMs() + this.offMs;
  }

  jump(byMs: number): void {
    this.offMs += byMs;
  }

  /** Jumps to an instant and continues from there. */
  setTo(moment: string): void {
    this.jump(Date.parse(moment) - this.nowMs());
  }
}

const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

let clock: SetClock;
let service: TestService;
beforeEach(async () => {
  clock = new SetClock();
  service = await TestService.start({ clock });
});
afterEach(() => service.close());

/** Expects one booking per sale, equal debits and credits, no duplicate revisions or ids, and no warnings. */
async function expectSoundBooks({ tenant, partner }: Books, sales: readonly string[], token: string): Promise<void> {
  for (const externalId of sales) expect((await service.settled(partner, externalId)).status).toBe('BOOKED');
  await service.quiet();
  const { totalDebit, totalCredit, rows } = await service.trialBalance(token);
  expect(totalDebit).toBe(totalCredit);
  expect(rows.find(({ type }) => type === 'INCOME')?.balance).toBe(`-${(sales.length * 100).toFixed(2)}`);
  const events = await service.service.engines.events.readAll({ maxCount: 100_000 });
  expect(new Set(events.map(({ id }) => id)).size).toBe(events.length);
  const revisions = new Map<string, number>();
  for (const { stream, revision } of events) {
    expect([stream, revision]).toEqual([stream, (revisions.get(stream) ?? -1) + 1]);
    revisions.set(stream, revision);
  }
  const made = await service.post('/api/customers', { name: `Of ${tenant.slug}` }, token);
  expect(made.id).toMatch(UUID_V7);
  expect(service.complaints).toEqual([]);
}

test(`A wall clock that jumps an hour forwards or back, ${JUMPS} times: nothing is lost, duplicated or stuck (seed ${SEED})`, async () => {
  const random = chanceFor('clock jumps');
  const books = await service.openBooks();
  const sales: string[] = [];
  let offHours = 0;
  for (let jump = 0; jump < JUMPS; jump += 1) {
    const hours = random() < 0.5 ? 1 : -1;
    offHours += hours;
    const batch = Array.from({ length: SALES_A_JUMP }, (_, n) => `sale-${jump}-${n}`);
    const customer = { externalId: `c-${jump}`, name: `Customer ${jump}`, email: `c${jump}@jumps.test` };
    // The clock jumps while requests are in flight.
    const answers = batch.map((externalId) =>
      service.postSale(books.partner, saleOf(externalId, { customer }), externalId),
    );
    clock.jump(hours * HOUR_MS);
    for (const answer of answers) expect((await answer).status).toBe(202);
    for (const externalId of batch)
      expect((await service.postSale(books.partner, saleOf(externalId, { customer }), externalId)).status).toBe(200);
    sales.push(...batch);
    for (const externalId of batch) expect((await service.settled(books.partner, externalId)).status).toBe('BOOKED');
  }
  const token = await service.signIn(books.tenant.email);
  await expectSoundBooks(books, sales, token);
  // Each customer must exist exactly once, regardless of which request has created it.
  expect((await service.customers(token)).totalCount).toBe(JUMPS + 2);
  noteCycles('clock jumps', JUMPS, `${sales.length} sales; final clock offset ${offHours} hours`);
});

test('Tokens: an hour forwards expires them and a session continues with its refresh token; an hour back expires nothing', async () => {
  const { tenant } = await service.openBooks();
  type Tokens = { readonly accessToken: string; readonly refreshToken: string };
  const signIn = { email: tenant.email, password: 'correct horse battery' };
  const first = (await service.post('/api/auth/login', signIn)).data as Tokens;
  const me = async (token: string): Promise<number> =>
    (await service.get('/api/customers?pageNumber=1&pageSize=1', token)).status;
  expect(await me(first.accessToken)).toBe(200);

  clock.jump(HOUR_MS);
  expect(await me(first.accessToken)).toBe(401);
  const refreshed = await service.post('/api/auth/refresh', { refreshToken: first.refreshToken });
  const second = refreshed.data as Tokens;
  expect([refreshed.status, await me(second.accessToken)]).toEqual([200, 200]);

  clock.jump(-HOUR_MS);
  expect(await me(second.accessToken)).toBe(200);
  const again = await service.post('/api/auth/refresh', { refreshToken: second.refreshToken });
  expect([again.status, await me((again.data as Tokens).accessToken)]).toEqual([200, 200]);
});

test('Days of 23 and 25 hours and leap days: a sale has the local date of its tenant, and its key is valid for 24 hours', async () => {
  const books = await service.openBooks({ timeZone: 'Europe/Berlin' });
  const days: readonly (readonly [moment: string, date: string])[] = [
    ['2026-03-28T22:59:59.999Z', '2026-03-28'],
    ['2026-03-28T23:00:00.000Z', '2026-03-29'],
    ['2026-03-29T00:59:59.999Z', '2026-03-29'],
    ['2026-03-29T21:59:59.999Z', '2026-03-29'],
    ['2026-03-29T22:00:00.000Z', '2026-03-30'],
    ['2026-10-24T22:00:00.000Z', '2026-10-25'],
    ['2026-10-25T22:59:59.999Z', '2026-10-25'],
    ['2026-10-25T23:00:00.000Z', '2026-10-26'],
    ['2028-02-28T23:00:00.000Z', '2028-02-29'],
    ['2028-02-29T22:59:59.999Z', '2028-02-29'],
    ['2028-02-29T23:00:00.000Z', '2028-03-01'],
  ];
  const sales: string[] = [];
  for (const [moment, date] of days) {
    clock.setTo(moment);
    const externalId = `at ${moment}`;
    const sale = saleOf(externalId, { occurredAt: moment });
    const key = `key-${sales.length}`;
    expect((await service.postSale(books.partner, sale, key)).status).toBe(202);
    expect((await service.settled(books.partner, externalId)).status).toBe('BOOKED');
    sales.push(externalId);
    await service.quiet();
    const token = await service.signIn(books.tenant.email);
    const { items } = await service.transactions(token, 'type=INVOICE');
    expect([moment, items.find((item) => item.externalId === externalId)?.date]).toEqual([moment, date]);
    // An idempotency key is valid for 24 hours, even if the day has 23 or 25 hours.
    clock.jump(24 * HOUR_MS - 60_000);
    const other = saleOf(externalId, { occurredAt: moment, metadata: { other: true } });
    expect((await service.postSale(books.partner, other, key)).told).toBe('409 IDEMPOTENCY_CONFLICT metadata');
    clock.jump(120_000);
    expect((await service.postSale(books.partner, other, key)).status).toBe(200);
  }
  await expectSoundBooks(books, sales, await service.signIn(books.tenant.email));
});
