import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join as pathOf } from 'node:path';
import { EmbeddedEventStore } from '../../src/adapters/embedded/event-store.js';
import { EmbeddedReadStore } from '../../src/adapters/embedded/read-store.js';
import { WHOLE, type Portion } from '../../src/eventsourcing/ranges.js';
import { fold } from '../../src/eventsourcing/aggregate.js';
import {
  noteRebuild,
  projectionAggregate,
  type ProjectionControl,
  type ProjectionEvent,
  type RebuildStep,
} from '../../src/projecting/projection-control.js';
import { ProjectionRunner } from '../../src/projecting/projection-runner.js';
import { QUARANTINE_TABLE } from '../../src/projecting/projection-quarantine.js';
import { hashOf, rebuild } from './rebuilt-table.js';
import { checkpointKey, type AnyProjection } from '../../src/projecting/projection.js';
import { Progress } from '../../src/projecting/progress.js';
import { silentLogger } from '../../src/ports/log.js';
import type { AnyTable } from '../../src/ports/read-store.js';
import { catalogue, clubProjections, facts, happen } from './club.toy.js';
import { FaultyEventStore } from './faulty-event-store.js';
import { FaultyReadStore } from './faulty-read-store.js';
import { ManualClock } from './manual-clock.js';
import { until } from './while-time-passes.js';

/** Number of events that is sufficient for a new projection to be built in bulk. */
export const MANY = 1_200;

/** Returns a copy of a projection that fails to fold greetings by a member for whom `isPoison` returns true. */
export const poisoned = (projection: AnyProjection, isPoison: (by: string) => boolean): AnyProjection => ({
  ...projection,
  evolve: (view: never, event: { type: string; data: { by: string } }, id: string) => {
    if (event.type === 'MemberGreeted' && isPoison(event.data.by)) throw new Error('Poison');
    return projection.evolve(view, event as never, id);
  },
});

/** The club, and the processes that maintain its read models, on embedded engines with injectable faults. */
export class Club {
  readonly clock = new ManualClock();
  readonly running = new Set<ProjectionRunner>();
  /** While true, attempts to park letters fail. */
  deskAway = false;
  /** Number of upcoming settlement attempts that fail. */
  settlementsToLose = 0;
  /** Makes the next report of this rebuild step fail: before it is stored or, if `isKept`, after it is stored. */
  reportToLose: { readonly kind: RebuildStep['kind']; readonly isKept: boolean } | undefined;

  private constructor(
    readonly directory: string,
    readonly events: FaultyEventStore,
    readonly store: FaultyReadStore,
  ) {}

  static async open(): Promise<Club> {
    const directory = await mkdtemp(pathOf(tmpdir(), 'kontor-runner-'));
    const events = new FaultyEventStore(EmbeddedEventStore.open({ directory, clock: new ManualClock() }));
    const store = new FaultyReadStore(await EmbeddedReadStore.open({ directory, mode: 'readwrite' }));
    return new Club(directory, events, store);
  }

  /** Starts a process that maintains the given projections. `stopped` lists the projections that have stopped. */
  async start(
    projections: readonly AnyProjection[] = clubProjections,
    batchSize = 100,
    known = catalogue,
    portion: Portion = WHOLE,
  ) {
    const progress = new Progress(this.clock);
    const stopped: string[] = [];
    /** Number of events that each projection has folded. */
    const handled: Record<string, number> = {};
    /** Letters as `<projection> <event id>`, in the order in which they were parked or settled. */
    const parked: string[] = [];
    const settled: string[] = [];
    const letterOf = (projection: string, eventId: string): string => `${projection} ${eventId}`;
    const runner = new ProjectionRunner({
      ...{ events: this.events, store: this.store, catalogue: known, projections, batchSize },
      ...{ clock: this.clock, logger: silentLogger, portion },
      bulkFrom: MANY / 2,
      onProgress: (name, position) => {
        progress.advance(name, position);
      },
      onHandled: (name, events) => {
        handled[name] = (handled[name] ?? 0) + events;
      },
      onStopped: (name) => stopped.push(name),
      onFailed: (names) => {
        progress.fail(names);
      },
      letters: {
        park: (projection, { id }) => {
          if (this.deskAway) return Promise.reject(new Error('Nothing can be parked'));
          parked.push(letterOf(projection, id));
          return Promise.resolve();
        },
        settle: (projection, { eventId }) => {
          if (this.settlementsToLose > 0) {
            this.settlementsToLose -= 1;
            return Promise.reject(new Error('Nothing can be settled'));
          }
          settled.push(letterOf(projection, eventId));
          return Promise.resolve();
        },
        idOf: letterOf,
        replayedBy: ({ type, recordId }) => (type === 'LetterReplayed' ? recordId : undefined),
      },
      reportRebuild: (name, rebuildId, step) => this.note(name, rebuildId, step),
    });
    this.running.add(runner);
    await runner.start();
    return {
      progress,
      stopped,
      handled,
      parked,
      settled,
      reached: (position: number, ...names: readonly AnyProjection[]) =>
        until(this.clock, () =>
          (names.length > 0 ? names : projections).every(({ model }) => progress.position(model.name) >= position),
        ),
      stop: async () => {
        this.running.delete(runner);
        await runner.stop();
      },
    };
  }

  /** Returns the letter for the event at the given position. */
  async letter(projection: string, position: number): Promise<string> {
    const [event] = await this.events.inner.readAll({ from: position - 1, maxCount: 1 });
    return `${projection} ${event?.id ?? ''}`;
  }

  /** Returns the state of a projection's rebuilds, as operators see it. */
  async control(name: string): Promise<ProjectionControl> {
    const { events } = await this.events.inner.readStream(`projection-platform_${name}`);
    return fold(projectionAggregate, events as unknown as ProjectionEvent[]);
  }

  /** Records a rebuild step as the service's command does. */
  private async note(name: string, rebuildId: string, step: RebuildStep): Promise<boolean> {
    const lost = this.reportToLose?.kind === step.kind ? this.reportToLose : undefined;
    if (lost) this.reportToLose = undefined;
    if (lost && !lost.isKept) throw new Error('The event store is unavailable');
    const decided = noteRebuild(await this.control(name), { rebuildId, step }, new Date(this.clock.nowMs()));
    const stream = `projection-platform_${name}`;
    await happen(this.events.inner, ...decided.map(({ type, data }) => ({ stream, type, data })));
    if (lost) throw new Error('The answer got lost');
    return decided.length > 0;
  }

  checkpointOf({ model }: AnyProjection): Promise<number> {
    return this.store.inner.checkpoint(checkpointKey(model, 1));
  }

  async equalsRebuild(...projections: readonly AnyProjection[]): Promise<void> {
    const upTo = await this.events.inner.head();
    for (const projection of projections) {
      await rebuild(this.events.inner, this.store.inner, catalogue, projection, 2, upTo);
      const [live, rebuilt] = await Promise.all(
        [1, 2].map((generation) => hashOf(this.store.inner, { model: projection.model, generation })),
      );
      expect({ name: projection.model.name, hash: live }).toEqual({ name: projection.model.name, hash: rebuilt });
    }
  }

  async close(): Promise<void> {
    this.store.away = this.events.away = false;
    await Promise.all([...this.running].map((runner) => runner.stop()));
    await Promise.all([this.events.close(), this.store.close()]);
    await rm(this.directory, { recursive: true });
  }
}

export const withClub = async (work: (club: Club) => Promise<void>): Promise<void> => {
  const club = await Club.open();
  try {
    await work(club);
  } finally {
    await club.close();
  }
};

export const tableOf = ({ model }: AnyProjection, generation: number): AnyTable => ({ model, generation });
export const liveOf = (club: Club, { model: { name, version } }: AnyProjection) =>
  club.store.inner.liveGeneration(name, version);

/** Requests a rebuild. Resolves when the rebuild has ended, regardless of the outcome. */
export async function rebuilt(club: Club, name: string, id = `rebuild of ${name}`) {
  await happen(club.events.inner, facts.rebuildRequested(name, id));
  await until(club.clock, async () => (await club.control(name)).last?.id === id);
  return (await club.control(name)).last;
}

/** Asserts that the live read model equals a clean rebuild. */
export const mustEqual = async (club: Club, projection: AnyProjection): Promise<void> => {
  const live = tableOf(projection, (await liveOf(club, projection)) ?? 0);
  const upTo = await club.events.inner.head();
  await rebuild(club.events.inner, club.store.inner, catalogue, projection, 90, upTo);
  expect(await hashOf(club.store.inner, live)).toBe(await hashOf(club.store.inner, tableOf(projection, 90)));
};

/** Whether a generation's table no longer exists. */
export const isGone = (club: Club, projection: AnyProjection, generation: number): Promise<boolean> =>
  hashOf(club.store.inner, tableOf(projection, generation)).then(
    () => false,
    () => true,
  );

/** Returns true if no projection has quarantined events in any generation. */
export async function hasEmptyQuarantine(club: Club): Promise<boolean> {
  for await (const { json } of club.store.inner.scan(QUARANTINE_TABLE)) if (json !== null) return false;
  return true;
}

export const manyGreetings = (count = MANY) =>
  Array.from({ length: count }, (_, at) =>
    at % 4 === 0 ? facts.joined(`m${at}`) : facts.greeted(`m${at - (at % 4)}`, `by-${at % 7}`),
  );
