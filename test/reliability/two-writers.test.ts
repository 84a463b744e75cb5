import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc, { type Scheduler } from 'fast-check';
import { EmbeddedEventStore } from '../../src/adapters/embedded/event-store.js';
import { SystemClock } from '../../src/adapters/system-time.js';
import { WrongExpectedRevision, type EventStore } from '../../src/ports/event-store.js';
import { cyclesOf, noteCycles, SEED } from '../support/fault-row.js';

const RUNS = cyclesOf(150, 5_000);
const STREAMS = ['one', 'other'] as const;
const WRITERS = [0, 1] as const;

/**
 * The number of successful writes. The streams must contain every successful write, in revision order, and no other.
 */
type Model = { written: number };
type Write = { readonly id: string; readonly stream: string; readonly outcome: number | 'lost' };
type Line = Pick<EventStore, 'append' | 'readStream'>;
type Real = {
  readonly store: Line;
  readonly prefix: string;
  /** The revision of each stream, as last seen by each writer. */
  readonly known: Map<string, number>;
  readonly writes: Write[];
};

const keyOf = (writer: number, stream: string): string => `${writer} ${stream}`;

/** Command: a writer reads the end of a stream. */
class Look {
  constructor(
    readonly writer: number,
    readonly stream: string,
  ) {}

  async run(_: Model, { store, prefix, known }: Real): Promise<void> {
    const { revision } = await store.readStream(`${prefix}-${this.stream}`, { direction: 'backwards', maxCount: 1 });
    known.set(keyOf(this.writer, this.stream), revision);
  }

  toString(): string {
    return `writer ${this.writer} looks at ${this.stream}`;
  }
}

/**
 * Command: a writer appends at the revision that it expects. The writer either wins or learns the current revision.
 */
class Append {
  constructor(
    readonly writer: number,
    readonly stream: string,
  ) {}

  async run(model: Model, { store, prefix, known, writes }: Real): Promise<void> {
    const key = keyOf(this.writer, this.stream);
    const believed = known.get(key) ?? -1;
    const stream = `${prefix}-${this.stream}`;
    const id = randomUUID();
    const events = [{ id, type: 'Written', data: { writer: this.writer }, metadata: {} }];
    try {
      const { revision } = await store.append({ stream, expected: believed < 0 ? 'no_stream' : believed, events });
      expect(revision).toBe(believed + 1);
      writes.push({ id, stream, outcome: revision });
      known.set(key, revision);
      model.written += 1;
    } catch (error) {
      if (!(error instanceof WrongExpectedRevision)) throw error;
      // The writer that lost must learn a revision that the stream has reached. It must be higher than the expected
      // revision.
      expect(error.actual).not.toBe('no_stream');
      expect(error.actual).toBeGreaterThan(believed);
      writes.push({ id, stream, outcome: 'lost' });
      known.set(key, error.actual as number);
    }
  }

  toString(): string {
    return `writer ${this.writer} appends to ${this.stream}`;
  }
}

const command = fc
  .record({ isLook: fc.boolean(), writer: fc.constantFrom(...WRITERS), stream: fc.constantFrom(...STREAMS) })
  .map(({ isLook, writer, stream }) => (isLook ? new Look(writer, stream) : new Append(writer, stream)));

/** Makes every call and every response wait for the scheduler. */
function scheduled(store: EventStore, scheduler: Scheduler): Line {
  const slowly = async <T>(what: string, act: () => Promise<T>): Promise<T> => {
    await scheduler.schedule(Promise.resolve(), `${what} arrives`);
    const [answer] = await Promise.allSettled([act()]);
    await scheduler.schedule(Promise.resolve(), `${what} is answered`);
    if (answer.status === 'rejected') throw answer.reason as Error;
    return answer.value;
  };
  return {
    append: (append) => slowly('append', () => store.append(append)),
    readStream: (stream, read) => slowly('read', () => store.readStream(stream, read)),
  };
}

test(`Two writers on one stream, in ${RUNS} interleavings: one wins, and no write is lost (seed ${SEED})`, async () => {
  const directory = await mkdtemp(join(tmpdir(), 'kontor-writers-'));
  const store = EmbeddedEventStore.open({ directory, clock: new SystemClock() });
  let run = 0;
  let lost = 0;
  try {
    const property = fc.asyncProperty(
      fc.scheduler(),
      fc.array(command, { minLength: 2, maxLength: 6 }),
      fc.array(command, { minLength: 2, maxLength: 6 }),
      async (scheduler, first, second) => {
        const model: Model = { written: 0 };
        const prefix = `run-${(run += 1)}`;
        const real: Real = { store: scheduled(store, scheduler), prefix, known: new Map(), writes: [] };
        // Each list of commands represents one process. Both processes run concurrently.
        const lists = [first, second].map(async (list) => {
          for (const one of list) await one.run(model, real);
        });
        await scheduler.waitFor(Promise.all(lists));
        for (const name of STREAMS) {
          const stream = `${prefix}-${name}`;
          const won = real.writes.filter((write) => write.stream === stream && write.outcome !== 'lost');
          const { events } = await store.readStream(stream);
          const expected = won.toSorted((a, b) => Number(a.outcome) - Number(b.outcome));
          expect(events.map(({ id }) => id)).toEqual(expected.map(({ id }) => id));
          expect(events.map(({ revision }) => revision)).toEqual(events.map((_, index) => index));
        }
        lost += real.writes.filter(({ outcome }) => outcome === 'lost').length;
      },
    );
    await fc.assert(property, { seed: SEED, numRuns: RUNS });
    // Verifies that the interleavings do cause conflicts.
    expect(lost).toBeGreaterThan(RUNS / 4);
    noteCycles('two writers on one stream', RUNS, `${lost} appends rejected with a revision conflict`);
  } finally {
    await store.close();
    await rm(directory, { recursive: true });
  }
}, 240_000);
