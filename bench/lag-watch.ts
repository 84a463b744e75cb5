import { setTimeout as sleep } from 'node:timers/promises';
import { EmbeddedEventReader } from '../src/adapters/embedded/event-store.reader.js';
import { SystemClock } from '../src/adapters/system-time.js';
import { lastSequenceIn, messagesIn, type StoredMessage } from '../test/support/stored-messages.js';
import { ApiClient } from './api-client.js';
import { SALE, SALES_PATH } from './sale.js';
import { OWNER, type BenchService, type Books } from './service-client.js';

const PROBE_EVERY_MS = 100;
const LOOK_EVERY_MS = 5;
const GIVES_UP_MS = 60_000;
/**
 * A route that reads a read model. If a minimum position is given, it responds only when all read models have reached
 * that position.
 */
const READ = '/api/branches/lookup';

/** Maximum observed lags, in milliseconds since the acceptance of a sale. */
export type Lag = {
  /** Lag until the sale's status is BOOKED. */
  readonly bookedMs: number;
  /** Lag until all read models, including the audit log, contain the sale's booking. */
  readonly projectedMs: number;
  /** Lag until the broker has stored the message that the sale was booked. */
  readonly forwardedMs: number;
};

export const worst = (lag: Lag): number => Math.max(lag.bookedMs, lag.projectedMs, lag.forwardedMs);

/**
 * Measures the lag of a service under load. Sends additional sales and tracks each until it is completely processed.
 */
export class LagWatch {
  private readonly stopping = new AbortController();
  private readonly done: Promise<unknown>;
  private readonly lag = { bookedMs: 0, projectedMs: 0, forwardedMs: 0 };

  private constructor(
    private readonly events: EmbeddedEventReader,
    private readonly directory: string,
    private readonly owner: ApiClient,
    private readonly partner: ApiClient,
    private readonly prefix: string,
  ) {
    this.done = this.watch();
  }

  /** @param prefix unused prefix for the external ids of the additional sales */
  static async begin({ url, directory }: BenchService, { key }: Books, prefix: string): Promise<LagWatch> {
    const owner = await new ApiClient(url).signIn(OWNER);
    const events = EmbeddedEventReader.open({ directory, clock: new SystemClock() });
    return new LagWatch(events, directory, owner, new ApiClient(url, { 'x-integration-key': key }), prefix);
  }

  async end(): Promise<Lag> {
    this.stopping.abort();
    await this.done;
    this.owner.close();
    this.partner.close();
    await this.events.close();
    const { bookedMs, projectedMs, forwardedMs } = this.lag;
    const whole = { bookedMs: Math.round(bookedMs), projectedMs: Math.round(projectedMs) };
    return { ...whole, forwardedMs: Math.round(forwardedMs) };
  }

  private async watch(): Promise<void> {
    for (let n = 1; !this.stopping.signal.aborted; n += 1) {
      const externalId = `${this.prefix}-${n}`;
      const messages = lastSequenceIn(this.directory);
      const sale = SALE.replaceAll('{n}', externalId);
      const { saleId } = await this.partner.json<{ saleId: string }>('POST', SALES_PATH, sale);
      const acceptedMs = performance.now();
      const note = (what: keyof Lag) => {
        this.lag[what] = Math.max(this.lag[what], performance.now() - acceptedMs);
      };
      await Promise.all([
        this.booked(externalId)
          .then(() => {
            note('bookedMs');
          })
          .then(() => this.projected())
          .then(() => {
            note('projectedMs');
          }),
        this.forwarded(saleId, messages).then(() => {
          note('forwardedMs');
        }),
      ]);
      await sleep(PROBE_EVERY_MS);
    }
  }

  private async booked(externalId: string): Promise<void> {
    await until(async () => {
      const { status } = await this.partner.json<{ status: string }>('GET', `${SALES_PATH}/${externalId}`);
      return status === 'BOOKED';
    });
  }

  /** The service waits for at most five seconds and then rejects the request, so this method retries it. */
  private async projected(): Promise<void> {
    const headers = { 'x-min-position': String(await this.events.head()) };
    await until(async () => (await this.owner.ask('GET', READ, undefined, headers)).status === 200);
  }

  private async forwarded(saleId: string, after: number): Promise<void> {
    let seen = after;
    await until(() => {
      const messages = messagesIn(this.directory, seen);
      seen = messages.at(-1)?.sequence ?? seen;
      const isBooking = ({ subject, payload }: StoredMessage) =>
        subject.endsWith('.sale.booked') && payload.includes(`"${saleId}"`);
      return Promise.resolve(messages.some(isBooking));
    });
  }
}

/** @throws Error if the condition does not hold within a minute */
async function until(holds: () => Promise<boolean>): Promise<void> {
  const startedMs = performance.now();
  while (!(await holds())) {
    if (performance.now() - startedMs > GIVES_UP_MS) throw new Error('A sale was not processed within a minute');
    await sleep(LOOK_EVERY_MS);
  }
}
