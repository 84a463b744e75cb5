import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join as pathOf } from 'node:path';
import fc from 'fast-check';
import { EmbeddedEventStore } from '../../src/adapters/embedded/event-store.js';
import { DomainError } from '../../src/eventsourcing/domain-error.js';
import { parseStreamName } from '../../src/eventsourcing/stream-name.js';
import { WrongExpectedRevision, type RecordedEvent } from '../../src/ports/event-store.js';
import { byNumbers, InterleavedClock, Interleaver, type Picking } from '../support/interleaving.js';
import { ManualClock, SeededIds } from '../support/manual-clock.js';
import {
  asRequest,
  clubCatalogue,
  emailClaim,
  member,
  replica,
  type Member,
  type MemberEvent,
  type Replica,
} from '../support/member.toy.js';

type Act = { readonly where: number; readonly who: number; readonly what: 'take' | 'give' | 'greet' | 'leave' };
type Plan = {
  readonly present: readonly boolean[];
  /** Actors of the same process share its caches. */
  readonly acts: readonly Act[];
  /** The process that crashes. A separate actor triggers the crash after `after` steps. */
  readonly crash: { readonly where: number; readonly after: number } | null;
  readonly skewsMs: readonly number[];
  readonly picks: Picking;
};

/** Timeout that leaves enough time to shrink a failing case. */
const TIMEOUT_MS = 120_000;
const PROCESSES = 3;
const MEMBERS = 3;
const EMAIL = 'ada@example.com';

const plan: fc.Arbitrary<Plan> = fc.record({
  present: fc.array(fc.boolean(), { minLength: MEMBERS, maxLength: MEMBERS }),
  acts: fc.array(
    fc.record({
      where: fc.nat(PROCESSES - 1),
      // The first record has a higher weight, because attempts on the same record conflict most frequently.
      who: fc.oneof({ weight: 2, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat(MEMBERS - 1) }),
      what: fc.constantFrom<Act['what'][]>('take', 'take', 'take', 'give', 'greet', 'leave'),
    }),
    { minLength: 2, maxLength: 7 },
  ),
  crash: fc.option(fc.record({ where: fc.nat(PROCESSES - 1), after: fc.nat(12) })),
  skewsMs: fc.array(fc.constantFrom(0, 0, 30, -30, 60_000), { minLength: PROCESSES, maxLength: PROCESSES }),
  picks: fc.array(fc.nat(11), { maxLength: 120, size: 'max' }).map(byNumbers),
});

/** Executes a command without retries: one read, one claim, and one append at the revision that was read. */
async function attemptOnce({ read, claims, appender }: Replica, id: string, email: string | null): Promise<void> {
  const { stream, revision } = await read(id);
  if (email !== null && (await claims.acquire(emailClaim(email), { stream, revision })).outcome === 'held') return;
  const event =
    email === null ? { type: 'MemberGreeted', data: { by: 'bob' } } : { type: 'MemberEmailChanged', data: { email } };
  await appender.write(stream, revision, [event]).catch((error: unknown) => {
    if (!(error instanceof WrongExpectedRevision)) throw error;
  });
}

describe('Uniqueness under any interleaving', () => {
  let directory: string;
  let store: EmbeddedEventStore;
  let run = 0;

  beforeAll(async () => {
    directory = await mkdtemp(pathOf(tmpdir(), 'kontor-interleaving-'));
    store = EmbeddedEventStore.open({ directory, clock: new ManualClock() });
  });
  afterAll(async () => {
    await store.close();
    await rm(directory, { recursive: true });
  });

  /** Returns the holders of the e-mail address after each event of the run. */
  function holdersOverTime(events: readonly RecordedEvent[], email: string): string[][] {
    const states = new Map<string, Member>();
    return events.map((event) => {
      const { entity, recordId, ...decoded } = clubCatalogue.decode(event);
      if (entity === 'member' && event.type !== 'ClaimFenced')
        states.set(recordId, member.evolve(states.get(recordId) ?? member.initial, decoded as unknown as MemberEvent));
      return [...states].filter(([, state]) => state.email === email).map(([id]) => id);
    });
  }

  async function carryOut({ present, acts, crash, skewsMs, picks }: Plan) {
    run += 1;
    const email = `${run}-${EMAIL}`;
    const id = (who: number): string => `${run}-${who}`;
    const before = await store.head();
    const calm = replica(store, new ManualClock(), new SeededIds(run));
    for (const [who, isPresent] of present.entries()) if (isPresent) await calm.join(id(who));
    const interleaver = new Interleaver();
    const time = { ms: Date.UTC(2026, 0, 1) };
    const processes = skewsMs.map((skewMs, at) =>
      replica(
        interleaver.gated(store, `process-${at}`),
        new InterleavedClock(time, interleaver, `process-${at}`, skewMs),
        new SeededIds(run * 10 + at),
      ),
    );
    const work: Promise<unknown>[] = acts.map(async ({ where, who, what }) => {
      const at = processes[where];
      if (what === 'take') return present[who] ? at?.changeEmail(id(who), email) : at?.join(id(who), email);
      if (what === 'give') return at?.changeEmail(id(who), null);
      return what === 'greet' ? at?.greet(id(who), 'bob') : at?.leave(id(who));
    });
    const outcomes: PromiseSettledResult<unknown>[] = [];
    for (const one of work)
      one.then(
        (value) => outcomes.push({ status: 'fulfilled', value }),
        (reason: unknown) => outcomes.push({ status: 'rejected', reason }),
      );
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
    const events = await store.readAll({ from: before, maxCount: 1_000 });
    return { events, outcomes, email, id };
  }

  test(
    'a value never has two holders, however individual attempts overtake each other',
    async () => {
      const attempts = fc.array(fc.constantFrom('take', 'greet', 'rival'), { minLength: 1, maxLength: 2 });
      const numbers = fc.array(fc.nat(5), { maxLength: 40, size: 'max' });
      await fc.assert(
        fc.asyncProperty(attempts, numbers, async (more, picks) => {
          run += 1;
          const email = `${run}-${EMAIL}`;
          const before = await store.head();
          for (const who of [0, 1]) await replica(store, new ManualClock(), new SeededIds(run)).join(`${run}-${who}`);
          const interleaver = new Interleaver();
          const time = { ms: 0 };
          for (const [at, what] of ['take', 'take', 'greet', 'rival', ...more].entries()) {
            const clock = new InterleavedClock(time, interleaver, `process-${at}`);
            const one = replica(interleaver.gated(store, `process-${at}`), clock, new SeededIds(run * 10 + at));
            void asRequest(() =>
              attemptOnce(one, `${run}-${what === 'rival' ? 1 : 0}`, what === 'greet' ? null : email),
            );
          }
          await interleaver.run(byNumbers(picks));
          const events = await store.readAll({ from: before, maxCount: 1_000 });
          for (const holders of holdersOverTime(events, email)) expect(holders.length).toBeLessThanOrEqual(1);
        }),
        { numRuns: 400 },
      );
    },
    TIMEOUT_MS,
  );

  test(
    'a value never has two holders, and only a rejection ends a command',
    async () => {
      await fc.assert(
        fc.asyncProperty(plan, async (given) => {
          const { events, outcomes, email } = await carryOut(given);
          for (const holders of holdersOverTime(events, email)) expect(holders.length).toBeLessThanOrEqual(1);
          for (const outcome of outcomes)
            if (outcome.status === 'rejected') expect(outcome.reason).toBeInstanceOf(DomainError);
          if (!given.crash) expect(outcomes).toHaveLength(given.acts.length);
        }),
        { numRuns: 200 },
      );
    },
    TIMEOUT_MS,
  );

  test(
    'every answered command is in the history once',
    async () => {
      await fc.assert(
        fc.asyncProperty(plan, async (given) => {
          const { events, outcomes } = await carryOut(given);
          const stored = events.map((event) => event.id);
          expect(new Set(stored).size).toBe(stored.length);
          const answered = outcomes.flatMap((outcome) =>
            outcome.status === 'fulfilled' ? (outcome.value as { eventIds: string[] }).eventIds : [],
          );
          expect(new Set(answered).size).toBe(answered.length);
          expect(stored).toEqual(expect.arrayContaining(answered));
        }),
        { numRuns: 100 },
      );
    },
    TIMEOUT_MS,
  );

  test(
    'a value never gets stuck: after five seconds it has a holder or is free',
    async () => {
      await fc.assert(
        fc.asyncProperty(plan, async (given) => {
          const { events, email } = await carryOut(given);
          const [holder] = holdersOverTime(events, email).at(-1) ?? [];
          const clock = new ManualClock(Date.UTC(2026, 0, 2));
          const later = replica(store, clock, new SeededIds(run * 10 + 9));
          const found = await asRequest(() => later.claims.holder(emailClaim(email)));
          expect(found === undefined ? undefined : parseStreamName(found)?.id).toBe(holder);
          const next = later.join(`${run}-next`, email);
          if (holder === undefined) expect((await next).state.email).toBe(email);
          else await expect(next).rejects.toMatchObject({ code: 'EMAIL_TAKEN' });
        }),
        { numRuns: 100 },
      );
    },
    TIMEOUT_MS,
  );
});
