import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join as pathOf } from 'node:path';
import fc from 'fast-check';
import { EmbeddedEventStore } from '../../src/adapters/embedded/event-store.js';
import { AppendOutcomeUnknown } from '../../src/ports/event-store.js';
import { FaultyEventStore } from '../support/faulty-event-store.js';
import { byNumbers, InterleavedClock, Interleaver } from '../support/interleaving.js';
import { ManualClock, SeededIds } from '../support/manual-clock.js';
import {
  asRequest,
  changeEmail,
  greet,
  member,
  memberStream,
  replica,
  TENANT,
  type Member,
  type Replica,
} from '../support/member.toy.js';
import { whileTimePasses } from '../support/while-time-passes.js';

const EMAIL = 'ada@example.com';

describe('A command', () => {
  let directory: string;
  let store: FaultyEventStore;
  let clock: ManualClock;
  let here: Replica;
  let there: Replica;

  const passing = <T>(work: Promise<T>): Promise<T> => whileTimePasses(clock, work);
  const eventsOf = async (stream: string) => (await store.inner.readStream(stream)).events;
  const typesOf = async (id: string): Promise<string[]> => (await eventsOf(memberStream(id))).map(({ type }) => type);
  const claimTypes = async (): Promise<string[]> => {
    const events = await store.inner.readAll({ filter: { on: 'stream', prefixes: ['claim-'] } });
    return events.map(({ type }) => type);
  };

  beforeEach(async () => {
    directory = await mkdtemp(pathOf(tmpdir(), 'kontor-commands-'));
    clock = new ManualClock();
    store = new FaultyEventStore(EmbeddedEventStore.open({ directory, clock }));
    here = replica(store, clock, new SeededIds(1));
    there = replica(store, clock, new SeededIds(2));
  });
  afterEach(async () => {
    await store.close();
    await rm(directory, { recursive: true });
  });

  test('returns the position of the record and its new events', async () => {
    const joined = await here.join('ada', EMAIL);
    const [stored] = await eventsOf(memberStream('ada'));
    expect(joined).toEqual({
      id: 'ada',
      revision: 0,
      position: stored?.position,
      state: { status: 'present', email: EMAIL, greetings: [] },
      events: [{ type: 'MemberJoined', data: { email: EMAIL } }],
      eventIds: [stored?.id],
    });
  });

  test('without changes writes nothing and returns the record', async () => {
    const joined = await here.join('ada', EMAIL);
    const again = await here.join('ada', 'other@example.com');
    expect(again).toMatchObject({ revision: 0, position: joined.position, events: [], eventIds: [] });
    expect(again.state.email).toBe(EMAIL);
    expect(await typesOf('ada')).toEqual(['MemberJoined']);
  });

  test('writes nothing if its event does not match its schema', async () => {
    await expect(here.join('ada', 5 as never)).rejects.toThrow();
    expect(await typesOf('ada')).toEqual([]);
  });

  test('outside a request is rejected: events need an origin', async () => {
    const work = here.runner.execute(member, { tenantId: TENANT, id: 'ada' }, { email: null }, changeEmail);
    await expect(work).rejects.toThrow('no request context');
  });

  describe('decided on an outdated state', () => {
    beforeEach(async () => {
      await here.join('ada', EMAIL);
      await there.read('ada');
    });

    test('is not rejected for an outdated reason', async () => {
      await there.leave('eve').catch(() => undefined);
      await here.read('eve');
      await there.join('eve');
      expect(await here.greet('eve', 'bob')).toMatchObject({ revision: 1 });
    });

    test('is rejected for a current reason', async () => {
      await there.leave('ada');
      await expect(passing(here.greet('ada', 'bob'))).rejects.toMatchObject({ kind: 'not_found' });
      expect(await typesOf('ada')).toEqual(['MemberJoined', 'MemberLeft']);
    });

    test('is not treated as already done because of that state', async () => {
      await there.changeEmail('ada', null);
      expect(await here.changeEmail('ada', EMAIL)).toMatchObject({ revision: 2, events: [{ data: { email: EMAIL } }] });
    });

    test('is rejected for the state of its record before a unique value', async () => {
      await there.join('eve', 'eve@example.com');
      await there.leave('ada');
      const changed = passing(here.changeEmail('ada', 'eve@example.com'));
      await expect(changed).rejects.toMatchObject({ kind: 'not_found' });
    });

    test('is decided again and never lost', async () => {
      await there.greet('ada', 'there');
      await passing(here.greet('ada', 'here'));
      expect((await there.read('ada')).state.greetings).toEqual(['there', 'here']);
    });
  });

  describe('with If-Match', () => {
    beforeEach(async () => {
      await here.join('ada', EMAIL);
      await here.greet('ada', 'bob');
    });

    test('succeeds if the record has that revision', async () => {
      expect(await here.greet('ada', 'kim', { ifMatch: 1 })).toMatchObject({ revision: 2 });
    });

    test.each([0, 2, 7])('is rejected if the record has another revision (%i given, 1 found)', async (ifMatch) => {
      const refusal = { kind: 'conflict', code: 'REVISION_CONFLICT' };
      await expect(here.greet('ada', 'kim', { ifMatch })).rejects.toMatchObject(refusal);
      await expect(here.join('ada', EMAIL, { ifMatch })).rejects.toMatchObject(refusal);
      expect(await typesOf('ada')).toHaveLength(2);
    });

    test('succeeds if this process knows an older revision than the caller', async () => {
      await there.greet('ada', 'kim');
      expect(await here.greet('ada', 'lea', { ifMatch: 2 })).toMatchObject({ revision: 3 });
    });

    test('is rejected if the race for that revision is lost', async () => {
      store.beforeAppendTo(memberStream('ada'), () =>
        replica(store.inner, clock, new SeededIds(3)).greet('ada', 'first'),
      );
      await expect(here.greet('ada', 'second', { ifMatch: 1 })).rejects.toMatchObject({ code: 'REVISION_CONFLICT' });
      expect((await here.read('ada')).state.greetings).toEqual(['bob', 'first']);
    });
  });

  describe('for a part of the record, with If-Match', () => {
    /** Returns the revision of one part of the record: the number of greetings. */
    const greetingsOf = ({ greetings }: Member): number => greetings.length;
    const greetPart = (by: string, ifMatch: number) =>
      asRequest(() => here.runner.execute(member, { tenantId: TENANT, id: 'ada' }, { by }, greet, greetingsOf), {
        ifMatch,
      });
    const elsewhere = () => replica(store.inner, clock, new SeededIds(3));
    beforeEach(async () => {
      await here.join('ada', EMAIL);
      await here.greet('ada', 'bob');
    });

    test('succeeds at the revision of the part, not of the record', async () => {
      await expect(greetPart('kim', 2)).rejects.toMatchObject({ code: 'REVISION_CONFLICT' });
      await here.changeEmail('ada', null);
      expect(await greetPart('kim', 1)).toMatchObject({ revision: 2 });
    });

    test('succeeds if a race is lost to a change of another part', async () => {
      store.beforeAppendTo(memberStream('ada'), () => elsewhere().changeEmail('ada', null));
      expect(await passing(greetPart('second', 1))).toMatchObject({ revision: 2 });
      expect((await here.read('ada')).state).toMatchObject({ email: null, greetings: ['bob', 'second'] });
    });

    test('is rejected if a race is lost to a change of the part', async () => {
      store.beforeAppendTo(memberStream('ada'), () => elsewhere().greet('ada', 'first'));
      await expect(passing(greetPart('second', 1))).rejects.toMatchObject({ code: 'REVISION_CONFLICT' });
      expect((await here.read('ada')).state.greetings).toEqual(['bob', 'first']);
    });

    test('without changes returns the revision of the part', async () => {
      await here.changeEmail('ada', null);
      const nothing = () => here.runner.execute(member, { tenantId: TENANT, id: 'ada' }, {}, () => [], greetingsOf);
      expect(await asRequest(nothing)).toMatchObject({ revision: 1, events: [] });
    });
  });

  describe('whose append gets no response', () => {
    test('succeeds once with its own event if it was stored', async () => {
      await here.join('ada');
      store.answersToLose = 1;
      const greeted = await passing(here.greet('ada', 'bob'));
      const [, stored, ...more] = await eventsOf(memberStream('ada'));
      expect(greeted).toMatchObject({ revision: 1, eventIds: [stored?.id], position: stored?.position });
      expect(more).toEqual([]);
    });

    test('is stored by a retry if it was not', async () => {
      await here.join('ada');
      store.appendsToLose = 3;
      expect(await passing(here.greet('ada', 'bob'))).toMatchObject({ revision: 1 });
      expect((await there.read('ada')).state.greetings).toEqual(['bob']);
    });

    test('is decided again if it was not stored and another event came first', async () => {
      await here.join('ada');
      store.appendsToLose = 1;
      const greeted = here.greet('ada', 'second');
      await replica(store.inner, clock, new SeededIds(3)).greet('ada', 'first');
      expect(await passing(greeted)).toMatchObject({ revision: 2, state: { greetings: ['first', 'second'] } });
    });

    test('succeeds even if other events came after it', async () => {
      await here.join('ada');
      store.answersToLose = 1;
      const greeted = here.greet('ada', 'first');
      while (clock.sleeping === 0) await new Promise(setImmediate);
      await there.greet('ada', 'second');
      expect(await passing(greeted)).toMatchObject({ revision: 1, state: { greetings: ['first'] } });
      expect((await here.read('ada')).state.greetings).toEqual(['first', 'second']);
    });

    test('stays unknown if the store becomes unavailable, because it may have been stored', async () => {
      store.answersToLose = 1;
      const joined = here.join('ada', null);
      while (clock.sleeping === 0) await new Promise(setImmediate);
      store.away = true;
      await expect(passing(joined)).rejects.toBeInstanceOf(AppendOutcomeUnknown);
      store.away = false;
      expect(await typesOf('ada')).toEqual(['MemberJoined']);
    });

    test('is reported as unknown if the store stays silent, and stored once when the caller retries', async () => {
      store.answersToLose = 4;
      await expect(passing(here.join('ada', null))).rejects.toBeInstanceOf(AppendOutcomeUnknown);
      expect(await passing(here.join('ada', null))).toMatchObject({ revision: 0, events: [] });
      expect(await typesOf('ada')).toEqual(['MemberJoined']);
    });
  });

  test('is rejected as unavailable if others keep changing the record', async () => {
    await here.join('ada');
    const elsewhere = replica(store.inner, clock, new SeededIds(3));
    for (let time = 0; time < 30; time += 1)
      store.beforeAppendTo(memberStream('ada'), () => elsewhere.greet('ada', `${time}`));
    await expect(passing(here.greet('ada', 'bob'))).rejects.toMatchObject({ kind: 'unavailable' });
    expect((await there.read('ada')).state.greetings).not.toContain('bob');
  });

  test('waits for earlier commands on the same record in its process, without lost races', async () => {
    await here.join('ada');
    const names = Array.from({ length: 20 }, (_, at) => `name-${at}`);
    await Promise.all(names.map((name) => here.greet('ada', name)));
    expect((await there.read('ada')).state.greetings).toEqual(names);
    expect(store.appends.filter(({ stream }) => stream === memberStream('ada'))).toHaveLength(21);
  });

  test('does not wait for commands on other records', async () => {
    const paused = store.pauseAppendTo(memberStream('ada'));
    const held = here.join('ada');
    await paused.reached;
    await here.join('eve');
    paused.resume();
    await held;
  });

  describe('that adds and removes unique values', () => {
    test('claims additions before its event, and releases removals after it', async () => {
      await here.join('ada', EMAIL);
      await here.changeEmail('ada', 'ada@example.org');
      const order = (await store.inner.readAll()).map(({ type }) => type);
      expect(order).toEqual(['ValueClaimed', 'MemberJoined', 'ValueClaimed', 'MemberEmailChanged', 'ClaimReleased']);
      await there.join('eve', EMAIL);
    });

    test('claims nothing for a kept value', async () => {
      await here.join('ada', EMAIL);
      await here.greet('ada', 'bob');
      expect(await claimTypes()).toEqual(['ValueClaimed']);
    });

    test('claims again after a lost race', async () => {
      await here.join('ada');
      store.beforeAppendTo(memberStream('ada'), () =>
        replica(store.inner, clock, new SeededIds(3)).greet('ada', 'bob'),
      );
      await passing(here.changeEmail('ada', EMAIL));
      expect(await claimTypes()).toEqual(['ValueClaimed', 'ValueClaimed']);
      await expect(passing(there.join('eve', EMAIL))).rejects.toMatchObject({ code: 'EMAIL_TAKEN' });
    });

    test('succeeds once its event is stored, even if a removed value could not be released', async () => {
      await here.join('ada', EMAIL);
      store.beforeAppendTo('claim-', () => {
        store.away = true;
        return Promise.resolve();
      });
      expect(await here.changeEmail('ada', null)).toMatchObject({ revision: 1 });
      store.away = false;
      await there.join('eve', EMAIL);
      expect((await here.read('eve')).state.email).toBe(EMAIL);
    });
  });

  describe('that reacts to an event', () => {
    const reaction = { commandId: '0192f0c1-0000-7000-8000-0000000000ee', causationId: 'an event' };

    test('has the event as its cause, and reuses its ids when repeated at the same revision', () => {
      const first = here.appender;
      const events = [{ type: 'MemberGreeted', data: { by: 'bob' } }];
      const prepare = (expected: number, data = events) =>
        asRequest(() => first.prepare(memberStream('ada'), expected, data), reaction);
      expect(prepare(1)[0]?.id).toBe(prepare(1)[0]?.id);
      expect(prepare(1)[0]?.id).not.toBe(prepare(2)[0]?.id);
      expect(prepare(1)[0]?.metadata).toMatchObject({ $causationId: 'an event', tenantId: TENANT });
    });

    test('is not confused with another reaction to the same event', async () => {
      await here.join('ada');
      await there.read('ada');
      const one = await here.greet('ada', 'a policy', reaction);
      const other = await passing(there.greet('ada', 'another policy', reaction));
      expect([one.revision, other.revision]).toEqual([1, 2]);
      expect((await here.read('ada')).state.greetings).toEqual(['a policy', 'another policy']);
    });
  });

  test('is never lost, under any interleaving of two processes (property)', async () => {
    const act = fc.record({ where: fc.nat(1), who: fc.nat(1), fault: fc.constantFrom('none', 'answer', 'append') });
    let run = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(act, { minLength: 2, maxLength: 8 }),
        fc.array(fc.nat(7), { maxLength: 80, size: 'max' }),
        async (acts, picks) => {
          run += 1;
          const id = (who: number): string => `run-${run}-${who}`;
          for (const who of [0, 1]) await here.join(id(who));
          const interleaver = new Interleaver();
          const time = { ms: 0 };
          const lines = [0, 1].map((at) => {
            const line = new FaultyEventStore(interleaver.gated(store.inner, `process-${at}`));
            const ownClock = new InterleavedClock(time, interleaver, `process-${at}`);
            return { line, process: replica(line, ownClock, new SeededIds(run * 2 + at)) };
          });
          const done: Promise<unknown>[] = acts.map(async ({ where, who, fault }, at) => {
            const part = lines[where];
            if (fault === 'answer' && part) part.line.answersToLose += 1;
            if (fault === 'append' && part) part.line.appendsToLose += 1;
            return part?.process.greet(id(who), `${at}`);
          });
          const settled = Promise.allSettled(done);
          await interleaver.run(byNumbers(picks));
          const outcomes = await settled;
          for (const who of [0, 1]) {
            const { greetings } = (await here.read(id(who))).state;
            const succeeded = acts.flatMap((one, at) =>
              one.who === who && outcomes[at]?.status === 'fulfilled' ? [`${at}`] : [],
            );
            expect(new Set(greetings).size).toBe(greetings.length);
            expect(greetings).toEqual(expect.arrayContaining(succeeded));
          }
          const reasons = outcomes.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : []));
          for (const reason of reasons) expect(reason).toBeInstanceOf(AppendOutcomeUnknown);
        },
      ),
      { numRuns: 100 },
    );
  });
});
