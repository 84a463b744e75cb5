// npm run eventstore:test -- [--port N] [--data DIR] [--like VERSION] [--flush-delay MS]
//
// A test server that speaks EventStoreDB's protocol on top of the embedded engine. Behaves like EventStoreDB 23.10.6
// or, with `--like 24.10`, like 24.10.4, and writes the same system events. Prints one line with the URL when the
// server is ready. SIGTERM ends the server. Without --data, uses a temporary folder, which is removed at the end.
// Without --port, uses a free port. --flush-delay sets the time during which appends share a flush. Reads faults from
// standard input, one per line, and replies to each with `ok …` or `error …`:
//   hang | resume | slow MS | drop N | silence | abort | refuse | accept | clear | disconnect | restart [MS] | noise N
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { tell } from '../test/support/eventstore-server/control.ts';
import { EventStoreServer } from '../test/support/eventstore-server/event-store-server.ts';
import { SERVER_VERSIONS } from '../test/support/eventstore-server/server-version.ts';

const string = { type: 'string' };
const { values } = parseArgs({
  options: { port: string, data: string, like: { ...string, default: '23.10' }, 'flush-delay': string },
});
const flushDelayMs = values['flush-delay'] === undefined ? undefined : Number(values['flush-delay']);
if (flushDelayMs !== undefined && !(flushDelayMs >= 0 && flushDelayMs <= 1_000))
  throw new Error(`--flush-delay must be 0 to 1000 milliseconds, not ${values['flush-delay']}`);
const port = Number(values.port ?? 0);
if (!Number.isInteger(port) || port < 0 || port > 65_535) throw new Error(`Invalid port: ${values.port}`);
if (!Object.hasOwn(SERVER_VERSIONS, values.like))
  throw new Error(`--like must be one of ${Object.keys(SERVER_VERSIONS).join(', ')}, not ${values.like}`);

const directory = values.data ?? (await mkdtemp(join(tmpdir(), 'kontor-eventstore-')));
const server = await EventStoreServer.start({ directory, port, like: values.like, systemEvents: true, flushDelayMs });

let ending = false;
async function end() {
  if (ending) return;
  ending = true;
  await server.stop();
  if (values.data === undefined) await rm(directory, { recursive: true, force: true });
  process.exit(0);
}
process.on('SIGTERM', () => void end());
process.on('SIGINT', () => void end());

console.log(`EventStoreDB test server ${server.version} at ${server.url}`);
for await (const line of createInterface({ input: process.stdin })) console.log(await tell(server, line));
