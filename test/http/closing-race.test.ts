import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expectAllLateEntriesFound, withSlowPostings } from '../support/closing-race.js';
import { EventStoreServer } from '../support/eventstore-server/event-store-server.js';
import { TestService } from '../support/service.js';

describe('A period that is closed during 200 concurrent postings lists all late entries', () => {
  test('on the embedded event store', async () => {
    const service = await TestService.start({ between: withSlowPostings });
    try {
      await expectAllLateEntriesFound([service], 'embedded');
      expect(service.complaints).toEqual([]);
    } finally {
      await service.close();
    }
  });

  test('on EventStoreDB', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'kontor-race-'));
    const server = await EventStoreServer.start({ directory, like: '23.10' });
    const environment = { EVENTSTORE_URL: server.url };
    const service = await TestService.start({ environment, between: withSlowPostings });
    try {
      await expectAllLateEntriesFound([service], 'EventStoreDB');
      expect(service.complaints).toEqual([]);
    } finally {
      await service.close();
      await server.stop();
      await rm(directory, { recursive: true });
    }
  });
});
