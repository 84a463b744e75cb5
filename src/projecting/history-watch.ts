import { BEFORE_ALL, CorruptEvent, type EventReader } from '../ports/event-store.js';
import type { HistoryIdentity } from '../ports/history.js';
import type { Logger } from '../ports/log.js';
import { ReadStoreUnavailable, type AnyTable } from '../ports/read-store.js';
import type { Clock } from '../ports/time.js';
import type { EventCatalogue } from '../eventsourcing/event-catalogue.js';
import { HistoryReadStore } from './history-read-store.js';
import { HistoryRegister, type Found } from './history-register.js';
import { isThere } from './history-settlement.js';
import { lastEvent } from '../eventsourcing/stream-events.js';
import { withTimeout } from '../eventsourcing/with-timeout.js';

export type WatchParts = {
  readonly events: EventReader;
  /** Undefined if the event store cannot be replaced while it is open. */
  readonly identity: Pick<HistoryIdentity, 'current'> | undefined;
  readonly store: HistoryReadStore;
  /** Whether other processes can write to the read store. If so, it can be emptied or restored while it is open. */
  readonly isShared: boolean;
  readonly historyId: string;
  readonly catalogue: EventCatalogue;
  readonly models: readonly AnyTable['model'][];
  /** Tables that no projection builds. */
  readonly fixedTables: readonly AnyTable[];
  readonly clock: Clock;
  readonly logger: Logger;
  /** Called at most once, when the watch has detected that the event store was replaced or the read models removed. */
  readonly onReplaced: (reason: string) => void;
};

const LOOK_EVERY_MS = 1_000;
const LAST_LOOK_MS = 500;
/**
 * Number of checks before the cleanup. By then, every replica has noticed the replacement and stopped serving the old
 * history.
 */
const LOOKS_BEFORE_CLEANUP = 60;

const REMOVED = 'The read models were removed from the read store';
const replaced = (how: string): string => `The event store was replaced: ${how}`;

/**
 * Stores the last event as the history's anchor, and detects while the process is running that the event store was
 * replaced, or that the read models were removed.
 */
export class HistoryWatch {
  private readonly stopping = new AbortController();
  private readonly register: HistoryRegister;
  private isPrepared = false;
  /** Version of the history's entry in the last check. It only decreases if the read store was emptied or restored. */
  private version = 0;
  private readonly running: Promise<void>;

  constructor(private readonly parts: WatchParts) {
    this.register = new HistoryRegister(parts.store);
    this.running = this.run();
  }

  /** Stores a final anchor, unless an engine is unavailable or slow. */
  async stop(): Promise<void> {
    this.stopping.abort();
    await withTimeout(this.parts.clock, LAST_LOOK_MS, async () => {
      await this.running;
      await this.look();
    });
  }

  private async run(): Promise<void> {
    const { clock, logger, onReplaced } = this.parts;
    const { signal } = this.stopping;
    let suspicion: string | undefined;
    for (let looks = 1; !signal.aborted; looks += 1) {
      try {
        const reason = await this.look();
        // A second check must confirm the reason, because a starting server may respond before it has read all of its
        // files.
        if (reason !== undefined && suspicion !== undefined) {
          if (reason === REMOVED) await this.abandon();
          onReplaced(reason);
          return;
        }
        suspicion = reason;
        if (looks === LOOKS_BEFORE_CLEANUP) await this.cleanUp();
      } catch (error) {
        suspicion = undefined;
        this.isPrepared = false;
        // Not a warning, because the adapter and the readiness probe already report an unavailable engine.
        logger.info({ err: error }, 'the history could not be checked');
      }
      await clock.sleep(LOOK_EVERY_MS, signal);
    }
  }

  private async cleanUp(): Promise<void> {
    const { store, historyId, logger } = this.parts;
    for (const space of await dropOthers(store, historyId, this.parts))
      logger.info({ space }, 'the read models of another history were removed');
  }

  /** Returns the reason why this process must not continue; undefined if there is none. */
  private async look(): Promise<string | undefined> {
    const { identity, historyId } = this.parts;
    const id = identity ? await identity.current() : historyId;
    if (id !== historyId) return replaced(`it contains the history ${id ?? '(none)'} instead of ${historyId}`);
    if (!this.isPrepared) await this.register.prepare();
    this.isPrepared = true;
    const found = await this.register.find(historyId);
    if (this.isRemoved(found)) return REMOVED;
    return found ? this.lookAtAnchor(found) : this.registerAgain();
  }

  private isRemoved(found: Found | undefined): boolean {
    return this.parts.isShared && (!found || found.entry.isDropped === true || found.version < this.version);
  }

  private async lookAtAnchor(found: Found): Promise<string | undefined> {
    const { anchor } = found.entry;
    if (anchor && !(await isThere(this.parts.events, anchor)))
      return replaced(`it does not contain the event ${anchor.id} at position ${anchor.position}`);
    this.version = found.version;
    await this.keepAnchor(found);
    return undefined;
  }

  /** Registers the history in a read store that was damaged and recreated as an empty store. */
  private async registerAgain(): Promise<undefined> {
    const { historyId, store } = this.parts;
    await this.register.claim(store.space === '' ? historyId : null);
    await this.register.put(historyId, { space: store.space, foundAt: null, anchor: null });
  }

  /**
   * Marks the read models as removed, because processes may since have stored documents and checkpoints among the
   * missing ones. The next start then builds new read models.
   */
  private async abandon(): Promise<void> {
    const { historyId, store } = this.parts;
    const found = await this.register.find(historyId);
    await this.register.claim(null);
    const entry = { space: store.space, foundAt: null, anchor: null, isDropped: true as const };
    if (!(await this.register.put(historyId, entry, found?.version)))
      throw new ReadStoreUnavailable('Another process changed the entry of the history');
  }

  /**
   * Stores the last event as the anchor. If another process writes an anchor concurrently, that anchor is used instead.
   */
  private async keepAnchor({ id, entry, version }: Found): Promise<void> {
    const { events, catalogue } = this.parts;
    const last = await lastEvent(events, catalogue).catch((error: unknown) => {
      if (error instanceof CorruptEvent) return undefined;
      throw error;
    });
    if (!last || last.position <= (entry.anchor?.position ?? BEFORE_ALL)) return;
    const { stream, revision, position } = last;
    await this.register.put(id, { ...entry, anchor: { id: last.id, stream, revision, position } }, version);
  }
}

/**
 * Number of earlier generations that rebuilds may have left behind. The generation after the live one may also remain.
 */
const OLDER_GENERATIONS = 3;

/**
 * Drops the tables of all other histories, in the model versions known to this process; other versions remain. Exactly
 * one process marks each history before dropping its tables. New read models are built for a history that returns
 * later. Returns the dropped spaces.
 * @throws ReadStoreUnavailable
 */
export async function dropOthers(
  store: HistoryReadStore,
  historyId: string,
  { models, fixedTables }: Pick<WatchParts, 'models' | 'fixedTables'>,
): Promise<readonly string[]> {
  const register = new HistoryRegister(store);
  const dropped: string[] = [];
  for (const { id, entry, version } of await register.others(historyId)) {
    const { space } = entry;
    if (space === store.space || !(await register.put(id, { ...entry, isDropped: true }, version))) continue;
    const theirs = new HistoryReadStore(store.whole, { space });
    for (const model of models) {
      const live = (await theirs.liveGeneration(model.name, model.version)) ?? 1;
      for (let generation = Math.max(1, live - OLDER_GENERATIONS); generation <= live + 1; generation += 1)
        await theirs.drop({ model, generation });
    }
    for (const table of fixedTables) await theirs.drop(table);
    dropped.push(space);
  }
  return dropped;
}
