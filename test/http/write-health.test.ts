import { AppendOutcomeUnknown, EventStoreUnavailable, WrongExpectedRevision } from '../../src/ports/event-store.js';
import type { Append, Appended, EventStore } from '../../src/ports/event-store.js';
import type { EngineFault } from '../../src/ports/engine.js';
import { instrumentedEvents } from '../../src/observability/instrumented-engines.js';
import { eventually } from '../support/eventually.js';
import { TestService, type Books } from '../support/service.js';

type Probe = {
  readonly status: string;
  readonly checks: readonly { readonly name: string; readonly status: string; readonly reason?: string }[];
};

/** Creates the error with which appends fail. Undefined if appends succeed. */
let meets: (() => Error) | undefined;
/** Streams of all attempted appends. */
const streams: string[] = [];
let fault: EngineFault | undefined;
let service: TestService;
let books: Books;

/** Wraps the innermost store, so that append metrics include the failures. */
function failing(inner: EventStore): EventStore {
  const guarded = async <T>(given: readonly Append[], append: () => Promise<T>): Promise<T> => {
    streams.push(...given.map(({ stream }) => stream));
    if (meets) throw meets();
    return append();
  };
  return new Proxy(inner, {
    get(target, name) {
      if (name === 'append')
        return (append: Append): Promise<Appended> => guarded([append], () => target.append(append));
      if (name === 'appendInOrder')
        return (given: readonly Append[]): Promise<Appended[]> => guarded(given, () => target.appendInOrder(given));
      if (name === 'fault') return () => fault;
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? (value as () => unknown).bind(target) : value;
    },
  });
}

beforeEach(async () => {
  streams.length = 0;
  meets = fault = undefined;
  service = await TestService.start({
    environment: { METRICS_TOKEN: 'metrics-token-for-tests' },
    between: (engines) => ({ ...engines, events: instrumentedEvents(failing(engines.events), engines) }),
  });
  books = await service.openBooks();
  await service.quiet();
});
afterEach(async () => {
  meets = undefined;
  await service.close();
});

const full = () => new EventStoreUnavailable('The append could not be stored', undefined, 'disk full');
const probed = async (): Promise<{ status: number; eventStore: Probe['checks'][number] | undefined }> => {
  const { status, body } = await service.get('/readyz');
  return { status, eventStore: (body as Probe).checks.find(({ name }) => name === 'event-store') };
};
const write = () => service.post('/api/branches', { code: `B${streams.length}`, name: 'Branch' }, books.tenant.token);

test('While appends fail, the service is not ready, gives the reason, and recovers automatically', async () => {
  expect((await probed()).status).toBe(200);
  meets = full;
  expect((await write()).status).toBe(503);
  expect(await probed()).toEqual({
    status: 503,
    eventStore: { name: 'event-store', status: 'down', reason: 'the last append failed: disk full' },
  });
  const metrics = async () => (await service.get('/metrics', 'metrics-token-for-tests')).text;
  expect(await metrics()).toContain('kontor_event_store_writes_failing{reason="disk full"} 1');
  meets = undefined;
  await eventually(async () => (await probed()).status === 200, 5_000);
  expect(await metrics()).toContain('kontor_event_store_writes_failing{reason=""} 0');
});

test('The probe writes at most once a second, however often it is called', async () => {
  meets = full;
  await write();
  const beganAtMs = performance.now();
  for (let n = 0; n < 200; n += 1) expect((await probed()).status).toBe(503);
  const seconds = (performance.now() - beganAtMs) / 1_000;
  const tries = streams.filter((stream) => stream === 'kontor-writes').length;
  expect(tries).toBeGreaterThanOrEqual(1);
  expect(tries).toBeLessThanOrEqual(1 + seconds);
});

test('An append without a response is treated as failed, but a lost race is not', async () => {
  meets = () => {
    meets = undefined;
    return new WrongExpectedRevision('branch-x-y', 0, 1);
  };
  await write();
  expect((await probed()).status).toBe(200);
  meets = () => new AppendOutcomeUnknown('branch-x-y', new Error('esdb://admin:secret@10.0.0.1 timed out'));
  await write();
  const { status, eventStore } = await probed();
  expect([status, eventStore?.reason]).toEqual([503, 'the last append failed: no response in time']);
});

test('A fault known to an engine is reported with the setting to correct', async () => {
  fault = { setting: 'EVENTSTORE_URL', reason: 'the server refuses the password' };
  const { engines } = service.service;
  engines.events.head = () => Promise.reject(new EventStoreUnavailable('away'));
  const { status, eventStore } = await probed();
  expect([status, eventStore?.reason]).toEqual([503, 'EVENTSTORE_URL: the server refuses the password']);
});
