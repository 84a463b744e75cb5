// A child process that writes to an embedded event store, for tests that kill it or exhaust its disk.
import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { EmbeddedEventStore } from '../../src/adapters/embedded/event-store.js';
import { SystemClock } from '../../src/adapters/system-time.js';
import { EventStoreUnavailable } from '../../src/ports/event-store.js';

const [mode, directory, run] = process.argv.slice(2) as [string, string, string];
const say = (line: string): void => {
  // A write to a pipe is synchronous, so it waits while the pipe is full.
  process.stdout.write(`${line}\n`);
};
const text = 'x'.repeat(400);
const append = (store: EmbeddedEventStore, stream: string) =>
  store.append({
    stream,
    expected: 'no_stream',
    events: ['Opened', 'Filled', 'Closed'].map((type) => ({ id: randomUUID(), type, data: { text }, metadata: {} })),
  });

/** Runs eight writers until the process is killed. Each reports the streams of its acknowledged appends. */
async function appendUntilKilled(store: EmbeddedEventStore): Promise<void> {
  const writer = async (name: number): Promise<void> => {
    for (let count = 0; ; count++) {
      const stream = `run-${run}-${name}-${count}`;
      await append(store, stream);
      say(stream);
    }
  };
  await Promise.all(Array.from({ length: 8 }, (_, name) => writer(name)));
}

/** Appends until the file-size limit is reached, lifts the limit, and retries the rejected append. */
async function appendUnderLimit(store: EmbeddedEventStore): Promise<void> {
  for (let count = 0; ; count++) {
    const stream = `run-${run}-${count}`;
    try {
      await append(store, stream);
      say(`acked ${stream}`);
    } catch (error) {
      say(`refused ${stream} ${error instanceof EventStoreUnavailable ? 'EventStoreUnavailable' : String(error)}`);
      const { exists } = await store.readStream(stream);
      const readable = await store.readAll({ maxCount: 100_000 });
      say(`stored ${exists}`);
      say(`readable ${readable.length}`);
      execFileSync('prlimit', ['--pid', String(process.pid), '--fsize=unlimited']);
      say(`acked ${stream} ${(await append(store, stream)).revision}`);
      break;
    }
  }
  await store.close();
}

try {
  const store = EmbeddedEventStore.open({ directory, clock: new SystemClock() });
  await (mode === 'until-killed' ? appendUntilKilled(store) : appendUnderLimit(store));
} catch (error) {
  say(`failed ${(error as Error).message}`);
}
