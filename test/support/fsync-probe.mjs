// Appends one event after another to the service's embedded event store, or publishes messages to its embedded broker.
// As soon as the nth event or message is acknowledged, writes `ACK n` to standard output in a single write.
// .ci/fsync-order.sh traces this program. It also traces a run with KONTOR_PROBE_SYNCHRONOUS=OFF, to prove that the
// check detects a missing flush.
//
//   node fsync-probe.mjs <dist> <event-store|broker> <directory> <count>
import { randomUUID } from 'node:crypto';
import { writeSync } from 'node:fs';
import { register } from 'node:module';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const [dist, engine, directory, count] = process.argv.slice(2);
const load = (path) => import(pathToFileURL(resolve(dist, path)).href);

// The service has no setting that disables flushing. The hook rewrites the SQL statement while the service's modules
// are loaded.
const carelessHooks = `
  export async function load(url, context, next) {
    const loaded = await next(url, context);
    if (!url.includes('/adapters/embedded/')) return loaded;
    return { ...loaded, source: String(loaded.source).replace(/synchronous\\s*=\\s*\\w+/gi, 'synchronous = OFF') };
  }`;
if (process.env.KONTOR_PROBE_SYNCHRONOUS === 'OFF') {
  register(`data:text/javascript,${encodeURIComponent(carelessHooks)}`);
}

const { SystemClock } = await load('adapters/system-time.js');
const clock = new SystemClock();

const engines = {
  'event-store': async () => {
    const { EmbeddedEventStore } = await load('adapters/embedded/event-store.js');
    const store = await EmbeddedEventStore.open({ directory, clock });
    return {
      write: (marker) =>
        store.append({
          stream: `probe-platform_${marker}`,
          expected: 'no_stream',
          events: [{ id: randomUUID(), type: 'ProbeAppended', data: { marker }, metadata: {} }],
        }),
      close: () => store.close(),
    };
  },
  broker: async () => {
    const { EmbeddedBroker } = await load('adapters/embedded/broker.js');
    const broker = await EmbeddedBroker.open({ directory, clock, keptMessages: 1_000_000 });
    return {
      write: (marker) => broker.publish({ id: marker, subject: 'kontor.probe', payload: marker }),
      close: () => broker.close(),
    };
  },
};

const { write, close } = await engines[engine]();
for (let n = 1; n <= Number(count); n++) {
  await write(`fsync-probe-${String(n).padStart(4, '0')}`);
  writeSync(1, `ACK ${n}\n`);
}
await close();
