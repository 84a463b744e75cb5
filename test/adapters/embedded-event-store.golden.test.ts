import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EmbeddedEventStore } from '../../src/adapters/embedded/event-store.js';
import {
  type Appended,
  BEFORE_ALL,
  type Direction,
  type EventFilter,
  EventTooLarge,
  type EventToAppend,
  type ExpectedRevision,
  type Position,
  WrongExpectedRevision,
} from '../../src/ports/event-store.js';
import { ManualClock } from '../support/manual-clock.js';
import { appendNext } from '../support/append-next.js';

/** Responses from EventStoreDB 23.10.6 to the scenarios below, recorded with the official client. */
const golden = JSON.parse(
  readFileSync(new URL('../support/golden/eventstoredb-golden.json', import.meta.url), 'utf8'),
) as Record<string, unknown>;

const plain = (version: ExpectedRevision): string => (typeof version === 'number' ? `${version}n` : version);

let store: EmbeddedEventStore;
let clock: ManualClock;
let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'kontor-golden-'));
  clock = new ManualClock();
  store = EmbeddedEventStore.open({ directory, clock });
});
afterEach(async () => {
  await store.close();
  await rm(directory, { recursive: true });
});

const stream = (name: string): string => `scenarioRUN-${name}`;
const event = (type: string, data: object = {}, id: string = randomUUID(), metadata: object = {}): EventToAppend => ({
  id,
  type,
  data,
  metadata,
});
const counted = (type: string, ...numbers: number[]): EventToAppend[] => numbers.map((n) => event(type, { n }));

/** Maps the port's errors to the client's errors. */
function failure(error: unknown): object {
  if (error instanceof WrongExpectedRevision)
    return {
      error: 'wrong-expected-version',
      class: 'WrongExpectedVersionError',
      expectedVersion: plain(error.expected),
      actualVersion: plain(error.actual),
      streamName: error.stream,
    };
  if (error instanceof EventTooLarge)
    return { error: 'maximum-append-size-exceeded', class: 'MaxAppendSizeExceededError' };
  if (error instanceof RangeError) return { error: 'unknown', class: 'UnknownError' };
  throw error;
}

type Answer = { success?: boolean; error?: string; nextExpectedRevision?: string; hasPosition?: boolean };

/** Revisions are unsigned in the protocol, so the client reports revision -1 of an empty stream as 0. */
const success = ({ revision, position }: Appended): Answer => ({
  success: true,
  nextExpectedRevision: `${Math.max(revision, 0)}n`,
  hasPosition: Number.isSafeInteger(position),
});

const appended = (name: string, events: EventToAppend[], expected?: ExpectedRevision): Promise<Answer> =>
  (expected === undefined
    ? appendNext(store, stream(name), ...events)
    : store.append({ stream: stream(name), expected, events })
  ).then(success, failure);

type Read = { direction?: Direction; from?: number; maxCount?: number };
type Seen = { type: string; revision: string; data: { n?: number }; metadata?: object };

async function read(name: string, options: Read = {}): Promise<Seen[] | object> {
  const { exists, events } = await store.readStream(stream(name), options);
  if (!exists) return { error: 'stream-not-found', class: 'StreamNotFoundError', streamName: stream(name) };
  return events.map(({ type, revision, data, metadata, position }) => ({
    type,
    revision: `${revision}n`,
    data,
    // Omits empty metadata, as the client's responses do.
    ...(Object.keys(metadata).length > 0 ? { metadata } : {}),
    isJson: true,
    hasPosition: Number.isSafeInteger(position),
    commit: Number.isSafeInteger(position),
  }));
}

const eventsOf = async (name: string, options: Read = {}): Promise<Seen[]> => (await read(name, options)) as Seen[];
const countOf = async (name: string): Promise<number> => (await eventsOf(name)).length;
/** A subscription that stays open during the scenario. */
class Follower {
  readonly seen: unknown[] = [];
  batches = 0;
  #position: Position = BEFORE_ALL;
  #changed = (): void => undefined;
  readonly #ending = new AbortController();
  readonly #running: Promise<void>;

  constructor(options: { after?: Position; filter: EventFilter; afterRevision?: number; show?: 'progress' }) {
    const { after = BEFORE_ALL, filter, afterRevision = -1, show } = options;
    const batches = store.subscribeToAll({ after, filter, signal: this.#ending.signal });
    if (show) this.seen.push('confirmation');
    this.#running = (async () => {
      for await (const batch of batches) {
        this.batches += 1;
        for (const { data, revision } of batch.events)
          if (revision > afterRevision) this.seen.push(show ? 'data' : (data as { n: number }).n);
        if (show && batch.caughtUp) this.seen.push('caughtUp');
        this.#position = batch.position;
        this.#changed();
      }
    })();
  }

  /** Resolves when every event stored so far has been delivered. */
  async upToDate(): Promise<void> {
    const head = await store.head();
    while (this.#position < head)
      await new Promise<void>((resolve) => {
        this.#changed = resolve;
      });
  }

  async end(): Promise<unknown[]> {
    await this.upToDate();
    this.#ending.abort();
    await this.#running;
    return this.seen;
  }
}

const ofStream = (name: string): EventFilter => ({ on: 'stream', prefixes: [stream(name)] });

/** Scenarios with operations that the port does not offer. They run only against the test server. */
const ELSEWHERE = [
  'append to a system stream without rights',
  'stream_exists on a missing stream is refused',
  'stream_exists on an existing stream',
  'any on missing and existing',
  'same event id again with any: idempotent',
  'soft delete, then read, then append with no_stream, any, exact; revisions go on',
  'soft delete then append at the last exact revision',
  'soft delete then stream_exists',
  'soft delete with a wrong expected revision; of a missing stream; twice',
  'tombstone, then read, then append',
  '$maxCount keeps the newest; revisions stay',
  '$maxAge hides old events; the stream then reads as what, and takes which appends',
  '$truncateBefore',
  'stream metadata round trip and its own revision',
];

/** The EventStoreDB scenarios, expressed in terms of the port. */
const scenarios: Readonly<Record<string, () => Promise<unknown>>> = {
  'append with no_stream creates the stream at revision 0': () => appended('a', counted('A', 1), 'no_stream'),

  'append of several events is one write; next revision counts them': () =>
    appended('several', [event('A'), event('B'), event('C')], 'no_stream'),

  'append of no events to a new stream': async () => [await appended('none', [], 'no_stream'), await read('none')],

  'append of no events to an existing stream': async () => {
    await appended('none2', [event('A')]);
    return [await appended('none2', [], 0), await appended('none2', [], 5)];
  },

  'no_stream on an existing stream is refused': async () => {
    await appended('b', [event('A'), event('B')]);
    return appended('b', [event('C')], 'no_stream');
  },

  'exact revision right, too low, too high, on missing stream': async () => {
    await appended('d', [event('A'), event('B')]);
    return [
      await appended('d', [event('C')], 1),
      await appended('d', [event('D')], 0),
      await appended('d', [event('E')], 9),
      await appended('d-missing', [event('F')], 0),
    ];
  },

  'same event id again, same expected revision: idempotent, one event': async () => {
    const same = event('A', { n: 1 });
    return [await appended('f', [same], 'no_stream'), await appended('f', [same], 'no_stream'), await countOf('f')];
  },

  'same event id again after other events, exact old revision: idempotent': async () => {
    const same = event('B');
    await appended('h', [event('A')], 'no_stream');
    await appended('h', [same], 0);
    await appended('h', [event('C')], 1);
    return [await appended('h', [same], 0), await countOf('h')];
  },

  'same event id with another expected revision (the current one)': async () => {
    const same = event('A');
    await appended('i', [same], 'no_stream');
    return [await appended('i', [same], 0), await countOf('i')];
  },

  'a batch of which a part was written before': async () => {
    const part = event('A');
    await appended('j', [part], 'no_stream');
    return [await appended('j', [part, event('B')], 'no_stream'), await countOf('j')];
  },

  'same event id in two streams: two events': async () => {
    const same = event('A');
    return [await appended('k1', [same], 'no_stream'), await appended('k2', [same], 'no_stream')];
  },

  'concurrent no_stream appends: exactly one wins': async () => {
    const all = await Promise.all(Array.from({ length: 20 }, (_, n) => appended('race', counted('A', n), 'no_stream')));
    const refused = all.filter(({ error }) => error);
    return [all.length - refused.length, refused.length, [...new Set(refused.map(({ error }) => error))]];
  },

  'read a missing stream': async () => [
    await read('missing'),
    await read('missing', { direction: 'backwards', maxCount: 1 }),
  ],

  'read forwards, backwards, from the middle, limited, past the end': async () => {
    await appended('l', counted('N', 1, 2, 3, 4, 5));
    const numbers = async (options: Read) => (await eventsOf('l', options)).map(({ data }) => data.n);
    return [
      await numbers({}),
      await numbers({ direction: 'backwards' }),
      await numbers({ from: 2 }),
      await numbers({ direction: 'backwards', from: 2 }),
      await numbers({ maxCount: 2 }),
      await numbers({ direction: 'backwards', maxCount: 1 }),
      await numbers({ from: 99 }),
      await numbers({ direction: 'backwards', from: 99 }),
    ];
  },

  'metadata and data come back as written; unicode': async () => {
    const data = { s: 'ığüşöç İ 漢字 🎉', n: 1.5, nested: { a: [1, null, true] } };
    await appended('m', [event('A', data, randomUUID(), { tenantId: 't1', $correlationId: 'c1' })]);
    return read('m');
  },

  'read $all forwards with a stream-prefix filter, in commit order': async () => {
    for (const n of [1, 2, 3]) await appended(`u${n % 2}`, counted('U', n));
    const all = await store.readAll();
    return all
      .filter(({ stream: name }) => name.startsWith(stream('u')))
      .map(({ stream: name, revision, data }) => [name, `${revision}n`, (data as { n: number }).n]);
  },

  'positions grow, are unique per event; $all from a position is exclusive or inclusive': async () => {
    const append = (name: string, ...events: EventToAppend[]) => appendNext(store, stream(name), ...events);
    const p: Position[] = [];
    for (const n of [1, 2, 3]) p.push((await append('v', ...counted('V', n))).position);
    const [p0 = NaN, p1 = NaN, p2 = NaN] = p;
    const numbersFrom = async (from: Position, direction: Direction) =>
      (await store.readAll({ from, direction, maxCount: 50 })).map(({ data }) => (data as { n: number }).n);
    // In EventStoreDB, a forward read includes the event at the start position. In the port, it excludes that event.
    const forwards = await numbersFrom(p1 - 1, 'forwards');
    const backwards = await numbersFrom(p1, 'backwards');
    const multi = await append('v2', ...counted('M', 1, 2));
    const v2 = (await store.readStream(stream('v2'))).events;
    const [first, second] = v2.map(({ position }) => position);
    return [
      p0 < p1 && p1 < p2,
      forwards,
      backwards,
      v2.length,
      first === second,
      first !== undefined && second !== undefined && first < second,
      multi.position === second,
    ];
  },

  'subscribe to a stream from the start: history, then live': async () => {
    await appended('w', counted('W', 1));
    const follower = new Follower({ filter: ofStream('w') });
    await follower.upToDate();
    await appended('w', counted('W', 2));
    return follower.end();
  },

  'subscribe to a missing stream waits for it; from a revision is exclusive': async () => {
    const follower = new Follower({ filter: ofStream('x') });
    await follower.upToDate();
    await appended('x', counted('X', 1, 2, 3));
    const later = new Follower({ filter: ofStream('x'), afterRevision: 0 });
    return [await follower.end(), await later.end()];
  },

  'subscribe to $all with filters: prefix, regex, event type; exclusive from a position': async () => {
    const { position: after } = await appendNext(store, stream('y'), ...counted('Yold', 0));
    const filters: Readonly<Record<string, EventFilter>> = {
      streamPrefix: { on: 'stream', prefixes: [stream('y')] },
      streamRegex: { on: 'stream', prefixes: [stream('y')] },
      eventPrefix: { on: 'type', prefixes: ['Ynew'] },
      // Stands in for the pattern '^Y(new|other)$', because the port supports only prefixes.
      eventRegex: { on: 'type', prefixes: ['Ynew', 'Yother'] },
    };
    const followers = Object.entries(filters).map(([name, filter]) => [name, new Follower({ after, filter })] as const);
    for (const [, follower] of followers) await follower.upToDate();
    await appended('y', [...counted('Ynew', 1), ...counted('Yother', 2), ...counted('Z', 3)]);
    const seen = followers.map(async ([name, follower]) => [name, await follower.end()] as const);
    return Object.fromEntries(await Promise.all(seen));
  },

  'filtered subscription reports checkpoints while nothing matches': async () => {
    const { position: after } = await appendNext(store, stream('z'), event('Z'));
    const follower = new Follower({ after, filter: { on: 'stream', prefixes: ['nothing-matches-this'] } });
    for (let n = 0; n < 50; n += 1) await appended('z', counted('Z', n));
    await follower.end();
    return follower.batches > 5;
  },

  'caughtUp and confirmation events of a subscription': async () => {
    await appended('aa', [event('A')]);
    return new Follower({ filter: ofStream('aa'), show: 'progress' }).end();
  },

  'a very large event, and one over the limit': async () => [
    await appended('bb', [event('Big', { s: 'x'.repeat(900_000) })]),
    await appended('bb', [event('Over', { s: 'x'.repeat(2_000_000) })]),
  ],

  'an empty stream name, an empty event type': async () => [
    await store.append({ stream: '', expected: 'no_stream', events: [event('A')] }).catch(failure),
    await appended('cc', [event('')]),
  ],
};

describe('The embedded event store behaves like EventStoreDB', () => {
  test.each(Object.keys(scenarios))('%s', async (name) => {
    expect(await scenarios[name]?.()).toStrictEqual(golden[name]);
  });

  test('in every recorded scenario that the port supports', () => {
    expect([...Object.keys(scenarios), ...ELSEWHERE].sort()).toEqual(Object.keys(golden).sort());
  });
});
