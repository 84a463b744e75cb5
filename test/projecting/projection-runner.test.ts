import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import { hashOf, rebuild } from '../support/rebuilt-table.js';
import type { Projection } from '../../src/projecting/projection.js';
import { checkpointKey, stoppedKey } from '../../src/projecting/projection.js';
import { PLATFORM, tenantScope } from '../../src/ports/read-store.js';
import {
  anyFact,
  catalogue,
  clubProjections,
  facts,
  greeterProjection,
  happen,
  memberProjection,
  newerCatalogue,
  roomProjection,
} from '../support/club.toy.js';
import { TENANT } from '../support/member.toy.js';
import { manyGreetings, MANY, poisoned, withClub, type Club } from '../support/running-club.js';
import { until } from '../support/while-time-passes.js';

describe('Running projections', () => {
  test('fold stored and new events, and report their progress', () =>
    withClub(async (club) => {
      await happen(club.events, facts.joined('ada'));
      const { reached, progress } = await club.start();
      await reached(await happen(club.events, facts.greeted('ada', 'kim'), facts.opened('red', 5)));
      expect([...progress.names].sort()).toEqual(['greeters', 'members', 'rooms']);
      const table = { model: memberProjection.model, generation: 1 };
      const json = await club.store.get(table, tenantScope(TENANT), 'ada');
      expect(JSON.parse(json ?? '')).toMatchObject({ greetings: 1 });
    }));

  test('report their own events, and advance without any', () =>
    withClub(async (club) => {
      await happen(club.events, facts.joined('ada'), facts.greeted('ada', 'kim'));
      const { reached, handled } = await club.start();
      await reached(await happen(club.events, facts.greeted('ada', 'lea')));
      expect(await club.checkpointOf(roomProjection)).toBe(2);
      expect(handled).toEqual({ members: 3, greeters: 3, rooms: 0 });
      await reached(await happen(club.events, facts.opened('red', 5), facts.left('ada'), facts.opened('blue', 3)));
      expect(handled).toEqual({ members: 4, greeters: 4, rooms: 2 });
      await club.equalsRebuild(...clubProjections);
    }));

  test('are known from their start, so an empty model is not taken for a complete one', () =>
    withClub(async (club) => {
      const position = await happen(club.events, facts.joined('ada'));
      club.store.tearAfterTables = 0;
      const { progress } = await club.start();
      expect(progress.names).toHaveLength(3);
      expect(await progress.reached(position, 0)).toBe(false);
    }));

  test('resume at their checkpoint after a restart, and fold nothing twice', () =>
    withClub(async (club) => {
      const first = await club.start();
      await first.reached(await happen(club.events, facts.joined('ada'), facts.greeted('ada', 'old')));
      await first.stop();
      const second = await club.start([poisoned(memberProjection, (by) => by === 'old'), greeterProjection]);
      await second.reached(await happen(club.events, facts.greeted('ada', 'new')));
      expect(second.stopped).toEqual([]);
      expect(club.events.subscribedAfter.at(-1)).toBe(1);
      await club.equalsRebuild(memberProjection, greeterProjection);
    }));

  test('give the same result in two concurrent processes', () =>
    withClub(async (club) => {
      const [one, two] = [await club.start(clubProjections, 7), await club.start(clubProjections, 3)];
      let position = -1;
      for (let round = 0; round < 20; round += 1) {
        position = await happen(club.events, facts.joined(`m${round}`), facts.greeted(`m${round % 3}`, 'kim'));
        await nextTurn();
      }
      await Promise.all([one.reached(position), two.reached(position)]);
      await club.equalsRebuild(...clubProjections);
    }));

  test('recover from an unavailable read store, partial batches and lost responses', () =>
    withClub(async (club) => {
      const { reached } = await club.start();
      await reached(await happen(club.events, facts.joined('ada')));
      club.store.away = true;
      await happen(club.events, facts.greeted('ada', 'kim'), facts.joined('eve'), facts.opened('red', 1));
      for (let turn = 0; turn < 50; turn += 1) await nextTurn();
      await club.clock.advance(3_000);
      expect(await club.checkpointOf(memberProjection)).toBe(0);
      club.store.away = false;
      club.store.tearAfterTables = 1;
      await reached(3);
      club.store.loseNextAnswer = true;
      await reached(await happen(club.events, facts.greeted('eve', 'kim'), facts.left('ada')));
      await club.equalsRebuild(...clubProjections);
    }));

  test('are reported as failed while they fail repeatedly, and as running afterwards', () =>
    withClub(async (club) => {
      const { progress, reached } = await club.start();
      await reached(await happen(club.events, facts.joined('ada')));
      club.store.away = true;
      const position = await happen(club.events, facts.greeted('ada', 'kim'));
      await until(club.clock, () => progress.names.every((name) => progress.standing(name) === 'failed'));
      club.store.away = false;
      await reached(position);
      expect(progress.names.map((name) => progress.standing(name))).toEqual(['running', 'running', 'running']);
    }));

  test('continue after the subscription is interrupted', () =>
    withClub(async (club) => {
      await happen(club.events, ...manyGreetings(100));
      club.events.batchesUntilBreak = 3;
      const { reached } = await club.start(clubProjections, 10);
      await reached(await club.events.head());
      expect(club.events.subscribedAfter).toEqual([-1, 29]);
      await club.equalsRebuild(...clubProjections);
    }));

  test('give the same result in bulk as live', () =>
    withClub(async (club) => {
      const { reached } = await club.start(clubProjections, 9);
      await reached(await happen(club.events, ...manyGreetings(300), facts.left('m0'), facts.left('m8')));
      await club.equalsRebuild(...clubProjections);
    }));

  test('are rebuilt up to a position and not beyond', () =>
    withClub(async (club) => {
      await happen(club.events, facts.joined('ada'), facts.greeted('ada', 'kim'), facts.greeted('ada', 'lea'));
      const folded = await rebuild(club.events, club.store, catalogue, greeterProjection, 2, 1);
      expect(folded).toBe(2);
      const table = { model: greeterProjection.model, generation: 2 };
      expect(await club.store.get(table, PLATFORM, 'lea')).toBeUndefined();
      expect(await club.store.checkpoint(checkpointKey(table.model, 2))).toBe(1);
    }));

  test('have equal hashes only for the same documents at the same positions', () =>
    withClub(async (club) => {
      const table = { model: roomProjection.model, generation: 1 };
      await club.store.prepare([table]);
      const hashes = [await hashOf(club.store, table)];
      const write = async (document: object | null, position: number, expected: number | null) => {
        const key = { scope: PLATFORM, id: 'red' };
        const writes = [{ ...key, document, position, expected }];
        await club.store.write({ tables: [{ table, writes }], checkpoints: [] });
        hashes.push(await hashOf(club.store, table));
      };
      await write({ seats: 1 }, 1, null);
      await write({ seats: 2 }, 2, 1);
      await write({ seats: 2 }, 3, 2);
      await write(null, 4, 3);
      await write(null, 5, 4);
      expect(new Set(hashes).size).toBe(6);
    }));

  describe('when one with documents of several records finds an event it cannot fold', () => {
    const broken = poisoned(greeterProjection, (by) => by === 'poison');
    const others = [memberProjection, roomProjection];

    test('it stops at its checkpoint, visibly, and the others continue', () =>
      withClub(async (club) => {
        const { reached, stopped, parked, progress } = await club.start([broken, ...others]);
        await reached(await happen(club.events, facts.joined('ada')));
        await happen(club.events, facts.greeted('ada', 'poison'));
        await reached(await happen(club.events, facts.joined('eve'), facts.opened('red', 1)), ...others);
        expect(stopped).toEqual(['greeters']);
        expect(parked).toEqual([await club.letter('greeters', 1)]);
        expect(progress.position('greeters')).toBe(0);
        expect(await club.checkpointOf(broken)).toBe(0);
        const told = stoppedKey(checkpointKey(broken.model, 1));
        await until(club.clock, async () => (await club.store.inner.checkpoint(told)) === 1);
        await club.equalsRebuild(...others);
      }));

    test('it continues once the code is fixed, and the dead letter is settled', () =>
      withClub(async (club) => {
        const first = await club.start([broken, memberProjection]);
        await happen(club.events, facts.joined('ada'), facts.greeted('ada', 'kim'), facts.greeted('ada', 'poison'));
        await first.reached(await happen(club.events, ...manyGreetings()), memberProjection);
        await first.stop();
        const second = await club.start([greeterProjection, memberProjection]);
        await second.reached(await club.events.head());
        expect(second.stopped).toEqual([]);
        expect(second.settled).toEqual([await club.letter('greeters', 2)]);
        await club.equalsRebuild(memberProjection, greeterProjection);
      }));

    test('it continues when the dead letter is replayed, and stops again if that fails', () =>
      withClub(async (club) => {
        let isMended = false;
        const mending = poisoned(greeterProjection, (by) => by === 'poison' && !isMended);
        const { reached, stopped, parked, settled } = await club.start([mending, memberProjection]);
        await happen(club.events, facts.joined('ada'), facts.greeted('ada', 'poison'), facts.greeted('ada', 'kim'));
        await until(club.clock, () => stopped.length === 1);
        const letter = await club.letter('greeters', 1);
        await happen(club.events, facts.replayed(letter));
        await until(club.clock, () => stopped.length === 2);
        expect(parked).toEqual([letter, letter]);
        isMended = true;
        await reached(await happen(club.events, facts.replayed(letter), facts.greeted('ada', 'lea')));
        await until(club.clock, () => settled.length === 1 && club.events.subscriptions === 1);
        await reached(await happen(club.events, facts.greeted('ada', 'eve')));
        await club.equalsRebuild(greeterProjection, memberProjection);
      }));

    test('of an unknown type, only those stop that cannot skip a single document', () =>
      withClub(async (club) => {
        const { reached, stopped, parked } = await club.start();
        await happen(club.events, facts.unheard('ada'));
        await reached(await happen(club.events, facts.opened('red', 1)), ...others);
        expect(stopped).toEqual(['greeters']);
        expect(parked.sort()).toEqual([await club.letter('greeters', 0), await club.letter('members', 0)]);
        await club.equalsRebuild(roomProjection);
      }));

    test('while it is far behind, the others do not stop with it', () =>
      withClub(async (club) => {
        const first = await club.start([memberProjection]);
        await happen(club.events, facts.greeted('ada', 'poison'));
        await first.reached(await happen(club.events, ...manyGreetings()));
        await first.stop();
        const bothAgain = await club.start([memberProjection, broken]);
        await bothAgain.reached(await happen(club.events, facts.greeted('ada', 'kim')), memberProjection);
        await until(club.clock, () => bothAgain.stopped.length > 0 && club.events.subscriptions === 1);
        expect(bothAgain.stopped).toEqual(['greeters']);
      }));
  });

  describe('when one with documents of single records finds an event it cannot fold', () => {
    let isMended = false;
    const mending = poisoned(memberProjection, (by) => by === 'poison' && !isMended);
    beforeEach(() => {
      isMended = false;
    });
    const json = (club: Club, who: string): Promise<string | undefined> =>
      club.store.inner.get({ model: memberProjection.model, generation: 1 }, tenantScope(TENANT), who);
    const greetingsOf = async (club: Club, who: string): Promise<number> =>
      (JSON.parse((await json(club, who)) ?? '{}') as { greetings: number }).greetings;

    test('that document is unchanged, and everything else continues', () =>
      withClub(async (club) => {
        const { reached, stopped, parked } = await club.start([mending]);
        await happen(club.events, facts.joined('ada'), facts.joined('eve'), facts.greeted('ada', 'kim'));
        await happen(club.events, facts.greeted('ada', 'poison'), facts.greeted('ada', 'kim'));
        await reached(await happen(club.events, facts.greeted('eve', 'kim'), facts.left('ada')));
        expect(stopped).toEqual([]);
        expect(parked).toEqual([await club.letter('members', 3)]);
        expect([await greetingsOf(club, 'ada'), await greetingsOf(club, 'eve')]).toEqual([1, 1]);
      }));

    test('its dead letter is parked before anything passes the event', () =>
      withClub(async (club) => {
        const { reached, parked } = await club.start([mending, roomProjection]);
        await reached(await happen(club.events, facts.joined('ada')));
        club.deskAway = true;
        await happen(club.events, facts.greeted('ada', 'poison'));
        await club.clock.advance(500);
        expect([await club.checkpointOf(mending), parked]).toEqual([0, []]);
        club.deskAway = false;
        await reached(await happen(club.events, facts.opened('red', 1)));
        expect(parked).toEqual([await club.letter('members', 1)]);
      }));

    test('a replay folds it again with all later events, and it is updated again', () =>
      withClub(async (club) => {
        const { reached, settled, parked } = await club.start([mending]);
        await happen(club.events, facts.joined('ada'), facts.greeted('ada', 'poison'), facts.greeted('ada', 'kim'));
        const letter = await club.letter('members', 1);
        await reached(await happen(club.events, facts.replayed(letter)));
        await until(club.clock, () => parked.length === 2);
        expect(await greetingsOf(club, 'ada')).toBe(0);
        isMended = true;
        await reached(await happen(club.events, facts.replayed(letter)));
        await until(club.clock, () => settled.length === 1);
        expect(await greetingsOf(club, 'ada')).toBe(2);
        await reached(await happen(club.events, facts.greeted('ada', 'lea')));
        await club.equalsRebuild(memberProjection);
      }));

    test('new code folds it again at start', () =>
      withClub(async (club) => {
        const first = await club.start([mending]);
        await happen(club.events, facts.joined('ada'), facts.greeted('ada', 'poison'));
        await first.reached(await happen(club.events, facts.greeted('ada', 'kim')));
        await first.stop();
        await happen(club.events, facts.greeted('ada', 'lea'));
        isMended = true;
        const second = await club.start([mending]);
        await second.reached(await club.events.head());
        expect(second.settled).toEqual([await club.letter('members', 1)]);
        await club.equalsRebuild(memberProjection);
      }));

    test('the same code leaves it unchanged after a restart', () =>
      withClub(async (club) => {
        const first = await club.start([mending]);
        await first.reached(await happen(club.events, facts.joined('ada'), facts.greeted('ada', 'poison')));
        await first.stop();
        const second = await club.start([mending]);
        await second.reached(await happen(club.events, facts.greeted('ada', 'kim'), facts.joined('eve')));
        expect([await greetingsOf(club, 'ada'), await greetingsOf(club, 'eve')]).toEqual([0, 0]);
        expect([second.stopped, second.settled]).toEqual([[], []]);
      }));

    test('two concurrent processes quarantine the same document, and repair it in the same way', () =>
      withClub(async (club) => {
        const [one, two] = [await club.start([mending], 7), await club.start([mending], 3)];
        await happen(club.events, facts.joined('ada'), facts.greeted('ada', 'poison'));
        const position = await happen(club.events, ...manyGreetings(40), facts.greeted('ada', 'kim'));
        await Promise.all([one.reached(position), two.reached(position)]);
        isMended = true;
        const last = await happen(
          club.events,
          facts.replayed(await club.letter('members', 1)),
          facts.greeted('ada', 'lea'),
        );
        await Promise.all([one.reached(last), two.reached(last)]);
        await until(club.clock, () => one.settled.length === 1 && two.settled.length === 1);
        await club.equalsRebuild(memberProjection);
      }));
  });

  test('are filled from their own position, and together with the others at that position', () =>
    withClub(async (club) => {
      const first = await club.start([greeterProjection]);
      await first.reached(await happen(club.events, ...manyGreetings(50)));
      await first.stop();
      const all = await club.start();
      await all.reached(await happen(club.events, facts.opened('red', 1)));
      expect(club.events.subscribedAfter).toEqual([-1, 49, -1]);
      await club.equalsRebuild(...clubProjections);
    }));

  test('that are filled together do not stop with one of them', () =>
    withClub(async (club) => {
      const first = await club.start([roomProjection]);
      await happen(club.events, facts.joined('ada'), facts.greeted('ada', 'poison'));
      await first.reached(await happen(club.events, ...manyGreetings(50)));
      await first.stop();
      const isPoison = (by: string) => by === 'poison';
      const all = await club.start([poisoned(greeterProjection, isPoison), memberProjection, roomProjection], 7);
      await all.reached(await happen(club.events, facts.joined('kim')), memberProjection, roomProjection);
      expect(all.stopped).toEqual(['greeters']);
      expect(club.events.subscribedAfter).toEqual([-1, 51, -1]);
      await club.equalsRebuild(memberProjection, roomProjection);
    }));

  test('that are empty are filled from a long history in one pass, even after interruptions', () =>
    withClub(async (club) => {
      await happen(club.events, ...manyGreetings());
      club.events.batchesUntilBreak = 3;
      const first = await club.start();
      await first.reached(await happen(club.events, facts.greeted('m0', 'kim')));
      expect(club.events.subscribedAfter.filter((after) => after === -1)).toHaveLength(1);
      await first.reached(await happen(club.events, facts.greeted('m0', 'lea')));
      await club.equalsRebuild(...clubProjections);
    }));

  test('that were being filled resume after a restart', () =>
    withClub(async (club) => {
      await happen(club.events, ...manyGreetings());
      const held = club.store.holdWriteTo('members');
      const first = await club.start();
      await held.reached;
      const stopped = first.stop();
      held.release();
      await stopped;
      const second = await club.start();
      await second.reached(await happen(club.events, facts.greeted('m0', 'kim')));
      await club.equalsRebuild(...clubProjections);
    }));

  describe('when one is behind the others', () => {
    const behind = async (club: Club) => {
      const first = await club.start([greeterProjection, roomProjection]);
      await first.reached(await happen(club.events, ...manyGreetings()));
      await first.stop();
    };

    test('it is filled separately, and joins them when it has caught up', () =>
      withClub(async (club) => {
        await behind(club);
        const all = await club.start();
        await all.reached(await happen(club.events, facts.opened('red', 1)), roomProjection);
        await all.reached(await club.events.head());
        // At the first event after its catch-up, the projection joins the subscription of the other projections. At the
        // next event, its separate subscription ends.
        for (let round = 0; round < 3; round += 1)
          await all.reached(await happen(club.events, facts.greeted('m0', `round-${round}`)));
        await until(club.clock, () => club.events.subscriptions === 1);
        await all.reached(await happen(club.events, facts.greeted('m4', 'last')));
        await club.equalsRebuild(...clubProjections);
      }));

    test('it joins only at the position of the others, even if more events arrive meanwhile', () =>
      withClub(async (club) => {
        await behind(club);
        const held = club.store.holdWriteTo('members');
        const all = await club.start(clubProjections, 5_000);
        await held.reached;
        const others = [greeterProjection, roomProjection];
        await all.reached(await happen(club.events, facts.greeted('m0', 'kim')), ...others);
        // The projection stores the head that it has read. It is therefore one event behind when the others receive the
        // next event.
        const next = club.store.holdWriteTo('members');
        held.release();
        await next.reached;
        await all.reached(await happen(club.events, facts.greeted('m0', 'lea')), ...others);
        next.release();
        await all.reached(await happen(club.events, facts.greeted('m0', 'eve')));
        await club.equalsRebuild(...clubProjections);
      }));

    test('it does not stop the service if the read store fails right after the start', () =>
      withClub(async (club) => {
        await behind(club);
        club.store.checkpointReadsLeft = clubProjections.length;
        const all = await club.start();
        club.store.away = true;
        await club.clock.advance(200);
        for (let turn = 0; turn < 20; turn += 1) await nextTurn();
        club.store.away = false;
        await all.reached(await happen(club.events, facts.joined('eve')));
        club.store.checkpointReadsLeft = Number.POSITIVE_INFINITY;
        await club.equalsRebuild(...clubProjections);
      }));

    test('only it stops at an event of a newer version that others folded before a rollback', () =>
      withClub(async (club) => {
        const newer = await club.start([memberProjection], 100, newerCatalogue);
        await happen(club.events, facts.unheard('ada'));
        await newer.reached(await happen(club.events, ...manyGreetings()));
        await newer.stop();
        const older = await club.start([greeterProjection, memberProjection]);
        await until(club.clock, () => older.stopped.length > 0);
        await older.reached(await happen(club.events, facts.greeted('m0', 'kim')), memberProjection);
        expect(older.stopped).toEqual(['greeters']);
      }));

    test('it misses nothing, whatever happens meanwhile (property)', async () => {
      const step = fc.oneof(
        {
          weight: 6,
          arbitrary: fc.record({
            what: fc.constant('facts' as const),
            all: fc.array(anyFact, { minLength: 1, maxLength: 5 }),
          }),
        },
        {
          weight: 6,
          arbitrary: fc.record({ what: fc.constant('wait' as const), turns: fc.integer({ min: 1, max: 12 }) }),
        },
        {
          weight: 1,
          arbitrary: fc.record({ what: fc.constantFrom('tear' as const, 'lose' as const, 'break' as const) }),
        },
        {
          weight: 1,
          arbitrary: fc.record({ what: fc.constant('away' as const), turns: fc.integer({ min: 1, max: 12 }) }),
        },
      );
      await fc.assert(
        fc.asyncProperty(
          fc.array(step, { minLength: 3, maxLength: 40 }),
          fc.integer({ min: 20, max: 1_500 }),
          fc.array(fc.oneof(fc.constant(0), fc.nat(9)), { maxLength: 60, size: 'max' }),
          (steps, batchSize, delays) =>
            withClub(async (club) => {
              await behind(club);
              club.store.delays = [...delays];
              const all = await club.start(clubProjections, batchSize);
              for (const one of steps) {
                if (one.what === 'facts') await happen(club.events.inner, ...one.all);
                else if (one.what === 'tear') club.store.tearAfterTables = 1;
                else if (one.what === 'lose') club.store.loseNextAnswer = true;
                else if (one.what === 'break') club.events.batchesUntilBreak = 1;
                else if ('turns' in one) {
                  club.store.away = one.what === 'away';
                  for (let turn = 0; turn < one.turns; turn += 1) await nextTurn();
                  if (one.what === 'away') await club.clock.advance(100);
                  club.store.away = false;
                }
              }
              await all.reached(await happen(club.events.inner, facts.joined('end')));
              await club.equalsRebuild(...clubProjections);
            }),
        ),
        { numRuns: 20 },
      );
    });
  });

  test('stop quickly in any phase', () =>
    withClub(async (club) => {
      await happen(club.events, ...manyGreetings());
      const { stop } = await club.start(clubProjections, 10);
      await nextTurn();
      await stop();
      const reached = await club.checkpointOf(memberProjection);
      expect(reached).toBeLessThan(MANY - 1);
      expect(club.events.subscriptions).toBe(0);
      club.store.away = true;
      const waiting = await club.start(clubProjections).catch(() => undefined);
      expect(waiting).toBeUndefined();
    }));

  test('have documents in their declared scope', () =>
    withClub(async (club) => {
      const everywhere: Projection<{ id: string }, never> = {
        model: {
          name: 'scoped',
          version: 1,
          fields: { id: { type: 'text', of: ({ id }: { id: string }) => id } },
          filters: [],
          order: { fields: ['id'], direction: 'ascending' },
        },
        sources: ['room'],
        documents: (event: { recordId: string }) => [event.recordId],
        scope: () => PLATFORM,
        evolve: (_, event: { recordId: string }) => ({ id: event.recordId }),
      };
      const { reached } = await club.start([everywhere]);
      await reached(await happen(club.events, facts.opened('red', 1)));
      const table = { model: everywhere.model, generation: 1 };
      expect(await club.store.get(table, PLATFORM, 'red')).toBe('{"id":"red"}');
      expect(await club.store.get(table, tenantScope(TENANT), 'red')).toBeUndefined();
    }));
});
