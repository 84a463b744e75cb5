// npm run eventstore:test -- [--port N] [--data DIR]
//
// An EventStoreDB for tests: its protocol over the embedded engine. Prints one line with its URL when it is ready; SIGTERM
// ends it. Without --data it keeps its data in a temporary folder, which is removed at the end; without --port it takes a
// free one. Faults are told to it on its standard input, one a line, and each is answered with `ok …` or `error …`:
//   hang | resume | slow MS | drop N | silence | abort | refuse | accept | clear | disconnect | restart [MS] | noise N
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { tell } from '../test/support/eventstore-server/control.ts';
import { EventStoreServer } from '../test/support/eventstore-server/event-store-server.ts';

const { values } = parseArgs({ options: { port: { type: 'string' }, data: { type: 'string' } } });
const port = Number(values.port ?? 0);
if (!Number.isInteger(port) || port < 0 || port > 65_535) throw new Error(`No such port: ${values.port}`);

const directory = values.data ?? (await mkdtemp(join(tmpdir(), 'kontor-eventstore-')));
const server = await EventStoreServer.start({ directory, port });

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
