// Runs the EventStoreDB test server in a separate process. The argument is the history folder. Without an argument, the
// history is empty. Prints the server's URL. Replies to each line of input with the number of calls so far and the
// number of open subscriptions, as JSON.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { EventStoreServer } from '../test/support/eventstore-server/event-store-server.js';

const given = process.argv[2];
const directory = given ?? mkdtempSync(join(tmpdir(), 'kontor-bench-eventstore-'));
process.on('exit', () => {
  if (given === undefined) rmSync(directory, { recursive: true, force: true });
});
process.on('SIGTERM', () => process.exit(0));
const server = await EventStoreServer.start({ directory, systemEvents: true });
process.stdout.write(`${server.url}\n`);
for await (const _ of createInterface({ input: process.stdin }))
  process.stdout.write(`${JSON.stringify({ ...server.asked, open: server.subscriptions })}\n`);
