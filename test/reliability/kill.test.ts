import {
  call,
  caughtUp,
  invoices,
  KontorProcess,
  openBooks,
  pause,
  PLAIN,
  postSale,
  SaleLoad,
  signInAgain,
  statusOf,
  trialBalance,
  until,
  withDirectory,
  type Books,
} from '../e2e/kontor-process.js';
import { auditData } from '../support/data-audit.js';
import { chanceFor, cyclesOf, noteCycles, SEED } from '../support/fault-row.js';
import { ConnectionLost } from '../support/exchange.js';

const KILLS = Number(process.env['KILLS'] ?? cyclesOf(20, 500));
const NET = 100;
/** Fraction of kills that occur during startup. All others occur under load. */
const WHILE_STARTING = 0.2;
/** Number of cycles after which the owner signs in again, so that the token never expires. */
const SIGN_IN_EVERY = 10;

type Customer = { readonly id: string; readonly email: string };

/** Users, each of whom creates one customer after another. Each customer has a unique code and e-mail address. */
class CustomerLoad {
  readonly answered: Customer[] = [];
  private stopped = false;
  private readonly running: Promise<unknown>;

  constructor(
    private readonly url: string,
    private readonly books: Books,
    private readonly run: string,
  ) {
    this.running = Promise.all(Array.from({ length: 3 }, (_, person) => this.enter(person)));
  }

  async stop(): Promise<void> {
    this.stopped = true;
    await this.running;
  }

  private async enter(person: number): Promise<void> {
    for (let n = 0; !this.stopped; n += 1) {
      const email = `${this.run}-${person}-${n}@customers.test`;
      try {
        const { data } = await call<{ data: { id: string } }>(`${this.url}/api/customers`, {
          token: this.books.token,
          body: { name: `Customer ${this.run} ${n}`, email },
        });
        this.answered.push({ id: data.id, email });
      } catch (error) {
        if (!(error instanceof ConnectionLost)) throw error;
        this.stopped = true;
      }
    }
  }
}

/** A directory with a service that is killed and restarted repeatedly. */
class KilledService {
  readonly accepted: string[] = [];
  readonly unanswered: string[] = [];
  readonly customers: Customer[] = [];
  private readonly random = chanceFor('kill -9');

  constructor(
    private readonly directory: string,
    private kontor: KontorProcess,
    private books: Books,
  ) {}

  async cycle(run: number): Promise<void> {
    const url = await this.kontor.url();
    const load = new SaleLoad(url, this.books, `run${run}`, 12);
    const entries = new CustomerLoad(url, this.books, `run${run}`);
    // The kill must occur under load, even on a slow machine.
    await until(
      () => Promise.resolve(Math.min(load.accepted.length / 5, entries.answered.length)),
      (answered) => answered >= 1,
    );
    await pause(this.random() * 450);
    await this.kontor.stop('SIGKILL');
    await Promise.all([load.stop(), entries.stop()]);
    expect(load.refused).toEqual([]);
    this.accepted.push(...load.accepted);
    this.unanswered.push(...load.unanswered);
    this.customers.push(...entries.answered);
    await this.startAgain(run);
    await this.expectAnswered(load, entries);
  }

  /** Restarts the service, which may also be killed during recovery. */
  private async startAgain(run: number): Promise<void> {
    if (this.random() < WHILE_STARTING) {
      const half = new KontorProcess(this.directory, PLAIN);
      await pause(this.random() * 1_500);
      await half.stop('SIGKILL');
    }
    this.kontor = await KontorProcess.ready(this.directory, PLAIN);
    if (run % SIGN_IN_EVERY === 0) this.books = await signInAgain(await this.kontor.url(), this.books);
  }

  private async expectAnswered(load: SaleLoad, entries: CustomerLoad): Promise<void> {
    const url = await this.kontor.url();
    for (const externalId of load.accepted) await booked(url, this.books, externalId);
    for (const { id, email } of entries.answered) {
      const path = `${url}/api/customers/${id}`;
      // The kill may have occurred after the response but before the read models were updated.
      const look = () => call<{ data: Customer }>(path, { token: this.books.token }).catch(() => undefined);
      const found = await until(look, (customer) => customer !== undefined);
      expect(found?.data).toMatchObject({ id, email });
    }
    // Responses to a partner must remain identical, byte for byte.
    for (const externalId of load.accepted.slice(-3)) {
      const again = await postSale(url, this.books, externalId);
      expect(again).toEqual({ status: 200, body: load.sent.get(externalId)?.body, replayed: 'true' });
    }
  }

  /**
   * Retries the requests that received no response. The service accepts each one now, or accepted it before the kill.
   * Afterwards, every sale must have taken effect exactly once.
   */
  async end(): Promise<void> {
    const url = await this.kontor.url();
    for (const externalId of this.unanswered) {
      expect([200, 202]).toContain((await postSale(url, this.books, externalId)).status);
      await booked(url, this.books, externalId);
    }
    await caughtUp(url, this.books);
    const all = [...this.accepted, ...this.unanswered].toSorted();
    expect((await invoices(url, this.books)).toSorted()).toEqual(all);
    const { totalDebit, totalCredit, rows } = await trialBalance(url, this.books);
    expect(totalDebit).toBe(totalCredit);
    expect(rows.find(({ type }) => type === 'INCOME')?.balance).toBe(`-${(all.length * NET).toFixed(2)}`);
    expect(await this.kontor.stop()).toEqual({ code: 0, signal: null });

    const { sales, streams, events } = await auditData(this.directory);
    expect([...sales.keys()].toSorted()).toEqual(all);
    const records = new Set([...streams.keys()].map((stream) => stream.slice(stream.lastIndexOf('_') + 1)));
    expect(this.customers.filter(({ id }) => !records.has(id))).toEqual([]);
    const figures = [
      `${this.accepted.length} sales and ${this.customers.length} customers acknowledged`,
      `${events} events`,
    ];
    noteCycles('kill -9 at random moments under load', KILLS, figures.join(', '));
  }
}

const booked = (url: string, books: Books, externalId: string): Promise<string> =>
  until(
    () => statusOf(url, books, externalId),
    (status) => status === 'BOOKED',
  );

describe('a service that is killed', () => {
  test(
    `keeps and books everything it accepted, once, killed ${KILLS} times under load (seed ${SEED})`,
    async () => {
      await withDirectory(async (directory) => {
        const kontor = await KontorProcess.ready(directory, PLAIN);
        const service = new KilledService(directory, kontor, await openBooks(await kontor.url()));
        for (let run = 0; run < KILLS; run += 1) await service.cycle(run);
        expect(service.accepted.length).toBeGreaterThan(KILLS * 5);
        await service.end();
      });
    },
    60_000 + KILLS * 20_000,
  );
});
