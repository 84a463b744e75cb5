import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type AppendResult, EventStoreDBClient, jsonEvent } from '@eventstore/db-client';
import { EventStoreCluster } from '../support/eventstore-server/cluster.js';
import type { EventStoreServer } from '../support/eventstore-server/event-store-server.js';

describe.each([
  ['in batches', true],
  ['in separate calls', false],
])('A cluster of three test servers, appends sent %s,', (_how, batchAppend) => {
  let cluster: EventStoreCluster;
  let client: EventStoreDBClient;
  let directory: string;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'kontor-cluster-'));
    cluster = await EventStoreCluster.start({ directory, batchAppend });
    client = EventStoreDBClient.connectionString(cluster.url);
  });
  afterEach(async () => {
    await client.dispose();
    await cluster.stop();
    await rm(directory, { recursive: true });
  });

  const append = (): Promise<AppendResult> =>
    client.appendToStream('s', jsonEvent({ type: 'Counted', data: {} }), { requiresLeader: true });

  const nodeAt = (n: number): EventStoreServer => {
    const node = cluster.nodes[n];
    if (!node) throw new Error(`There is no node ${n}`);
    return node;
  };

  /** Makes every node except `one` reject calls, so that a response proves that the client called `one`. */
  const refuseAllBut = (one: EventStoreServer): void => {
    for (const node of cluster.nodes) {
      node.faults.accept();
      if (node !== one) node.faults.refuse();
    }
  };

  test('is discovered by gossip, and its leader is called', async () => {
    cluster.elect(nodeAt(1));
    await append();
    refuseAllBut(nodeAt(1));
    await expect(append()).resolves.toMatchObject({ nextExpectedRevision: 1n });
  });

  test('is discovered through gossip from one node that knows the leader', async () => {
    cluster.elect(nodeAt(2));
    client = EventStoreDBClient.connectionString(nodeAt(0).discoveryUrl);
    await append();
    refuseAllBut(nodeAt(2));
    await expect(append()).resolves.toMatchObject({ nextExpectedRevision: 1n });
  });

  test('redirects clients from its previous leader to the current one', async () => {
    await append();
    cluster.elect(nodeAt(2));
    await expect(append()).rejects.toMatchObject({
      type: 'not-leader',
      leader: { address: '127.0.0.1', port: nodeAt(2).port },
    });
    refuseAllBut(nodeAt(2));
    await expect(append()).resolves.toMatchObject({ nextExpectedRevision: 1n });
  });

  test('accepts calls that do not require the leader on any node', async () => {
    await append();
    cluster.elect(nodeAt(2));
    const anywhere = client.appendToStream('t', jsonEvent({ type: 'Counted', data: {} }));
    // All batches share one call, and the client required a leader when it opened that call.
    if (batchAppend) await expect(anywhere).rejects.toMatchObject({ type: 'not-leader' });
    else await expect(anywhere).resolves.toMatchObject({ success: true });
  });

  test('continues with a new leader and all stored events', async () => {
    await append();
    await cluster.stopNode(cluster.leader);
    expect(() => cluster.leader).toThrow('no leader');
    cluster.elect(nodeAt(1));
    let appended: AppendResult | undefined;
    for (const end = performance.now() + 15_000; !appended && performance.now() < end;) {
      appended = await append().catch(() => undefined);
      if (!appended) await sleep(20);
    }
    expect(appended).toMatchObject({ nextExpectedRevision: 1n });
  });
});
