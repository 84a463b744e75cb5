import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EmbeddedEventStore } from '../../src/adapters/embedded/event-store.js';
import { openMongoDb, type MongoDb } from '../../src/adapters/mongodb/read-store.js';
import { SystemClock } from '../../src/adapters/system-time.js';
import { project } from '../../src/projecting/project.js';
import { Projector } from '../../src/projecting/projector.js';
import { silentLogger } from '../../src/ports/log.js';
import { ReadStoreUnavailable, tenantScope, type AnyTable } from '../../src/ports/read-store.js';
import { catalogue, facts, happen, memberProjection } from '../support/club.toy.js';
import { TENANT } from '../support/member.toy.js';
import { ReplicaSet } from '../support/replica-set.js';

const clock = new SystemClock();
const table: AnyTable = { model: memberProjection.model, generation: 1 };
const scope = tenantScope(TENANT);

describe('A projection on a MongoDB replica set that changes its primary', () => {
  let set: ReplicaSet;
  let mongo: MongoDb;
  let events: EmbeddedEventStore;
  let directory: string;

  beforeEach(async () => {
    set = await ReplicaSet.start();
    directory = await mkdtemp(join(tmpdir(), 'kontor-failover-'));
    events = EmbeddedEventStore.open({ directory, clock });
    mongo = openMongoDb({ url: set.url, clock, logger: silentLogger });
    await mongo.reads.prepare([table]);
  });
  afterEach(async () => {
    await mongo.close();
    await events.close();
    await set.close();
    await rm(directory, { recursive: true });
  });

  const projector = () => new Projector(mongo.reads, { projection: memberProjection, table });

  /**
   * Retries a failed projection until it is stored, as a projection runner does. Each attempt rereads the documents.
   */
  async function projectUntilStored(to: Projector): Promise<number> {
    const all = await events.readAll({ from: -1, maxCount: 100 });
    const position = all.at(-1)?.position ?? -1;
    const decoded = all.map((event) => catalogue.decode(event));
    for (;;) {
      try {
        await project(mongo.reads, [to], decoded, position);
        return position;
      } catch (error) {
        if (!(error instanceof ReadStoreUnavailable)) throw error;
      }
    }
  }

  test('no document misses an event below the checkpoint if the primary loses unreplicated writes', async () => {
    await happen(events, facts.joined('ada'));
    const one = projector();
    await projectUntilStored(one);
    await happen(events, facts.greeted('ada', 'kim'));
    set.isolatePrimary();
    set.onCommand = (command) => {
      if (command.find !== 'members_v1_g1') return;
      // The previous primary responds to the read that follows the failed write, but to no later command.
      set.failOver();
      set.onCommand = () => undefined;
    };
    const position = await projectUntilStored(one);
    expect(await mongo.reads.checkpoint(one.checkpointKey)).toBe(position);
    const [stored] = await mongo.reads.load(table, [{ scope, id: 'ada' }]);
    expect([stored?.position, JSON.parse(stored?.json ?? '{}')]).toEqual([
      position,
      expect.objectContaining({ greetings: 1 }),
    ]);
  });

  test('every read returns majority-committed data from the primary', async () => {
    await happen(events, facts.joined('ada'));
    await projectUntilStored(projector());
    set.commands.length = 0;
    const { reads, leases } = mongo;
    await reads.get(table, scope, 'ada');
    await reads.getMany(table, scope, ['ada']);
    await reads.load(table, [{ scope, id: 'ada' }]);
    await reads.checkpoints(['a']);
    await reads.liveGeneration('members', 1);
    await leases.read('projections');
    const finds = set.commands.filter((command) => 'find' in command);
    expect(finds).toHaveLength(6);
    for (const { readConcern, $readPreference } of finds) {
      expect([readConcern, $readPreference ?? { mode: 'primary' }]).toEqual([
        { level: 'majority' },
        { mode: 'primary' },
      ]);
    }
  });
});
