import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type AllStreamSubscription,
  type AppendResult,
  EventStoreDBClient,
  excludeSystemEvents,
  jsonEvent,
  NO_STREAM,
  START,
} from '@eventstore/db-client';
import { EventStoreServer } from '../support/eventstore-server/event-store-server.js';
import { LogReader } from '../support/eventstore-server/log-reader.js';
import { eventStoreRecipe } from '../support/eventstore-server/recipe.js';
import { ServerProcess } from '../support/server-process.js';

const event = (n: number, id: string = randomUUID()) => jsonEvent({ id, type: 'Counted', data: { n } });
const kindOf = (error: unknown): unknown => (error as { type?: string }).type;

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  const end = performance.now() + 15_000;
  while (!(await condition())) {
    if (performance.now() > end) throw new Error(`It never came true: ${condition.toString()}`);
    await sleep(10);
  }
}

/**
 * Returns whether a promise is still pending after 150 ms. Never reports a pending promise as settled, even on a slow
 * machine.
 */
const isOpen = async (promise: Promise<unknown>): Promise<boolean> =>
  (await Promise.race([promise.catch(() => undefined), sleep(150, 'open')])) === 'open';

async function countOf(client: EventStoreDBClient, stream: string): Promise<number> {
  let count = 0;
  for await (const _ of client.readStream(stream)) count += 1;
  return count;
}

/** Retries the call until it succeeds. The client notices a lost connection only on the next call. */
async function again<T>(call: () => Promise<T>): Promise<T> {
  let answer: { readonly value: T } | undefined;
  await until(async () => {
    answer = await call().then(
      (value) => ({ value }),
      () => undefined,
    );
    return answer !== undefined;
  });
  return (answer as unknown as { readonly value: T }).value;
}

/** Collects a subscription's events and errors. */
function follow(subscription: AllStreamSubscription): { seen: number[]; errors: unknown[] } {
  const seen: number[] = [];
  const errors: unknown[] = [];
  subscription.on('data', ({ event: one }) => {
    seen.push((one?.data as { n: number }).n);
  });
  subscription.on('error', (error: unknown) => {
    errors.push(kindOf(error));
  });
  return { seen, errors };
}

describe.each([
  ['in batches', true],
  ['in separate calls', false],
])('The EventStoreDB test server, appends sent %s,', (_how, batchAppend) => {
  let server: EventStoreServer;
  let client: EventStoreDBClient;
  let directory: string;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'kontor-faults-'));
    server = await EventStoreServer.start({ directory, batchAppend });
    client = EventStoreDBClient.connectionString(server.url);
    await append('before', 0);
  });
  afterEach(async () => {
    server.faults.clear();
    await client.dispose();
    await server.stop();
    await rm(directory, { recursive: true });
  });

  const append = (stream: string, n: number, id?: string): Promise<AppendResult> =>
    client.appendToStream(stream, event(n, id), { expectedRevision: NO_STREAM });
  const subscribe = () => client.subscribeToAll({ fromPosition: START, filter: excludeSystemEvents() });

  test('stores and answers nothing while it hangs, then processes the pending calls', async () => {
    const follower = follow(subscribe());
    await until(() => follower.seen.length === 1);
    const log = new LogReader(directory);
    const last = log.last();
    server.faults.hang();
    const appended = append('late', 1);
    const read = countOf(client, 'before');
    expect([await isOpen(appended), await isOpen(read)]).toEqual([true, true]);
    expect(follower.seen).toEqual([0]);
    expect(log.last()).toBe(last);
    log.close();
    server.faults.resume();
    await expect(appended).resolves.toMatchObject({ success: true, nextExpectedRevision: 0n });
    await expect(read).resolves.toBe(1);
    await until(() => follower.seen.length === 2);
  });

  test('stores the next appends but breaks the connection; repeats are recognized', async () => {
    const id = randomUUID();
    server.faults.dropAfterCommit(2);
    await expect(append('lost', 1, id)).rejects.toMatchObject({ type: 'unavailable' });
    const second = await append('lost', 1, id).catch(kindOf);
    expect(second).toBe('unavailable');
    await expect(append('lost', 1, id)).resolves.toMatchObject({ success: true, nextExpectedRevision: 0n });
    await expect(countOf(client, 'lost')).resolves.toBe(1);
  });

  test('does not count a rejected append as one with a lost response', async () => {
    server.faults.dropAfterCommit(1);
    await expect(append('before', 1)).rejects.toMatchObject({ type: 'wrong-expected-version' });
    await expect(append('lost', 1)).rejects.toMatchObject({ type: 'unavailable' });
  });

  test('responds late while it is slow, and immediately afterwards', async () => {
    const timed = async (call: Promise<unknown>): Promise<number> => {
      const beganMs = performance.now();
      await call;
      return performance.now() - beganMs;
    };
    server.faults.slow(300);
    const both = await Promise.all([timed(append('slow', 1)), timed(countOf(client, 'before'))]);
    // The server delays each response by 300 ms, but timers may fire slightly early.
    expect(Math.min(...both)).toBeGreaterThan(290);
    server.faults.slow(0);
    await until(async () => (await timed(countOf(client, 'before'))) < 290);
  });

  test('has the same data on the same port after a restart, without its subscriptions', async () => {
    const { url } = server;
    const follower = follow(subscribe());
    await until(() => follower.seen.length === 1);
    await server.restart();
    await until(() => follower.errors.length > 0);
    expect(follower.errors).toEqual(['unavailable']);
    await again(() => append('after', 1));
    expect(server.url).toBe(url);
    expect([await countOf(client, 'before'), await countOf(client, 'after')]).toEqual([1, 1]);
  });

  test('rejects connections while it is down', async () => {
    const restarted = server.restart(400);
    await expect(append('down', 1)).rejects.toMatchObject({ type: 'unavailable' });
    await restarted;
    await expect(again(() => append('down', 1))).resolves.toMatchObject({ nextExpectedRevision: 0n });
  });

  test('silences open subscriptions without ending them, but not later ones', async () => {
    const silenced = follow(subscribe());
    await until(() => silenced.seen.length === 1);
    server.faults.silenceSubscriptions();
    await append('unheard', 1);
    const later = follow(subscribe());
    await until(() => later.seen.length === 2);
    await append('unheard too', 2);
    await until(() => later.seen.length === 3);
    expect(silenced).toEqual({ seen: [0], errors: [] });
  });

  test('ends open subscriptions, as for a slow consumer', async () => {
    const follower = follow(subscribe());
    await until(() => follower.seen.length === 1);
    server.faults.abortSubscriptions();
    await until(() => follower.errors.length > 0);
    expect(follower.errors).toEqual(['timeout']);
  });

  test('rejects every call as a node that is not ready, then accepts calls', async () => {
    server.faults.refuse();
    await expect(append('refused', 1)).rejects.toMatchObject({ type: 'unavailable' });
    await expect(countOf(client, 'before')).rejects.toMatchObject({ type: 'unavailable' });
    server.faults.accept();
    await expect(countOf(client, 'refused')).rejects.toMatchObject({ type: 'stream-not-found' });
    await expect(append('refused', 1)).resolves.toMatchObject({ nextExpectedRevision: 0n });
  });

  test('breaks connections and accepts new ones immediately', async () => {
    const follower = follow(subscribe());
    await until(() => follower.seen.length === 1);
    server.disconnectAll();
    await until(() => follower.errors.length > 0);
    await expect(again(() => append('after', 1))).resolves.toMatchObject({ nextExpectedRevision: 0n });
  });
});

describe('The EventStoreDB test server as a process', () => {
  test('keeps its data when it is killed and restarted, and hangs when suspended', async () => {
    const server = await ServerProcess.start(eventStoreRecipe);
    const client = EventStoreDBClient.connectionString(server.url);
    try {
      expect(server.version).toBe('23.10.6');
      await client.appendToStream('kept', event(1));
      await server.kill();
      await server.start();
      await expect(again(() => countOf(client, 'kept'))).resolves.toBe(1);
      await server.hang();
      const appended = client.appendToStream('kept', event(2));
      expect(await isOpen(appended)).toBe(true);
      server.resume();
      await expect(appended).resolves.toMatchObject({ nextExpectedRevision: 1n });
    } finally {
      await client.dispose();
      await server.dispose();
    }
  });

  test('accepts commands on standard input, ends on SIGTERM and removes its temporary folder', async () => {
    const temporary = await mkdtemp(join(tmpdir(), 'kontor-orders-'));
    const [, , script = ''] = eventStoreRecipe.args(0, temporary);
    const child = spawn(process.execPath, [...eventStoreRecipe.args(0, temporary).slice(0, 2), script], {
      env: { ...process.env, TMPDIR: temporary },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    try {
      const lines: string[] = [];
      createInterface({ input: child.stdout }).on('line', (line) => lines.push(line));
      await until(() => lines.length === 1);
      const url = lines[0]?.split(' ').at(-1) ?? '';
      const client = EventStoreDBClient.connectionString(url);
      await client.appendToStream('asked', event(1));
      child.stdin.write('noise 2\nrefuse\nnonsense\nslow fast\n');
      await until(() => lines.length === 5);
      expect(lines.slice(1)).toEqual([
        'ok noise 2',
        'ok refuse',
        'error nonsense: no such order',
        'error slow fast: no such order',
      ]);
      await expect(client.appendToStream('asked', event(2))).rejects.toMatchObject({ type: 'unavailable' });
      expect(await readdir(temporary)).toHaveLength(1);
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      expect(await ended).toEqual([0, null]);
      expect(await readdir(temporary)).toEqual([]);
    } finally {
      child.kill('SIGKILL');
      if (existsSync(temporary)) await rm(temporary, { recursive: true });
    }
  });
});
