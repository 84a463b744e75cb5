import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EventStoreDb } from '../../src/adapters/eventstoredb/event-store.js';
import { SystemClock } from '../../src/adapters/system-time.js';
import { silentLogger } from '../../src/ports/log.js';
import { EventStoreServer } from '../support/eventstore-server/event-store-server.js';

const READS = 50;
const [PREFACE_BYTES, HEADER_BYTES, RST_STREAM] = [24, 9, 3];

/** Yields the types of the HTTP/2 frames that a client sends on a connection. */
function* framesIn(sent: Buffer): Iterable<number> {
  for (let at = PREFACE_BYTES; at + HEADER_BYTES <= sent.length; at += HEADER_BYTES + sent.readUIntBE(at, 3))
    yield sent.readUInt8(at + 3);
}

test('Servers close connections with many cancelled calls, so a read of a missing stream is not cancelled', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'kontor-missing-'));
  const server = await EventStoreServer.start({ directory });
  const connections: Buffer[][] = [];
  const proxy = createServer((client) => {
    const upstream = connect(Number(new URL(server.url).port), '127.0.0.1');
    const sent: Buffer[] = [];
    connections.push(sent);
    client.on('data', (part: Buffer) => void sent.push(part));
    client.pipe(upstream).pipe(client);
    for (const end of [client, upstream]) end.on('error', () => undefined);
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const url = `esdb://127.0.0.1:${(proxy.address() as AddressInfo).port}?tls=false`;
  const store = EventStoreDb.open({ url, clock: new SystemClock(), logger: silentLogger });
  for (let n = 0; n < READS; n += 1)
    expect(await store.readStream(`sale-${n}`)).toEqual({ exists: false, revision: -1, events: [] });
  await store.close();
  await server.stop();
  proxy.close();
  await rm(directory, { recursive: true });
  const frames = connections.flatMap((sent) => [...framesIn(Buffer.concat(sent))]);
  expect(frames.length).toBeGreaterThan(READS);
  expect(frames.filter((type) => type === RST_STREAM)).toEqual([]);
});
