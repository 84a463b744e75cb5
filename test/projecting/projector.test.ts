import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join as pathOf } from 'node:path';
import fc from 'fast-check';
import { EmbeddedEventStore } from '../../src/adapters/embedded/event-store.js';
import { EmbeddedReadStore } from '../../src/adapters/embedded/read-store.js';
import { hashOf, rebuild } from '../support/rebuilt-table.js';
import type { AnyProjection } from '../../src/projecting/projection.js';
import { project } from '../../src/projecting/project.js';
import { type DocumentStore, PoisonEvent, Projector } from '../../src/projecting/projector.js';
import { PLATFORM, tenantScope, type AnyTable } from '../../src/ports/read-store.js';
import {
  anyFact,
  catalogue,
  clubProjections,
  facts,
  greeterProjection,
  happen,
  memberProjection,
} from '../support/club.toy.js';
import { FaultyReadStore } from '../support/faulty-read-store.js';
import { ManualClock } from '../support/manual-clock.js';
import { memberEvents, TENANT } from '../support/member.toy.js';

type Club = { events: EmbeddedEventStore; store: FaultyReadStore; close: () => Promise<void> };

async function openClub(): Promise<Club> {
  const directory = await mkdtemp(pathOf(tmpdir(), 'kontor-projector-'));
  const events = EmbeddedEventStore.open({ directory, clock: new ManualClock() });
  const store = new FaultyReadStore(await EmbeddedReadStore.open({ directory, mode: 'readwrite' }));
  await store.prepare(clubProjections.map((projection) => liveTable(projection)));
  const close = async () => {
    await Promise.all([events.close(), store.close()]);
    await rm(directory, { recursive: true });
  };
  return { events, store, close };
}

const liveTable = ({ model }: AnyProjection): AnyTable => ({ model, generation: 1 });

/** Returns the decoded events after a position. Default: all events. */
const batchAfter = async (events: EmbeddedEventStore, position = -1) =>
  (await events.readAll({ from: position })).map((event) => catalogue.decode(event));

/** A projection that cannot fold greetings. */
const notGreeting = {
  ...memberProjection,
  evolve: (...[view, event, id]: Parameters<typeof memberProjection.evolve>) => {
    if (event.type === 'MemberGreeted') throw new Error('No greetings');
    return memberProjection.evolve(view, event, id);
  },
};

/** A leader with a separate document cache and a separate position in the history. */
class Leader {
  private projectors: Projector[] = [];
  position = -1;

  constructor(private readonly club: Club) {
    this.restart();
  }

  restart(position = -1): void {
    this.position = position;
    this.projectors = clubProjections.map(
      (projection) => new Projector(this.club.store, { projection, table: liveTable(projection) }),
    );
  }

  /** Processes up to `size` further events. Returns false if there are none. */
  async step(size: number): Promise<boolean> {
    const batch = await this.club.events.readAll({ from: this.position, maxCount: size });
    const last = batch.at(-1);
    if (!last) return false;
    const decoded = batch.map((event) => catalogue.decode(event));
    await project(this.club.store, this.projectors, decoded, last.position);
    this.position = last.position;
    return true;
  }

  async checkpoint(): Promise<number> {
    return Math.min(
      ...(await Promise.all(this.projectors.map(({ checkpointKey }) => this.club.store.checkpoint(checkpointKey)))),
    );
  }
}

/** Returns the hashes of the live tables, and of tables rebuilt from the history. */
async function compare({ events, store }: Club): Promise<{ live: string[]; rebuilt: string[] }> {
  const upTo = await events.head();
  const live: string[] = [];
  const rebuilt: string[] = [];
  for (const projection of clubProjections) {
    await rebuild(events, store, catalogue, projection, 2, upTo);
    live.push(await hashOf(store, liveTable(projection)));
    rebuilt.push(await hashOf(store, { model: projection.model, generation: 2 }));
  }
  return { live, rebuilt };
}

const withClub = async (work: (club: Club) => Promise<void>): Promise<void> => {
  const club = await openClub();
  try {
    await work(club);
  } finally {
    await club.close();
  }
};

describe('A projection', () => {
  const memberOf = async ({ store }: Club, id: string): Promise<unknown> => {
    const json = await store.get(liveTable(memberProjection), tenantScope(TENANT), id);
    return json === undefined ? undefined : JSON.parse(json);
  };
  const greeterOf = async ({ store }: Club, id: string): Promise<unknown> => {
    const json = await store.get(liveTable(greeterProjection), PLATFORM, id);
    return json === undefined ? undefined : JSON.parse(json);
  };

  test('creates, changes and deletes documents by events, and stores its position with them', () =>
    withClub(async (club) => {
      const leader = new Leader(club);
      await happen(club.events, facts.joined('ada', 'ada@example.com'), facts.greeted('ada', 'kim'));
      await leader.step(100);
      expect(await memberOf(club, 'ada')).toEqual({ id: 'ada', email: 'ada@example.com', greetings: 1, revision: 1 });
      expect(await leader.checkpoint()).toBe(leader.position);
      await happen(club.events, facts.left('ada'));
      await leader.step(100);
      expect(await memberOf(club, 'ada')).toBeUndefined();
      expect(await greeterOf(club, 'everybody')).toMatchObject({ greetings: 1 });
    }));

  test('is not visible to other tenants', () =>
    withClub(async (club) => {
      await happen(club.events, facts.joined('ada'));
      await new Leader(club).step(100);
      expect(await club.store.get(liveTable(memberProjection), PLATFORM, 'ada')).toBeUndefined();
    }));

  test('is not changed by a fence, but knows its revision', () =>
    withClub(async (club) => {
      const leader = new Leader(club);
      await happen(club.events, facts.joined('ada'), facts.fenced('ada'), facts.fenced('eve'));
      await leader.step(100);
      expect(await memberOf(club, 'ada')).toEqual({ id: 'ada', email: null, greetings: 0, revision: 1 });
      expect(await memberOf(club, 'eve')).toBeUndefined();
      expect(await greeterOf(club, 'everybody')).toBeUndefined();
    }));

  test('that does not handle fences is not called for them', () =>
    withClub(async ({ events, store }) => {
      await happen(events, facts.fenced('ada'), facts.joined('ada'), facts.fenced('ada'));
      const documents = ({ type }: { type: string }): string[] => {
        if (type in memberEvents) return ['everybody'];
        throw new Error(`Unheard of: ${type}`);
      };
      const projection = { ...greeterProjection, documents };
      const projector = new Projector(store, { projection, table: liveTable(projection) });
      const batch = (await events.readAll()).map((event) => catalogue.decode(event));
      await project(store, [projector], batch, 2);
      const json = await store.get(liveTable(projection), PLATFORM, 'everybody');
      expect(JSON.parse(json ?? '')).toMatchObject({ greetings: 1, recent: ['ada@1'] });
    }));

  test('reads documents only if earlier events may have affected them, each once', () =>
    withClub(async ({ events, store }) => {
      const loaded: string[] = [];
      const counting: DocumentStore = {
        load: (table, keys) => {
          loaded.push(...keys.map(({ id }) => id));
          return store.load(table, keys);
        },
        write: (batch) => store.write(batch),
      };
      const leaderOf = () =>
        new Projector(counting, { projection: memberProjection, table: liveTable(memberProjection) });
      const leader = leaderOf();
      await happen(events, facts.joined('ada'), facts.greeted('ada', 'kim'), facts.fenced('eve'));
      await project(counting, [leader], await batchAfter(events), 2);
      await happen(events, facts.greeted('ada', 'kim'), facts.greeted('bob', 'kim'));
      await project(counting, [leader], await batchAfter(events, 2), 4);
      await happen(events, facts.greeted('eve', 'kim'), facts.greeted('eve', 'kim'));
      await project(counting, [leader], await batchAfter(events, 4), 6);
      await project(counting, [leader], await batchAfter(events, 5), 6);
      expect(loaded).toEqual(['eve']);
      // Another leader processes the history again. The documents exist, so the leader loads all of them.
      await project(counting, [leaderOf()], await batchAfter(events), 6);
      expect(loaded).toEqual(['eve', 'ada', 'eve', 'bob']);
    }));

  test('remembers documents, except those that rarely change again', () =>
    withClub(async ({ events, store }) => {
      const loaded: string[] = [];
      let conflicts = 0;
      const counting: DocumentStore = {
        load: (table, keys) => {
          loaded.push(...keys.map(({ id }) => id));
          return store.load(table, keys);
        },
        write: async (batch) => {
          const result = await store.write(batch);
          conflicts += result.conflicts.length;
          return result;
        },
      };
      const leader = new Projector(counting, { projection: memberProjection, table: liveTable(memberProjection) });
      let from = -1;
      const process = async (...happened: Parameters<typeof happen>[1][]): Promise<void> => {
        await happen(events, ...happened);
        const batch = (await events.readAll({ from })).map((event) => catalogue.decode(event));
        from += happened.length;
        await project(counting, [leader], batch, from);
      };
      const { joined, greeted, fenced } = facts;
      // The first event in eve's stream does not record that she joined, so the projector looks her up. Once she has
      // joined, the projector must not treat her as absent.
      await process(fenced('eve'));
      await process(joined('eve', 'eve@example.com'));
      await process(joined('ada'), joined('dan', 'dan@example.com'));
      expect(loaded.splice(0)).toEqual(['eve']);
      await process(greeted('eve', 'kim'), greeted('ada', 'kim'), greeted('dan', 'kim'));
      expect(loaded.splice(0)).toEqual(['eve', 'dan']);
      await process(greeted('eve', 'kim'), greeted('ada', 'kim'));
      expect(loaded).toEqual(['eve']);
      expect(conflicts).toBe(0);
    }));

  test('does not regard a document that another leader created as absent when another record with its id changes it', () =>
    withClub(async (club) => {
      const { events, store } = club;
      const projection = {
        ...memberProjection,
        sources: ['member', 'room'],
        evolve: (...[view, event, id]: Parameters<typeof memberProjection.evolve>) =>
          event.entity === 'room' ? view && { ...view, greetings: 5 } : memberProjection.evolve(view, event, id),
      };
      const leaderOf = () => new Projector(store, { projection, table: liveTable(projection) });
      await happen(events, facts.joined('ada'));
      await project(store, [leaderOf()], await batchAfter(events), 0);
      const slow = leaderOf();
      await project(store, [slow], await batchAfter(events), 0);
      await happen(events, facts.opened('ada', 20));
      await project(store, [slow], await batchAfter(events, 0), 1);
      expect(await memberOf(club, 'ada')).toMatchObject({ greetings: 5 });
    }));

  test('leaves a tombstone for a document created and deleted within one batch', () =>
    withClub(async (club) => {
      await happen(club.events, facts.joined('ada'), facts.left('ada'));
      const slow = new Leader(club);
      await new Leader(club).step(100);
      // The slower leader stops before it processes the departure.
      await slow.step(1);
      expect(await memberOf(club, 'ada')).toBeUndefined();
      const { live, rebuilt } = await compare(club);
      expect(live).toEqual(rebuilt);
    }));

  test('reports the first event that it cannot fold, even if the document of that event must be loaded', () =>
    withClub(async ({ events, store }) => {
      const { joined, greeted } = facts;
      await happen(events, joined('ada'));
      const projector = (projection: AnyProjection) =>
        new Projector(store, { projection, table: liveTable(projection) });
      await project(store, [projector(memberProjection)], await batchAfter(events), 0);
      await happen(events, greeted('ada', 'kim'), joined('dan', 'dan@example.com'), greeted('dan', 'kim'));
      const batch = await batchAfter(events, 0);
      const failed: unknown = await projector(notGreeting)
        .fold(batch)
        .catch((error: unknown) => error);
      expect((failed as PoisonEvent).event).toBe(batch[0]);
    }));

  test('reports the event it cannot fold, and stores nothing of its batch', () =>
    withClub(async ({ events, store }) => {
      await happen(events, facts.joined('ada'), facts.greeted('ada', 'kim'));
      const projector = new Projector(store, { projection: notGreeting, table: liveTable(notGreeting) });
      const batch = await batchAfter(events);
      const failed: unknown = await project(store, [projector], batch, 1).catch((error: unknown) => error);
      expect(failed).toBeInstanceOf(PoisonEvent);
      expect(failed).toMatchObject({ event: { type: 'MemberGreeted', position: 1 }, document: { id: 'ada' } });
      expect((failed as PoisonEvent).projector).toBe(projector);
      expect(await store.checkpoint(projector.checkpointKey)).toBe(-1);
    }));

  type Step =
    | { what: 'step'; leader: number; size: number }
    | { what: 'both'; size: number }
    | { what: 'tear'; leader: number; size: number; tables: number }
    | { what: 'lose answer'; leader: number; size: number }
    | { what: 'crash'; leader: number }
    | { what: 'again'; leader: number; back: number };
  const leader = fc.nat(1);
  const size = fc.integer({ min: 1, max: 7 });
  const anyStep: fc.Arbitrary<Step> = fc.oneof(
    { weight: 4, arbitrary: fc.record({ what: fc.constant('step' as const), leader, size }) },
    { weight: 3, arbitrary: fc.record({ what: fc.constant('both' as const), size }) },
    { weight: 2, arbitrary: fc.record({ what: fc.constant('tear' as const), leader, size, tables: fc.nat(2) }) },
    { weight: 1, arbitrary: fc.record({ what: fc.constant('lose answer' as const), leader, size }) },
    { weight: 2, arbitrary: fc.record({ what: fc.constant('crash' as const), leader }) },
    { weight: 1, arbitrary: fc.record({ what: fc.constant('again' as const), leader, back: fc.nat(20) }) },
  );

  async function take(club: Club, leaders: readonly [Leader, Leader], step: Step): Promise<void> {
    if (step.what === 'both') {
      await Promise.all(leaders.map((one) => one.step(step.size)));
      return;
    }
    const one = leaders[step.leader === 0 ? 0 : 1];
    if (step.what === 'crash') one.restart(await one.checkpoint());
    else if (step.what === 'again') one.position = Math.max(-1, one.position - step.back);
    else {
      if (step.what === 'tear') club.store.tearAfterTables = step.tables;
      if (step.what === 'lose answer') club.store.loseNextAnswer = true;
      await one.step(step.size).catch(() => undefined);
      club.store.tearAfterTables = undefined;
      club.store.loseNextAnswer = false;
    }
  }

  test('equals its rebuild after redelivery, two concurrent leaders and crashes between any two writes (property)', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyFact, { minLength: 1, maxLength: 40 }),
        fc.array(anyStep, { maxLength: 25 }),
        (history, steps) =>
          withClub(async (club) => {
            await happen(club.events, ...history);
            const leaders = [new Leader(club), new Leader(club)] as const;
            for (const step of steps) await take(club, leaders, step);
            const [last] = leaders;
            last.restart(await last.checkpoint());
            while (await last.step(5));
            const { live, rebuilt } = await compare(club);
            expect(live).toEqual(rebuilt);
          }),
      ),
      { numRuns: 60 },
    );
  });
});
