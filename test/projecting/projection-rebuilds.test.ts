import { setImmediate as nextTurn } from 'node:timers/promises';
import { checkpointKey } from '../../src/projecting/projection.js';
import { hashOf } from '../support/rebuilt-table.js';
import { tenantScope } from '../../src/ports/read-store.js';
import { anyFact, facts, greeterProjection, happen, memberProjection, roomProjection } from '../support/club.toy.js';
import { TENANT } from '../support/member.toy.js';
import {
  type Club,
  hasEmptyQuarantine,
  isGone,
  liveOf,
  manyGreetings,
  mustEqual,
  poisoned,
  rebuilt,
  tableOf,
  withClub,
} from '../support/running-club.js';
import { until, whileTimePasses } from '../support/while-time-passes.js';
import fc from 'fast-check';

/** Simulates a defect: changes a document without the projection. */
async function tamper(club: Club, who: string): Promise<void> {
  const table = tableOf(memberProjection, 1);
  const key = { scope: tenantScope(TENANT), id: who };
  const [stored] = await club.store.inner.load(table, [key]);
  const position = stored?.position ?? 0;
  const write = {
    ...key,
    document: { id: who, email: null, greetings: 99, revision: 0 },
    position,
    expected: position,
  };
  await club.store.inner.write({ tables: [{ table, writes: [write] }], checkpoints: [] });
}

describe('A rebuild of a projection', () => {
  test('goes live once it has caught up, and is updated from then on', () =>
    withClub(async (club) => {
      const { reached } = await club.start();
      await reached(await happen(club.events, ...manyGreetings(300)));
      for (const projection of [memberProjection, greeterProjection]) {
        expect(await rebuilt(club, projection.model.name)).toMatchObject({
          status: 'DONE',
          generation: 2,
          compared: { changedDocuments: 0 },
        });
        expect(await liveOf(club, projection)).toBe(2);
      }
      await reached(await happen(club.events, facts.greeted('m0', 'new'), facts.left('m4')));
      await mustEqual(club, memberProjection);
      await mustEqual(club, greeterProjection);
    }));

  test.each([
    ['its own subscription has', (nth: number) => nth > 1],
    ['the shared subscription has', (nth: number) => nth === 1],
  ])('does not wait for another event if %s passed the engine’s own records', (_, hasPassed) =>
    withClub(async (club) => {
      club.events.recordsAtEnd = (nth) => (hasPassed(nth) ? 1 : 0);
      const { reached } = await club.start();
      await reached(await happen(club.events, ...manyGreetings(300)));
      expect(await rebuilt(club, 'members')).toMatchObject({ status: 'DONE', compared: { changedDocuments: 0 } });
      await mustEqual(club, memberProjection);
    }),
  );

  test('reports the number of different documents at one position, before it is live', () =>
    withClub(async (club) => {
      const { reached } = await club.start();
      await reached(await happen(club.events, ...manyGreetings(100), facts.left('m8')));
      await tamper(club, 'm0');
      await tamper(club, 'm4');
      const requested = await club.events.inner.head();
      expect(await rebuilt(club, 'members')).toMatchObject({ compared: { changedDocuments: 2 } });
      const { events } = await club.events.inner.readStream('projection-platform_members');
      expect(events.map(({ type }) => type)).toEqual([
        'ProjectionRebuildRequested',
        'ProjectionRebuildBegan',
        'ProjectionRebuildCompared',
        'ProjectionRebuilt',
      ]);
      expect((await club.control('members')).last?.compared?.position).toBeGreaterThan(requested);
      await reached(await happen(club.events, facts.greeted('m0', 'new')));
      await mustEqual(club, memberProjection);
    }));

  test('keeps the old documents until no reader can use them', () =>
    withClub(async (club) => {
      const { reached } = await club.start();
      await reached(await happen(club.events, ...manyGreetings(40)));
      await rebuilt(club, 'members');
      await reached(await happen(club.events, facts.greeted('m0', 'soon')));
      await until(club.clock, async () => (await club.checkpointOf(memberProjection)) >= 44);
      const old = await hashOf(club.store.inner, tableOf(memberProjection, 1));
      expect(old).toBe(await hashOf(club.store.inner, tableOf(memberProjection, 2)));
      await club.clock.advance(6_000);
      await reached(await happen(club.events, facts.greeted('m0', 'late')));
      await until(
        club.clock,
        async () => (await club.store.inner.checkpoint(checkpointKey(memberProjection.model, 2))) >= 45,
      );
      expect(await hashOf(club.store.inner, tableOf(memberProjection, 1))).toBe(old);
      await club.clock.advance(11_000);
      await expect(hashOf(club.store.inner, tableOf(memberProjection, 1))).rejects.toThrow();
    }));

  test('that is cancelled changes nothing, and leaves nothing behind', () =>
    withClub(async (club) => {
      const { reached } = await club.start();
      await reached(await happen(club.events, ...manyGreetings(2_000)));
      const held = club.store.holdWriteTo('members', 2);
      await happen(club.events, facts.rebuildRequested('members', 'first'));
      await whileTimePasses(club.clock, held.reached);
      await happen(club.events, facts.rebuildCancelled('members', 'first'));
      held.release();
      await until(club.clock, () => club.events.subscriptions === 1);
      await reached(await happen(club.events, facts.greeted('m0', 'kim')));
      expect(await liveOf(club, memberProjection)).toBe(1);
      await mustEqual(club, memberProjection);
      await until(club.clock, () => isGone(club, memberProjection, 2));
      expect(await rebuilt(club, 'members', 'second')).toMatchObject({ status: 'DONE', generation: 3 });
      await mustEqual(club, memberProjection);
    }));

  test('continues after its process has ended', () =>
    withClub(async (club) => {
      const first = await club.start();
      await first.reached(await happen(club.events, ...manyGreetings(2_000)));
      const held = club.store.holdWriteTo('members', 2);
      await happen(club.events, facts.rebuildRequested('members', 'one'));
      await whileTimePasses(club.clock, held.reached);
      const stopped = first.stop();
      held.release();
      await stopped;
      expect((await club.control('members')).rebuild?.id).toBe('one');
      const second = await club.start();
      await until(club.clock, async () => (await club.control('members')).last?.status === 'DONE');
      expect((await club.control('members')).last).toMatchObject({ generation: 2, compared: { changedDocuments: 0 } });
      await second.reached(await happen(club.events, facts.greeted('m0', 'kim')));
      await mustEqual(club, memberProjection);
    }));

  test('that stops at an event fails with the reason; the live one continues', () =>
    withClub(async (club) => {
      let isBroken = false;
      const breaking = poisoned(greeterProjection, () => isBroken);
      const { reached, parked, stopped } = await club.start([breaking, memberProjection]);
      await reached(await happen(club.events, ...manyGreetings(8)));
      isBroken = true;
      const failed = await rebuilt(club, 'greeters');
      isBroken = false;
      expect(failed).toMatchObject({ status: 'FAILED', reason: expect.stringMatching(/cannot be folded/) as string });
      await reached(await happen(club.events, facts.greeted('m0', 'kim')));
      expect([parked, stopped, await liveOf(club, greeterProjection)]).toEqual([[], [], 1]);
    }));

  test('that folds an event the old one could not settles its dead letters', () =>
    withClub(async (club) => {
      let isBroken = true;
      const mending = poisoned(memberProjection, (by) => by === 'poison' && isBroken);
      const stopping = poisoned(greeterProjection, (by) => by === 'poison' && isBroken);
      const { reached, settled, stopped, progress } = await club.start([mending, stopping, roomProjection]);
      await happen(club.events, facts.joined('ada'), facts.greeted('ada', 'poison'));
      await reached(await happen(club.events, facts.greeted('ada', 'kim')), mending, roomProjection);
      expect(stopped).toEqual(['greeters']);
      isBroken = false;
      expect(await rebuilt(club, 'members')).toMatchObject({ status: 'DONE', compared: { changedDocuments: 1 } });
      expect(await rebuilt(club, 'greeters')).toMatchObject({ status: 'DONE', compared: { changedDocuments: 3 } });
      await until(club.clock, () => settled.length === 2);
      expect(settled).toEqual([await club.letter('members', 1), await club.letter('greeters', 1)]);
      const last = await happen(club.events, facts.greeted('ada', 'lea'));
      await until(club.clock, () => progress.position('greeters') >= last && progress.position('members') >= last);
      await mustEqual(club, memberProjection);
      await mustEqual(club, greeterProjection);
      await club.clock.advance(16_000);
      await until(club.clock, () => hasEmptyQuarantine(club));
    }));

  test('shares one pass over the history with others requested at the same time', () =>
    withClub(async (club) => {
      const { reached } = await club.start();
      await reached(await happen(club.events, ...manyGreetings(600)));
      const before = club.events.subscribedAfter.length;
      const all = [memberProjection, greeterProjection, roomProjection];
      for (const { model } of all) {
        await reached(await happen(club.events.inner, facts.rebuildRequested(model.name, `r-${model.name}`)));
        await club.clock.advance(200);
      }
      for (const { model } of all)
        await until(club.clock, async () => (await club.control(model.name)).last?.status === 'DONE');
      expect(club.events.subscribedAfter.slice(before).filter((after) => after === -1)).toHaveLength(1);
      await mustEqual(club, memberProjection);
      await mustEqual(club, greeterProjection);
    }));

  test('is not delayed by another one that fails or is cancelled', () =>
    withClub(async (club) => {
      let isBroken = false;
      const breaking = poisoned(greeterProjection, () => isBroken);
      const { reached } = await club.start([memberProjection, breaking, roomProjection]);
      await reached(await happen(club.events, ...manyGreetings(600), facts.opened('hall', 20)));
      isBroken = true;
      const held = club.store.holdWriteTo('members', 2);
      const names = ['members', 'greeters', 'rooms'];
      await happen(club.events, ...names.map((name) => facts.rebuildRequested(name, `of ${name}`)));
      await whileTimePasses(club.clock, held.reached);
      isBroken = false;
      await happen(club.events, facts.rebuildCancelled('rooms', 'of rooms'));
      held.release();
      const statuses = names.map(async (name) => {
        await until(club.clock, async () => (await club.control(name)).last?.id === `of ${name}`);
        return (await club.control(name)).last?.status;
      });
      expect(await Promise.all(statuses)).toEqual(['DONE', 'FAILED', 'CANCELLED']);
      await mustEqual(club, memberProjection);
      expect(await liveOf(club, roomProjection)).toBe(1);
    }));

  test('in a version unknown to this process is left to others', () =>
    withClub(async (club) => {
      const { reached } = await club.start();
      const request = facts.rebuildRequested('members', 'other');
      await happen(club.events, { ...request, data: { ...request.data, version: 2 } });
      await reached(await happen(club.events, facts.joined('ada')));
      await club.clock.advance(2_000);
      expect((await club.control('members')).rebuild).toMatchObject({ id: 'other', generation: null });
    }));

  test('equals a clean one, whatever happens meanwhile (property)', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(anyFact, { minLength: 1, maxLength: 6 }), { minLength: 2, maxLength: 12 }),
        fc.array(fc.constantFrom('none', 'tear', 'lose', 'away', 'break'), { maxLength: 12 }),
        fc.array(fc.oneof(fc.constant(0), fc.nat(6)), { maxLength: 40 }),
        (rounds, faults, delays) =>
          withClub(async (club) => {
            await happen(club.events.inner, ...manyGreetings(120));
            const { reached } = await club.start();
            club.store.delays = [...delays];
            await happen(
              club.events.inner,
              facts.rebuildRequested('members', 'm'),
              facts.rebuildRequested('greeters', 'g'),
            );
            for (const [at, round] of rounds.entries()) {
              await happen(club.events.inner, ...round);
              const fault = faults[at] ?? 'none';
              if (fault === 'tear') club.store.tearAfterTables = 1;
              if (fault === 'lose') club.store.loseNextAnswer = true;
              if (fault === 'break') club.events.batchesUntilBreak = 1;
              if (fault === 'away') {
                club.store.away = true;
                await club.clock.advance(100);
                club.store.away = false;
              }
              for (let turn = 0; turn < 3; turn += 1) await nextTurn();
            }
            for (const name of ['members', 'greeters'])
              await until(club.clock, async () => (await club.control(name)).last?.status === 'DONE');
            await reached(await happen(club.events.inner, facts.joined('end')));
            for (const projection of [memberProjection, greeterProjection]) {
              expect((await club.control(projection.model.name)).last?.compared?.changedDocuments).toBe(0);
              await mustEqual(club, projection);
            }
          }),
      ),
      { numRuns: 15 },
    );
  });
});
