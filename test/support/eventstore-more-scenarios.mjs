// Further scenarios for a real EventStoreDB, run through its official client: `node eventstore-more-scenarios.mjs URL
// [NAME]` prints the responses as JSON. The first scenario requires an empty server.
// golden/eventstoredb-more-golden.json contains the recorded responses of versions 23.10.6 and 24.10.4, which differ in
// five scenarios.
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { randomUUID } from 'node:crypto';
const require = createRequire(pathToFileURL(process.cwd() + '/'));
const {
  EventStoreDBClient,
  jsonEvent,
  START,
  END,
  FORWARDS,
  BACKWARDS,
  NO_STREAM,
  streamNameFilter,
  eventTypeFilter,
} = require('@eventstore/db-client');

const url = process.argv[2] ?? 'esdb://127.0.0.1:2113?tls=false';
const client = EventStoreDBClient.connectionString([url]);
const run = randomUUID().slice(0, 8);
const stream = (name) => `more${run}-${name}`;
const event = (type, data = {}, more = {}) => jsonEvent({ type, data, ...more });
const sleep = (ms) => new Promise((r) => setTimeout(r, ms));
const LARGEST = 18446744073709551615n;
const failure = (error) => ({
  error: error?.type ?? error?.name,
  code: error?.code,
  message: String(error?.message).slice(0, 120),
});
const attempt = async (fn) => {
  try {
    return await fn();
  } catch (error) {
    return failure(error);
  }
};

/** Returns the events that a subscription delivers within `ms`. `LARGEST` represents 2^64 - 1. */
async function told(fromPosition, filter, ms, during = async () => undefined) {
  const seen = { order: [], checkpoints: [], events: 0 };
  const note = (what) => {
    if (seen.order.at(-1) !== what) seen.order.push(what);
  };
  const checkpointReached = (_, { commit, prepare }) => {
    note('checkpoint');
    seen.checkpoints.push(
      commit === LARGEST && prepare === LARGEST ? 'LARGEST' : commit === prepare ? 'a position' : 'two positions',
    );
  };
  const sub = client.subscribeToAll({ fromPosition, filter: filter && { ...filter, checkpointReached } });
  sub
    .on('confirmation', () => note('confirmation'))
    .on('caughtUp', () => note('caughtUp'))
    .on('fellBehind', () => note('fellBehind'));
  sub.on('data', () => {
    note('event');
    seen.events += 1;
  });
  const ended = new Promise((resolve) =>
    sub.on('error', (error) => {
      note('error');
      resolve(failure(error));
    }),
  );
  const [error] = await Promise.all([Promise.race([ended, sleep(ms)]), during()]);
  await Promise.race([sub.unsubscribe().catch(() => undefined), sleep(500)]);
  const kinds = {};
  for (const c of seen.checkpoints) kinds[c] = (kinds[c] ?? 0) + 1;
  return {
    order: seen.order.slice(0, 12),
    checkpoints: Object.keys(kinds),
    firstCheckpoint: seen.checkpoints[0] ?? null,
    events: seen.events > 0,
    ...(error && { error }),
  };
}
const paced = (filter) => ({ ...filter, maxSearchWindow: 32, checkpointInterval: 1 });
const lastPosition = async () => {
  for await (const { event: e } of client.readAll({ direction: BACKWARDS, fromPosition: END, maxCount: 1 }))
    return e.position;
};

const scenarios = {
  async 'a filtered subscription to $all on a store without events of its own: its checkpoints'() {
    return told(START, paced(eventTypeFilter({ regex: '^[^$]' })), 1500);
  },
  async 'a filtered subscription to $all that goes live: its checkpoints'() {
    for (let n = 0; n < 40; n += 1) await client.appendToStream(stream('live'), event('A', { n }));
    return told(START, paced(streamNameFilter({ prefixes: [`more${run}-`] })), 1500);
  },
  async 'a filtered subscription to $all from the end, while others write'() {
    const from = await lastPosition();
    return told(from, paced(streamNameFilter({ prefixes: ['nothing-'] })), 2000, async () => {
      for (let n = 0; n < 200; n += 1) await client.appendToStream(stream('busy'), event('A', { n }));
    });
  },
  async 'an append of no events to a stream: its position beside that of the last event'() {
    const written = await client.appendToStream(stream('empty'), event('A'));
    const nothing = await client.appendToStream(stream('empty'), [], {
      expectedRevision: written.nextExpectedRevision,
    });
    return {
      revision: `${nothing.nextExpectedRevision}`,
      position: nothing.position
        ? nothing.position.commit > written.position.commit
          ? 'greater'
          : nothing.position.commit === written.position.commit
            ? 'the same'
            : 'smaller'
        : 'none',
    };
  },
  async 'the same append twice at once: what each gets, and when'() {
    const rounds = [];
    for (let round = 0; round < 5; round += 1) {
      const same = event('A');
      const answers = await Promise.all(
        [0, 1].map(async () => {
          const from = performance.now();
          const answer = await attempt(async () =>
            (await client.appendToStream(stream(`twice${round}`), same, { expectedRevision: NO_STREAM })).success
              ? 'stored'
              : 'refused',
          );
          return {
            answer: answer.error ?? answer,
            within: performance.now() - from < 1000 ? '1 s' : performance.now() - from < 4000 ? '4 s' : 'more',
          };
        }),
      );
      let count = 0;
      for await (const _ of client.readStream(stream(`twice${round}`))) count += 1;
      rounds.push({ answers: answers.map((a) => `${a.answer} within ${a.within}`).sort(), stored: count });
    }
    return { kinds: [...new Set(rounds.map((r) => JSON.stringify(r)))].sort().map((t) => JSON.parse(t)) };
  },
  async 'the same append twice, the second before the first is answered, to one of 200 streams: how many are not answered in time'() {
    let late = 0;
    await Promise.all(
      Array.from({ length: 200 }, async (_, n) => {
        const same = event('A');
        const one = () =>
          client.appendToStream(stream(`many${n}`), same, { expectedRevision: NO_STREAM }).catch(() => {
            late += 1;
          });
        await Promise.all([one(), one()]);
      }),
    );
    return { someAreNotAnsweredInTime: late > 0 };
  },
  async 'subscribe to $all from a position inside a record, and one beyond the end'() {
    const { commit } = await lastPosition();
    const at = (n) => ({ commit: n, prepare: n });
    return {
      inside: await told(at(commit - 1n), paced(eventTypeFilter({ regex: '^[^$]' })), 1500),
      beyond: await told(at(commit + 1_000_000n), paced(eventTypeFilter({ regex: '^[^$]' })), 1500),
    };
  },
  async 'read $all from a position inside a record, and one beyond the end'() {
    const { commit } = await lastPosition();
    const read = (n) =>
      attempt(async () => {
        let count = 0;
        for await (const _ of client.readAll({
          direction: FORWARDS,
          fromPosition: { commit: n, prepare: n },
          maxCount: 5,
        }))
          count += 1;
        return { events: count };
      });
    return { inside: await read(commit - 1n), beyond: await read(commit + 1_000_000n) };
  },
  async 'a subscription whose consumer is quick while 3,000 events are written at once'() {
    const from = await lastPosition();
    let seen = 0,
      error;
    const sub = client.subscribeToAll(
      { fromPosition: from, filter: paced(streamNameFilter({ prefixes: [`more${run}-quick`] })) },
      { highWaterMark: 4096 },
    );
    sub
      .on('data', () => {
        seen += 1;
      })
      .on('error', (e) => {
        error = failure(e);
      });
    await sleep(500);
    // The default deadline is too short for so many appends on a busy machine.
    const deadline = 45_000;
    await Promise.all(
      Array.from({ length: 3000 }, (_, n) =>
        client.appendToStream(stream(`quick${n % 50}`), event('A', { n, text: 'x'.repeat(2000) }), { deadline }),
      ),
    );
    await sleep(3000);
    await Promise.race([sub.unsubscribe().catch(() => undefined), sleep(500)]);
    return { brokenOff: error ?? false, ...(error ? {} : { all: seen === 3000 }) };
  },
};

const only = process.argv[3];
const answers = {};
for (const [name, scenario] of Object.entries(scenarios)) {
  if (only && !name.includes(only)) continue;
  answers[name] = await Promise.race([attempt(scenario), sleep(60_000).then(() => 'no answer in 60 s')]);
}
console.log(JSON.stringify(answers, null, 1));
await Promise.race([client.dispose(), sleep(1000)]);
process.exit(0);
