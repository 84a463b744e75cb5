import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EmbeddedEventStore } from '../../src/adapters/embedded/event-store.js';
import { EmbeddedReadStore } from '../../src/adapters/embedded/read-store.js';
import { EventStoreDb } from '../../src/adapters/eventstoredb/event-store.js';
import { SystemClock } from '../../src/adapters/system-time.js';
import { TREE_STREAM } from '../../src/integrity/tree-follower.js';
import type { EventStore } from '../../src/ports/event-store.js';
import { silentLogger } from '../../src/ports/log.js';
import { appendAll } from '../support/backups.js';
import { EventStoreServer } from '../support/eventstore-server/event-store-server.js';
import { forgeHistory, type ForgedEvent } from '../support/forged-history.js';
import { plausibleEvents, TreeStage } from '../support/tree-stage.js';

const SEED = 42;
const EVENTS = 700;
const TARGET = 300;
const clock = new SystemClock();

type Opened = { readonly events: EventStore; readonly close: () => Promise<void> };
const engines: [string, (directory: string) => Promise<Opened>][] = [
  [
    'history.sqlite',
    (directory) => {
      const events = EmbeddedEventStore.open({ directory, clock });
      return Promise.resolve({ events, close: () => events.close() });
    },
  ],
  [
    'EventStoreDB',
    async (directory) => {
      const server = await EventStoreServer.start({ directory });
      const events = EventStoreDb.open({ url: server.url, clock, logger: silentLogger });
      const close = async () => {
        await events.close();
        await server.stop();
      };
      return { events, close };
    },
  ],
];

const swapped = (events: ForgedEvent[], at: number): ForgedEvent[] => {
  const [one, other] = [events[at], events[at + 1]];
  return one && other ? events.toSpliced(at, 2, other, one) : events;
};
const changed = (events: ForgedEvent[], at: number, change: (event: ForgedEvent) => Partial<ForgedEvent>) =>
  events.map((event, index) => (index === at ? { ...event, ...change(event) } : event));
/** Returns the index of the last event in a stream, whose removal leaves no gap in the stream's revisions. */
const lastOfStream = (events: ForgedEvent[]): number =>
  events.findIndex(({ stream }, at) => at >= TARGET && events.findLastIndex((other) => other.stream === stream) === at);
const between = (events: ForgedEvent[]): number =>
  events.findIndex(({ stream }, at) => at >= TARGET && events[at + 1]?.stream !== stream);

type Forgery = {
  readonly at: (events: ForgedEvent[]) => number;
  readonly forge: (events: ForgedEvent[], at: number) => ForgedEvent[];
};
const forgeries: [string, Forgery, string][] = [
  [
    'a changed payload',
    {
      at: () => TARGET,
      forge: (all, at) =>
        changed(all, at, ({ data }) => ({ data: data.replace('{', '{"forged":1,').replace(',}', '}') })),
    },
    'was changed',
  ],
  [
    'changed metadata',
    {
      at: () => TARGET,
      forge: (all, at) => changed(all, at, ({ metadata }) => ({ metadata: metadata.replace('2026', '2025') })),
    },
    'was changed',
  ],
  [
    'a changed type',
    { at: () => TARGET, forge: (all, at) => changed(all, at, ({ type }) => ({ type: `${type}s` })) },
    'was changed',
  ],
  [
    'another id',
    {
      at: () => TARGET,
      forge: (all, at) =>
        changed(all, at, ({ id }) => ({ id: id.replace(/.$/, (last) => (last === '0' ? '1' : '0')) })),
    },
    'was changed',
  ],
  ['a removed event', { at: lastOfStream, forge: (all, at) => all.toSpliced(at, 1) }, '1 events were removed before'],
  [
    'an inserted event',
    {
      at: () => TARGET,
      forge: (all, at) => {
        const [like] = all.slice(at, at + 1);
        const id = '0199d3a0-0000-7000-8000-00000000f0f0';
        return like ? all.toSpliced(at, 0, { ...like, id, stream: `${like.stream}f` }) : all;
      },
    },
    '1 events were inserted',
  ],
  ['two events in another order', { at: between, forge: swapped }, 'were reordered'],
];

describe.each(engines)('In %s, the nightly verification', (_, open) => {
  let directory: string;
  let opened: Opened;
  let reads: EmbeddedReadStore;
  let stage: TreeStage;
  let original: ForgedEvent[] = [];
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'kontor-tampering-'));
    opened = await open(directory);
    reads = await EmbeddedReadStore.open({ directory: join(directory, 'models'), mode: 'readwrite' });
    await appendAll(opened.events, plausibleEvents(EVENTS, SEED));
    stage = await TreeStage.open(opened.events, directory, reads);
    stage.lead();
    await stage.signed();
    await stage.stop();
    await forgeWith((events) => (original = events));
  });
  afterAll(async () => {
    await opened.close();
    await reads.close();
    await rm(directory, { recursive: true });
  });

  async function forgeWith(forge: (events: ForgedEvent[]) => ForgedEvent[]): Promise<void> {
    await opened.close();
    forgeHistory(directory, forge);
    opened = await open(directory);
    stage = await TreeStage.open(opened.events, directory, reads);
  }

  test('finds nothing in the original history, and reports how much the checkpoints cover', async () => {
    const { size } = (await stage.checkpoints()).at(-1) ?? { size: -1 };
    expect(await stage.verify()).toBe(
      `${size + 1} events match 2 checkpoints, the last of which covers ${size} events.`,
    );
  });

  test.each(forgeries)('names the position of %s, even if all checksums match', async (_name, forgery, words) => {
    const at = forgery.at(original);
    await forgeWith(() => forgery.forge([...original], at));
    const place = new RegExp(`^(?=.*${words}).*number ${at}, at position`);
    await expect(stage.verify()).rejects.toThrow(place);
    await forgeWith(() => original);
  });

  test('finds that the end was cut off', async () => {
    const kept = original.length - 50;
    await forgeWith(() => original.slice(0, kept));
    await expect(stage.verify()).rejects.toThrow(`there are ${kept} events, but the checkpoint`);
    await forgeWith(() => original);
  });

  test('finds a checkpoint that was not signed with the key', async () => {
    const at = original.findIndex(({ stream }) => stream === TREE_STREAM);
    await forgeWith(() =>
      changed([...original], at, ({ data }) => ({ data: data.replace(/(— \S+ )[^"\\]{20}/, `$1${'A'.repeat(20)}`) })),
    );
    await expect(stage.verify()).rejects.toThrow('No known key signed the checkpoint');
    await forgeWith(() => original);
  });
});
