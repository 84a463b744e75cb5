import {
  HISTORY_TREE,
  integrity,
  type IntegrityEvent,
  type SignedCheckpoint,
} from '../aggregates/integrity.aggregate.js';
import type { EventCatalogue } from '../eventsourcing/event-catalogue.js';
import { KeyedQueue } from '../eventsourcing/keyed-queue.js';
import { retryForever } from '../eventsourcing/retry-forever.js';
import { eventsOf, lastOwnEvent, ownStreams } from '../eventsourcing/stream-events.js';
import { PLATFORM_TENANT, streamName } from '../eventsourcing/stream-name.js';
import type { QueueMeter } from '../observability/queue-meters.js';
import {
  BEFORE_ALL,
  type EventBatch,
  type EventReader,
  type Position,
  type RecordedEvent,
} from '../ports/event-store.js';
import type { Logger } from '../ports/log.js';
import type { ReadStore } from '../ports/read-store.js';
import type { Clock } from '../ports/time.js';
import type { IntegrityKeys } from '../security/integrity-keys.js';
import { published, type CheckpointFiles, type PublishedCheckpoint } from './checkpoint-files.js';
import { GrowingTree, type Tile } from './growing-tree.js';
import { leafHashOf } from './leaf.js';
import { TileStore, type EndedTile } from './tile-store.js';
import type { StoredCheckpoint, Witness } from './witness.js';

/** Name of the tree's queue, and of the lease held by the process that maintains the tree. */
export const INTEGRITY = 'integrity';
export const TREE_STREAM = streamName(integrity.name, PLATFORM_TENANT, HISTORY_TREE);

/**
 * Records a checkpoint. `after`: revision of the last checkpoint known to the signer. Returns false if another
 * checkpoint was recorded first.
 */
export type RecordCheckpoint = (after: number, checkpoint: SignedCheckpoint) => Promise<boolean>;

export type FollowerParts = {
  readonly events: EventReader;
  readonly store: ReadStore;
  readonly catalogue: EventCatalogue;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly keys: IntegrityKeys;
  readonly files: CheckpointFiles;
  readonly witness: Witness | undefined;
  readonly record: RecordCheckpoint;
  readonly meter?: QueueMeter;
  /** Maximum time without a checkpoint while events are appended. */
  readonly checkpointEveryMs: number;
};

/** Number of leaves appended between saves of the tiles. */
const SAVE_EVERY = 4_096;
/**
 * Maximum delay before the tree includes an event, if the history is on a server. The delay is short compared with the
 * interval between checkpoints.
 */
const MAX_DELAY_MS = 1_000;
/** The first checkpoint of a history is signed after this fraction of the checkpoint interval. */
const FIRST_SHARE = 0.1;

type TreeFacts = Pick<SignedCheckpoint, 'size' | 'rootHash'>;

/** The history contradicts an already published checkpoint. */
class Contradiction extends Error {
  override readonly name = 'Contradiction';
}

/**
 * Follows the history, adds every event to the Merkle tree, and signs checkpoints. Publishes a checkpoint only after
 * reading it back from the history.
 */
export class TreeFollower {
  private readonly tiles: TileStore;
  private readonly stopping = new AbortController();
  private readonly saves = new KeyedQueue();
  private running: Promise<unknown> = Promise.resolve();
  private tree = new GrowingTree();
  private position: Position = BEFORE_ALL;
  private savedSize = 0;
  /** Complete tiles that are not stored yet. */
  private complete: EndedTile[] = [];
  /** The end of the history when this process started. Nothing is signed until the tree has reached it. */
  private goal: Position = Number.POSITIVE_INFINITY;
  /** Size of the last checkpoint that is known to match the tree. */
  private agreed = 0;
  /** The newest checkpoint in this process's files. */
  private filed: PublishedCheckpoint | undefined;

  constructor(private readonly parts: FollowerParts) {
    this.tiles = new TileStore(parts.store);
  }

  start(): void {
    this.parts.meter?.begin(this.position);
    this.parts.witness?.start();
    this.running = this.run();
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.running;
    await this.parts.witness?.stop();
    this.parts.meter?.end();
    await this.save().catch((error: unknown) => {
      this.parts.logger.warn({ err: error }, 'the Merkle tree of the history could not be saved');
    });
  }

  private async run(): Promise<void> {
    const { clock } = this.parts;
    const { signal } = this.stopping;
    const attempt = async (gotOn: () => void): Promise<void> => {
      await this.begin();
      await this.follow(gotOn);
    };
    const failed = (): void => {
      this.parts.meter?.failed();
      this.parts.meter?.markUnknown();
    };
    await Promise.all([retryForever(clock, signal, attempt, this.complain, { failed }), this.keepSigning()]);
  }

  private readonly complain = (error: unknown): void => {
    const { logger } = this.parts;
    if (error instanceof Contradiction) logger.error({ reason: error.message }, 'checkpoints are no longer signed');
    else logger.warn({ err: error }, 'the Merkle tree of the history is waiting for an engine');
  };

  /** Resumes where the stored tiles end. */
  private async begin(): Promise<void> {
    const { events, catalogue, files } = this.parts;
    await this.tiles.prepare();
    this.goal = await lastOwnEvent(events, catalogue);
    const filed = await files.last();
    const { tree, position } = await this.tiles.tree(this.onComplete);
    [this.tree, this.position, this.savedSize, this.complete] = [tree, position, tree.size, []];
    [this.filed, this.agreed] = [filed, 0];
    this.parts.meter?.begin(position);
  }

  private async follow(gotOn: () => void): Promise<void> {
    const { events, catalogue, meter } = this.parts;
    const { signal } = this.stopping;
    const filter = ownStreams(catalogue);
    const subscription = { after: this.position, filter, textOnly: true, maxDelayMs: MAX_DELAY_MS, signal };
    for await (const batch of events.subscribeToAll(subscription)) {
      // Checkpoints are published before the tree includes them. Otherwise, the tree could be saved beyond a checkpoint
      // whose publication failed, and the checkpoint would never be published.
      const filed = await this.publish(batch);
      this.add(batch.events);
      this.position = Math.max(this.position, batch.position);
      this.filed = filed;
      meter?.handled(batch.events.length, this.position);
      meter?.reached(this.position, batch.caughtUp);
      if (this.tree.size - this.savedSize >= SAVE_EVERY) await this.save();
      gotOn();
      if (signal.aborted) return;
    }
    if (!signal.aborted) throw new Error('the subscription ended');
  }

  private add(events: readonly RecordedEvent[]): void {
    for (const event of events) {
      // The position is set before the leaf is appended, because a tile that the leaf completes ends at this position.
      this.position = event.position;
      this.tree.append(leafHashOf(event));
    }
  }

  private readonly onComplete = (tile: Tile): void => {
    this.complete.push({ ...tile, end: this.position });
  };

  /** Save operations run one after another. */
  private save(): Promise<void> {
    return this.saves.run('', () => this.saveNow());
  }

  private async saveNow(): Promise<void> {
    const { size } = this.tree;
    const end = this.position;
    if (size === this.savedSize) return;
    const complete = this.complete.splice(0);
    const edge = this.tree.edge().flatMap((tile) => (tile.hashes.length === 0 ? [] : [{ ...tile, end }]));
    try {
      await this.tiles.save([...complete, ...edge], { size, position: end });
      this.savedSize = size;
    } catch (error) {
      this.complete.unshift(...complete);
      throw error;
    }
  }

  private async keepSigning(): Promise<void> {
    const { clock, checkpointEveryMs } = this.parts;
    const { signal } = this.stopping;
    for (let told: string | undefined; !signal.aborted;) {
      await clock.sleep(this.agreed === 0 ? checkpointEveryMs * FIRST_SHARE : checkpointEveryMs, signal);
      if (this.stopping.signal.aborted) return;
      try {
        await this.sign();
        told = undefined;
      } catch (error) {
        if (told !== String(error)) this.complain(error);
        told = String(error);
      }
    }
  }

  /** Signs the tree if events have been appended since the last checkpoint. */
  private async sign(): Promise<void> {
    const { clock, keys, record } = this.parts;
    const last = await this.lastCheckpoint();
    if (this.position < Math.max(this.goal, last?.position ?? BEFORE_ALL)) return;
    await this.assertAgrees([last?.data, this.filed]);
    const { size } = this.tree;
    // If there is only one more event, that event contains the last checkpoint. It does not require a new checkpoint.
    if (size === 0 || (last && size <= last.data.size + 1)) return;
    const root = this.tree.root();
    await this.save();
    const note = keys.sign({ size, root });
    const signedAt = new Date(clock.nowMs()).toISOString();
    await record(last?.revision ?? -1, { note, size, rootHash: root.toString('hex'), signedAt });
  }

  private async lastCheckpoint() {
    const { events, catalogue } = this.parts;
    const [last] = (await events.readStream(TREE_STREAM, { direction: 'backwards', maxCount: 1 })).events;
    return last && { revision: last.revision, position: last.position, data: dataOf(catalogue, last) };
  }

  /**
   * Checks that the tree extends the last checkpoint in the history and the last one in this process's files. After a
   * truncation of the history, the removed checkpoints remain only in the files.
   * @throws Contradiction
   */
  private async assertAgrees(known: readonly (TreeFacts | undefined)[]): Promise<void> {
    for (const { size, rootHash } of known.filter((one) => one !== undefined)) {
      if (size <= this.agreed) continue;
      if (size > this.tree.size)
        throw new Contradiction(`a checkpoint covers ${size} events, but the history has only ${this.tree.size}`);
      await this.save();
      if ((await this.tiles.view().root(size)).toString('hex') !== rootHash)
        throw new Contradiction(`the first ${size} events differ from those that a checkpoint covers`);
      this.agreed = size;
    }
  }

  /** Publishes the checkpoints that a batch contains. Returns the newest published checkpoint. */
  private async publish({ events: added, position }: EventBatch): Promise<PublishedCheckpoint | undefined> {
    const { catalogue, events, files, witness } = this.parts;
    const first = added.find(({ stream }) => stream === TREE_STREAM);
    if (!first) return this.filed;
    witness?.notice();
    const filedSize = this.filed?.size ?? 0;
    const news: PublishedCheckpoint[] = [];
    for await (const event of eventsOf(events, TREE_STREAM, first.revision)) {
      if (event.position > position) break;
      const checkpoint = published(dataOf(catalogue, event));
      if (checkpoint.size > filedSize) news.push(checkpoint);
    }
    if (news.length > 0) await files.add(news);
    return news.at(-1) ?? this.filed;
  }
}

/** Yields the checkpoints in the history, starting at a revision of their stream, oldest first. */
export async function* storedCheckpoints(
  { events, catalogue }: Pick<FollowerParts, 'events' | 'catalogue'>,
  from: number,
): AsyncGenerator<StoredCheckpoint, void> {
  for await (const event of eventsOf(events, TREE_STREAM, from))
    yield { revision: event.revision, position: event.position, note: dataOf(catalogue, event).note };
}

const dataOf = (catalogue: EventCatalogue, event: RecordedEvent): SignedCheckpoint =>
  (catalogue.decode(event) as unknown as IntegrityEvent).data;
