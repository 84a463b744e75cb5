import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EmbeddedEventStore } from '../../src/adapters/embedded/event-store.js';
import { EmbeddedReadStore } from '../../src/adapters/embedded/read-store.js';
import { EventStoreDb } from '../../src/adapters/eventstoredb/event-store.js';
import { SystemClock } from '../../src/adapters/system-time.js';
import { silentLogger } from '../../src/ports/log.js';
import { backupOf, contentOf, modelsOf, restored, verified } from '../support/backups.js';
import { EventStoreServer } from '../support/eventstore-server/event-store-server.js';
import { writeHistory } from '../support/history.js';
import { TestService } from '../support/service.js';

// Restores backups of an embedded history to EventStoreDB, and vice versa.

const clock = new SystemClock();
let directory: string;
let service: TestService;
let server: EventStoreServer;
let db: EventStoreDb;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'kontor-move-'));
  service = await TestService.start();
  await writeHistory(service, await service.openBooks(), { seed: 31, sales: 40 });
  await service.quiet();
  server = await EventStoreServer.start({ directory: join(directory, 'server') });
  db = EventStoreDb.open({ url: server.url, clock, logger: silentLogger });
});
afterAll(async () => {
  await service.close();
  await db.close();
  await server.stop();
  await rm(directory, { recursive: true, force: true });
});

test('A history restored from the embedded store to EventStoreDB and back stays identical', async () => {
  const { events: original } = service.service.engines;
  const theirs = { id: '0199d3a0-0000-7000-8000-00000000aaaa', type: 'Theirs', data: {}, metadata: {} };
  await db.append({ stream: 'theirs', expected: 'no_stream', events: [theirs] });
  await server.addNoise(20);

  const there = await backupOf(original, join(directory, 'there'));
  const all = await contentOf(original);
  expect(await restored(there, db)).toEqual({ written: all.length, found: 0 });
  expect(await contentOf(db)).toEqual(all);
  await expect(restored(there, db)).rejects.toThrow(/not empty/);
  expect(await restored(there, db, true)).toEqual({ written: 0, found: all.length });

  await server.addNoise(20);
  await db.append({
    stream: 'theirs',
    expected: 0,
    events: [{ ...theirs, id: '0199d3a0-0000-7000-8000-00000000aaab' }],
  });
  const back = await backupOf(db, join(directory, 'back'));
  expect((await verified(back)).trailer.count).toBe(all.length);
  const copy = EmbeddedEventStore.open({ directory: join(directory, 'copy'), clock });
  await restored(back, copy);
  expect(await contentOf(copy)).toEqual(all);

  const reads = await EmbeddedReadStore.open({ directory, mode: 'readwrite' });
  expect(await modelsOf(copy, reads)).toEqual(await modelsOf(original, reads));
  await Promise.all([copy.close(), reads.close()]);
});
