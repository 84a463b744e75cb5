import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  ANY,
  type AllStreamSubscription,
  type AppendExpectedRevision,
  BACKWARDS,
  END,
  type EventStoreDBClient,
  EVENT_TYPE,
  type Filter,
  FORWARDS,
  jsonEvent,
  type JSONEventType,
  NO_STREAM,
  type Position,
  type ReadStreamOptions,
  START,
  STREAM_EXISTS,
  STREAM_NAME,
  type StreamSubscription,
} from '@eventstore/db-client';

/** The client, and a function that lets time pass on the server. */
export type Asked = { readonly client: EventStoreDBClient; readonly passTime: (ms: number) => Promise<void> | void };

type Fields = Readonly<Record<string, unknown>>;
type Answer = { readonly success?: boolean; readonly error?: string } & Fields;
type Written = JSONEventType<string, Fields>;

const event = (type: string, data: Fields = {}, more: { id?: string; metadata?: Fields } = {}) =>
  jsonEvent<Written>({ type, data, ...more });
const counted = (type: string, ...numbers: number[]) => numbers.map((n) => event(type, { n }));

/** Converts a value to the form used in the recording: 64-bit numbers become strings with the suffix `n`. */
function plain(value: unknown): unknown {
  const text = JSON.stringify(value, (_key, field: unknown) => (typeof field === 'bigint' ? `${field}n` : field));
  return JSON.parse(text);
}

const FAILURE_FIELDS = ['expectedVersion', 'actualVersion', 'streamName'];

function failure(error: unknown): Answer {
  const { type, code, ...fields } = error as { type?: string; code?: number } & Fields;
  const known = FAILURE_FIELDS.filter((field) => fields[field] !== undefined);
  return plain({
    error: type ?? (error as Error).name,
    class: (error as object).constructor.name,
    code,
    ...Object.fromEntries(known.map((field) => [field, fields[field]])),
  }) as Answer;
}

const attempt = async <T>(run: () => Promise<T>): Promise<T | Answer> => {
  try {
    return await run();
  } catch (error) {
    return failure(error);
  }
};

/** Waits for a condition, up to a time limit. If the condition never holds, the scenario's result shows it. */
async function until(condition: () => boolean, limitMs = 10_000): Promise<void> {
  for (const end = performance.now() + limitMs; !condition() && performance.now() < end;) await sleep(5);
}

type Read = Pick<ReadStreamOptions, 'direction' | 'fromRevision' | 'maxCount'>;
type Seen = { readonly revision: string; readonly data: { readonly n: number } };

/** Scenarios that were run against a real EventStoreDB through the official client. Streams are `scenarioRUN-…`. */
export class EventStoreScenarios {
  readonly #client: EventStoreDBClient;
  readonly #passTime: Asked['passTime'];

  constructor({ client, passTime }: Asked) {
    this.#client = client;
    this.#passTime = passTime;
  }

  readonly #stream = (name: string): string => `scenarioRUN-${name}`;

  readonly #append = (
    name: string,
    events: ReturnType<typeof event>[],
    expectedRevision: AppendExpectedRevision = ANY,
  ) =>
    attempt(async () => {
      const result = await this.#client.appendToStream(this.#stream(name), events, { expectedRevision });
      const { success, nextExpectedRevision, position } = result;
      return plain({ success, nextExpectedRevision, hasPosition: position !== undefined }) as Answer;
    });

  readonly #read = (name: string, options: Read = {}) =>
    attempt(async () => {
      const seen: unknown[] = [];
      for await (const { event: read, commitPosition } of this.#client.readStream(this.#stream(name), options)) {
        const { type, revision, data, metadata, isJson, position } = read ?? {};
        const has = { hasPosition: position !== undefined, commit: commitPosition !== undefined };
        seen.push(plain({ type, revision, data, metadata, isJson, ...has }));
      }
      return seen;
    });

  readonly #seen = async (name: string, options: Read = {}) => (await this.#read(name, options)) as Seen[];
  readonly #countOf = async (name: string) => (await this.#seen(name)).length;
  readonly #numbersOf = async (name: string, options: Read = {}) =>
    (await this.#seen(name, options)).map(({ data }) => data.n);
  readonly #revisionsOf = async (name: string) => (await this.#seen(name)).map(({ revision }) => revision);
  readonly #deleted = (name: string, expectedRevision: bigint | typeof ANY = ANY) =>
    attempt(async () => {
      await this.#client.deleteStream(this.#stream(name), { expectedRevision });
      return 'ok';
    });

  /** Collects a subscription's events, up to and including an event with `n: 'end'`. */
  #follow(subscription: StreamSubscription | AllStreamSubscription): { seen: unknown[]; end(): Promise<unknown[]> } {
    const seen: unknown[] = [];
    subscription.on('data', ({ event: delivered }: { event?: { data: unknown } }) => {
      seen.push((delivered?.data as { n: unknown }).n);
    });
    subscription.on('error', (error: unknown) => seen.push(failure(error).error));
    const end = async () => {
      await until(() => seen.includes('end'));
      await subscription.unsubscribe();
      return seen.filter((n) => n !== 'end');
    };
    return { seen, end };
  }

  /** The scenarios, by name as in the recording. */
  readonly all: Readonly<Record<string, () => Promise<unknown>>> = {
    'append with no_stream creates the stream at revision 0': () => this.#append('a', counted('A', 1), NO_STREAM),

    'append of several events is one write; next revision counts them': () =>
      this.#append('several', [event('A'), event('B'), event('C')], NO_STREAM),

    'append of no events to a new stream': async () => [
      await this.#append('none', [], NO_STREAM),
      await this.#read('none'),
    ],

    'append of no events to an existing stream': async () => {
      await this.#append('none2', [event('A')]);
      return [await this.#append('none2', [], 0n), await this.#append('none2', [], 5n)];
    },

    'no_stream on an existing stream is refused': async () => {
      await this.#append('b', [event('A'), event('B')]);
      return this.#append('b', [event('C')], NO_STREAM);
    },

    'stream_exists on a missing stream is refused': () => this.#append('c', [event('A')], STREAM_EXISTS),

    'stream_exists on an existing stream': async () => {
      await this.#append('c2', [event('A')]);
      return this.#append('c2', [event('B')], STREAM_EXISTS);
    },

    'exact revision right, too low, too high, on missing stream': async () => {
      await this.#append('d', [event('A'), event('B')]);
      return [
        await this.#append('d', [event('C')], 1n),
        await this.#append('d', [event('D')], 0n),
        await this.#append('d', [event('E')], 9n),
        await this.#append('d-missing', [event('F')], 0n),
      ];
    },

    'any on missing and existing': async () => [
      await this.#append('e', [event('A')]),
      await this.#append('e', [event('B')]),
    ],

    'same event id again, same expected revision: idempotent, one event': async () => {
      const same = event('A', { n: 1 }, { id: randomUUID() });
      const answers = [await this.#append('f', [same], NO_STREAM), await this.#append('f', [same], NO_STREAM)];
      return [...answers, await this.#countOf('f')];
    },

    'same event id again with any: idempotent': async () => {
      const same = event('A', { n: 1 }, { id: randomUUID() });
      await this.#append('g', [same]);
      await this.#append('g', [event('B')]);
      return [await this.#append('g', [same]), await this.#countOf('g')];
    },

    'same event id again after other events, exact old revision: idempotent': async () => {
      const same = event('B', {}, { id: randomUUID() });
      await this.#append('h', [event('A')], NO_STREAM);
      await this.#append('h', [same], 0n);
      await this.#append('h', [event('C')], 1n);
      return [await this.#append('h', [same], 0n), await this.#countOf('h')];
    },

    'same event id with another expected revision (the current one)': async () => {
      const same = event('A', {}, { id: randomUUID() });
      await this.#append('i', [same], NO_STREAM);
      return [await this.#append('i', [same], 0n), await this.#countOf('i')];
    },

    'a batch of which a part was written before': async () => {
      const part = event('A', {}, { id: randomUUID() });
      await this.#append('j', [part], NO_STREAM);
      return [await this.#append('j', [part, event('B')], NO_STREAM), await this.#countOf('j')];
    },

    'same event id in two streams: two events': async () => {
      const same = event('A', {}, { id: randomUUID() });
      return [await this.#append('k1', [same], NO_STREAM), await this.#append('k2', [same], NO_STREAM)];
    },

    'concurrent no_stream appends: exactly one wins': async () => {
      const appends = Array.from({ length: 20 }, (_, n) => this.#append('race', counted('A', n), NO_STREAM));
      const all = await Promise.all(appends);
      const refused = all.filter(({ error }) => error);
      return [all.length - refused.length, refused.length, [...new Set(refused.map(({ error }) => error))]];
    },

    'read a missing stream': async () => [
      await this.#read('missing'),
      await this.#read('missing', { direction: BACKWARDS, fromRevision: END, maxCount: 1 }),
    ],

    'read forwards, backwards, from the middle, limited, past the end': async () => {
      await this.#append('l', counted('N', 1, 2, 3, 4, 5));
      return [
        await this.#numbersOf('l'),
        await this.#numbersOf('l', { direction: BACKWARDS, fromRevision: END }),
        await this.#numbersOf('l', { direction: FORWARDS, fromRevision: 2n }),
        await this.#numbersOf('l', { direction: BACKWARDS, fromRevision: 2n }),
        await this.#numbersOf('l', { direction: FORWARDS, fromRevision: START, maxCount: 2 }),
        await this.#numbersOf('l', { direction: BACKWARDS, fromRevision: END, maxCount: 1 }),
        await this.#numbersOf('l', { direction: FORWARDS, fromRevision: 99n }),
        await this.#numbersOf('l', { direction: BACKWARDS, fromRevision: 99n }),
      ];
    },

    'metadata and data come back as written; unicode': async () => {
      const data = { s: 'ığüşöç İ 漢字 🎉', n: 1.5, nested: { a: [1, null, true] } };
      await this.#append('m', [event('A', data, { metadata: { tenantId: 't1', $correlationId: 'c1' } })]);
      return this.#read('m');
    },

    'soft delete, then read, then append with no_stream, any, exact; revisions go on': async () => {
      await this.#append('n', [event('A'), event('B')]);
      const gone = [{ ok: (await this.#deleted('n')) === 'ok' }, await this.#read('n')];
      const exact = await this.#append('n', [event('X')], 0n);
      const again = await this.#append('n', [event('C')], NO_STREAM);
      return [...gone, exact, again, await this.#read('n'), await this.#append('n', [event('D')], 2n)];
    },

    'soft delete then append at the last exact revision': async () => {
      await this.#append('n2', [event('A'), event('B')]);
      await this.#deleted('n2');
      return [await this.#append('n2', [event('C')], 1n), await this.#read('n2')];
    },

    'soft delete then stream_exists': async () => {
      await this.#append('n3', [event('A')]);
      await this.#deleted('n3');
      return this.#append('n3', [event('C')], STREAM_EXISTS);
    },

    'soft delete with a wrong expected revision; of a missing stream; twice': async () => {
      await this.#append('o', [event('A'), event('B')]);
      const refused = [await this.#deleted('o', 0n), await this.#deleted('o-missing')];
      return [...refused, await this.#deleted('o'), await this.#deleted('o')];
    },

    'tombstone, then read, then append': async () => {
      await this.#append('p', [event('A')]);
      await this.#client.tombstoneStream(this.#stream('p'));
      const appends = [await this.#append('p', [event('B')]), await this.#append('p', [event('B')], NO_STREAM)];
      return ['ok', await this.#read('p'), ...appends];
    },

    '$maxCount keeps the newest; revisions stay': async () => {
      await this.#append('q', counted('N', 1, 2, 3, 4));
      await this.#client.setStreamMetadata(this.#stream('q'), { maxCount: 2 });
      const kept = (await this.#seen('q')).map(({ revision, data }) => [revision, data.n]);
      return [kept, await this.#append('q', counted('N', 5), 3n), await this.#numbersOf('q')];
    },

    '$maxAge hides old events; the stream then reads as what, and takes which appends': async () => {
      await this.#append('r', [event('A'), event('B')]);
      await this.#client.setStreamMetadata(this.#stream('r'), { maxAge: 1 });
      await this.#passTime(2_500);
      const hidden = [
        await this.#read('r'),
        await this.#read('r', { direction: BACKWARDS, fromRevision: END, maxCount: 1 }),
      ];
      const noStream = await this.#append('r', [event('C')], NO_STREAM);
      const exact = await this.#append('r', [event('C')], 1n);
      return [...hidden, noStream, exact, await this.#revisionsOf('r')];
    },

    $truncateBefore: async () => {
      await this.#append('s', counted('N', 1, 2, 3));
      await this.#client.setStreamMetadata(this.#stream('s'), { truncateBefore: 2 });
      return (await this.#seen('s')).map(({ revision, data }) => [revision, data.n]);
    },

    'stream metadata round trip and its own revision': async () => {
      const set = async (maxAge: number, more: { owner?: string }, expectedRevision: AppendExpectedRevision) => {
        const name = this.#stream('t');
        return this.#client.setStreamMetadata(name, { maxAge, ...more }, { expectedRevision });
      };
      const get = async (name: string) => {
        const { metadata, metastreamRevision } = await this.#client.getStreamMetadata(this.#stream(name));
        return plain({ metadata, hasRevision: metastreamRevision !== undefined });
      };
      const { nextExpectedRevision: next } = await set(60, { owner: 'x' }, ANY);
      return [plain({ next }), await get('t'), await get('t-missing'), await attempt(() => set(61, {}, NO_STREAM))];
    },

    'read $all forwards with a stream-prefix filter, in commit order': async () => {
      for (const n of [1, 2, 3]) await this.#append(`u${n % 2}`, counted('U', n));
      const read: unknown[] = [];
      for await (const { event: one } of this.#client.readAll({ direction: FORWARDS, fromPosition: START }))
        if (one?.streamId.startsWith(this.#stream('u')))
          read.push([one.streamId, plain(one.revision), (one.data as { n: number }).n]);
      return read;
    },

    'positions grow, are unique per event; $all from a position is exclusive or inclusive': async () => {
      const append = async (name: string, ...numbers: number[]): Promise<Position> => {
        const { position } = await this.#client.appendToStream(this.#stream(name), counted('V', ...numbers));
        if (!position) throw new Error('The append has no position');
        return position;
      };
      const [first, second, third] = [await append('v', 1), await append('v', 2), await append('v', 3)];
      const numbersFrom = async (fromPosition: Position, direction: typeof FORWARDS | typeof BACKWARDS) => {
        const numbers: number[] = [];
        for await (const { event: one } of this.#client.readAll({ direction, fromPosition, maxCount: 50 }))
          if (one?.streamId === this.#stream('v')) numbers.push((one.data as { n: number }).n);
        return numbers;
      };
      const read = [await numbersFrom(second, FORWARDS), await numbersFrom(second, BACKWARDS)];
      const multi = await append('v2', 1, 2);
      const positions: Position[] = [];
      for await (const { event: one } of this.#client.readStream(this.#stream('v2')))
        if (one?.position) positions.push(one.position);
      const [one, two] = positions;
      return [
        first.commit < second.commit && second.commit < third.commit,
        ...read,
        positions.length,
        one?.commit === two?.commit,
        one !== undefined && two !== undefined && one.prepare < two.prepare,
        multi.commit === two?.commit,
      ];
    },

    'subscribe to a stream from the start: history, then live': async () => {
      await this.#append('w', counted('W', 1));
      const follower = this.#follow(this.#client.subscribeToStream(this.#stream('w'), { fromRevision: START }));
      await until(() => follower.seen.length > 0);
      await this.#append('w', [...counted('W', 2), event('W', { n: 'end' })]);
      return follower.end();
    },

    'subscribe to a missing stream waits for it; from a revision is exclusive': async () => {
      const name = this.#stream('x');
      const early = this.#client.subscribeToStream(name, { fromRevision: START });
      let confirmed = false;
      early.on('confirmation', () => (confirmed = true));
      const follower = this.#follow(early);
      await until(() => confirmed);
      await this.#append('x', [...counted('X', 1, 2, 3), event('X', { n: 'end' })]);
      const later = this.#follow(this.#client.subscribeToStream(name, { fromRevision: 0n }));
      return [await follower.end(), await later.end()];
    },

    'subscribe to $all with filters: prefix, regex, event type; exclusive from a position': async () => {
      const { position } = await this.#client.appendToStream(this.#stream('y'), counted('Yold', 0));
      const window = { maxSearchWindow: 32, checkpointInterval: 1 };
      const filters: Readonly<Record<string, Filter>> = {
        streamPrefix: { filterOn: STREAM_NAME, prefixes: [this.#stream('y')], ...window },
        streamRegex: { filterOn: STREAM_NAME, regex: `^${this.#stream('y')}`, ...window },
        eventPrefix: { filterOn: EVENT_TYPE, prefixes: ['Ynew'], ...window },
        eventRegex: { filterOn: EVENT_TYPE, regex: '^Y(new|other)$', ...window },
      };
      let confirmed = 0;
      const followers = Object.entries(filters).map(([name, filter]) => {
        const subscription = this.#client.subscribeToAll({ ...(position && { fromPosition: position }), filter });
        subscription.on('confirmation', () => (confirmed += 1));
        return [name, this.#follow(subscription)] as const;
      });
      await until(() => confirmed === followers.length);
      const events = [...counted('Ynew', 1), ...counted('Yother', 2), ...counted('Z', 3)];
      await this.#append('y', [...events, event('Ynew', { n: 'end' })]);
      const seen = followers.map(async ([name, follower]) => [name, await follower.end()] as const);
      return Object.fromEntries(await Promise.all(seen));
    },

    'filtered subscription reports checkpoints while nothing matches': async () => {
      let checkpoints = 0;
      const { position } = await this.#client.appendToStream(this.#stream('z'), event('Z'));
      const subscription = this.#client.subscribeToAll({
        ...(position && { fromPosition: position }),
        filter: {
          filterOn: STREAM_NAME,
          prefixes: ['nothing-matches-this'],
          maxSearchWindow: 1,
          checkpointInterval: 1,
          checkpointReached: () => {
            checkpoints += 1;
          },
        },
      });
      subscription.on('data', () => undefined);
      for (let n = 0; n < 50; n += 1) await this.#append('z', counted('Z', n));
      await until(() => checkpoints > 5);
      await subscription.unsubscribe();
      return checkpoints > 5;
    },

    'caughtUp and confirmation events of a subscription': async () => {
      const seen: string[] = [];
      await this.#append('aa', [event('A')]);
      const subscription = this.#client.subscribeToStream(this.#stream('aa'), { fromRevision: START });
      subscription.on('confirmation', () => seen.push('confirmation'));
      subscription.on('data', () => seen.push('data'));
      subscription.on('caughtUp', () => seen.push('caughtUp'));
      await until(() => seen.includes('caughtUp'));
      // An event delivered by mistake would arrive before this one.
      await this.#append('aa', [event('End')]);
      await until(() => seen.filter((what) => what === 'data').length === 2);
      await subscription.unsubscribe();
      return seen.slice(0, -1);
    },

    'a very large event, and one over the limit': async () => [
      await this.#append('bb', [event('Big', { s: 'x'.repeat(900_000) })]),
      await this.#append('bb', [event('Over', { s: 'x'.repeat(2_000_000) })]),
    ],

    'an empty stream name, an empty event type': async () => [
      await attempt(() => this.#client.appendToStream('', event('A'))),
      await this.#append('cc', [event('')]),
    ],

    'append to a system stream without rights': async () => {
      await this.#client.appendToStream('$scenario-RUN', event('A'));
      return 'ok';
    },
  };
}
