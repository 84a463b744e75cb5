import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { EventStoreDBClient } from '@eventstore/db-client';
import { EventStoreDb } from '../../src/adapters/eventstoredb/event-store.js';
import { SystemClock } from '../../src/adapters/system-time.js';
import { silentLogger } from '../../src/ports/log.js';
import { eventStoreContract } from '../contracts/event-store.contract.js';
import { EventStoreScenarios } from '../support/eventstore-scenarios.js';
import { eventStoreRecipe } from '../support/eventstore-server/recipe.js';
import { ServerProcess } from '../support/server-process.js';

// The tests use the server at EVENTSTORE_URL, or the test server in a separate process.
const given = process.env['EVENTSTORE_URL'];
const own = given === undefined || given === '' ? await ServerProcess.start(eventStoreRecipe) : undefined;
const url = own?.url ?? given ?? '';
afterAll(() => own?.dispose());

test('the suites below name the server they ran against', async () => {
  const client = EventStoreDBClient.connectionString(url);
  const version = String(await (client as unknown as { capabilities: Promise<object> }).capabilities.then(versionOf));
  process.stderr.write(`event store: ${own ? 'the test server' : 'EVENTSTORE_URL'}, ${version}\n`);
  expect(version).toMatch(/^\d+\.\d+/);
  await client.dispose();
});

const versionOf = (capabilities: object): unknown => (capabilities as { serverVersion?: unknown }).serverVersion;

eventStoreContract('The EventStoreDB adapter on a server of its own', () => {
  const store = EventStoreDb.open({ url, clock: new SystemClock(), logger: silentLogger });
  return Promise.resolve({ store, cleanup: () => store.close() });
});

describe('The server responds like the recorded EventStoreDB 23.10', () => {
  const golden = JSON.parse(
    readFileSync(new URL('../support/golden/eventstoredb-golden.json', import.meta.url), 'utf8'),
  ) as Record<string, unknown>;
  const client = EventStoreDBClient.connectionString(url);
  const scenarios = new EventStoreScenarios({ client, passTime: (ms) => sleep(ms) });
  afterAll(() => client.dispose());

  test.each(Object.keys(golden))('%s', async (name) => {
    expect(await scenarios.all[name]?.()).toStrictEqual(golden[name]);
  });
});
