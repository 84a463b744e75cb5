import { EMPTY_ROOT, nodeHash, rootOf, type Digest } from './merkle.js';

/** Number of node levels in one tile. As in C2SP's tlog-tiles, only every eighth level is stored. */
export const TILE_LEVELS = 8;
export const TILE_WIDTH = 2 ** TILE_LEVELS;

/** Hashes of one stored level, starting at `index · TILE_WIDTH`. Level 0 contains the leaf hashes. */
export type Tile = { readonly level: number; readonly index: number; readonly hashes: readonly Digest[] };

/** The right edge of a tree. It is sufficient for appending leaves. */
export class GrowingTree {
  #size: number;
  /** Hashes in each level's incomplete tile. */
  readonly #edge: Digest[][];

  /**
   * Creates an empty tree, or continues a tree from the hashes in its incomplete tiles. `onComplete` receives each tile
   * upon completion, lower levels first.
   */
  constructor(
    private readonly onComplete: (tile: Tile) => void = () => undefined,
    { size, edge }: { readonly size: number; readonly edge: readonly (readonly Digest[])[] } = { size: 0, edge: [] },
  ) {
    this.#size = size;
    this.#edge = edge.map((hashes) => [...hashes]);
  }

  get size(): number {
    return this.#size;
  }

  append(leaf: Digest): void {
    this.#size += 1;
    this.#add(0, leaf);
  }

  /** Returns the root over all leaves so far. */
  root(): Digest {
    let root: Digest | undefined;
    for (const hashes of this.#edge)
      for (const subtree of subtreesOf(hashes)) root = root ? nodeHash(subtree, root) : subtree;
    return root ?? EMPTY_ROOT;
  }

  /** Returns copies of the incomplete tiles, one per level. */
  edge(): Tile[] {
    return this.#edge.map((hashes, level) => ({ level, index: edgeOf(this.#size, level).index, hashes: [...hashes] }));
  }

  #add(level: number, hashed: Digest): void {
    const hashes = (this.#edge[level] ??= []);
    hashes.push(hashed);
    if (hashes.length < TILE_WIDTH) return;
    this.#edge[level] = [];
    this.onComplete({ level, index: edgeOf(this.#size, level).index - 1, hashes });
    this.#add(level + 1, rootOf(hashes));
  }
}

/** Returns the index and the width of a level's incomplete tile in a tree of a given size. */
export function edgeOf(size: number, level: number): { readonly index: number; readonly width: number } {
  const nodes = Math.floor(size / TILE_WIDTH ** level);
  return { index: Math.floor(nodes / TILE_WIDTH), width: nodes % TILE_WIDTH };
}

/** Yields the roots of the complete subtrees over a tile's hashes, from right to left. */
function* subtreesOf(hashes: readonly Digest[]): Iterable<Digest> {
  let end = hashes.length;
  for (let width = 1; end > 0; width *= 2) {
    if (end % (width * 2) === 0) continue;
    yield rootOf(hashes.slice(end - width, end));
    end -= width;
  }
}
