import { hash } from 'node:crypto';
import { GrowingTree, TILE_WIDTH, type Tile } from '../../src/integrity/growing-tree.js';
import {
  consistencyProof,
  EMPTY_ROOT,
  inclusionProof,
  leafHash,
  rootAt,
  rootOf,
  type NodeSource,
} from '../../src/integrity/merkle.js';
import { isConsistent, isIncluded } from '../support/merkle-proofs.js';

const hex = (hashes: readonly Buffer[]): string[] => hashes.map((each) => each.toString('hex'));
/**
 * Leaves from the test vectors of the certificate-transparency project, which implementations of RFC 6962 and RFC 9162
 * use.
 */
const LEAVES = ['', '\0', '\x10', ' !', '01', '@ABC', 'PQRSTUVW', '`abcdefghijklmno'];
const ROOTS = [
  '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
  'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
  'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
  'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
  '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
  '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
  'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
  '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
];

const nodesOver =
  (leaves: readonly Buffer[]): NodeSource =>
  (level, index) => {
    const span = 2 ** level;
    return Promise.resolve(rootOf(leaves.slice(index * span, (index + 1) * span)));
  };

describe('The Merkle tree', () => {
  const leaves = LEAVES.map(leafHash);

  test('has the roots of the published test vectors', () => {
    expect(EMPTY_ROOT.toString('hex')).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
    expect(ROOTS.map((_, last) => rootOf(leaves.slice(0, last + 1)).toString('hex'))).toEqual(ROOTS);
  });

  test('proves inclusion as the published test vectors do', async () => {
    const proof = async (index: number, size: number) => hex(await inclusionProof(nodesOver(leaves), index, size));
    expect(await proof(0, 1)).toEqual([]);
    expect(await proof(0, 8)).toEqual([
      '96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7',
      '5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e',
      '6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4',
    ]);
    expect(await proof(5, 8)).toEqual([
      'bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b',
      'ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0',
      'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
    ]);
    expect(await proof(2, 3)).toEqual(['fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125']);
    expect(await proof(1, 5)).toEqual([
      '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
      '5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e',
      'bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b',
    ]);
  });

  test('proves consistency as the published test vectors do', async () => {
    const proof = async (older: number, newer: number) => hex(await consistencyProof(nodesOver(leaves), older, newer));
    expect(await proof(1, 1)).toEqual([]);
    expect(await proof(1, 8)).toEqual([
      '96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7',
      '5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e',
      '6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4',
    ]);
    expect(await proof(6, 8)).toEqual([
      '0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a',
      'ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0',
      'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
    ]);
    expect(await proof(2, 5)).toEqual([
      '5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e',
      'bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b',
    ]);
  });

  test('that grows leaf by leaf has the root of every size, across tiles of several levels', async () => {
    const sizes = [1, 2, 255, 256, 257, 511, 512, 1_000, TILE_WIDTH ** 2 - 1, TILE_WIDTH ** 2, TILE_WIDTH ** 2 + 300];
    const most = Math.max(...sizes);
    const tiles = new Map<string, Tile>();
    const tree = new GrowingTree((tile) => tiles.set(`${tile.level}/${tile.index}`, tile));
    const all: Buffer[] = [];
    for (let index = 0; index < most; index += 1) {
      const leaf = hash('sha256', String(index), 'buffer');
      all.push(leaf);
      tree.append(leaf);
      if (!sizes.includes(tree.size)) continue;
      expect(tree.root().equals(rootOf(all))).toBe(true);
      const edge = tree.edge().map(({ hashes }) => hashes);
      const continued = new GrowingTree(undefined, { size: tree.size, edge });
      expect(continued.root().equals(tree.root())).toBe(true);
    }
    expect([...tiles.keys()].filter((key) => key.startsWith('1/'))).toEqual(['1/0']);
    expect((await rootAt(nodesOver(all), 1_000)).equals(rootOf(all.slice(0, 1_000)))).toBe(true);
  });

  test('proves the inclusion of every leaf in trees of every size, and of no other leaf', async () => {
    for (let size = 1; size <= LEAVES.length; size += 1)
      for (let index = 0; index < size; index += 1) {
        const hashes = hex(await inclusionProof(nodesOver(leaves), index, size));
        const proved = { index, size, leaf: hashOf(leaves[index]), root: rootOver(size) };
        expect(isIncluded(proved, hashes)).toBe(true);
        expect(isIncluded({ ...proved, leaf: hashOf(leafHash('another')) }, hashes)).toBe(false);
        expect(isIncluded({ ...proved, root: hashOf(EMPTY_ROOT) }, hashes)).toBe(false);
      }
  });

  test('proves that trees of every size contain the smaller ones, and no other tree', async () => {
    for (let to = 1; to <= LEAVES.length; to += 1)
      for (let from = 1; from <= to; from += 1) {
        const hashes = hex(await consistencyProof(nodesOver(leaves), from, to));
        const heads = { from: { size: from, rootHash: rootOver(from) }, to: { size: to, rootHash: rootOver(to) } };
        expect(isConsistent(heads, hashes)).toBe(true);
        const other = { ...heads, from: { size: from, rootHash: hashOf(EMPTY_ROOT) } };
        expect(isConsistent(other, hashes)).toBe(false);
      }
  });

  const rootOver = (size: number): string => hashOf(rootOf(leaves.slice(0, size)));
});

const hashOf = (digest: Buffer | undefined): string => digest?.toString('hex') ?? '';
