// The EventStoreDB test server in a process of its own. Prints its URL; replies to each line of input with the number of
// calls so far, as JSON.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { EventStoreServer } from '../test/support/eventstore-server/event-store-server.js';

const directory = mkdtempSync(join(tmpdir(), 'kontor-bench-eventstore-'));
process.on('exit', () => {
  rmSync(directory, { recursive: true, force: true });
});
process.on('SIGTERM', () => process.exit(0));
const server = await EventStoreServer.start({ directory, systemEvents: true });
process.stdout.write(`${server.url}\n`);
for await (const _ of createInterface({ input: process.stdin }))
  process.stdout.write(`${JSON.stringify(server.asked)}\n`);
