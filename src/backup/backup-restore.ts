import { isDeepStrictEqual } from 'node:util';
import type { AppendPipeline, Pipelined } from '../ports/append-pipeline.js';
import {
  BEFORE_ALL,
  WrongExpectedRevision,
  type Appended,
  type EventReader,
  type Position,
  type RecordedEvent,
} from '../ports/event-store.js';
import { beginRestore, endRestore, type HistoryIdentity } from '../ports/history.js';
import type { Ids } from '../ports/time.js';
import { BackupError, type BackupEvent } from './backup-format.js';
import { StreamRevisions } from './stream-revisions.js';
import { readBackup, type BackupReading, type BackupSummary } from './backup-reader.js';

/** Receives the progress as a percentage and a number of events. */
type Report = (progress: number, events: number) => void;

/**
 * Verifies every line of a backup, and that this release supports all of its streams. Writes nothing.
 * @throws BackupError
 */
export async function verifyBackup(
  path: string,
  isKnown: (stream: string) => boolean,
  report: Report,
  decrypter?: BackupReading['decrypter'],
  onEvent?: (event: BackupEvent) => void,
): Promise<BackupSummary> {
  let unknown: string | undefined;
  const onEvents = (events: readonly BackupEvent[]): Promise<void> => {
    unknown ??= events.find(({ stream }) => !isKnown(stream))?.stream;
    if (onEvent) events.forEach(onEvent);
    return Promise.resolve();
  };
  const summary = await readBackup(path, { onEvents, report, decrypter });
  if (unknown !== undefined)
    throw new BackupError(
      `The backup was created by Kontor ${summary.manifest.service} and contains the stream ${unknown}, ` +
        'which this version does not support. Restore it with that version or a newer one.',
    );
  return summary;
}

/**
 * Like `verifyBackup`, and also verifies that no stream lacks events, because an incomplete stream cannot be restored.
 * @throws BackupError
 */
export async function verifyRestorable(...given: Parameters<typeof verifyBackup>): Promise<BackupSummary> {
  const [path, isKnown, report, decrypter] = given;
  const revisions = new StreamRevisions();
  let gap: BackupError | undefined;
  const summary = await verifyBackup(path, isKnown, report, decrypter, (event) => {
    gap ??= revisions.gapBefore(event);
  });
  if (gap) throw gap;
  return summary;
}

export type RestoreOptions = {
  /** Name prefixes of the service's own streams. Other streams in the same store are ignored. */
  readonly streams: readonly string[];
  /** Whether to continue an interrupted restore of the same backup. */
  readonly resume: boolean;
  readonly identity: Pick<HistoryIdentity, 'current' | 'renew'>;
  readonly ids: Ids;
  readonly report: Report;
  readonly decrypter?: BackupReading['decrypter'];
};

export type Restored = {
  /** Number of events written by this restore. */
  readonly written: number;
  /** Number of events that an interrupted restore had already written. */
  readonly found: number;
};

/**
 * Loads a verified backup into an empty store, with the same streams, revisions, ids, data and metadata, in the same
 * order. The new store assigns its own positions and recording times. With `resume`, the store may already contain the
 * beginning of the backup, but no other events of the service. Until the restore is complete, the store is marked, so
 * that no service starts on it.
 * @throws BackupError, EventStoreUnavailable
 */
export async function restoreBackup(
  path: string,
  store: EventReader & Pipelined,
  options: RestoreOptions,
): Promise<Restored> {
  const stored = storedEvents(store, options.streams);
  const next = async () => (await stored.next()).value;
  try {
    // Events that an interrupted restore has written are compared with the backup instead of being written again.
    let there = await next();
    if (there && !options.resume)
      throw new BackupError(
        'The event store is not empty. Restore into an empty store, or continue an interrupted restore ' +
          'of the same backup with --resume.',
      );
    const loader = new Loader(store.pipeline());
    let found = 0;
    let isMarked = false;
    const onEvents = async (events: readonly BackupEvent[], bytes: number): Promise<void> => {
      const missing = events.slice();
      for (let event = missing[0]; there && event; event = missing[0]) {
        assertSame(there, event, (found += 1));
        missing.shift();
        there = await next();
      }
      if (missing.length > 0 && !isMarked) await beginRestore(options.identity, options.ids.next());
      isMarked ||= missing.length > 0;
      await loader.load(missing, bytes / events.length);
    };
    await readBackup(path, { onEvents, report: options.report, decrypter: options.decrypter });
    if (there)
      throw new BackupError(
        `The event store contains more than the ${found} events of this backup. Restore into an empty store.`,
      );
    await loader.finish();
    await endRestore(options.identity);
    return { written: loader.written, found };
  } finally {
    await stored.return(undefined);
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
  throw new BackupError(
    `The event store does not contain the beginning of this backup: event number ${number} ` +
      `is ${type} ${id} in ${stream}. Restore into an empty store.`,
  );
}

/** Yields the service's events up to the current head, oldest first. */
async function* storedEvents(
  reader: EventReader,
  streams: readonly string[],
): AsyncGenerator<RecordedEvent, undefined> {
  const filter = { on: 'stream', prefixes: streams } as const;
  for await (const { events, caughtUp } of reader.subscribeToAll({ after: BEFORE_ALL, filter })) {
    yield* events;
    if (caughtUp) return;
  }
}

const MAX_IN_FLIGHT = 1_000;
const MAX_IN_FLIGHT_BYTES = 16 * 1024 * 1024;

type InFlight = { readonly event: BackupEvent; readonly bytes: number; readonly appended: Promise<Appended> };

/**
 * Appends in backup order with many appends in flight, so that engines can flush them together. After a failure, the
 * store therefore contains a beginning of the backup. The returned positions are checked to confirm the order.
 */
class Loader {
  written = 0;
  private readonly inFlight: InFlight[] = [];
  private inFlightBytes = 0;
  private last: Position = BEFORE_ALL;

  constructor(private readonly pipeline: AppendPipeline) {}

  /** `bytes`: approximate size of one event. */
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
    const appended = this.pipeline.append({ stream, expected, events: [{ id, type, data, metadata }] });
    // `settleFirst` handles the rejection in order, or ignores it if an earlier append failed.
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
      if (revision !== event.revision || position <= this.last) throw new LostOrder('the store changed the order');
      this.last = position;
      this.written += 1;
    } catch (error) {
      const behind = await Promise.allSettled(this.inFlight.splice(0).map((one) => one.appended));
      const isBeginning = behind.every(({ status }) => status === 'rejected') && !(error instanceof LostOrder);
      throw toBrokenOff(error, event, isBeginning);
    }
  }
}

class LostOrder extends Error {}

/** `isBeginning`: whether everything that the restore has stored is a beginning of the backup. */
function toBrokenOff(error: unknown, { stream, revision }: BackupEvent, isBeginning: boolean): BackupError {
  const isShared = error instanceof WrongExpectedRevision;
  const reason = error instanceof Error ? error.message : String(error);
  const why = isShared ? 'another process is writing to this store' : reason;
  return new BackupError(
    `The restore stopped at revision ${revision} of ${stream}: ${why}. Do not use this store. ` +
      (isBeginning && !isShared ? 'Continue with --resume, or empty it.' : 'Empty it, and restore the backup again.'),
    { cause: error },
  );
}
