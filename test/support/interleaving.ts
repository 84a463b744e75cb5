import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Append, Appended, EventStore, StreamRead, StreamSlice } from '../../src/ports/event-store.js';
import type { Clock } from '../../src/ports/time.js';

type Step = { readonly actor: string; readonly run: () => Promise<void> };

/** Chooses one of the waiting steps, given the actors of these steps and the number of completed steps. */
export type Picking = (actors: readonly string[], at: number) => number;

const MAX_STEPS = 10_000;

/** Uses the next number to choose each step. After the last number, steps run first in, first out. */
export const byNumbers =
  (numbers: readonly number[]): Picking =>
  (actors, at) =>
    (numbers[at] ?? 0) % actors.length;

/**
 * Runs concurrent work one step at a time, in an order chosen by a test. Every call to a gated engine waits until it is
 * picked. The same picks produce the same interleaving, so a failure can be shrunk and reproduced.
 */
export class Interleaver {
  private waiting: Step[] = [];
  private readonly crashed = new Set<string>();

  /** Runs `operation` when the step is picked and settles with its result. Never settles if the actor crashes first. */
  step<T>(actor: string, operation: () => Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const run = (): Promise<void> => operation().then(resolve, reject);
      if (!this.crashed.has(actor)) this.waiting.push({ actor, run });
    });
  }

  /** Permanently stops all pending work of an actor. Data that the actor has stored remains. */
  crash(actor: string): void {
    this.crashed.add(actor);
    this.waiting = this.waiting.filter((step) => step.actor !== actor);
  }

  /** Runs waiting steps until none are left. `pick` chooses each one. */
  async run(pick: Picking): Promise<void> {
    let idleTurns = 0;
    for (let at = 0; idleTurns < 3;) {
      await nextTurn();
      if (this.waiting.length === 0) {
        idleTurns += 1;
        continue;
      }
      idleTurns = 0;
      const actors = this.waiting.map(({ actor }) => actor);
      const [next] = this.waiting.splice(pick(actors, at), 1);
      at += 1;
      if (at > MAX_STEPS) throw new Error('The work never ends');
      await next?.run();
    }
  }

  /** Returns a view of the store in which every call by the actor is a step. */
  gated(store: EventStore, actor: string): EventStore {
    return new GatedEventStore(store, this, actor);
  }
}

class GatedEventStore implements EventStore {
  readAll: EventStore['readAll'];
  subscribeToAll: EventStore['subscribeToAll'];
  head: EventStore['head'];
  facts: EventStore['facts'];
  readonly hasLocalReads: boolean;

  constructor(
    private readonly inner: EventStore,
    private readonly interleaver: Interleaver,
    private readonly actor: string,
  ) {
    this.readAll = inner.readAll.bind(inner);
    this.subscribeToAll = inner.subscribeToAll.bind(inner);
    this.head = inner.head.bind(inner);
    this.facts = inner.facts.bind(inner);
    this.hasLocalReads = inner.hasLocalReads === true;
  }

  append(append: Append): Promise<Appended> {
    return this.interleaver.step(this.actor, () => this.inner.append(append));
  }

  appendInOrder(appends: readonly Append[]): Promise<Appended[]> {
    return this.interleaver.step(this.actor, () => this.inner.appendInOrder(appends));
  }

  readStream(stream: string, read?: StreamRead): Promise<StreamSlice> {
    return this.interleaver.step(this.actor, () => this.inner.readStream(stream, read));
  }

  async close(): Promise<void> {
    // The owner of the store closes it.
  }
}

/** A clock that advances when a sleeper is picked. `skewMs` is the offset of this actor's wall clock. */
export class InterleavedClock implements Clock {
  constructor(
    private readonly time: { ms: number },
    private readonly interleaver: Interleaver,
    private readonly actor: string,
    private readonly skewMs = 0,
  ) {}

  nowMs(): number {
    return this.time.ms + this.skewMs;
  }

  monotonicMs(): number {
    return this.time.ms;
  }

  sleep(ms: number): Promise<void> {
    const dueMs = this.time.ms + ms;
    return this.interleaver.step(this.actor, () => {
      this.time.ms = Math.max(this.time.ms, dueMs);
      return Promise.resolve();
    });
  }
}
