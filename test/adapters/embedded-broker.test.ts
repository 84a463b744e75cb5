import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { EmbeddedBroker, type EmbeddedBrokerOptions, MAX_MESSAGE_BYTES } from '../../src/adapters/embedded/broker.js';
import { EmbeddedEventStore } from '../../src/adapters/embedded/event-store.js';
import { catalogue } from '../../src/app/catalogue.js';
import type { Recorded } from '../../src/eventsourcing/event-catalogue.js';
import { messagesOf } from '../../src/integration/event-messages.js';
import { publish } from '../../src/integration/publishing.js';
import { publicEventTypes } from '../../src/integration/translations.js';
import { type BrokerMessage, BrokerUnavailable, plainMessage, type Published } from '../../src/ports/broker.js';
import { brokerContract } from '../contracts/broker.contract.js';
import { recordings, store } from '../support/corpus.js';
import { ManualClock, mulberry32 } from '../support/manual-clock.js';
import { messagesIn } from '../support/stored-messages.js';

const MANY = { keptMessages: 1_000_000 } as const;
const temporary = (): Promise<string> => mkdtemp(join(tmpdir(), 'kontor-broker-'));
const remove = (directory: string): Promise<void> => rm(directory, { recursive: true, force: true });
const message = (id: string, payload = '{}'): BrokerMessage => ({ id, subject: 'kontor.test', payload });
const childArguments = (mode: string, directory: string, run: string): string[] => [
  '--import',
  resolve('test/support/typescript.mjs'),
  resolve('test/support/broker-process.ts'),
  mode,
  directory,
  run,
];

brokerContract('The embedded log', async () => {
  const directory = await temporary();
  const broker = await EmbeddedBroker.open({ ...MANY, directory, clock: new ManualClock() });
  return {
    broker,
    stored: () => Promise.resolve(messagesIn(directory)),
    dispose: () => broker.close().then(() => remove(directory)),
  };
});

describe('The embedded broker', () => {
  let directory: string;
  const opened: EmbeddedBroker[] = [];
  const open = async (options: Partial<EmbeddedBrokerOptions> = {}): Promise<EmbeddedBroker> => {
    const broker = await EmbeddedBroker.open({ ...MANY, directory, clock: new ManualClock(), ...options });
    opened.push(broker);
    return broker;
  };
  const ids = (): string[] => messagesIn(directory).map(({ id }) => id);

  beforeEach(async () => {
    directory = await temporary();
  });
  afterEach(async () => {
    for (const broker of opened.splice(0)) await broker.close();
    await remove(directory);
  });

  test('keeps its messages, sequences and known ids across a restart', async () => {
    const before = await open();
    for (const id of ['a', 'b', 'c']) await before.publish(message(id));
    const stored = messagesIn(directory);
    await before.close();

    const after = await open();
    expect(messagesIn(directory)).toEqual(stored);
    expect(await after.publish(message('b'))).toEqual({ sequence: 2, duplicate: true });
    expect(await after.publish(message('d'))).toEqual({ sequence: 4, duplicate: false });
  });

  test('remembers message ids beyond any duplicate window', async () => {
    const clock = new ManualClock();
    const broker = await open({ clock });
    await broker.publish(message('a'));
    await clock.advance(365 * 86_400_000);
    expect(await broker.publish(message('a'))).toMatchObject({ duplicate: true });
  });

  test('keeps only the newest messages and their ids, even across a restart', async () => {
    const broker = await open({ keptMessages: 3 });
    for (const id of ['a', 'b', 'c', 'd', 'e']) await broker.publish(message(id));
    expect(ids()).toEqual(['c', 'd', 'e']);
    await broker.close();
    const again = await open({ keptMessages: 3 });
    expect(await again.publish(message('c'))).toEqual({ sequence: 3, duplicate: true });
    expect(await again.publish(message('a'))).toEqual({ sequence: 6, duplicate: false });
    expect(ids()).toEqual(['d', 'e', 'a']);
  });

  test('trims a long log gradually, but not when messages are only repeated', async () => {
    const before = await open();
    await Promise.all(Array.from({ length: 12_000 }, (_, index) => before.publish(message(`m-${index}`))));
    await before.close();
    const broker = await open({ keptMessages: 5_000 });
    const left: number[] = [];
    for (let publish = 0; publish < 6; publish += 1) {
      await broker.publish(message(`new-${publish}`));
      left.push(ids().length);
    }
    expect(left).toEqual([10_001, 8_002, 6_003, 5_000, 5_000, 5_000]);
    await broker.publish(message('new-5'));
    expect(ids()).toHaveLength(5_000);
  });

  test('records the time of each message', async () => {
    const clock = new ManualClock(Date.UTC(2026, 5, 1));
    const broker = await open({ clock });
    await broker.publish(message('a'));
    await clock.advance(60_000);
    await broker.publish(message('b'));
    const times = messagesIn(directory).map(({ storedAtMs }) => storedAtMs);
    expect(times).toEqual([Date.UTC(2026, 5, 1), Date.UTC(2026, 5, 1, 0, 1)]);
  });

  test('waits while another process creates the same file', async () => {
    const other = new DatabaseSync(join(directory, 'broker.sqlite'));
    other.exec('BEGIN EXCLUSIVE; CREATE TABLE half_way (x)');
    const opening = open();
    await new Promise((resolve) => setTimeout(resolve, 600));
    other.exec('ROLLBACK');
    other.close();
    const broker = await opening;
    await broker.publish(message('first'));
    expect(ids()).toEqual(['first']);
  });

  test('creates its directory', async () => {
    const broker = await EmbeddedBroker.open({
      ...MANY,
      directory: join(directory, 'new', 'data'),
      clock: new ManualClock(),
    });
    await broker.publish(message('a'));
    await broker.close();
  });

  test('accepts a message of exactly the maximum size and keeps every character', async () => {
    const broker = await open();
    const payload = `\0${'x'.repeat(MAX_MESSAGE_BYTES - 1)}`;
    await broker.publish(message('largest', payload));
    await expect(broker.publish(message('larger', `${payload}y`))).rejects.toMatchObject({ code: 'PAYLOAD_TOO_LARGE' });
    await expect(
      broker.publish({ ...message('larger by its headers', payload), headers: { a: 'b' } }),
    ).rejects.toMatchObject({ code: 'PAYLOAD_TOO_LARGE' });
    const stored = messagesIn(directory);
    expect(stored).toHaveLength(1);
    expect(stored[0]?.payload === payload).toBe(true);
  });

  test('stores no message of a group if one of them cannot be written', async () => {
    const broker = await open();
    const other = new DatabaseSync(join(directory, 'broker.sqlite'));
    other.exec(`CREATE TRIGGER fault BEFORE INSERT ON messages WHEN new.id = 'faulty'
      BEGIN SELECT RAISE(FAIL, 'the disk has a bad sector'); END`);
    other.close();
    const outcomes = await Promise.allSettled(['a', 'faulty', 'b'].map((id) => broker.publish(message(id))));
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    expect(ids()).toEqual([]);
    expect(await broker.publish(message('a'))).toMatchObject({ sequence: 1, duplicate: false });
  });

  test('survives failed writes, and accepts the same message afterwards', () => {
    const command = `ulimit -S -f 512 && exec "$0" "$@"`;
    const child = spawnSync('bash', ['-c', command, process.execPath, ...childArguments('limited', directory, 'm')], {
      encoding: 'utf8',
    });
    expect(child.stderr).toBe('');
    const lines = child.stdout.trim().split('\n');
    const acked = lines.filter((line) => line.startsWith('acked'));
    const refused = `m-${acked.length - 1}`;
    expect(acked.length).toBeGreaterThan(10);
    expect(lines.slice(-3)).toEqual([
      `refused ${refused} BrokerUnavailable`,
      `readable ${acked.length - 1}`,
      `acked ${refused}`,
    ]);
  });

  test('keeps every acknowledged message when its process is killed', async () => {
    const seed = 20_260_101;
    const random = mulberry32(seed);
    const acknowledged: string[] = [];
    for (const cycle of ['first', 'second', 'third']) {
      const until = acknowledged.length + 20 + Math.floor(random() * 400);
      const child = spawn(process.execPath, childArguments('until-killed', directory, cycle), {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const ended = once(child, 'close');
      let partial = '';
      for await (const chunk of child.stdout.setEncoding('utf8') as AsyncIterable<string>) {
        const lines = (partial + chunk).split('\n');
        partial = lines.pop() ?? '';
        acknowledged.push(...lines);
        if (acknowledged.length >= until) child.kill('SIGKILL');
      }
      await ended;
      expect(child.signalCode).toBe('SIGKILL');

      const broker = await open();
      const stored = ids();
      expect(new Set(stored).size).toBe(stored.length);
      expect({ seed, lost: acknowledged.filter((id) => !stored.includes(id)) }).toEqual({ seed, lost: [] });
      await broker.close();
    }
  });

  test('is unavailable while another process writes, and recovers afterwards', async () => {
    const broker = await open();
    await broker.publish(message('a'));
    const other = new DatabaseSync(join(directory, 'broker.sqlite'));
    other.exec('BEGIN IMMEDIATE');
    await expect(broker.publish(message('b'))).rejects.toBeInstanceOf(BrokerUnavailable);
    expect(ids()).toEqual(['a']);
    other.exec('ROLLBACK');
    other.close();
    await broker.publish(message('b'));
    expect(ids()).toEqual(['a', 'b']);
  });

  test('shares one flush among concurrent messages', async () => {
    const broker = await open();
    const settled: number[] = [];
    const publish = (index: number): Promise<Published> => {
      const done = broker.publish(message(`m-${index}`));
      void done.then(() => settled.push(index));
      return done;
    };
    const group = Array.from({ length: 100 }, (_, index) => publish(index));
    await group[0];
    await Promise.resolve();
    expect(settled).toHaveLength(100);
  });

  test('moves a damaged file aside, and starts with an empty one', async () => {
    await writeFile(join(directory, 'broker.sqlite'), 'this is a letter to the bank, not a database'.repeat(200));
    let damages = 0;
    const broker = await open({ onDamaged: () => (damages += 1) });
    expect(await broker.publish(message('first'))).toEqual({ sequence: 1, duplicate: false });
    await broker.close();
    expect(damages).toBe(1);
    expect(await readdir(directory)).toContain('broker.sqlite.damaged-1');
    await (await open({ onDamaged: () => (damages += 1) })).close();
    expect(damages).toBe(1);
  });

  test('does not open a file from a newer version', async () => {
    await (await open()).close();
    const db = new DatabaseSync(join(directory, 'broker.sqlite'));
    db.exec('PRAGMA user_version = 99');
    db.close();
    await expect(open()).rejects.toThrow(/newer/);
  });
});

describe('The embedded broker in the directory of a history', () => {
  const clock = new ManualClock();
  let directory: string;
  let broker: EmbeddedBroker;
  let events: Recorded[];
  const open = (keptMessages: number = MANY.keptMessages) => EmbeddedBroker.open({ directory, clock, keptMessages });
  const sourceOf = ({ id: eventId, position }: Recorded) => ({ eventId, position });
  /** Returns the stored messages, reduced to the members that consumers see. */
  const seen = () =>
    messagesIn(directory).map(({ id, subject, headers, payload }) => ({ id, subject, headers, payload }));
  const messagesOfAll = (of: readonly Recorded[]): BrokerMessage[] =>
    of.flatMap((event) => messagesOf(event).map(plainMessage));
  const rows = (table: string): number => {
    const db = new DatabaseSync(join(directory, 'broker.sqlite'), { readOnly: true });
    const { count } = db.prepare(`SELECT count(*) AS count FROM ${table}`).get() as { count: number };
    db.close();
    return count;
  };

  beforeEach(async () => {
    directory = await temporary();
    const history = EmbeddedEventStore.open({ directory, clock });
    await store(history, recordings().at(-1)?.events ?? []);
    const all = (await history.readAll({ maxCount: 100_000 })).map((event) => catalogue.decode(event));
    events = all.filter(({ type }) => publicEventTypes.includes(type));
    await history.close();
    broker = await open();
  });
  afterEach(async () => {
    await broker.close();
    await remove(directory);
  });

  test('provides the messages of every published event without storing them', async () => {
    await Promise.all(events.map((event) => publish(broker, event)));
    expect(events.length).toBeGreaterThan(50);
    expect(seen()).toEqual(messagesOfAll(events));
    expect([rows('messages'), rows('published')]).toEqual([0, events.length]);
    expect(messagesIn(directory).map(({ sequence }) => sequence)).toEqual(seen().map((_, index) => index + 1));
  });

  test('does not read the messages of an event while it stores no messages itself', async () => {
    const [event] = events as [Recorded];
    const read: string[] = [];
    const unread = (name: string): BrokerMessage => ({
      get id() {
        read.push(name);
        return name;
      },
      get subject() {
        read.push(name);
        return 'kontor.test';
      },
      get payload() {
        read.push(name);
        return '{}';
      },
    });
    await broker.publishInOrder([unread('one'), unread('two')], sourceOf(event));
    expect(read).toEqual([]);
    await broker.publish(message('stored'));
    await broker.publishInOrder([unread('three')], sourceOf(events[1] as Recorded));
    expect(read).toEqual(['three']);
  });

  test('returns a sequence number for each message, and the same numbers when an event is repeated', async () => {
    const several = events.find((event) => messagesOf(event).length > 2) as Recorded;
    const messages = messagesOf(several);
    await broker.publish(message('first'));
    const first = await broker.publishInOrder(messages, sourceOf(several));
    expect(first).toEqual(messages.map((_, index) => ({ sequence: index + 2, duplicate: false })));
    expect((await broker.publish(message('next'))).sequence).toBe(messages.length + 2);
    await broker.close();
    broker = await open();
    const again = await broker.publishInOrder(messages, sourceOf(several));
    expect(again).toEqual(first.map(({ sequence }) => ({ sequence, duplicate: true })));
    expect(messagesIn(directory).map(({ id }) => id)).toEqual(['first', ...messages.map(({ id }) => id), 'next']);
  });

  test('stores repeats in addition to the events, marked as such', async () => {
    const [event] = events as [Recorded];
    await publish(broker, event);
    await publish(broker, event, { by: 'rewind.1' });
    await publish(broker, event, { by: 'rewind.1' });
    const own = messagesOf(event);
    const repeats = messagesOf(event, { by: 'rewind.1' }).map(plainMessage);
    expect(seen()).toEqual([...own.map(plainMessage), ...repeats]);
    expect(repeats.map(({ payload }) => (JSON.parse(payload) as { replayed?: true }).replayed)).toContain(true);
    expect(rows('messages')).toBe(own.length);
  });

  test('keeps the messages of an earlier version, and does not publish their events again', async () => {
    await broker.close();
    await rm(join(directory, 'broker.sqlite'));
    const [before, partly, after] = [events.slice(0, 40), events[40], events.slice(41)] as const;
    const kept = [...messagesOfAll(before), ...messagesOfAll([partly as Recorded]).slice(0, 1)];
    const file = new DatabaseSync(join(directory, 'broker.sqlite'));
    file.exec(`CREATE TABLE messages (
      sequence INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, subject TEXT NOT NULL,
      stored_at_ms INTEGER NOT NULL, headers TEXT NOT NULL, payload BLOB NOT NULL) STRICT;
      PRAGMA user_version = 1`);
    const insert = file.prepare(
      'INSERT INTO messages (id, subject, stored_at_ms, headers, payload) VALUES (?, ?, 1, ?, ?)',
    );
    for (const { id, subject, headers, payload } of kept)
      insert.run(id, subject, JSON.stringify(headers), Buffer.from(payload));
    file.close();

    broker = await open();
    expect(seen()).toEqual(kept);
    for (const event of before) await publish(broker, event);
    expect(seen()).toEqual(kept);
    for (const event of events) await publish(broker, event);
    expect(seen()).toEqual(messagesOfAll(events));
    expect(rows('published')).toBe(after.length);
  });

  test('can still be opened by an earlier version, which continues the order', async () => {
    const [event] = events as [Recorded];
    await publish(broker, event);
    await broker.close();
    const file = new DatabaseSync(join(directory, 'broker.sqlite'));
    expect(file.prepare('PRAGMA user_version').get()).toEqual({ user_version: 1 });
    file.exec(`INSERT INTO messages (id, subject, stored_at_ms, headers, payload)
      VALUES ('meanwhile', 'kontor.test', 1, '{}', CAST('{}' AS BLOB))`);
    file.close();
    broker = await open();
    await publish(broker, event);
    expect(
      seen()
        .map(({ id }) => id)
        .sort(),
    ).toEqual([...messagesOf(event).map(({ id }) => id), 'meanwhile'].sort());
  });

  test('publishes an event from another history at the same position, and no longer returns the lost one', async () => {
    const [event] = events as [Recorded];
    const lost = { eventId: '0199d3a0-0000-7000-8000-000000000001', position: event.position };
    const [unseen] = await broker.publishInOrder(messagesOf(event), lost);
    expect(seen()).toEqual([]);
    const [ack] = await broker.publishInOrder(messagesOf(event), sourceOf(event));
    expect(ack).toEqual({ sequence: (unseen?.sequence ?? 0) + messagesOf(event).length, duplicate: false });
    expect(seen()).toEqual(messagesOfAll([event]));
  });

  test('keeps only the newest messages, whether it stores them or not', async () => {
    await broker.close();
    broker = await open(20);
    const [first] = events as [Recorded];
    await publish(broker, first, { by: 'rewind.1' });
    for (const event of events) await publish(broker, event);
    const all = messagesOfAll(events);
    // The log retains an event until all of its messages have been deleted.
    expect(seen().length).toBeGreaterThanOrEqual(20);
    expect(seen().length).toBeLessThan(25);
    expect(seen()).toEqual(all.slice(-seen().length));
    expect(rows('messages')).toBe(0);
  });

  test('stores no part of an event while another process writes, and stores all of it afterwards', async () => {
    const other = new DatabaseSync(join(directory, 'broker.sqlite'));
    other.exec('BEGIN IMMEDIATE');
    const [event] = events as [Recorded];
    await expect(publish(broker, event)).rejects.toBeInstanceOf(BrokerUnavailable);
    expect(seen()).toEqual([]);
    other.exec('ROLLBACK');
    other.close();
    await publish(broker, event);
    expect(seen()).toEqual(messagesOfAll([event]));
  });
});
