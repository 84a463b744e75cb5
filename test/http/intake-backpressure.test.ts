import { setImmediate as nextTurn } from 'node:timers/promises';
import { IntakeBackpressure } from '../../src/http/intake-backpressure.js';
import { rangeOf } from '../../src/eventsourcing/ranges.js';
import { Progress } from '../../src/projecting/progress.js';
import { ManualClock } from '../support/manual-clock.js';

/** Two tenants in different ranges of a divided history. */
const TENANT = 'f81d4fae-7dec-41d0-a765-00a0c91e6bf1';
const OTHER = 'f81d4fae-7dec-41d0-a765-00a0c91e6bf2';

let clock: ManualClock;
let progress: Progress;
let intake: IntakeBackpressure;
beforeEach(() => {
  clock = new ManualClock();
  progress = new Progress(clock, ['customers', 'transactions']);
  intake = new IntakeBackpressure(clock, progress);
});

const advance = (position: number): void => {
  for (const name of progress.names) progress.advance(name, position);
};

/** Simulates a sale that arrives now. `isAccepted` returns whether the sale has been admitted yet. */
async function arrives(tenantId = TENANT): Promise<{ isAccepted: () => boolean }> {
  let accepted = false;
  void intake.turn(tenantId).then(() => (accepted = true));
  await nextTurn();
  return { isAccepted: () => accepted };
}

describe('A sale is accepted at once', () => {
  test('while none was accepted before', async () => {
    expect((await arrives()).isAccepted()).toBe(true);
  });

  test('while the read models are less than a quarter of a second behind', async () => {
    intake.accepted(TENANT, 10);
    await clock.advance(250);
    expect((await arrives()).isAccepted()).toBe(true);
  });

  test('when the read models contain all sales older than a quarter of a second', async () => {
    intake.accepted(TENANT, 10);
    await clock.advance(200);
    intake.accepted(TENANT, 20);
    await clock.advance(200);
    advance(10);
    expect((await arrives()).isAccepted()).toBe(true);
  });

  test('when a projection is stopped, which only an operator can change', async () => {
    intake.accepted(TENANT, 10);
    await clock.advance(1_100);
    progress.stop('customers');
    expect((await arrives()).isAccepted()).toBe(true);
  });
});

describe('A sale waits while the read models are more than a quarter of a second behind', () => {
  beforeEach(async () => {
    intake.accepted(TENANT, 10);
    await clock.advance(1_100);
  });

  test('until all of them have caught up', async () => {
    const { isAccepted } = await arrives();
    expect(isAccepted()).toBe(false);
    progress.advance('customers', 10);
    await nextTurn();
    expect(isAccepted()).toBe(false);
    progress.advance('transactions', 12);
    await nextTurn();
    expect(isAccepted()).toBe(true);
  });

  test('for a second at most', async () => {
    const { isAccepted } = await arrives();
    await clock.advance(999);
    expect(isAccepted()).toBe(false);
    await clock.advance(1);
    expect(isAccepted()).toBe(true);
  });

  test('again, if they advanced during the wait', async () => {
    await arrives();
    advance(5);
    await clock.advance(1_000);
    expect((await arrives()).isAccepted()).toBe(false);
  });

  test('but not for some seconds after a wait in which one of them made no progress', async () => {
    await arrives();
    progress.advance('customers', 5);
    await clock.advance(1_000);
    expect((await arrives()).isAccepted()).toBe(true);
    await clock.advance(4_999);
    expect((await arrives()).isAccepted()).toBe(true);
    await clock.advance(1);
    expect((await arrives()).isAccepted()).toBe(false);
  });
});

describe('If replicas divide the history, a range that is behind', () => {
  beforeEach(async () => {
    progress.divide(['customers', 'transactions']);
    progress.observe('pushes', -1);
    intake.accepted(TENANT, 10);
    intake.accepted(OTHER, 11);
    await clock.advance(300);
    for (const name of ['customers', 'transactions']) progress.observe(name, 12, [rangeOf(OTHER)]);
  });

  test('delays the sales of its own tenants', async () => {
    const { isAccepted } = await arrives();
    expect(isAccepted()).toBe(false);
    progress.observe('customers', 10, [rangeOf(TENANT)]);
    await nextTurn();
    expect(isAccepted()).toBe(false);
    progress.observe('transactions', 10, [rangeOf(TENANT)]);
    await nextTurn();
    expect(isAccepted()).toBe(true);
  });

  test('does not delay the sales of other tenants', async () => {
    await arrives();
    expect((await arrives(OTHER)).isAccepted()).toBe(true);
  });

  test('delays its own tenants only once in five seconds while it stands still', async () => {
    await arrives();
    progress.observe('customers', 13, [rangeOf(OTHER)]);
    await clock.advance(1_000);
    expect((await arrives()).isAccepted()).toBe(true);
  });
});
