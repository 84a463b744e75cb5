import { isDeepStrictEqual } from 'node:util';
import {
  BEFORE_ALL,
  WrongExpectedRevision,
  type Appended,
  type EventBatch,
  type EventReader,
  type EventStore,
  type Position,
  type RecordedEvent,
} from '../ports/event-store.js';
import type { BackupEvent } from './backup-format.js';
import { readBackup, type BackupSummary } from './backup-reader.js';

/** The store is not one that this backup may be loaded into; nothing was written by this attempt. */
export class StoreNotEmpty extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'StoreNotEmpty';
  }
}

/** The backup is whole, but this service could not read what it holds. */
export class UnknownStreams extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'UnknownStreams';
  }
}

/** The store did not take the events as they are in the backup; what was written stays. */
export class RestoreBrokeOff extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'RestoreBrokeOff';
  }
}

/** Told from time to time: progress in percent, and how many events that is. */
export type Report = (progress: number, events: number) => void;

/**
 * Reads all of a backup without writing anything: every line, and whether this service knows all of its streams.
 * @throws DamagedBackup, UnknownStreams
 */
export async function verifyBackup(
  path: string,
  isKnown: (stream: string) => boolean,
  report: Report,
): Promise<BackupSummary> {
  let unknown: string | undefined;
  const onEvents = (events: readonly BackupEvent[]): Promise<void> => {
    unknown ??= events.find(({ stream }) => !isKnown(stream))?.stream;
    return Promise.resolve();
  };
  const summary = await readBackup(path, { onEvents, report });
  if (unknown !== undefined)
    throw new UnknownStreams(
      `The backup was made by Kontor ${summary.manifest.service} and holds the stream ${unknown}, ` +
        'which this version does not know: restore it with that version or a newer one.',
    );
  return summary;
}

/** What a restore takes as its own, and whether it goes on with an interrupted one. */
export type RestoreOptions = {
  /** Beginnings of the names of the service's own streams: what others keep in the same store does not matter. */
  readonly streams: readonly string[];
  /** Go on where an interrupted restore of the same backup has ended. */
  readonly resume: boolean;
  readonly report: Report;
};

/** How many events a restore has brought. */
export type Restored = {
  /** Events that were written. */
  readonly written: number;
  /** Events that an interrupted restore had written before. */
  readonly found: number;
};

/**
 * Loads a backup that was verified into an empty store: the same streams, revisions, ids, data and metadata, in the same
 * order. Positions and instants of recording are the new store's own. With `resume`, a store that holds exactly the
 * beginning of the backup is completed.
 * @throws StoreNotEmpty, RestoreBrokeOff, DamagedBackup, EventStoreUnavailable
 */
export async function restoreBackup(path: string, store: EventStore, options: RestoreOptions): Promise<Restored> {
  const stored = new StoredEvents(store, options.streams);
  try {
    if (!options.resume && (await stored.next()) !== undefined)
      throw new StoreNotEmpty(
        'The event store is not empty, and a backup is restored into an empty one only. Where an earlier restore of ' +
          'this same backup was interrupted, --resume goes on with it.',
      );
    const loader = new Loader(store);
    let found = 0;
    const onEvents = async (events: readonly BackupEvent[], bytes: number): Promise<void> => {
      let first = 0;
      for (; !stored.hasEnded && first < events.length; first += 1) {
        const there = await stored.next();
        if (there === undefined) break;
        assertSame(there, events[first] as BackupEvent, (found += 1));
      }
      await loader.load(events.slice(first), bytes / events.length);
    };
    await readBackup(path, { onEvents, report: options.report });
    if (!stored.hasEnded && (await stored.next()) !== undefined)
      throw new StoreNotEmpty(`The event store holds more than the ${found} events of this backup.`);
    await loader.finish();
    return { written: loader.written, found };
  } finally {
    await stored.close();
  }
}

function assertSame(there: RecordedEvent, event: BackupEvent, number: number): void {
  const { id, stream, revision, type, data, metadata } = there;
  if (
    id === event.id &&
    stream === event.stream &&
    revision === event.revision &&
    type === event.type &&
    isDeepStrictEqual(data, event.data) &&
    isDeepStrictEqual(metadata, event.metadata)
  )
    return;
  throw new StoreNotEmpty(
    `The event store holds something else than the beginning of this backup: its event number ${number} is ` +
      `${type} ${id} in ${stream}. Restore into an empty store.`,
  );
}

/** What the store held when it was first asked, one event at a time. */
class StoredEvents {
  hasEnded = false;
  private readonly batches: AsyncIterator<EventBatch, unknown>;
  private batch: readonly RecordedEvent[] = [];
  private taken = 0;
  private isLast = false;

  constructor(reader: EventReader, streams: readonly string[]) {
    const filter = { on: 'stream', prefixes: streams } as const;
    this.batches = reader.subscribeToAll({ after: BEFORE_ALL, filter })[Symbol.asyncIterator]();
  }

  async next(): Promise<RecordedEvent | undefined> {
    while (this.taken === this.batch.length && !this.isLast) {
      const result = await this.batches.next();
      if (result.done === true) break;
      this.batch = result.value.events;
      this.taken = 0;
      this.isLast = result.value.caughtUp;
    }
    const event = this.batch[this.taken];
    this.taken += 1;
    this.hasEnded ||= event === undefined;
    return event;
  }

  async close(): Promise<void> {
    await this.batches.return?.();
  }
}

const MAX_IN_FLIGHT = 1_000;
const MAX_IN_FLIGHT_BYTES = 16 * 1024 * 1024;

type InFlight = { readonly event: BackupEvent; readonly bytes: number; readonly appended: Promise<Appended> };

/**
 * Appends in the order of the backup with many in flight, so that engines can flush them together. Engines carry out
 * what comes over one connection in its order; that they did is checked by the positions that they answer.
 */
class Loader {
  written = 0;
  private readonly inFlight: InFlight[] = [];
  private inFlightBytes = 0;
  private last: Position = BEFORE_ALL;

  constructor(private readonly store: EventStore) {}

  /** `bytes`: of one event, about. */
  async load(events: readonly BackupEvent[], bytes: number): Promise<void> {
    for (const event of events) {
      while (this.inFlight.length >= MAX_IN_FLIGHT || this.inFlightBytes >= MAX_IN_FLIGHT_BYTES)
        await this.settleFirst();
      this.inFlight.push({ event, bytes, appended: this.append(event) });
      this.inFlightBytes += bytes;
    }
  }

  async finish(): Promise<void> {
    while (this.inFlight.length > 0) await this.settleFirst();
  }

  private append({ stream, revision, id, type, data, metadata }: BackupEvent): Promise<Appended> {
    const expected = revision === 0 ? 'no_stream' : revision - 1;
    const appended = this.store.append({ stream, expected, events: [{ id, type, data, metadata }] });
    // It is looked at when its turn comes, and not at all when one before it failed.
    appended.catch(() => undefined);
    return appended;
  }

  private async settleFirst(): Promise<void> {
    const first = this.inFlight.shift();
    if (!first) return;
    const { event, bytes, appended } = first;
    this.inFlightBytes -= bytes;
    try {
      const { revision, position } = await appended;
      if (revision !== event.revision || position <= this.last) throw new Error('the store changed the order');
      this.last = position;
      this.written += 1;
    } catch (error) {
      await Promise.allSettled(this.inFlight.splice(0).map((one) => one.appended));
      throw toBrokenOff(error, event);
    }
  }
}

function toBrokenOff(error: unknown, { stream, revision }: BackupEvent): RestoreBrokeOff {
  const why =
    error instanceof WrongExpectedRevision
      ? 'something else writes to this store'
      : error instanceof Error
        ? error.message
        : String(error);
  return new RestoreBrokeOff(
    `The restore broke off at revision ${revision} of ${stream}: ${why}. Nothing should use this store as it is: ` +
      'go on with --resume, or empty it.',
    { cause: error },
  );
}
