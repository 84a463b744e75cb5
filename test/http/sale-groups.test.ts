import fc from 'fast-check';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { SaleGroups } from '../../src/http/sale-groups.js';
import { ManualClock } from '../support/manual-clock.js';

const seed = Number(process.env['SEED'] ?? Date.now() % 2_147_483_647);
process.stdout.write(`seed ${seed}\n`);

type Sale = { readonly arrivedMs: number; acceptedMs: number | undefined };

/** Timers of Node.js may end up to a millisecond early. */
class EarlyClock extends ManualClock {
  override sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return super.sleep(Math.max(ms - 0.6, 0.1), signal);
  }
}

/** A partner's connection that sends sales. */
class Connection {
  destroyed = false;
}

/** Sales that arrive while the clock advances. */
class Arrivals {
  private readonly groups: SaleGroups;
  readonly sales: Sale[] = [];

  constructor(private readonly clock = new ManualClock()) {
    this.groups = new SaleGroups(clock);
  }

  async advance(ms: number): Promise<void> {
    await this.clock.advance(ms);
  }

  async send(connection: Connection): Promise<Sale> {
    const sale: Sale = { arrivedMs: this.clock.monotonicMs(), acceptedMs: undefined };
    this.sales.push(sale);
    const accept = (): void => {
      sale.acceptedMs = this.clock.monotonicMs();
    };
    const turn = this.groups.join(connection);
    if (turn) void turn.then(accept);
    else accept();
    await nextTurn();
    return sale;
  }

  /** One sale every `everyMs`, sent over each of the connections in turn. */
  async stream(connections: readonly Connection[], everyMs: number, sales: number): Promise<void> {
    for (let n = 0; n < sales; n += 1) {
      await this.send(connections[n % connections.length] ?? new Connection());
      await this.advance(everyMs);
    }
  }

  waits(): number[] {
    return this.sales.map(({ arrivedMs, acceptedMs = Number.POSITIVE_INFINITY }) => acceptedMs - arrivedMs);
  }

  /** Number of sales accepted at each time. */
  sizes(): number[] {
    const times = this.sales.map(({ acceptedMs }) => acceptedMs);
    return [...new Set(times)].map((time) => times.filter((other) => other === time).length);
  }
}

const connections = (count: number): Connection[] => Array.from({ length: count }, () => new Connection());
let arrivals: Arrivals;
beforeEach(() => {
  arrivals = new Arrivals();
});

describe('A sale is accepted at once', () => {
  test('while fewer than 250 sales a second arrive', async () => {
    await arrivals.stream(connections(64), 5, 100);
    expect(Math.max(...arrivals.waits())).toBe(0);
  });

  test('if its sender waits for each response', async () => {
    await arrivals.stream(connections(1), 1, 200);
    expect(Math.max(...arrivals.waits())).toBe(0);
  });

  test('if the other senders closed their connections', async () => {
    const [last = new Connection(), ...others] = connections(64);
    await arrivals.stream([last, ...others], 2, 64);
    for (const other of others) other.destroyed = true;
    await arrivals.advance(8);
    await arrivals.stream([last], 1, 64);
    expect(Math.max(...arrivals.waits().slice(64))).toBe(0);
  });

  test('if the other senders sent nothing for a tenth of a second', async () => {
    const [last = new Connection(), ...others] = connections(64);
    await arrivals.stream([last, ...others], 2, 64);
    await arrivals.stream([last], 1, 110);
    const settled = arrivals.sales.length;
    await arrivals.stream([last], 1, 50);
    expect(Math.max(...arrivals.waits().slice(settled))).toBe(0);
  });
});

describe('Sales wait for each other', () => {
  test('for up to 8 ms, if they arrive every two milliseconds', async () => {
    await arrivals.stream(connections(64), 2, 200);
    expect(Math.max(...arrivals.waits())).toBe(8);
    expect(
      arrivals
        .sizes()
        .slice(8, -1)
        .every((size) => size === 4),
    ).toBe(true);
  });

  test.each([
    { everyMs: 1, periodMs: 16 },
    { everyMs: 0.5, periodMs: 32 },
  ])('for up to $periodMs ms, if one arrives every $everyMs ms', async ({ everyMs, periodMs }) => {
    await arrivals.stream(connections(200), everyMs, 800);
    const settled = arrivals.waits().slice(400, -100);
    expect(Math.max(...settled)).toBeGreaterThanOrEqual(periodMs - everyMs);
    expect(Math.max(...settled)).toBeLessThanOrEqual(periodMs);
  });

  test('in the next group, if they arrive just after one, even if its timer ended early', async () => {
    const early = new Arrivals(new EarlyClock());
    await early.stream(connections(64), 0.5, 800);
    expect(Math.min(...early.sizes().slice(-9, -1))).toBeGreaterThan(20);
  });

  test('only until all senders wait for their responses', async () => {
    const senders = connections(5);
    await arrivals.stream(senders, 2, 20);
    await arrivals.advance(8);
    for (let round = 0; round < 20; round += 1) {
      const sent: Sale[] = [];
      for (const sender of senders) sent.push(await arrivals.send(sender));
      expect(sent.map(({ acceptedMs }) => acceptedMs)).toEqual(sent.map(({ arrivedMs }) => arrivedMs));
      await arrivals.advance(1);
    }
  });

  test('in groups of at most 64', async () => {
    await arrivals.stream(connections(64), 0.1, 160);
    await arrivals.advance(32);
    const waiting: Sale[] = [];
    for (const sender of connections(64)) {
      expect(waiting.every(({ acceptedMs }) => acceptedMs === undefined)).toBe(true);
      waiting.push(await arrivals.send(sender));
    }
    expect(waiting.every(({ acceptedMs }) => acceptedMs !== undefined)).toBe(true);
  });
});

test('Every sale is accepted within 32 ms and in the order of arrival, at any rate and from any connections', async () => {
  const step = fc.record({
    connection: fc.nat({ max: 7 }),
    afterMs: fc.constantFrom(0, 0, 0.2, 0.5, 1, 2, 5, 20, 150),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 200 }), async (steps) => {
      const all = new Arrivals();
      const senders = connections(8);
      for (const { connection, afterMs } of steps) {
        await all.advance(afterMs);
        await all.send(senders[connection] ?? new Connection());
      }
      await all.advance(32);
      const accepted = all.sales.map(({ acceptedMs }) => acceptedMs ?? Number.POSITIVE_INFINITY);
      expect(Math.max(...all.waits())).toBeLessThanOrEqual(32);
      expect(accepted).toEqual([...accepted].sort((a, b) => a - b));
    }),
    { seed, numRuns: 50 },
  );
});
