import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EmbeddedEventStore } from '../../src/adapters/embedded/event-store.js';
import { catalogue } from '../../src/app/catalogue.js';
import { LoginFailures } from '../../src/commands/login-throttle.js';
import { Appender } from '../../src/eventsourcing/appender.js';
import { Claims } from '../../src/eventsourcing/claims.js';
import { CommandRunner } from '../../src/eventsourcing/command-runner.js';
import { inContext } from '../../src/eventsourcing/context.js';
import { Memberships } from '../../src/eventsourcing/memberships.js';
import { RecordReader } from '../../src/eventsourcing/record-reader.js';
import { FaultyEventStore } from '../support/faulty-event-store.js';
import { ManualClock, SeededIds } from '../support/manual-clock.js';
import { TENANT } from '../support/member.toy.js';

describe('A failed sign-in', () => {
  let directory: string;
  let store: FaultyEventStore;
  let clock: ManualClock;
  let failures: LoginFailures;
  let said: string[];
  const ids = new SeededIds(5);
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'kontor-failures-'));
    clock = new ManualClock();
    store = new FaultyEventStore(EmbeddedEventStore.open({ directory, clock }));
    const reader = new RecordReader(store, catalogue, clock);
    const appender = new Appender(store, catalogue, clock);
    const claims = new Claims(reader, appender, catalogue, clock, ids);
    const memberships = new Memberships(reader, appender, catalogue, clock, ids);
    const say = (_: object, message: string): void => void said.push(message);
    said = [];
    const runner = new CommandRunner(reader, appender, claims, memberships, clock);
    failures = new LoginFailures(runner, clock, ids, { info: say, warn: say, error: say });
  });
  afterEach(async () => {
    await store.close();
    await rm(directory, { recursive: true });
  });

  const record = (): void => {
    const owner = { userId: 'ada', epoch: 0, keptSessionId: null, tenantEpoch: 0 };
    const id = ids.next();
    const actor = { kind: 'anonymous' } as const;
    inContext({ tenantId: 'platform', actor, requestId: id, correlationId: id, commandId: id }, () => {
      failures.record({ tenantId: TENANT, owner }, 'WRONG_PASSWORD');
    });
  };
  const recorded = async (): Promise<number> => (await store.readAll()).length;

  test('is recorded after its response, so the response takes no longer', async () => {
    record();
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(store.appends).toEqual([]);
    await clock.advance(100);
    while ((await recorded()) === 0) await new Promise((resolve) => setTimeout(resolve, 1));
  });

  test('does not wait for its record, but shutdown does', async () => {
    const pause = store.pauseAppendTo('session-');
    record();
    await clock.advance(100);
    await pause.reached;
    let ended = false;
    const ending = failures.onApplicationShutdown().then(() => (ended = true));
    await new Promise((resolve) => setImmediate(resolve));
    expect([await recorded(), ended]).toEqual([0, false]);
    pause.resume();
    await ending;
    const [event] = await store.readAll();
    expect(event).toMatchObject({ type: 'LoginFailed', data: { userId: 'ada' }, metadata: { tenantId: TENANT } });
  });

  test('that cannot be recorded is logged', async () => {
    store.away = true;
    record();
    await failures.onApplicationShutdown();
    expect(said).toEqual(['a rejected sign-in could not be recorded']);
  });

  test('is only logged if very many are waiting to be recorded', async () => {
    const pause = store.pauseAppendTo('session-');
    for (let time = 0; time < 1_003; time += 1) record();
    expect(said).toEqual(Array.from({ length: 3 }, () => 'a rejected sign-in was not recorded: too many are waiting'));
    const ending = failures.onApplicationShutdown();
    await pause.reached;
    pause.resume();
    await ending;
    expect(await recorded()).toBe(1_000);
    record();
    await failures.onApplicationShutdown();
    expect(await recorded()).toBe(1_001);
  });
});
