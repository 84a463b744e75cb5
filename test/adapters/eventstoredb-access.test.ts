import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EventStoreDb } from '../../src/adapters/eventstoredb/event-store.js';
import { SystemClock } from '../../src/adapters/system-time.js';
import { BEFORE_ALL, EventStoreUnavailable } from '../../src/ports/event-store.js';
import type { Logger } from '../../src/ports/log.js';
import { Access } from '../support/eventstore-server/access.js';
import { EventStoreServer } from '../support/eventstore-server/event-store-server.js';
import { eventually } from '../support/eventually.js';
import { selfSigned } from '../support/self-signed.js';
import { freePort } from '../support/server-process.js';

const PASSWORD = 'se/cret%1';
const clock = new SystemClock();
const tls = selfSigned(['localhost'], ['127.0.0.1']);

/** Records the warnings and errors that are logged, one line each. */
function recorder(): { logger: Logger; lines: string[] } {
  const lines: string[] = [];
  const note = (about: object, message: string): void => void lines.push(`${message} ${JSON.stringify(about)}`);
  return { logger: { info: () => undefined, warn: note, error: note }, lines };
}

describe('The EventStoreDB adapter diagnoses EVENTSTORE_URL:', () => {
  let directory: string;
  let server: EventStoreServer;
  let access: Access;
  let lines: string[];
  let store: EventStoreDb | undefined;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'kontor-access-'));
    access = new Access('kontor', PASSWORD);
    server = await EventStoreServer.start({ directory, tls, access });
    await writeFile(join(directory, 'ca.pem'), tls.cert);
    await writeFile(join(directory, 'other.pem'), selfSigned(['localhost'], ['127.0.0.1']).cert);
  });
  afterEach(async () => {
    await store?.close();
    await server.stop();
    await rm(directory, { recursive: true });
  });

  function open(url: string): EventStoreDb {
    const { logger, lines: logged } = recorder();
    lines = logged;
    store = EventStoreDb.open({ url, clock, logger, timeoutMs: 1_000, quietMs: 100 });
    return store;
  }
  const secured = (password = PASSWORD, ca = 'ca.pem', host = '127.0.0.1'): string =>
    `esdb://kontor:${encodeURIComponent(password)}@${host}:${server.port}?tls=true&tlsCAFile=${join(directory, ca)}`;
  const append = () => ({
    stream: `sale-${randomUUID()}`,
    expected: 'no_stream' as const,
    events: [{ id: randomUUID(), type: 'Counted', data: {}, metadata: {} }],
  });

  /** Subscribes, and repeatedly reads the head and appends. Expects the store to be unavailable. */
  async function useAwhile(): Promise<void> {
    const stop = new AbortController();
    const following = (async () => {
      for await (const _ of store?.subscribeToAll({ after: BEFORE_ALL, signal: stop.signal }) ?? []) continue;
    })();
    for (let time = 0; time < 5; time += 1) {
      await expect(store?.head()).rejects.toBeInstanceOf(EventStoreUnavailable);
      await store?.append(append()).catch((error: unknown) => {
        expect(error).toBeInstanceOf(EventStoreUnavailable);
      });
    }
    stop.abort();
    await following;
  }

  test('no fault if it is valid, including with the scheme of KurrentDB', async () => {
    for (const url of [secured(), secured().replace('esdb:', 'kurrentdb:')]) {
      open(url);
      expect(await store?.append(append())).toMatchObject({ revision: 0 });
      expect(store?.fault()).toBeUndefined();
      await store?.close();
    }
    expect(lines).toEqual([]);
  });

  test.each([
    [
      'a wrong password',
      () => secured('another'),
      { setting: 'EVENTSTORE_URL, user and password', reason: '16 UNAUTHENTICATED: Received HTTP status code 401' },
      'The event store denies access to the configured user',
    ],
    [
      'an authority that did not sign the certificate',
      () => secured(PASSWORD, 'other.pem'),
      { setting: 'EVENTSTORE_URL, tlsCAFile', reason: "the server's certificate is not signed by a trusted authority" },
      'The event store is unavailable',
    ],
    [
      'no authority at all',
      () => `esdb://kontor:x@127.0.0.1:${server.port}`,
      { setting: 'EVENTSTORE_URL, tlsCAFile', reason: "the server's certificate is not signed by a trusted authority" },
      'The event store is unavailable',
    ],
    [
      'a missing tls=true',
      () => `esdb://127.0.0.1:${server.port}?tls=false`,
      { setting: 'EVENTSTORE_URL, host, port and tls', reason: 'the server accepts connections but does not respond' },
      'The event store is unavailable',
    ],
    [
      'an unknown host',
      () => secured(PASSWORD, 'ca.pem', 'nobody.invalid'),
      { setting: 'EVENTSTORE_URL, host', reason: 'the host name is unknown' },
      'The event store is unavailable',
    ],
  ])('%s', async (_, url, fault, message) => {
    open(url());
    await useAwhile();
    expect(store?.fault()).toEqual(fault);
    expect(lines).toEqual([`${message} ${JSON.stringify(fault)}`]);
    expect(lines.join()).not.toContain(PASSWORD);
  });

  test('a missing permission, until it is granted', async () => {
    access.forbidden.add('read $all');
    open(secured());
    await useAwhile();
    const fault = {
      setting: 'EVENTSTORE_URL, user',
      reason: '7 PERMISSION_DENIED: Access Denied (the user needs permission to read $all)',
    };
    expect(store?.fault()).toEqual(fault);
    expect(lines).toEqual([`The event store denies access to the configured user ${JSON.stringify(fault)}`]);
    access.forbidden.clear();
    await store?.head();
    expect(store?.fault()).toBeUndefined();
    access.forbidden.add('write');
    await expect(store?.append(append())).rejects.toBeInstanceOf(EventStoreUnavailable);
    expect(store?.fault()).toMatchObject({ reason: 'AccessDenied (the user needs permission to append to streams)' });
  });

  test('a port without a listener, until there is one', async () => {
    const port = await freePort();
    open(`esdb://127.0.0.1:${port}?tls=false`);
    await useAwhile();
    expect(store?.fault()).toEqual({ setting: 'EVENTSTORE_URL, host and port', reason: 'the connection was refused' });
    const late = await EventStoreServer.start({ directory: join(directory, 'late'), port });
    await eventually(
      () =>
        store
          ?.head()
          .then(() => true)
          .catch(() => false),
      20_000,
    );
    expect(store?.fault()).toBeUndefined();
    await store?.close();
    await late.stop();
  });

  test('a certificate file that was removed during an outage', async () => {
    const away = await EventStoreServer.start({ directory: join(directory, 'away'), tls, access });
    open(secured().replace(`:${server.port}`, `:${away.port}`));
    const isThere = () =>
      store?.head().then(
        () => true,
        () => false,
      );
    await eventually(isThere, 20_000);
    await rm(join(directory, 'ca.pem'));
    await away.stop();
    const fault = { setting: 'EVENTSTORE_URL, tlsCAFile', reason: 'the file cannot be read' };
    await eventually(async () => {
      await expect(store?.head()).rejects.toBeInstanceOf(EventStoreUnavailable);
      return store?.fault()?.setting === fault.setting;
    }, 20_000);
    expect(store?.fault()).toEqual(fault);
    expect(lines).toContain(`The event store is unavailable ${JSON.stringify(fault)}`);
  });

  test('a server without TLS', async () => {
    const plain = await EventStoreServer.start({ directory: join(directory, 'plain') });
    open(secured().replace(`:${server.port}`, `:${plain.port}`));
    await useAwhile();
    expect(store?.fault()).toEqual({
      setting: 'EVENTSTORE_URL, tls',
      reason: 'TLS could not be negotiated with the server',
    });
    await store?.close();
    await plain.stop();
  });
});
