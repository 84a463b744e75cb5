import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { DatabaseSync } from '@photostructure/sqlite';
import fc from 'fast-check';
import { EmbeddedEventStore } from '../../src/adapters/embedded/event-store.js';
import { EmbeddedReadStore } from '../../src/adapters/embedded/read-store.js';
import { EventStoreDb } from '../../src/adapters/eventstoredb/event-store.js';
import { SystemClock } from '../../src/adapters/system-time.js';
import { DamagedBackup } from '../../src/backup/backup-reader.js';
import { BackupError } from '../../src/backup/backup-format.js';
import { assertRestored, RestoreIncomplete } from '../../src/ports/history.js';
import type { EventStore, RecordedEvent } from '../../src/ports/event-store.js';
import { silentLogger } from '../../src/ports/log.js';
import { overriding } from '../../src/ports/overriding.js';
import { anyHistory } from '../projections/arbitrary-history.js';
import {
  appendAll,
  backupOf,
  chained,
  chainOver,
  contentOf,
  linesOf,
  modelsOf,
  restored,
  unchained,
  verified,
  writeLines,
} from '../support/backups.js';
import { EventStoreServer } from '../support/eventstore-server/event-store-server.js';
import { FaultProxy } from '../support/fault-proxy.js';
import { FaultyEventStore } from '../support/faulty-event-store.js';
import { plausibleEvents } from '../support/tree-stage.js';

const clock = new SystemClock();
let directory: string;
let stores: EventStore[] = [];
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'kontor-backup-'));
});
afterEach(async () => {
  await Promise.all(stores.map((store) => store.close()));
  stores = [];
  await rm(directory, { recursive: true, force: true });
});

let made = 0;
function newStore(): EmbeddedEventStore {
  made += 1;
  const store = EmbeddedEventStore.open({ directory: join(directory, `store-${made}`), clock });
  stores.push(store);
  return store;
}

/** Creates a store with a plausible, reproducible history of at least the given length. */
async function filledStore(least = 30): Promise<EmbeddedEventStore> {
  const store = newStore();
  const history = fc.sample(anyHistory, { numRuns: 50, seed: 7 }).find(({ length }) => length >= least);
  await appendAll(store, history ?? []);
  return store;
}

describe('A restored backup', () => {
  let reads: EmbeddedReadStore;
  beforeEach(async () => {
    reads = await EmbeddedReadStore.open({ directory, mode: 'readwrite' });
  });
  afterEach(() => reads.close());

  test('has the same history, and produces the same read models, for any history', async () => {
    await fc.assert(
      fc.asyncProperty(anyHistory, async (history) => {
        const [original, copy] = [newStore(), newStore()];
        await appendAll(original, history);
        const path = await backupOf(original, join(directory, 'backups'));
        expect((await verified(path)).trailer.count).toBe(history.length);
        expect(await restored(path, copy)).toEqual({ written: history.length, found: 0 });
        expect(await contentOf(copy)).toEqual(await contentOf(original));
        expect(await modelsOf(copy, reads)).toEqual(await modelsOf(original, reads));
        await rm(path);
      }),
      { numRuns: 8, interruptAfterTimeLimit: 50_000, markInterruptAsFailure: true },
    );
  });

  test('produces other read models if events are missing, so the comparison can fail', async () => {
    const [original, shorter] = [await filledStore(), newStore()];
    const history = await original.readAll();
    await appendAll(shorter, history.slice(0, history.length / 2));
    expect(await modelsOf(shorter, reads)).not.toEqual(await modelsOf(original, reads));
  });
});

describe('A backup', () => {
  test('omits events of other programs in the same store', async () => {
    const store = await filledStore();
    const own = await contentOf(store);
    const event = { id: '0199d3a0-0000-7000-8000-00000000aaaa', type: 'Theirs', data: {}, metadata: {} };
    await store.append({ stream: 'theirs', expected: 'no_stream', events: [event] });
    const path = await backupOf(store, directory);
    const lines = unchained(await linesOf(path));
    expect(lines).toHaveLength(own.length + 2);
    expect(lines.map(({ kind }) => kind)).toEqual(['manifest', ...own.map(() => 'event'), 'trailer']);
  });

  test('omits events appended after its start', async () => {
    const store = await filledStore();
    const before = await contentOf(store);
    const stream = 'sale-0199d3a0-0000-7000-8000-000000000001_late';
    const late = new FaultyEventStore(store);
    late.head = async () => {
      const head = await store.head();
      await appendAll(store, [{ stream, revision: 0, id: 'late', type: 'Late', data: {}, metadata: {} }]);
      return head;
    };
    const { manifest, trailer } = await verified(await backupOf(late, directory));
    expect(trailer).toMatchObject({ count: before.length, lastPosition: manifest.upTo });
    expect(await contentOf(store)).toHaveLength(before.length + 1);
  });

  test('of an empty store is complete, and restores to an empty store', async () => {
    const path = await backupOf(newStore(), directory);
    expect((await verified(path)).trailer).toMatchObject({ count: 0, lastPosition: -1 });
    const copy = newStore();
    expect(await restored(path, copy)).toEqual({ written: 0, found: 0 });
    expect(await copy.head()).toBe(-1);
  });

  test('can hold events larger than one compressed block', async () => {
    const [store, copy] = [newStore(), newStore()];
    const stream = 'sale-0199d3a0-0000-7000-8000-000000000001_big';
    const data = { text: 'ğ'.repeat(400_000) };
    await appendAll(
      store,
      [0, 1, 2].map((revision) => ({ stream, revision, id: `e${revision}`, type: 'Big', data, metadata: {} })),
    );
    await restored(await backupOf(store, directory), copy);
    expect(await contentOf(copy)).toEqual(await contentOf(store));
  });

  test('matches docs/backup-format.md: plain gzip, JSON in every line, a chain that anybody can verify', async () => {
    const path = await backupOf(await filledStore(), directory);
    let link = Buffer.alloc(32);
    let before = link;
    for (const line of await linesOf(path)) {
      const [, text = '', shown = ''] = /^(.*),"chain":"([\w-]{12})"\}$/.exec(line) ?? [];
      before = link;
      link = createHash('sha256').update(link).update(text).digest();
      expect(shown).toBe(link.toString('base64url').slice(0, 12));
    }
    expect(unchained(await linesOf(path)).at(-1)).toMatchObject({ kind: 'trailer', sha256: before.toString('hex') });
  });
});

describe('A damaged backup is rejected, with the number of the damaged line', () => {
  let path: string;
  let lines: string[];
  beforeEach(async () => {
    path = await backupOf(await filledStore(), directory);
    lines = await linesOf(path);
  });

  async function refusal(): Promise<DamagedBackup> {
    const error: unknown = await verified(path).catch((fault: unknown) => fault);
    expect(error).toBeInstanceOf(DamagedBackup);
    return error as DamagedBackup;
  }

  const changed = (line: string): string => line.replace(/"metadata":\{"/, '"metadata":{" ');
  const relinked = (line: string): string => line.replace(/.(?="\}$)/, (last) => (last === '-' ? 'A' : '-'));
  const ways: readonly (readonly [string, (all: string[]) => string[], number])[] = [
    ['a changed byte', (all) => all.with(9, changed(all[9] ?? '')), 10],
    ['a changed byte in the manifest', (all) => all.with(0, (all[0] ?? '').replace('0.0.0', '0.0.1')), 1],
    ['a changed byte in the last line', (all) => all.with(-1, (all.at(-1) ?? '').replace('"count":', '"count":1')), -1],
    ['a changed link', (all) => all.with(4, relinked(all[4] ?? '')), 5],
    ['a missing line', (all) => all.toSpliced(12, 1), 13],
    ['a missing manifest', (all) => all.slice(1), 1],
    ['two swapped lines', (all) => all.with(6, all[7] ?? '').with(7, all[6] ?? ''), 7],
    ['a repeated line', (all) => all.toSpliced(5, 0, all[4] ?? ''), 6],
    ['a foreign line', (all) => all.toSpliced(5, 0, '{"kind":"event"}'), 6],
    ['an empty line', (all) => all.toSpliced(3, 0, ''), 4],
    ['no last line', (all) => all.slice(0, -1), -1],
    ['a line after the last', (all) => [...all, all.at(-1) ?? ''], 0],
  ];
  test.each(ways)('%s', async (_, damage, line) => {
    const wrong = line > 0 ? line : lines.length + 1 + line;
    await writeLines(path, damage(lines));
    expect((await refusal()).line).toBe(wrong);
    const store = newStore();
    await expect(restored(path, store)).rejects.toThrow(`Line ${wrong}: `);
  });

  const forgeries: readonly (readonly [string, (all: Record<string, unknown>[]) => object[], number, RegExp])[] = [
    ['a future version of the format', (all) => all.with(0, { ...all[0], version: 2 }), 1, /newer version of Kontor/],
    ['another format', (all) => all.with(0, { ...all[0], format: 'tar' }), 1, /not valid in a Kontor backup/],
    ['events without a manifest', (all) => all.slice(1), 1, /not valid in a Kontor backup/],
    ['an event without an id', (all) => all.with(4, { ...all[4], id: '' }), 5, /not valid in a Kontor backup/],
    ['a decreasing position', (all) => all.with(4, { ...all[4], position: 0 }), 5, /does not follow/],
    ['a wrong digest', (all) => all.with(-1, { ...all.at(-1), sha256: '0'.repeat(64) }), -1, /does not match/],
    ['a wrong count', (all) => all.with(-1, { ...all.at(-1), count: 3 }), -1, /does not match/],
  ];
  test.each(forgeries)('%s, even if the chain is intact', async (_, forge, line, reason) => {
    await writeLines(path, chained(forge(unchained(lines))));
    const refused = await refusal();
    expect(refused.line).toBe(line > 0 ? line : lines.length + 1 + line);
    expect(refused.message).toMatch(reason);
  });

  test('a file truncated at any point', async () => {
    const whole = await readFile(path);
    for (const length of [0, 1, 9, 20, 200, Math.floor(whole.length / 2), whole.length - 9, whole.length - 1]) {
      await writeFile(path, whole.subarray(0, length));
      const { line, message } = await refusal();
      expect(line).toBeGreaterThan(0);
      expect([length, message]).toEqual([length, expect.stringMatching(/truncated|missing/)]);
    }
  });

  test('a changed byte of the compressed file: either every event is intact, or it is rejected', async () => {
    const whole = await readFile(path);
    await fc.assert(
      fc.asyncProperty(fc.nat({ max: whole.length - 1 }), fc.integer({ min: 1, max: 255 }), async (at, change) => {
        const damaged = Buffer.from(whole);
        damaged[at] = (damaged[at] ?? 0) ^ change;
        await writeFile(path, damaged);
        try {
          await verified(path);
        } catch (error) {
          expect(error).toBeInstanceOf(DamagedBackup);
          return;
        }
        // Some bits have no effect: the time and operating-system fields in a gzip header, and the padding in the last
        // byte of a block.
        expect(await linesOf(path)).toEqual(lines);
      }),
      { numRuns: 60 },
    );
  });

  test('a file that is not a backup', async () => {
    for (const [bytes, reason] of [
      ['position,stream\n', /not gzip-compressed/],
      [gzipSync('position,stream\n'), /not a Kontor backup/],
      [gzipSync(''), /the last line is missing/],
      [gzipSync('x'.repeat(5_000_000)), /the line is longer than any line of a backup/],
    ] as const) {
      await writeFile(path, bytes);
      const refused = await refusal();
      expect(refused.line).toBe(1);
      expect(refused.message).toMatch(reason);
    }
  });

  test('bytes or lines after its end', async () => {
    const whole = await readFile(path);
    for (const more of [Buffer.from('more'), gzipSync('more\n')]) {
      await writeFile(path, Buffer.concat([whole, more]));
      expect((await refusal()).message).toMatch(/is damaged|lines are damaged|follows the end of the backup/);
    }
    await writeFile(path, Buffer.concat([whole, Buffer.alloc(200_000)]));
    expect((await refusal()).message).toBe(`Line ${lines.length + 1}: extra data follows the backup`);
  });

  test('unknown streams, which the error names with the version that wrote the backup', async () => {
    const strange = { ...unchained(lines)[4], stream: 'parcel-platform_1' };
    const forged = unchained(lines).with(4, strange);
    const before = forged.slice(0, -1);
    await writeLines(path, chained([...before, { ...forged.at(-1), sha256: chainOver(before) }]));
    const error: unknown = await verified(path).catch((fault: unknown) => fault);
    expect(error).toBeInstanceOf(BackupError);
    expect((error as Error).message).toMatch(/0\.0\.0-test .* parcel-platform_1/);
  });
});

describe('A history with a stream that has lost its first events', () => {
  const stream = 'sale-0199d3a0-0000-7000-8000-000000000001_cut';
  const reason = new RegExp(`revision 0 of the stream ${stream} is missing, but revision 2 exists`);
  const cut = [0, 1, 2].map((revision) => ({
    stream,
    revision,
    id: `${revision}`,
    type: 'Cut',
    data: {},
    metadata: {},
  }));

  test('gets no backup', async () => {
    const store = await filledStore();
    await appendAll(store, cut);
    const isLeft = ({ stream: name, revision }: RecordedEvent): boolean => name !== stream || revision >= 2;
    const scavenged = overriding<EventStore, Pick<EventStore, 'subscribeToAll'>>(store, {
      subscribeToAll: async function* (subscription) {
        for await (const batch of store.subscribeToAll(subscription))
          yield { ...batch, events: batch.events.filter(isLeft) };
      },
    });
    const backups = join(directory, 'backups');
    await expect(backupOf(scavenged, backups)).rejects.toThrow(reason);
    expect(await readdir(backups)).toEqual([]);
  });

  test('in an existing backup is reported by the verification', async () => {
    const store = await filledStore();
    await appendAll(store, cut);
    const path = await backupOf(store, directory);
    await verified(path);
    const lines = unchained(await linesOf(path));
    const left = lines.filter((line) => line['stream'] !== stream || line['revision'] === 2).slice(0, -1);
    await writeLines(path, chained([...left, { ...lines.at(-1), count: left.length - 1, sha256: chainOver(left) }]));
    await expect(verified(path)).rejects.toThrow(reason);
  });
});

describe('A store that is not empty', () => {
  test('is rejected, regardless of its content, and remains unchanged', async () => {
    const original = await filledStore();
    const path = await backupOf(original, directory);
    const before = await contentOf(original);
    await expect(restored(path, original)).rejects.toThrow('The event store is not empty');
    expect(await contentOf(original)).toEqual(before);
  });

  test('does not include one that contains only data of other programs', async () => {
    const path = await backupOf(await filledStore(), directory);
    const copy = newStore();
    const event = { id: '0199d3a0-0000-7000-8000-00000000aaaa', type: 'Theirs', data: {}, metadata: {} };
    await copy.append({ stream: 'theirs', expected: 'no_stream', events: [event] });
    expect((await restored(path, copy)).found).toBe(0);
  });
});

describe('An interrupted restore', () => {
  async function interrupted(path: string): Promise<EmbeddedEventStore> {
    const copy = newStore();
    const faulty = new FaultyEventStore(copy);
    faulty.appendsUntilAway = 11;
    const error: unknown = await restored(path, faulty, false, copy).catch((fault: unknown) => fault);
    expect(error).toBeInstanceOf(BackupError);
    expect((error as Error).message).toMatch(/unavailable.*--resume/);
    return copy;
  }

  test('is rejected unless resuming is requested, which completes it', async () => {
    const original = await filledStore();
    const path = await backupOf(original, directory);
    const copy = await interrupted(path);
    expect(await contentOf(copy)).toHaveLength(11);
    await expect(restored(path, copy)).rejects.toThrow(/--resume/);
    expect(await contentOf(copy)).toHaveLength(11);
    const all = await contentOf(original);
    expect(await restored(path, copy, true)).toEqual({ written: all.length - 11, found: 11 });
    expect(await contentOf(copy)).toEqual(all);
    expect(await restored(path, copy, true)).toEqual({ written: 0, found: all.length });
  });

  test('leaves a beginning of the backup, even if later commits could have succeeded', async () => {
    const original = newStore();
    await appendAll(original, plausibleEvents(1_500, 7));
    const path = await backupOf(original, directory);
    const copy = newStore();
    // For a moment, another program locks the file, so that commits fail.
    const other = new DatabaseSync(join(directory, `store-${made}`, 'history.sqlite'));
    const locks = { 300: 'BEGIN IMMEDIATE', 600: 'ROLLBACK' };
    const report = (_: number, events: number): void => {
      for (const [from, statement] of Object.entries(locks)) {
        if (events < Number(from)) continue;
        Reflect.deleteProperty(locks, from);
        other.exec(statement);
      }
    };
    await expect(restored(path, copy, false, copy, report)).rejects.toThrow(/could not be stored.*--resume/);
    expect(locks).toEqual({});
    other.close();
    const all = await contentOf(original);
    const found = await contentOf(copy);
    expect(found.length).toBeGreaterThan(100);
    expect(found).toEqual(all.slice(0, found.length));
    expect(await restored(path, copy, true)).toEqual({ written: all.length - found.length, found: found.length });
    expect(await contentOf(copy)).toEqual(all);
  });

  test('on EventStoreDB leaves a beginning of the backup, even if the connection broke only once', async () => {
    const original = newStore();
    await appendAll(original, plausibleEvents(1_500, 7));
    const path = await backupOf(original, directory);
    const server = await EventStoreServer.start({ directory: join(directory, 'server') });
    const proxy = await FaultProxy.start(server);
    const url = `esdb://127.0.0.1:${proxy.port}?tls=false`;
    const copy = EventStoreDb.open({ url, clock, logger: silentLogger });
    try {
      let isCut = false;
      const report = (_: number, events: number): void => {
        if (events > 150 && !isCut) proxy.hang();
        if (events < 300 || isCut) return;
        // The appends that the proxy holds are lost. Later ones can be sent on a new connection.
        isCut = true;
        proxy.reset();
        void proxy.pass();
      };
      await expect(restored(path, copy, false, copy, report)).rejects.toThrow(/unknown.*--resume/);
      const all = await contentOf(original);
      const found = await contentOf(copy);
      expect(found).toEqual(all.slice(0, found.length));
      expect(await restored(path, copy, true)).toEqual({ written: all.length - found.length, found: found.length });
      expect(await contentOf(copy)).toEqual(all);
    } finally {
      await copy.close();
      await proxy.close();
      await server.stop();
    }
  });

  test('is not to be resumed if another process has written to the store', async () => {
    const path = await backupOf(await filledStore(), directory);
    const copy = newStore();
    const faulty = new FaultyEventStore(copy);
    const [first] = (await linesOf(path)).slice(5, 6);
    const { stream, revision } = JSON.parse(first ?? '') as { stream: string; revision: number };
    const theirs = { id: '0199d3a0-0000-7000-8000-00000000aaaa', type: 'Theirs', data: {}, metadata: {} };
    const expected = revision === 0 ? 'no_stream' : revision - 1;
    faulty.beforeAppendTo(stream, () => copy.append({ stream, expected, events: [theirs] }));
    await expect(restored(path, faulty, false, copy)).rejects.toThrow(/another process .* Empty it, and restore/);
  });

  test('marks the history as incomplete until it is completed', async () => {
    const path = await backupOf(await filledStore(), directory);
    const copy = await interrupted(path);
    const isMarked = async () => {
      const id = await copy.current();
      return () => {
        assertRestored(id);
      };
    };
    expect(await isMarked()).toThrow(RestoreIncomplete);
    await expect(restored(path, copy)).rejects.toThrow(/--resume/);
    expect(await isMarked()).toThrow(RestoreIncomplete);
    await restored(path, copy, true);
    expect(await isMarked()).not.toThrow();
  });

  test('does not mark a store that the restore may not change', async () => {
    const original = await filledStore();
    const path = await backupOf(original, directory);
    const other = newStore();
    await appendAll(other, (await original.readAll()).slice(0, 5));
    await expect(restored(path, other, true)).rejects.toThrow('Restore into an empty store');
    const id = await other.current();
    expect(() => {
      assertRestored(id);
    }).not.toThrow();
  });

  test('is not resumed if the store contains anything but the beginning of the backup', async () => {
    const original = await filledStore();
    const path = await backupOf(original, directory);
    const other = newStore();
    const history = await original.readAll();
    await appendAll(other, history.slice(0, 5));
    await expect(restored(path, other, true)).rejects.toThrow(/does not contain the beginning .* event number 1 is/);
    const stream = 'sale-0199d3a0-0000-7000-8000-000000000001_more';
    await appendAll(original, [{ stream, revision: 0, id: 'more', type: 'More', data: {}, metadata: {} }]);
    await expect(restored(path, original, true)).rejects.toThrow(/contains more than the \d+ events/);
    expect(await contentOf(other)).toHaveLength(5);
  });
});

test('A missing file is reported by name', async () => {
  const path = join(directory, 'nowhere.ndjson.gz');
  expect(existsSync(path)).toBe(false);
  await expect(verified(path)).rejects.toThrow(path);
});

test('A folder instead of a file is rejected, with what to specify', async () => {
  await expect(verified(directory)).rejects.toThrow(`${directory} is not a file. Specify a backup file.`);
});
