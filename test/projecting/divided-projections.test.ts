import { setImmediate as nextTurn } from 'node:timers/promises';
import { checkpointKey, type AnyProjection } from '../../src/projecting/projection.js';
import { ALL_RANGES, modelPart, portionOf, positionsIn, rangeOf } from '../../src/eventsourcing/ranges.js';
import { catalogue, facts, greeterProjection, happen, memberProjection } from '../support/club.toy.js';
import { TENANT } from '../support/member.toy.js';
import {
  hasEmptyQuarantine,
  liveOf,
  mustEqual,
  poisoned,
  rebuilt,
  withClub,
  type Club,
} from '../support/running-club.js';
import { until, whileTimePasses } from '../support/while-time-passes.js';

const TENANTS = Array.from({ length: 40 }, (_, n) => `f81d4fae-7dec-41d0-a765-00a0c91e6b${String(10 + n)}`);
const LOW = portionOf(ALL_RANGES.slice(0, 5));
const HIGH = portionOf(ALL_RANGES.slice(5));

type Fact = ReturnType<typeof facts.joined>;
/** Repeats the given facts for each tenant. */
const everywhere = (...some: readonly Fact[]): Fact[] =>
  TENANTS.flatMap((tenant) => some.map((fact) => ({ ...fact, stream: fact.stream.replace(TENANT, tenant) })));

/** A projection that sums over several streams of one tenant. */
const greetersOfTenants = { ...greeterProjection, scope: memberProjection.scope } as AnyProjection;
const divided: readonly AnyProjection[] = [memberProjection, greetersOfTenants];
const startPortion = (club: Club, portion: typeof LOW, projections = divided) =>
  club.start(projections, 7, catalogue, portion);

type Running = Awaited<ReturnType<typeof startPortion>>;

/** Rebuilds the members up to the cutover, which is held. The process that fed the upper ranges has then stopped. */
async function startCutover(club: Club, low: Running) {
  const high = await startPortion(club, HIGH);
  const position = await happen(club.events, ...everywhere(facts.joined('ada')));
  await low.reached(position);
  await high.reached(position);
  const cutover = club.store.hold('cutover', 'members', 2);
  await happen(club.events, facts.rebuildRequested('members', 'one'));
  await whileTimePasses(club.clock, cutover.reached);
  await whileTimePasses(club.clock, high.stop());
  return { cutover };
}

/** Returns the position that a portion's ranges of a generation have reached. */
async function partsAt(club: Club, generation: number, { ranges } = portionOf(ALL_RANGES)): Promise<number> {
  const key = checkpointKey(memberProjection.model, generation);
  return (await positionsIn(club.store.inner, [key], modelPart, ranges))[0] ?? -1;
}

/** Asserts that both processes continue with the second generation, and soon only with this one. */
async function mustFeedNext(club: Club): Promise<void> {
  const position = await happen(club.events, ...everywhere(facts.greeted('ada', 'kim')));
  await until(club.clock, async () => (await partsAt(club, 2)) >= position, 5_000);
  expect(await liveOf(club, memberProjection)).toBe(2);
  await mustEqual(club, memberProjection);
  await club.clock.advance(6_000);
  const later = await happen(club.events, ...everywhere(facts.greeted('ada', 'lea')));
  await until(club.clock, async () => (await partsAt(club, 2)) >= later);
  for (const portion of [LOW, HIGH]) expect(await partsAt(club, 1, portion)).toBeLessThan(later);
  await mustEqual(club, memberProjection);
}

describe('Projections divided between two processes', () => {
  test('together fold the whole history', () =>
    withClub(async (club) => {
      expect(new Set(TENANTS.map((tenant) => LOW.has(`member-${tenant}_1`))).size).toBe(2);
      const [low, high] = [await startPortion(club, LOW), await startPortion(club, HIGH)];
      const position = await happen(club.events, ...everywhere(facts.joined('ada'), facts.greeted('ada', 'kim')));
      await low.reached(position);
      await high.reached(position);
      for (const projection of divided) await mustEqual(club, projection);
    }));

  test('do not change the documents of the other process', () =>
    withClub(async (club) => {
      const low = await startPortion(club, LOW);
      await low.reached(await happen(club.events, ...everywhere(facts.joined('ada'))));
      const tenants = new Set<string>();
      for await (const { scope } of club.store.inner.scan({ model: memberProjection.model, generation: 1 }))
        tenants.add(scope);
      expect([...tenants].toSorted()).toEqual(TENANTS.filter((tenant) => rangeOf(tenant) < 5).toSorted());
    }));

  test('store a checkpoint for each range, even for those without events, and one for all of them', () =>
    withClub(async (club) => {
      const key = checkpointKey(memberProjection.model, 1);
      const stored = async () => (await positionsIn(club.store.inner, [key], modelPart))[0] ?? -1;
      const [low, high] = [await startPortion(club, LOW), await startPortion(club, HIGH)];
      const [one] = everywhere(facts.joined('ada'));
      const position = await happen(club.events, one as Fact);
      await low.reached(position);
      await high.reached(position);
      await until(club.clock, async () => (await stored()) === position);
      await until(club.clock, async () => (await club.checkpointOf(memberProjection)) === position);
    }));

  test('write nothing for the events of other processes until the next common checkpoint', () =>
    withClub(async (club) => {
      const low = await startPortion(club, LOW);
      await low.reached(await happen(club.events, ...everywhere(facts.joined('ada'))));
      const before = club.store.writes;
      const tenant = TENANTS.find((id) => rangeOf(id) >= 5) ?? '';
      const { stream, ...greeted } = facts.greeted('ada', 'kim');
      let position = -1;
      for (let n = 0; n < 20; n += 1) {
        position = await happen(club.events, { ...greeted, stream: stream.replace(TENANT, tenant) });
        // Lets the events arrive while time stands still.
        for (let turn = 0; turn < 20; turn += 1) await nextTurn();
      }
      expect(club.store.writes).toBeLessThanOrEqual(before + 1);
      await low.reached(position);
    }));

  test('continue from the checkpoint of an undivided release, and that release from theirs', () =>
    withClub(async (club) => {
      const whole = await club.start(divided);
      const first = await happen(club.events, ...everywhere(facts.joined('ada')));
      await whole.reached(first);
      await whole.stop();
      const [low, high] = [await startPortion(club, LOW), await startPortion(club, HIGH)];
      for (const { progress } of [low, high]) expect(progress.position('members')).toBe(first);
      const second = await happen(club.events, ...everywhere(facts.greeted('ada', 'kim')));
      await low.reached(second);
      await high.reached(second);
      await until(club.clock, async () => (await club.checkpointOf(memberProjection)) === second);
      await Promise.all([low.stop(), high.stop()]);
      const again = await club.start(divided);
      expect(again.progress.position('members')).toBe(second);
      await again.reached(await happen(club.events, ...everywhere(facts.greeted('ada', 'lea'))));
      for (const projection of divided) await mustEqual(club, projection);
    }));

  test('hand ranges over without a gap', () =>
    withClub(async (club) => {
      const low = await startPortion(club, LOW);
      await low.reached(await happen(club.events, ...everywhere(facts.joined('ada'), facts.greeted('ada', 'kim'))));
      await low.stop();
      // The next process has folded no events yet. The stopped process has folded only the events of its own ranges.
      const all = await startPortion(club, portionOf(ALL_RANGES));
      await all.reached(await happen(club.events, ...everywhere(facts.greeted('ada', 'lea'))));
      for (const projection of divided) await mustEqual(club, projection);
    }));

  test('are rebuilt by both processes, and both continue with the new generation', () =>
    withClub(async (club) => {
      const [low, high] = [await startPortion(club, LOW), await startPortion(club, HIGH)];
      const position = await happen(club.events, ...everywhere(facts.joined('ada'), facts.greeted('ada', 'kim')));
      await low.reached(position);
      await high.reached(position);
      expect(await rebuilt(club, 'members')).toMatchObject({
        status: 'DONE',
        generation: 2,
        compared: { changedDocuments: 0 },
      });
      expect(await liveOf(club, memberProjection)).toBe(2);
      const later = await happen(club.events, ...everywhere(facts.greeted('ada', 'lea')));
      await low.reached(later);
      await high.reached(later);
      await mustEqual(club, memberProjection);
    }));

  test('finish a rebuild whose other process starts only later', () =>
    withClub(async (club) => {
      const low = await startPortion(club, LOW);
      await low.reached(await happen(club.events, ...everywhere(facts.joined('ada'))));
      await happen(club.events, facts.rebuildRequested('members', 'early'));
      await until(club.clock, async () => (await club.control('members')).rebuild?.generation === 2);
      await club.clock.advance(2_000);
      expect(await liveOf(club, memberProjection)).toBe(1);
      const high = await startPortion(club, HIGH);
      await until(club.clock, async () => (await club.control('members')).last?.status === 'DONE');
      const later = await happen(club.events, ...everywhere(facts.greeted('ada', 'lea')));
      await low.reached(later);
      await high.reached(later);
      await mustEqual(club, memberProjection);
    }));

  test.each([1, 2])(
    'continue with the new generation in a process that starts during the cutover, while preparing generation %i',
    (generation) =>
      withClub(async (club) => {
        const { cutover } = await startCutover(club, await startPortion(club, LOW));
        const prepared = club.store.hold('prepare', 'members', generation);
        const starting = startPortion(club, HIGH);
        await whileTimePasses(club.clock, prepared.reached);
        cutover.release();
        await until(club.clock, async () => (await club.control('members')).last?.status === 'DONE');
        // Lets the process that has not prepared the new generation handle the end of the rebuild, if it can.
        await club.clock.advance(2_000);
        prepared.release();
        await whileTimePasses(club.clock, starting);
        await mustFeedNext(club);
      }),
  );

  test('feed no generation of a rebuild that ends while a process joins it', () =>
    withClub(async (club) => {
      const low = await startPortion(club, LOW);
      await low.reached(await happen(club.events, ...everywhere(facts.joined('ada'))));
      await happen(club.events, facts.rebuildRequested('members', 'cancelled'));
      await until(club.clock, async () => (await club.control('members')).rebuild?.generation === 2);
      const prepared = club.store.hold('prepare', 'members', 2);
      const high = await startPortion(club, HIGH);
      await whileTimePasses(club.clock, prepared.reached);
      await happen(club.events, facts.rebuildCancelled('members', 'cancelled'));
      await club.clock.advance(2_000);
      prepared.release();
      const position = await happen(club.events, ...everywhere(facts.greeted('ada', 'kim')));
      await low.reached(position);
      await high.reached(position);
      await club.clock.advance(2_000);
      expect(await partsAt(club, 2, HIGH)).toBeLessThan(position);
      await mustEqual(club, memberProjection);
    }));

  test('continue with the new generation in a process that replaces the coordinator during the cutover', () =>
    withClub(async (club) => {
      const low = await startPortion(club, LOW);
      const { cutover } = await startCutover(club, low);
      await startPortion(club, HIGH);
      const prepared = club.store.hold('prepare', 'members', 1);
      const starting = startPortion(club, LOW);
      await whileTimePasses(club.clock, prepared.reached);
      cutover.release();
      await until(club.clock, async () => (await club.control('members')).last?.status === 'DONE');
      await whileTimePasses(club.clock, low.stop());
      prepared.release();
      await whileTimePasses(club.clock, starting);
      await mustFeedNext(club);
    }));

  test('stop at an event only in the process that leads its range', () =>
    withClub(async (club) => {
      const failing = [memberProjection, poisoned(greetersOfTenants, (by) => by === 'poison')];
      const [low, high] = [await startPortion(club, LOW, failing), await startPortion(club, HIGH, failing)];
      const tenant = TENANTS.find((id) => rangeOf(id) >= 5) ?? '';
      const poison = facts.greeted('ada', 'poison');
      await happen(club.events, ...everywhere(facts.joined('ada')), {
        ...poison,
        stream: poison.stream.replace(TENANT, tenant),
      });
      const position = await happen(club.events, ...everywhere(facts.greeted('ada', 'kim')));
      await low.reached(position);
      await high.reached(position, memberProjection);
      expect([low.stopped, high.stopped]).toEqual([[], ['greeters']]);
    }));

  test('settle the event at which each process had stopped, once another process has taken over all ranges', () =>
    withClub(async (club) => {
      const broken = [poisoned(greetersOfTenants, (by) => by === 'poison')];
      const [low, high] = [await startPortion(club, LOW, broken), await startPortion(club, HIGH, broken)];
      await happen(club.events, ...everywhere(facts.greeted('ada', 'poison')));
      await until(club.clock, () => low.stopped.length === 1 && high.stopped.length === 1);
      await Promise.all([low.stop(), high.stop()]);
      const all = await startPortion(club, portionOf(ALL_RANGES), [greetersOfTenants]);
      await all.reached(await happen(club.events, ...everywhere(facts.joined('ada'))));
      await until(club.clock, () => all.settled.length === 2);
      expect(all.settled.toSorted()).toEqual([...low.parked, ...high.parked].toSorted());
      expect(await hasEmptyQuarantine(club)).toBe(true);
      await mustEqual(club, greetersOfTenants);
    }));
});
