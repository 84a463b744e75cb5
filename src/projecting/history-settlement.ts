import { BEFORE_ALL, CorruptEvent, InvalidPosition, type EventReader, type Position } from '../ports/event-store.js';
import { assertRestored, type HistoryIdentity } from '../ports/history.js';
import type { Logger } from '../ports/log.js';
import type { AnyTable, ReadStore } from '../ports/read-store.js';
import type { Clock, Ids } from '../ports/time.js';
import type { EventCatalogue } from '../eventsourcing/event-catalogue.js';
import { filledKey } from './read-model-readiness.js';
import { HistoryReadStore } from './history-read-store.js';
import { HistoryRegister, type Anchor } from './history-register.js';
import type { HistorySpace } from '../eventsourcing/history-state.js';
import { checkpointKey } from './projection.js';
import { eventAt, lastOwnEvent } from '../eventsourcing/stream-events.js';
import { subscriberKey } from './checkpoints.js';
import { ALL_RANGES, modelPart, subscriberPart } from '../eventsourcing/ranges.js';

type Model = AnyTable['model'];

export type SettlementParts = {
  readonly identity: HistoryIdentity;
  readonly events: EventReader;
  /** The whole store, including other histories' data. */
  readonly store: ReadStore;
  readonly catalogue: EventCatalogue;
  readonly models: readonly Model[];
  /** Names of all subscribers with a checkpoint. */
  readonly subscribers: readonly string[];
  /**
   * Subscribers that skip existing events after the history has been replaced, because these events have already been
   * delivered or are outdated.
   */
  readonly skipping: readonly string[];
  /** Finds an event that was folded into read models without an anchor. */
  readonly witness: (store: ReadStore) => Promise<Anchor | undefined>;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
};

const MAX_ATTEMPTS = 20;
/** Timeout for the first batch after a position. A server that does not accept the position delivers nothing. */
const DELIVERED_WITHIN_MS = 10_000;

/**
 * Determines at start-up which history the event store contains and which part of the read store was derived from that
 * history. If checkpoints contradict the history, the history gets a new id, so that all earlier derived data becomes
 * unreachable.
 * @throws EventStoreUnavailable, ReadStoreUnavailable or AppendOutcomeUnknown, all of which the caller retries
 * @throws RestoreIncomplete
 */
export async function settleHistory(parts: SettlementParts): Promise<HistorySpace> {
  return new Settlement(parts).run();
}

class Settlement {
  private readonly register: HistoryRegister;
  /** The reason for not using the existing read models. */
  private reason: string | undefined;

  constructor(private readonly parts: SettlementParts) {
    this.register = new HistoryRegister(parts.store);
  }

  async run(): Promise<HistorySpace> {
    const { identity, ids } = this.parts;
    let historyId = (await identity.current()) ?? (await identity.renew(undefined, ids.next()));
    assertRestored(historyId);
    await this.register.prepare();
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      const found = await this.register.find(historyId);
      if (!found) {
        await this.add(historyId);
        continue;
      }
      const { space, anchor, isDropped } = found.entry;
      const contradiction = isDropped ? 'they were removed' : await this.contradiction(space, anchor);
      if (contradiction === undefined) return { historyId, space };
      this.reason = contradiction;
      historyId = await identity.renew(historyId, ids.next());
    }
    throw new Error('The id of the history keeps changing');
  }

  /**
   * Adds a history that is new to the read store. Data without an owner was written by a release without history ids.
   */
  private async add(historyId: string): Promise<void> {
    const owner = await this.register.owner();
    if (!owner) {
      const contradiction = await this.contradiction('', null);
      this.reason ??= contradiction;
      await this.register.claim(contradiction === undefined ? historyId : null);
    } else if (owner.historyId === historyId) await this.adopt(historyId);
    else if (await this.begin(historyId)) this.warn(historyId, owner.historyId);
  }

  /** Adopts the unprefixed tables. */
  private async adopt(historyId: string): Promise<void> {
    const hasModels = (await this.positionsIn('')).some((position) => position >= 0);
    const foundAt = hasModels ? null : await this.lastOrNull();
    await this.register.put(historyId, { space: '', foundAt, anchor: null });
  }

  /** Registers the history with a new space. Returns false if another process registered the history first. */
  private async begin(historyId: string): Promise<boolean> {
    const space = spaceOf(historyId);
    const foundAt = await this.lastOrNull();
    const position = foundAt ?? BEFORE_ALL;
    const checkpoints = this.parts.skipping.map((name) => ({ key: space + subscriberKey(name), position }));
    if (foundAt !== null) await this.parts.store.write({ tables: [], checkpoints });
    return this.register.put(historyId, { space, foundAt, anchor: null });
  }

  private warn(historyId: string, owner: string | null): void {
    const reason = this.reason ?? `they belong to the history ${owner ?? '(unknown)'}`;
    const consequence = 'they are rebuilt from the beginning of its history, and policies process the whole history';
    this.parts.logger.warn(
      { historyId, reason },
      `the read models do not belong to the event store: ${reason}; ${consequence}`,
    );
  }

  private async lastOrNull(): Promise<Position | null> {
    const last = await lastOwnEvent(this.parts.events, this.parts.catalogue);
    return last === BEFORE_ALL ? null : last;
  }

  /**
   * Returns the reason why the data in a space cannot have been derived from this history; undefined if there is none.
   */
  private async contradiction(space: string, anchor: Anchor | null): Promise<string | undefined> {
    const { identity } = this.parts;
    const furthest = Math.max(...(await this.positionsIn(space)));
    const end = await identity.end();
    if (furthest > end) return `they contain events up to position ${furthest}, but the history ends at ${end}`;
    if (furthest < 0) return undefined;
    const witness = anchor ?? (await this.parts.witness(this.within(space)));
    if (witness && !(await isThere(this.parts.events, witness)))
      return `the history lacks the event ${witness.id} at position ${witness.position}`;
    return anchor || (await this.isPosition(furthest)) ? undefined : `the history lacks the position ${furthest}`;
  }

  private within(space: string): ReadStore {
    return new HistoryReadStore(this.parts.store, { space });
  }

  private async positionsIn(space: string): Promise<readonly Position[]> {
    const { models, subscribers } = this.parts;
    const store = this.within(space);
    const ofSubscribers = subscribers.map(subscriberKey);
    const ofModels: string[] = [];
    for (const model of models)
      ofModels.push(checkpointKey(model, (await store.liveGeneration(model.name, model.version)) ?? 1));
    const parts = ALL_RANGES.flatMap((range) => [
      ...ofSubscribers.map((key) => subscriberPart(key, range)),
      ...ofModels.map((key) => modelPart(key, range)),
    ]);
    return store.checkpoints([...models.map(filledKey), ...ofSubscribers, ...ofModels, ...parts]);
  }

  /** Whether the event store accepts the position and delivers events after it. */
  private async isPosition(position: Position): Promise<boolean> {
    const { events, clock } = this.parts;
    const over = new AbortController();
    void clock.sleep(DELIVERED_WITHIN_MS, over.signal).then(() => {
      over.abort();
    });
    try {
      const batches = events.subscribeToAll({ after: position, maxBatchSize: 1, signal: over.signal });
      for await (const _ of batches) return true;
      return false;
    } catch (error) {
      if (error instanceof InvalidPosition) return false;
      if (error instanceof CorruptEvent) return true;
      throw error;
    } finally {
      over.abort();
    }
  }
}

/** The space's name is part of table names, so it starts with a letter. */
const spaceOf = (historyId: string): string => `h${historyId.replaceAll('-', '').slice(-12)}_`;

/** Whether the event is still at its position. A corrupt event is considered present. @throws EventStoreUnavailable */
export async function isThere(events: Pick<EventReader, 'readStream'>, anchor: Anchor): Promise<boolean> {
  try {
    const found = await eventAt(events, anchor.stream, anchor.revision);
    return found?.id === anchor.id && found.position === anchor.position;
  } catch (error) {
    if (error instanceof CorruptEvent) return true;
    throw error;
  }
}
