import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join as pathOf } from 'node:path';
import fc from 'fast-check';
import { EmbeddedEventStore } from '../../src/adapters/embedded/event-store.js';
import { account } from '../../src/aggregates/account.aggregate.js';
import { accountCodeClaim, customerCodeClaim } from '../../src/aggregates/code-claims.js';
import { linkClaim } from '../../src/aggregates/customer-keys.js';
import { customer } from '../../src/aggregates/customer.aggregate.js';
import { catalogue } from '../../src/app/catalogue.js';
import type { Claim } from '../../src/eventsourcing/aggregate.js';
import { DomainError } from '../../src/eventsourcing/domain-error.js';
import { CLAIM_FENCED, type Recorded } from '../../src/eventsourcing/event-catalogue.js';
import { byNumbers, InterleavedClock, Interleaver, type Picking } from '../support/interleaving.js';
import { ManualClock, SeededIds } from '../support/manual-clock.js';
import { lookAt, Office, postsTo } from '../support/office.js';
import { whileTimePasses } from '../support/while-time-passes.js';

const MAIN = ['delete customer', 'delete account', 'collect', 'collect', 'react', 'watch'] as const;
const RIVALS = ['take code', 'take link', 'take account code'] as const;
type What = (typeof MAIN)[number] | (typeof RIVALS)[number];
type Plan = {
  readonly acts: readonly { readonly where: number; readonly what: What }[];
  /** The process that crashes. A separate actor triggers the crash after `after` steps. */
  readonly crash: { readonly where: number; readonly after: number } | null;
  readonly picks: Picking;
};

/** Timeout that leaves enough time to shrink a failing case. */
const TIMEOUT_MS = 120_000;
const PROCESSES = 3;
const TENANT = '0192f0c1-0000-7000-8000-00000000000a';
const [CODE, LINK, ACCOUNT_CODE] = ['A-1', 'ada-1', '777'] as const;

const plan: fc.Arbitrary<Plan> = fc.record({
  acts: fc.array(
    fc.record({
      where: fc.nat(PROCESSES - 1),
      what: fc.oneof(
        { weight: 3, arbitrary: fc.constantFrom<What[]>(...MAIN) },
        { weight: 1, arbitrary: fc.constantFrom<What[]>(...RIVALS) },
      ),
    }),
    { minLength: 3, maxLength: 8 },
  ),
  crash: fc.option(fc.record({ where: fc.nat(PROCESSES - 1), after: fc.nat(12) })),
  picks: fc.array(fc.nat(11), { maxLength: 120, size: 'max' }).map(byNumbers),
});

type Held = { readonly status: string; readonly claims: readonly Claim[] };

/** Returns the status and claims of every record after each event of a run. */
function statesOverTime(history: readonly Recorded[]): ReadonlyMap<string, Held>[] {
  const states = new Map<string, { status: string }>();
  const over: ReadonlyMap<string, Held>[] = [];
  for (const event of history) {
    const aggregate = [customer, account].find(({ name }) => name === event.entity);
    const known = aggregate && catalogue.aggregateOf(aggregate.name);
    if (known && event.type !== CLAIM_FENCED) {
      const before = states.get(event.recordId) ?? known.initial;
      states.set(event.recordId, known.evolve(before, event) as { status: string });
    }
    over.push(
      new Map(
        [...states].map(([id, state]) => {
          const isCustomer = 'links' in state;
          const claims = catalogue.aggregateOf(isCustomer ? 'customer' : 'account')?.claims?.(state, TENANT) ?? [];
          return [id, { status: state.status, claims }];
        }),
      ),
    );
  }
  return over;
}

const holds = ({ claims }: Held, { kind, value }: Claim): boolean =>
  claims.some((claim) => claim.kind === kind && claim.value === value);

describe('Deletions, transactions and restorations, in any interleaving', () => {
  let directory: string;
  let store: EmbeddedEventStore;
  let run = 0;

  beforeAll(async () => {
    directory = await mkdtemp(pathOf(tmpdir(), 'kontor-restoration-'));
    store = EmbeddedEventStore.open({ directory, clock: new ManualClock() });
  });
  afterAll(async () => {
    await store.close();
    await rm(directory, { recursive: true });
  });

  async function carryOut({ acts, crash, picks }: Plan) {
    run += 1;
    const named = (text: string): string => `${run}-${text}`;
    const ids = { customer: named('customer'), account: named('account') };
    const before = await store.head();
    const look = lookAt(store, before);
    const calm = new Office(TENANT, store, new ManualClock(), new SeededIds(run), look);
    await calm.openCustomer(ids.customer, named(CODE), [named(LINK)]);
    await calm.openAccount(ids.account, named(ACCOUNT_CODE));
    const interleaver = new Interleaver();
    const time = { ms: Date.UTC(2026, 0, 1) };
    const processes = Array.from({ length: PROCESSES }, (_, at) => {
      const actor = `process-${at}`;
      const clock = new InterleavedClock(time, interleaver, actor);
      const looking = () => interleaver.step(actor, look);
      return new Office(TENANT, interleaver.gated(store, actor), clock, new SeededIds(run * 10 + at + 1), looking);
    });
    const faults: unknown[] = [];
    for (const [index, { where, what }] of acts.entries()) {
      const at = processes[where] as Office;
      const rival = named(`rival-${index}`);
      const act = {
        'delete customer': () => at.deleteCustomer(ids.customer),
        'delete account': () => at.deleteAccount(ids.account),
        collect: () => at.collect(ids.customer, ids.account),
        'take code': () => at.openCustomer(rival, named(CODE)),
        'take link': () => at.openCustomer(rival, null, [named(LINK)]),
        'take account code': () => at.openAccount(rival, named(ACCOUNT_CODE)),
        react: () => at.reactToDeletions(),
        watch: () => at.restoreReached(),
      }[what];
      act().catch((error: unknown) => {
        if (!(error instanceof DomainError) || what === 'react' || what === 'watch') faults.push(error);
      });
    }
    const passing = new InterleavedClock(time, interleaver, 'time');
    void (async () => {
      for (let leap = 0; leap < 4; leap += 1) await passing.sleep(6_000);
    })();
    if (crash)
      void (async () => {
        const watcher = new InterleavedClock(time, interleaver, 'watcher');
        for (let step = 0; step < crash.after; step += 1) await watcher.sleep(0);
        interleaver.crash(`process-${crash.where}`);
      })();
    await interleaver.run(picks);
    // A later leader processes every event, including events that earlier leaders have processed.
    const clock = new ManualClock(Date.UTC(2026, 0, 2));
    const later = new Office(TENANT, store, clock, new SeededIds(run * 10 + 9), look);
    const restore = () => whileTimePasses(clock, Promise.all([later.restoreReached(), later.reactToDeletions()]), 50);
    await restore();
    const head = await store.head();
    await restore();
    return { ids, named, faults, history: await look(), isStill: head === (await store.head()) };
  }

  type Outcome = Awaited<ReturnType<typeof carryOut>>;

  /**
   * Checks that, at the end, all records with postings exist, and that all other records are as their owner left them.
   */
  function checkPresence({ ids, history, faults, isStill }: Outcome): void {
    expect(faults).toEqual([]);
    const last = statesOverTime(history).at(-1);
    for (const id of Object.values(ids)) {
      const own = history.filter(({ recordId }) => recordId === id);
      const isPostedTo = history.some((event) => postsTo(event, id));
      const isDeleted = own.some(({ type }) => type.endsWith('Deleted'));
      expect(last?.get(id)?.status).toBe(isPostedTo || !isDeleted ? 'present' : 'deleted');
      if (!isPostedTo) expect(own.filter(({ type }) => type.endsWith('Restored'))).toEqual([]);
    }
    expect(isStill).toBe(true);
  }

  /** Checks that every deletion is undone at most once. */
  function checkRestorations({ ids, history }: Outcome): void {
    for (const id of Object.values(ids)) {
      const own = history.filter(({ recordId, type }) => recordId === id && /(Deleted|Restored)$/.test(type));
      for (const [index, { type }] of own.entries()) expect(type).toMatch(index % 2 === 0 ? /Deleted$/ : /Restored$/);
    }
  }

  /**
   * Checks that a code or link has at most one holder at any time. A restored record loses a code or link only if
   * another record holds it.
   */
  function checkHolders({ ids, named, history }: Outcome): void {
    const over = statesOverTime(history);
    const link = { sourceId: 'shop', externalId: named(LINK) };
    const claims: readonly (readonly [string, Claim])[] = [
      [ids.customer, customerCodeClaim(TENANT, named(CODE))],
      [ids.customer, linkClaim(TENANT, link)],
      [ids.account, accountCodeClaim(TENANT, named(ACCOUNT_CODE))],
    ];
    for (const [id, claim] of claims) {
      const holders = over.map((states) =>
        [...states].filter(([, state]) => holds(state, claim)).map(([holder]) => holder),
      );
      for (const together of holders) expect(together.length).toBeLessThanOrEqual(1);
      const isThere = over.at(-1)?.get(id)?.status === 'present';
      if (isThere && !holders.flat().some((holder) => holder !== id)) expect(holders.at(-1)).toEqual([id]);
    }
  }

  test(
    'records with postings exist, the others stay deleted, and no code has two holders',
    () =>
      fc.assert(
        fc.asyncProperty(plan, async (given) => {
          const outcome = await carryOut(given);
          for (const check of [checkPresence, checkRestorations, checkHolders]) check(outcome);
        }),
        { numRuns: 150 },
      ),
    TIMEOUT_MS,
  );

  test('the plans include such races: both orders, restorations with and without the code', async () => {
    const wanted = ['CustomerDeleted', 'TransactionRecorded', 'account', 'with its code', 'without its code'];
    const seen = new Set<string>();
    for (const given of fc.sample(plan, { numRuns: 200, seed: 11 })) {
      if (seen.size >= wanted.length) break;
      const { history, ids } = await carryOut(given);
      for (const event of history.filter(({ recordId }) => recordId === ids.customer)) {
        if (event.type === 'CustomerRestored') {
          const { code, causedBy } = event.data as { code: string | null; causedBy: string };
          seen.add(code === null ? 'without its code' : 'with its code');
          seen.add(history.find(({ id }) => id === causedBy)?.type ?? 'nothing');
        }
      }
      if (history.some(({ type }) => type === 'AccountRestored')) seen.add('account');
    }
    expect([...seen].sort()).toEqual(wanted);
  });
});
