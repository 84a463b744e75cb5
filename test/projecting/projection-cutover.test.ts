import { facts, greeterProjection, happen, memberProjection } from '../support/club.toy.js';
import {
  type Club,
  hasEmptyQuarantine,
  isGone,
  liveOf,
  manyGreetings,
  mustEqual,
  poisoned,
  rebuilt,
  withClub,
} from '../support/running-club.js';
import { until, whileTimePasses } from '../support/while-time-passes.js';

const isDone = async (club: Club, name: string): Promise<boolean> => (await club.control(name)).last?.status === 'DONE';

/** Lets more time pass than a rebuild requires for its work after the cutover. */
const longAfter = (club: Club) => club.clock.advance(40_000);

describe('A rebuild that is live before it is reported', () => {
  test.each([false, true])(
    'is reported later, without changes for readers (recorded, but without a response: %p)',
    (isKept) =>
      withClub(async (club) => {
        const { reached } = await club.start();
        await reached(await happen(club.events, ...manyGreetings(40)));
        club.reportToLose = { kind: 'done', isKept };
        expect(await rebuilt(club, 'members')).toMatchObject({ status: 'DONE', generation: 2 });
        await longAfter(club);
        await reached(await happen(club.events, facts.greeted('m0', 'late')));
        expect(await liveOf(club, memberProjection)).toBe(2);
        await mustEqual(club, memberProjection);
        expect(await isGone(club, memberProjection, 1)).toBe(true);
      }),
  );

  test('is reported by the next process if its own ended, without changes for readers', () =>
    withClub(async (club) => {
      let isBroken = true;
      const mending = poisoned(memberProjection, (by) => by === 'poison' && isBroken);
      const first = await club.start([mending, greeterProjection]);
      await happen(club.events, ...manyGreetings(40), facts.greeted('m4', 'poison'));
      await until(club.clock, () => first.parked.length === 1);
      isBroken = false;
      await happen(club.events, facts.rebuildRequested('members', 'one'));
      // After the cutover, neither a report nor a settlement succeeds.
      club.settlementsToLose = Number.POSITIVE_INFINITY;
      club.reportToLose = { kind: 'done', isKept: false };
      await until(club.clock, () => club.reportToLose === undefined);
      await first.stop();
      expect([await liveOf(club, memberProjection), await isDone(club, 'members')]).toEqual([2, false]);

      club.settlementsToLose = 0;
      const second = await club.start([mending, greeterProjection]);
      await until(club.clock, () => isDone(club, 'members'));
      await longAfter(club);
      await second.reached(await happen(club.events, facts.greeted('m0', 'late')));
      expect(await liveOf(club, memberProjection)).toBe(2);
      await mustEqual(club, memberProjection);
      expect(await isGone(club, memberProjection, 1)).toBe(true);
      expect(second.settled).toEqual(first.parked);
      await until(club.clock, () => hasEmptyQuarantine(club));
    }));

  test('stays live if the response of the swap was lost', () =>
    withClub(async (club) => {
      const { reached } = await club.start();
      await reached(await happen(club.events, ...manyGreetings(40)));
      club.store.loseNextSwap = true;
      await rebuilt(club, 'members');
      const { events } = await club.events.inner.readStream('projection-platform_members');
      expect(events.filter(({ type }) => type === 'ProjectionRebuildBegan')).toHaveLength(1);
      await longAfter(club);
      await reached(await happen(club.events, facts.greeted('m0', 'late')));
      await mustEqual(club, memberProjection);
    }));

  test('settles its dead letters as soon as possible', () =>
    withClub(async (club) => {
      let isBroken = true;
      const mending = poisoned(memberProjection, (by) => by === 'poison' && isBroken);
      const { reached, parked, settled } = await club.start([mending]);
      await reached(await happen(club.events, facts.joined('ada'), facts.greeted('ada', 'poison')));
      isBroken = false;
      club.settlementsToLose = 3;
      await rebuilt(club, 'members');
      await until(club.clock, () => settled.length > 0);
      expect(settled).toEqual(parked);
      await until(club.clock, () => isGone(club, memberProjection, 1));
    }));
});

describe('An abandoned rebuild', () => {
  test('leaves neither quarantined documents nor dead letters of its own', () =>
    withClub(async (club) => {
      let isBroken = false;
      const breaking = poisoned(memberProjection, (by) => by === 'by-1' && isBroken);
      const { reached, parked, settled } = await club.start([breaking]);
      await reached(await happen(club.events, facts.joined('ada'), facts.greeted('ada', 'by-1')));
      const held = club.store.holdWriteTo('members', 2);
      isBroken = true;
      await happen(club.events, facts.rebuildRequested('members', 'one'));
      await whileTimePasses(club.clock, held.reached);
      isBroken = false;
      expect(parked).toEqual([await club.letter('members', 1)]);
      await happen(club.events, facts.rebuildCancelled('members', 'one'));
      held.release();
      await until(club.clock, () => settled.length > 0);
      expect(settled).toEqual(parked);
      await until(club.clock, () => hasEmptyQuarantine(club));
      expect(await isGone(club, memberProjection, 2)).toBe(true);
      await reached(await happen(club.events, facts.greeted('ada', 'kim')));
      await mustEqual(club, memberProjection);
    }));

  test('keeps the dead letter of an event that the live generation also lacks', () =>
    withClub(async (club) => {
      const breaking = poisoned(memberProjection, (by) => by === 'poison');
      const { reached, settled } = await club.start([breaking]);
      await reached(await happen(club.events, facts.joined('ada'), facts.greeted('ada', 'poison')));
      const held = club.store.holdWriteTo('members', 2);
      await happen(club.events, facts.rebuildRequested('members', 'one'));
      await whileTimePasses(club.clock, held.reached);
      await happen(club.events, facts.rebuildCancelled('members', 'one'));
      held.release();
      await until(club.clock, () => isGone(club, memberProjection, 2));
      await longAfter(club);
      expect(settled).toEqual([]);
    }));
});
