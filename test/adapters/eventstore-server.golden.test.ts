import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EventStoreDBClient } from '@eventstore/db-client';
import { EventStoreServer } from '../support/eventstore-server/event-store-server.js';
import { EventStoreScenarios } from '../support/eventstore-scenarios.js';
import { ManualClock } from '../support/manual-clock.js';

/** Responses from EventStoreDB 23.10.6 and 24.10.4 to the shared scenarios, recorded with the official client. */
const golden = JSON.parse(
  readFileSync(new URL('../support/golden/eventstoredb-golden.json', import.meta.url), 'utf8'),
) as Record<string, unknown>;

/** Removes gRPC status codes. Recorded append errors have no status code, because the recording used batch appends. */
const withoutCodes = (answer: unknown): unknown =>
  JSON.parse(JSON.stringify(answer, (key, value: unknown) => (key === 'code' ? undefined : value)));

describe.each([
  ['like 23.10, appends sent in batches', { like: '23.10' }, (answer: unknown) => answer],
  ['like 24.10, appends sent in batches', { like: '24.10' }, (answer: unknown) => answer],
  ['appends sent in separate calls, as to older servers', { batchAppend: false }, withoutCodes],
] as const)('The EventStoreDB test server behaves like EventStoreDB, %s', (_how, options, comparable) => {
  let server: EventStoreServer;
  let client: EventStoreDBClient;
  let directory: string;
  let scenarios: EventStoreScenarios;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'kontor-golden-'));
    const clock = new ManualClock();
    server = await EventStoreServer.start({ directory, clock, ...options });
    client = EventStoreDBClient.connectionString(server.url);
    const passTime = (ms: number): void => {
      clock.jump(ms);
    };
    scenarios = new EventStoreScenarios({ client, passTime });
  });
  afterAll(async () => {
    await client.dispose();
    await server.stop();
    await rm(directory, { recursive: true });
  });

  test.each(Object.keys(golden))('%s', async (name) => {
    const scenario = scenarios.all[name];
    if (!scenario) throw new Error(`The recording has a scenario that is not put to the server: ${name}`);
    expect(comparable(await scenario())).toStrictEqual(comparable(golden[name]));
  });

  test('in every recorded scenario and no others', () => {
    expect(Object.keys(scenarios.all).sort()).toEqual(Object.keys(golden).sort());
  });
});
