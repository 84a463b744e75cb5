import type { Position } from '../ports/event-store.js';
import { PLATFORM, type AnyTable, type DocumentKey, type ReadModel, type ReadStore } from '../ports/read-store.js';
import { edgeOf, GrowingTree, TILE_LEVELS, TILE_WIDTH, type Tile } from './growing-tree.js';
import { rootAt, rootOf, type Digest } from './merkle.js';

/** A stored tile. `end` is the position of its last leaf. */
type TileDoc = {
  readonly id: string;
  readonly level: number;
  readonly index: number;
  readonly end: Position;
  /** Base64 of all hashes. */
  readonly hashes: string;
};
/** The extent of the stored tiles. */
export type Reached = { readonly size: number; readonly position: Position };
type StateDoc = Reached & { readonly id: string };

const model: ReadModel<TileDoc | StateDoc> = {
  name: 'integrity_tiles',
  version: 1,
  fields: {
    level: { type: 'integer', of: (doc) => ('level' in doc ? doc.level : null) },
    end: { type: 'integer', of: (doc) => ('end' in doc ? doc.end : null) },
  },
  filters: ['level'],
  order: { fields: ['end'], direction: 'ascending' },
};
/** No projection builds the tiles, because they are derived from the whole history in order. */
export const TILE_TABLE: AnyTable = { model, generation: 1 };

const STATE: DocumentKey = { scope: PLATFORM, id: 'state' };
const DIGEST_BYTES = 32;
/** Number of tiles per write operation. Each tile is about 11 KB. */
const STRETCH = 16;
/** Maximum number of tiles that a reader keeps in memory. Each tile takes 8 KB. */
const MAX_CACHED = 1_000;
const MAX_NODES = 20_000;

const keyOf = (level: number, index: number): DocumentKey => ({ scope: PLATFORM, id: `${level}.${index}` });

/** Thrown if the stored tree does not cover a requested event, for example because the tree is being rebuilt. */
export class TreeBehind extends Error {
  override readonly name = 'TreeBehind';
}

/** A tile to store, with the position of its last leaf. */
export type EndedTile = Tile & { readonly end: Position };

/**
 * Stores and reads the tree's tiles. The history determines the tiles, so concurrent writers store identical tiles. If
 * an incomplete tile is stored twice, the longer version is kept.
 * @throws ReadStoreUnavailable
 */
export class TileStore {
  constructor(private readonly store: ReadStore) {}

  prepare(): Promise<void> {
    return this.store.prepare([TILE_TABLE]);
  }

  async reached(): Promise<Reached> {
    const json = await this.store.get(TILE_TABLE, STATE.scope, STATE.id);
    return json === undefined ? { size: 0, position: -1 } : (JSON.parse(json) as StateDoc);
  }

  /** Stores tiles, then their extent. */
  async save(tiles: readonly EndedTile[], reached: Reached): Promise<void> {
    for (let first = 0; first < tiles.length; first += STRETCH)
      await this.write(tiles.slice(first, first + STRETCH).map((tile) => [keyOf(tile.level, tile.index), docOf(tile)]));
    await this.write([[STATE, { ...reached, id: STATE.id, end: reached.position }]]);
  }

  /** Returns the stored part of the tree, and the position of its last leaf. */
  async tree(onComplete: (tile: Tile) => void): Promise<{ readonly tree: GrowingTree; readonly position: Position }> {
    const { size, position } = await this.reached();
    const edge: Digest[][] = [];
    for (let level = 0; TILE_WIDTH ** level <= size; level += 1) {
      const { index, width } = edgeOf(size, level);
      edge.push(width === 0 ? [] : (await this.tile(level, index)).slice(0, width));
    }
    return { tree: new GrowingTree(onComplete, { size, edge }), position };
  }

  /** Returns a tile's hashes. @throws TreeBehind */
  async tile(level: number, index: number): Promise<Digest[]> {
    return hashesIn(await this.stored(level, index));
  }

  /** Returns the index and hashes of the first leaf tile whose last leaf is at or after the position. */
  async tileAt(position: Position): Promise<{ readonly index: number; readonly hashes: Digest[] } | undefined> {
    const { items } = await this.store.list(TILE_TABLE, PLATFORM, {
      where: { level: 0 },
      between: { end: { from: position } },
      ...{ offset: 0, limit: 1, countUpTo: 0 },
    });
    const [json] = items;
    return json === undefined ? undefined : { index: (JSON.parse(json) as TileDoc).index, hashes: hashesIn(json) };
  }

  /** Returns the position of the last leaf before a leaf tile; −1 for the first leaf tile. @throws TreeBehind */
  async positionBefore(index: number): Promise<Position> {
    if (index === 0) return -1;
    return (JSON.parse(await this.stored(0, index - 1)) as TileDoc).end;
  }

  /** Returns a view of the tree for one request. The view caches the tiles that it reads. */
  view(): TreeView {
    const known = new Map<string, Promise<Digest[]>>();
    const tile = (level: number, index: number): Promise<Digest[]> => {
      const { id } = keyOf(level, index);
      const found = known.get(id) ?? this.tile(level, index);
      if (known.size >= MAX_CACHED) known.clear();
      known.set(id, found);
      return found;
    };
    return new TreeView(tile);
  }

  /** @throws TreeBehind */
  private async stored(level: number, index: number): Promise<string> {
    const { scope, id } = keyOf(level, index);
    const json = await this.store.get(TILE_TABLE, scope, id);
    if (json === undefined) throw new TreeBehind(`The tree has no tile ${id} yet`);
    return json;
  }

  private async write(
    documents: readonly (readonly [DocumentKey, TileDoc | (StateDoc & { end: Position })])[],
  ): Promise<void> {
    const known = await this.store.load(
      TILE_TABLE,
      documents.map(([key]) => key),
    );
    const writes = documents.flatMap(([key, document], at) => {
      const expected = known[at]?.position ?? null;
      const isNews = expected === null || expected < document.end;
      return isNews ? [{ ...key, document, position: document.end, expected }] : [];
    });
    if (writes.length === 0) return;
    const { conflicts } = await this.store.write({ tables: [{ table: TILE_TABLE, writes }], checkpoints: [] });
    if (conflicts.length > 0) throw new Error('Another leader stored the same tiles');
  }
}

/** Hashes and roots of the stored tree. */
export class TreeView {
  constructor(private readonly tile: (level: number, index: number) => Promise<readonly Digest[]>) {}

  private readonly nodes = new Map<string, Promise<Digest>>();

  /** The node source for proofs. @throws TreeBehind */
  readonly node = (level: number, index: number): Promise<Digest> => {
    const { id } = keyOf(level, index);
    const found = this.nodes.get(id) ?? this.compute(level, index);
    if (this.nodes.size >= MAX_NODES) this.nodes.clear();
    this.nodes.set(id, found);
    return found;
  };

  private async compute(level: number, index: number): Promise<Digest> {
    const within = level % TILE_LEVELS;
    const first = index * 2 ** within;
    const hashes = await this.tile((level - within) / TILE_LEVELS, Math.floor(first / TILE_WIDTH));
    const from = first % TILE_WIDTH;
    const nodes = hashes.slice(from, from + 2 ** within);
    if (nodes.length < 2 ** within) throw new TreeBehind('The tree does not reach this event yet');
    return rootOf(nodes);
  }

  readonly root = (size: number): Promise<Digest> => rootAt(this.node, size);

  /** Returns the hash of a leaf. @throws TreeBehind */
  readonly leaf = (index: number): Promise<Digest> => this.node(0, index);
}

const docOf = ({ level, index, end, hashes }: EndedTile): TileDoc => ({
  ...{ id: keyOf(level, index).id, level, index, end },
  hashes: Buffer.concat(hashes).toString('base64'),
});

function hashesIn(json: string): Digest[] {
  const bytes = Buffer.from((JSON.parse(json) as TileDoc).hashes, 'base64');
  return Array.from({ length: bytes.length / DIGEST_BYTES }, (_, at) =>
    bytes.subarray(at * DIGEST_BYTES, (at + 1) * DIGEST_BYTES),
  );
}
