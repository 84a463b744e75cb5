import type { IntegrityEvent, SignedCheckpoint } from '../aggregates/integrity.aggregate.js';
import { conflict, DomainError, invalid, notFound } from '../eventsourcing/domain-error.js';
import { EventCatalogue } from '../eventsourcing/event-catalogue.js';
import { answers, query } from '../eventsourcing/handler.js';
import { eventsAfter, ownStreams } from '../eventsourcing/stream-events.js';
import { TILE_WIDTH } from '../integrity/growing-tree.js';
import { published, type PublishedCheckpoint } from '../integrity/checkpoint-files.js';
import { leafHashOf, leafOf } from '../integrity/leaf.js';
import { consistencyProof, inclusionProof } from '../integrity/merkle.js';
import { TileStore, TreeBehind, type TreeView } from '../integrity/tile-store.js';
import { TREE_STREAM } from '../integrity/tree-follower.js';
import { BEFORE_ALL, EVENT_STORE, type EventStore, type Position, type RecordedEvent } from '../ports/event-store.js';
import { PLATFORM } from '../ports/read-store.js';
import { auditLogs } from '../projections/audit-log.projection.js';
import { IntegrityKeys } from '../security/integrity-keys.js';
import { ReadModels } from './query.js';
import { StreamHistory } from './stream-history.js';
import { lastEvent, type RecordAddress } from './stream.queries.js';

/** A checkpoint with the position of the last event that it covers. */
export type CheckpointView = PublishedCheckpoint & { readonly position: Position };
/** Hashes are in hexadecimal, from the leaf to the root. */
export type InclusionView = {
  readonly index: number;
  readonly size: number;
  readonly leafHash: string;
  readonly hashes: readonly string[];
  /** The signed note. */
  readonly checkpoint: string;
};
export type TreeSizes = { readonly from: number; readonly to: number };
export type ConsistencyView = TreeSizes & { readonly hashes: readonly string[] };

/**
 * An event in a bundle. `leaf` is null if the event contains a secret. Even then, the hash proves the event's place in
 * the history.
 */
export type EvidenceEvent = Omit<InclusionView, 'size' | 'checkpoint'> & { readonly leaf: readonly string[] | null };
/** A bundle that scripts/verify-evidence.mjs can verify without the service. */
export type Evidence = {
  readonly format: 'kontor-evidence';
  readonly version: 1;
  readonly record: RecordAddress & { readonly stream: string };
  readonly publicKey: string;
  readonly checkpoint: string;
  /** Number of the record's events not yet covered by a checkpoint. */
  readonly uncovered: number;
  readonly events: readonly EvidenceEvent[];
};

export class GetCheckpoint extends query<CheckpointView>() {}
/** Proves that the tree includes an event or extends an earlier tree. */
export class GetTreeProof extends query<InclusionView | ConsistencyView, [of: string | TreeSizes]>() {}
export class GetEvidence extends query<Evidence, [address: RecordAddress]>() {}

const MAX_EVENTS = 10_000;

/** @throws DomainError unavailable while the tree is being rebuilt */
async function whileKnown<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof TreeBehind)) throw error;
    const message = 'The Merkle tree of the history is being built. Try again.';
    throw new DomainError('unavailable', 'TREE_BEHIND', message, { retryAfterSeconds: 1 });
  }
}

const hex = (hashes: readonly Buffer[]): string[] => hashes.map((each) => each.toString('hex'));

/** @throws DomainError not_found before the first checkpoint */
async function lastCheckpoint(history: StreamHistory): Promise<SignedCheckpoint> {
  const event = await history.lastOf(TREE_STREAM);
  const decoded = event && (history.decode(event) as unknown as IntegrityEvent | undefined);
  if (!decoded) throw new DomainError('not_found', 'NOT_FOUND', 'No checkpoint has been signed yet.');
  return decoded.data;
}

/** Finds events in the tree. Leaves are in history order, so a tile covers a short range of positions. */
class Leaves {
  constructor(
    private readonly events: EventStore,
    private readonly catalogue: EventCatalogue,
    private readonly tiles: TileStore,
  ) {}

  /** The event at an index. @throws TreeBehind */
  async at(index: number): Promise<RecordedEvent> {
    const tile = Math.floor(index / TILE_WIDTH);
    const found = (await this.ofTile(tile))[index % TILE_WIDTH];
    if (!found) throw new TreeBehind('The history does not reach this leaf');
    return found;
  }

  /**
   * Index of the event with this id at this position; undefined if the tree does not contain it yet.
   * @throws TreeBehind
   */
  async find(id: string, position: Position): Promise<number | undefined> {
    const tile = await this.tiles.tileAt(position);
    if (!tile) return undefined;
    const at = (await this.ofTile(tile.index)).findIndex((event) => event.id === id);
    return at >= 0 && at < tile.hashes.length ? tile.index * TILE_WIDTH + at : undefined;
  }

  /** Index of an event's leaf, found by its hash; undefined if the tree has no such leaf. */
  async indexOf(event: RecordedEvent): Promise<number | undefined> {
    const tile = await this.tiles.tileAt(event.position);
    const hashed = leafHashOf(event);
    const at = tile?.hashes.findIndex((one) => one.equals(hashed)) ?? -1;
    return tile && at >= 0 ? tile.index * TILE_WIDTH + at : undefined;
  }

  /**
   * Returns the position of the event with this id. Scans the history, because only the events in the audit log are
   * indexed by id.
   */
  async scan(id: string): Promise<Position | undefined> {
    for await (const event of eventsAfter(this.events, BEFORE_ALL, this.filter))
      if (event.id === id) return event.position;
    return undefined;
  }

  private async ofTile(index: number): Promise<readonly RecordedEvent[]> {
    const from = await this.tiles.positionBefore(index);
    return this.events.readAll({ from, filter: this.filter, maxCount: TILE_WIDTH });
  }

  private get filter() {
    return ownStreams(this.catalogue);
  }
}

const inclusionOf = async (view: TreeView, index: number, size: number) => ({
  index,
  leafHash: (await view.leaf(index)).toString('hex'),
  hashes: hex(await inclusionProof(view.node, index, size)),
});

/** @throws DomainError invalid if the tree is larger than the current one */
async function consistencyOf(tiles: TileStore, { from, to }: TreeSizes): Promise<ConsistencyView> {
  const { size } = await tiles.reached();
  if (to > size) throw invalid([{ path: 'to', message: `The tree has ${size} leaves.` }]);
  return { from, to, hashes: hex(await consistencyProof(tiles.view().node, from, to)) };
}

const notCovered = (): DomainError =>
  conflict('NOT_COVERED', 'No checkpoint covers this event yet. Try again in a minute.');

/** The events of a record that a checkpoint covers, with their proofs. */
async function evidenceOf(
  history: StreamHistory,
  leaves: Leaves,
  view: TreeView,
  { stream, size }: { readonly stream: string; readonly size: number },
): Promise<Pick<Evidence, 'uncovered' | 'events'>> {
  const events: EvidenceEvent[] = [];
  let uncovered = 0;
  const secrets = history.secretsOf(stream);
  for await (const event of history.each(stream)) {
    if (events.length === MAX_EVENTS)
      throw conflict('TOO_MANY_EVENTS', `The record has more than ${MAX_EVENTS} events, too many for one bundle.`);
    const index = await leaves.indexOf(event);
    if (index === undefined || index >= size) {
      uncovered += 1;
      continue;
    }
    const decoded = history.decode(event);
    if (decoded) secrets.learn(decoded);
    const isOpen = decoded !== undefined && JSON.stringify(secrets.without(event.data)) === JSON.stringify(event.data);
    events.push({ ...(await inclusionOf(view, index, size)), leaf: isOpen ? leafOf(event).split('\0') : null });
  }
  return { uncovered, events };
}

const TREE = [EVENT_STORE, EventCatalogue, TileStore, StreamHistory] as const;
export const integrityQueryHandlers = [
  answers(GetCheckpoint, TREE, (events, catalogue, tiles, history) =>
    whileKnown(async () => {
      const checkpoint = await lastCheckpoint(history);
      const last = await new Leaves(events, catalogue, tiles).at(checkpoint.size - 1);
      return { ...published(checkpoint), position: last.position };
    }),
  ),
  answers(GetTreeProof, [...TREE, ReadModels], (events, catalogue, tiles, history, models, of) =>
    whileKnown(async () => {
      if (typeof of !== 'string') return consistencyOf(tiles, of);
      const leaves = new Leaves(events, catalogue, tiles);
      const entry = await models.get(auditLogs, PLATFORM, of);
      const position = entry?.position ?? (await leaves.scan(of));
      if (position === undefined) throw notFound('event');
      const { note, size } = await lastCheckpoint(history);
      const index = await leaves.find(of, position);
      if (index === undefined || index >= size) throw notCovered();
      return { ...(await inclusionOf(tiles.view(), index, size)), size, checkpoint: note };
    }),
  ),
  answers(
    GetEvidence,
    [...TREE, ReadModels, IntegrityKeys],
    (events, catalogue, tiles, history, models, keys, address) =>
      whileKnown(async () => {
        const { stream } = await lastEvent(history, catalogue, models, address);
        const { note, size } = await lastCheckpoint(history);
        const leaves = new Leaves(events, catalogue, tiles);
        const bundle = await evidenceOf(history, leaves, tiles.view(), { stream, size });
        return {
          ...{ format: 'kontor-evidence', version: 1, record: { ...address, stream } },
          ...{ publicKey: keys.publicKey, checkpoint: note, ...bundle },
        };
      }),
  ),
];
