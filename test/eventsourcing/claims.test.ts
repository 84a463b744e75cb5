import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join as pathOf } from 'node:path';
import { EmbeddedEventStore } from '../../src/adapters/embedded/event-store.js';
import { claimAggregate } from '../../src/eventsourcing/claims.js';
import { FaultyEventStore } from '../support/faulty-event-store.js';
import { ManualClock, SeededIds } from '../support/manual-clock.js';
import { asRequest, emailClaim, memberStream, replica, TENANT, type Replica } from '../support/member.toy.js';
import { whileTimePasses } from '../support/while-time-passes.js';

const EMAIL = 'ada@example.com';
const claim = emailClaim(EMAIL);

describe('A unique value', () => {
  let directory: string;
  let store: FaultyEventStore;
  let clock: ManualClock;
  let here: Replica;
  let there: Replica;
  let seed = 0;

  const start = (): Replica => replica(store, clock, new SeededIds((seed += 1)));
  const passing = <T>(work: Promise<T>): Promise<T> => whileTimePasses(clock, work);
  const emailOf = async (id: string): Promise<string | null> => (await start().read(id)).state.email;
  const streamOf = async (stream: string): Promise<string[]> =>
    (await store.inner.readStream(stream)).events.map(({ type }) => type);
  const claimEvents = async () => {
    const events = await store.inner.readAll({ filter: { on: 'stream', prefixes: [`${claimAggregate.name}-`] } });
    return events.map(({ type, data }) => ({ type, ...(data as { owner: string; ownerRevision?: number }) }));
  };
  /** Simulates an owner whose process dies after it has stored the claim, but before it has stored the event. */
  const crashBetweenClaimAndAppend = async (owner: string): Promise<void> => {
    const { reached } = store.pauseAppendTo(memberStream(owner));
    start()
      .join(owner, EMAIL)
      .catch(() => undefined);
    await reached;
  };

  beforeEach(async () => {
    directory = await mkdtemp(pathOf(tmpdir(), 'kontor-claims-'));
    clock = new ManualClock();
    store = new FaultyEventStore(EmbeddedEventStore.open({ directory, clock }));
    here = start();
    there = start();
  });
  afterEach(async () => {
    await store.close();
    await rm(directory, { recursive: true });
  });

  test('is rejected for a second owner while the first holds it', async () => {
    await here.join('ada', EMAIL);
    await expect(passing(there.join('eve', EMAIL))).rejects.toMatchObject({ kind: 'conflict', code: 'EMAIL_TAKEN' });
    expect((await there.read('eve')).revision).toBe(-1);
  });

  test('is assigned to one of two owners in two processes concurrently', async () => {
    const outcomes = await passing(Promise.allSettled([here.join('ada', EMAIL), there.join('eve', EMAIL)]));
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    const holders = [await emailOf('ada'), await emailOf('eve')].filter((email) => email === EMAIL);
    expect(holders).toHaveLength(1);
  });

  test('is assigned to one of fifty concurrent owners', async () => {
    const replicas = [here, there, start(), start(), start()];
    const owners = Array.from({ length: 50 }, (_, number) => `member-${number}`);
    const outcomes = await passing(
      Promise.allSettled(owners.map((owner, at) => (replicas[at % replicas.length] ?? here).join(owner, EMAIL))),
    );
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const refusals = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason as unknown] : []));
    for (const refusal of refusals) expect(refusal).toMatchObject({ code: 'EMAIL_TAKEN' });
    const emails = await Promise.all(owners.map(emailOf));
    expect(emails.filter((email) => email === EMAIL)).toHaveLength(1);
  });

  test('is free in another tenant, for another kind, or if it differs', async () => {
    await here.join('ada', EMAIL);
    const owner = { stream: memberStream('eve'), revision: -1 };
    const others = [
      { ...claim, scope: '0192f0c1-0000-7000-8000-00000000000b' },
      { ...claim, kind: 'member-emai', value: `l${EMAIL}` },
      { ...claim, value: 'ADA@example.com' },
    ];
    for (const other of others) {
      await expect(asRequest(() => there.claims.acquire(other, owner))).resolves.toEqual({ outcome: 'claimed' });
    }
    await expect(asRequest(() => there.claims.holder(claim))).resolves.toBe(memberStream('ada'));
  });

  describe('while its owner is about to append', () => {
    test('is rejected after a short wait', async () => {
      await crashBetweenClaimAndAppend('ada');
      const startedMs = clock.monotonicMs();
      await expect(passing(there.join('eve', EMAIL))).rejects.toMatchObject({ code: 'EMAIL_TAKEN' });
      const waitedMs = clock.monotonicMs() - startedMs;
      expect(waitedMs).toBeGreaterThanOrEqual(100);
      expect(waitedMs).toBeLessThan(500);
    });

    test('is waited for once even by the loser of the claim, since the winner may fail', async () => {
      const { reached, resume } = store.pauseAppendTo('claim-');
      const loser = there.join('eve', EMAIL);
      await reached;
      const winner = store.pauseAppendTo(memberStream('ada'));
      const crashed = here.join('ada', EMAIL);
      await winner.reached;
      resume();
      const startedMs = clock.monotonicMs();
      await expect(passing(loser)).rejects.toMatchObject({ code: 'EMAIL_TAKEN' });
      expect(clock.monotonicMs() - startedMs).toBeGreaterThanOrEqual(100);
      winner.resume();
      await crashed;
    });

    test('is free within that wait if the owner appends something else', async () => {
      await here.join('ada');
      const paused = store.pauseAppendTo(memberStream('ada'));
      const late = here.changeEmail('ada', EMAIL);
      await paused.reached;
      const next = there.join('eve', EMAIL);
      await clock.advance(50);
      await start().leave('ada');
      await passing(next);
      paused.resume();
      await expect(passing(late)).rejects.toMatchObject({ kind: 'not_found' });
      expect([await emailOf('ada'), await emailOf('eve')]).toEqual([null, EMAIL]);
    });

    test('is waited for on request until it is settled and its owner is known', async () => {
      const paused = store.pauseAppendTo(memberStream('ada'));
      const joined = here.join('ada', EMAIL);
      await paused.reached;
      const owner = { stream: memberStream('eve'), revision: -1 };
      const asked = asRequest(() => there.claims.acquire(claim, owner, 'settled'));
      await clock.advance(2_000);
      paused.resume();
      await joined;
      expect(await passing(asked)).toEqual({ outcome: 'held', by: memberStream('ada'), settled: true });
    });

    test('is assigned after about five seconds if the rival died', async () => {
      await crashBetweenClaimAndAppend('ada');
      const owner = { stream: memberStream('eve'), revision: -1 };
      const outcome = await passing(asRequest(() => there.claims.acquire(claim, owner, 'settled')));
      expect(outcome).toEqual({ outcome: 'claimed' });
      expect(clock.monotonicMs()).toBeGreaterThanOrEqual(5_000);
      expect(clock.monotonicMs()).toBeLessThan(5_500);
    });

    test.each([
      ['a little ahead', 40, 'EMAIL_TAKEN'],
      ['a little behind', -40, 'EMAIL_TAKEN'],
    ])('is treated as young by a process whose clock is %s', async (_, skewMs, code) => {
      await crashBetweenClaimAndAppend('ada');
      clock.jump(skewMs);
      await expect(passing(there.join('eve', EMAIL))).rejects.toMatchObject({ code });
      expect(await streamOf(memberStream('ada'))).toEqual([]);
    });

    test('is treated as old if the clock was set back by an hour', async () => {
      await crashBetweenClaimAndAppend('ada');
      clock.jump(-3_600_000);
      await passing(there.join('eve', EMAIL));
      expect(await emailOf('eve')).toBe(EMAIL);
    });
  });

  describe('whose owner crashed between claim and append', () => {
    beforeEach(async () => {
      await crashBetweenClaimAndAppend('ada');
      await clock.advance(5_000);
    });

    test('is usable again after five seconds, behind a fence', async () => {
      await there.join('eve', EMAIL);
      expect(await emailOf('eve')).toBe(EMAIL);
      expect(await streamOf(memberStream('ada'))).toEqual(['ClaimFenced']);
    });

    test('is assigned to one of many concurrent requests', async () => {
      const owners = ['eve', 'bob', 'kim', 'lea', 'max'];
      const outcomes = await passing(Promise.allSettled(owners.map((owner) => start().join(owner, EMAIL))));
      expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      const emails = await Promise.all(owners.map(emailOf));
      expect(emails.filter((email) => email === EMAIL)).toHaveLength(1);
      expect(await streamOf(memberStream('ada'))).toEqual(['ClaimFenced']);
    });

    test('can be claimed by the same owner immediately', async () => {
      await here.join('ada', EMAIL);
      expect(await streamOf(memberStream('ada'))).toEqual(['MemberJoined']);
    });

    test('has a fence that does not create its record, so the record can be created later', async () => {
      await there.join('eve', EMAIL);
      expect(await here.read('ada')).toMatchObject({ state: { status: 'absent' }, revision: 0 });
      await here.join('ada', 'ada@example.org');
      expect(await streamOf(memberStream('ada'))).toEqual(['ClaimFenced', 'MemberJoined']);
      expect(await here.read('ada')).toMatchObject({ state: { email: 'ada@example.org' }, revision: 1 });
    });
  });

  describe('whose paused owner resumes after another owner has claimed it', () => {
    test('is not assigned to it: its append fails, and the new decision is rejected', async () => {
      const paused = store.pauseAppendTo(memberStream('ada'));
      const late = here.join('ada', EMAIL);
      await paused.reached;
      await clock.advance(5_000);
      await there.join('eve', EMAIL);
      paused.resume();
      await expect(passing(late)).rejects.toMatchObject({ code: 'EMAIL_TAKEN' });
      expect([await emailOf('ada'), await emailOf('eve')]).toEqual([null, EMAIL]);
    });

    test('is rejected for the other owner if the first one appended just before the fence', async () => {
      const paused = store.pauseAppendTo(memberStream('ada'));
      const late = here.join('ada', EMAIL);
      await paused.reached;
      await clock.advance(5_000);
      const fence = store.pauseAppendTo(memberStream('ada'));
      const other = there.join('eve', EMAIL);
      await fence.reached;
      paused.resume();
      await late;
      fence.resume();
      await expect(passing(other)).rejects.toMatchObject({ code: 'EMAIL_TAKEN' });
      expect([await emailOf('ada'), await emailOf('eve')]).toEqual([EMAIL, null]);
    });

    test('is claimed by the other owner if the first one appended something else just before the fence', async () => {
      await here.join('ada');
      const paused = store.pauseAppendTo(memberStream('ada'));
      const late = here.changeEmail('ada', EMAIL);
      await paused.reached;
      await clock.advance(5_000);
      const fence = store.pauseAppendTo(memberStream('ada'));
      const other = there.join('eve', EMAIL);
      await fence.reached;
      await start().leave('ada');
      fence.resume();
      await passing(other);
      paused.resume();
      await expect(passing(late)).rejects.toMatchObject({ kind: 'not_found' });
      expect([await emailOf('ada'), await emailOf('eve')]).toEqual([null, EMAIL]);
    });

    test('stays rejected even if the paused append and the fence react to the same event', async () => {
      const reaction = { commandId: '0192f0c1-0000-7000-8000-0000000000ee', causationId: 'an event' };
      const paused = store.pauseAppendTo(memberStream('ada'));
      const late = here.join('ada', EMAIL, reaction);
      await paused.reached;
      await clock.advance(5_000);
      await there.join('eve', EMAIL, reaction);
      paused.resume();
      await expect(passing(late)).rejects.toMatchObject({ code: 'EMAIL_TAKEN' });
      expect((await here.read('ada')).state.status).toBe('absent');
      expect([await emailOf('ada'), await emailOf('eve')]).toEqual([null, EMAIL]);
    });
  });

  describe('is claimed again', () => {
    test('on each attempt of its owner, with the revision of that attempt', async () => {
      await here.join('ada');
      // Before each of the first two attempts is stored, another command appends to the stream.
      const elsewhere = replica(store.inner, clock, new SeededIds(1_000));
      for (const by of ['bob', 'kim']) store.beforeAppendTo(memberStream('ada'), () => elsewhere.greet('ada', by));
      await passing(here.changeEmail('ada', EMAIL));
      const [first, ...later] = await claimEvents();
      expect(first).toMatchObject({ type: 'ValueClaimed', ownerRevision: 0 });
      expect(later.at(-1)).toMatchObject({ type: 'ValueClaimed', ownerRevision: 2 });
      expect((await here.read('ada')).state).toMatchObject({ email: EMAIL, greetings: ['bob', 'kim'] });
    });

    test('but never over a later attempt of the same owner', async () => {
      await here.join('ada');
      const early = store.pauseAppendTo('claim-');
      const first = here.changeEmail('ada', EMAIL);
      await early.reached;
      await there.greet('ada', 'bob');
      const second = start();
      const late = store.pauseAppendTo(memberStream('ada'));
      const changed = second.changeEmail('ada', EMAIL);
      await late.reached;
      const stuck = store.pauseAppendTo(memberStream('ada'));
      early.resume();
      await stuck.reached;
      const eve = start().join('eve', EMAIL);
      await expect(passing(eve)).rejects.toMatchObject({ code: 'EMAIL_TAKEN' });
      late.resume();
      stuck.resume();
      await passing(Promise.all([first, changed]));
      expect([await emailOf('ada'), await emailOf('eve')]).toEqual([EMAIL, null]);
    });
  });

  describe('is released', () => {
    test('when its owner releases it, and is free immediately', async () => {
      await here.join('ada', EMAIL);
      await here.changeEmail('ada', null);
      expect((await claimEvents()).map(({ type }) => type)).toEqual(['ValueClaimed', 'ClaimReleased']);
      await there.join('eve', EMAIL);
      expect(await emailOf('eve')).toBe(EMAIL);
    });

    test('not while its owner may be about to append it', async () => {
      await here.join('ada');
      const paused = store.pauseAppendTo(memberStream('ada'));
      const change = here.changeEmail('ada', EMAIL);
      await paused.reached;
      await asRequest(() => there.claims.release(claim, memberStream('ada')));
      expect((await claimEvents()).map(({ type }) => type)).toEqual(['ValueClaimed']);
      paused.resume();
      await change;
    });

    test('not while its owner holds it', async () => {
      await here.join('ada', EMAIL);
      await asRequest(() => there.claims.release(claim, memberStream('ada')));
      expect((await claimEvents()).map(({ type }) => type)).toEqual(['ValueClaimed']);
    });

    test('not by another owner', async () => {
      await here.join('ada', EMAIL);
      await here.join('eve');
      await asRequest(() => there.claims.release(claim, memberStream('eve')));
      expect((await claimEvents()).map(({ type }) => type)).toEqual(['ValueClaimed']);
    });

    test('not if the owner claimed it again after the check', async () => {
      await here.join('ada', EMAIL);
      const release = store.pauseAppendTo('claim-');
      const given = here.changeEmail('ada', null);
      await release.reached;
      const again = store.pauseAppendTo(memberStream('ada'));
      const taken = there.changeEmail('ada', EMAIL);
      await again.reached;
      release.resume();
      await given;
      await expect(passing(start().join('eve', EMAIL))).rejects.toMatchObject({ code: 'EMAIL_TAKEN' });
      again.resume();
      await passing(taken);
      expect([await emailOf('ada'), await emailOf('eve')]).toEqual([EMAIL, null]);
    });

    test('by the next claimant if its owner crashed before releasing it', async () => {
      await here.join('ada', EMAIL);
      const { reached } = store.pauseAppendTo('claim-');
      void here.changeEmail('ada', null);
      await reached;
      await there.join('eve', EMAIL);
      expect(await emailOf('eve')).toBe(EMAIL);
    });
  });

  describe('is looked up', () => {
    const holder = (by = there) => passing(asRequest(() => by.claims.holder(claim)));

    test('as the record that holds it', async () => {
      await here.join('ada', EMAIL);
      expect(await holder()).toBe(memberStream('ada'));
    });

    test('as free, before and after it was held', async () => {
      expect(await holder()).toBeUndefined();
      await here.join('ada', EMAIL);
      await here.leave('ada');
      expect(await holder()).toBeUndefined();
    });

    test('as free, once its owner turns out to be dead', async () => {
      await crashBetweenClaimAndAppend('ada');
      expect(await holder()).toBeUndefined();
      expect(clock.monotonicMs()).toBeGreaterThanOrEqual(5_000);
    });

    test('as the owner that appended during the wait', async () => {
      const paused = store.pauseAppendTo(memberStream('ada'));
      const joined = here.join('ada', EMAIL);
      await paused.reached;
      const found = asRequest(() => there.claims.holder(claim));
      await clock.advance(1_000);
      paused.resume();
      await joined;
      expect(await passing(found)).toBe(memberStream('ada'));
    });

    test('as temporarily unknown, not as free, while its owner retries', async () => {
      const owner = { stream: memberStream('ada'), revision: -1 };
      const claimAgain = () => asRequest(() => here.claims.acquire(claim, owner));
      await claimAgain();
      const found = asRequest(() => there.claims.holder(claim)).catch((error: unknown) => error);
      for (let second = 0; second < 10; second += 1) {
        await clock.advance(1_000);
        await claimAgain();
      }
      expect(await found).toMatchObject({ kind: 'unavailable' });
    });
  });

  test('is stored without personal data in stream names', async () => {
    await here.join('ada', EMAIL);
    const streams = (await store.inner.readAll()).map(({ stream }) => stream);
    expect(streams.filter((stream) => stream.startsWith(`claim-${TENANT}_`))).toHaveLength(1);
    expect(streams.join()).not.toContain('ada@');
  });
});
