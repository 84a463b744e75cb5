import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { EmbeddedReadStore } from '../../src/adapters/embedded/read-store.js';
import { GrowingTree } from '../../src/integrity/growing-tree.js';
import { consistencyProof, inclusionProof, leafHash } from '../../src/integrity/merkle.js';
import { TileStore, type EndedTile } from '../../src/integrity/tile-store.js';
import { IntegrityKeys } from '../../src/security/integrity-keys.js';
import { mulberry32 } from '../support/manual-clock.js';

// Compares the tree with golang.org/x/mod/sumdb/tlog, the implementation of Go's checksum database.

const LEAVES = 10_000;
const PROOFS = 10_000;
const SEED = Number(process.env['TLOG_SEED'] ?? 20_261_125);
const PROGRAM = join(import.meta.dirname, '..', 'support', 'tlog');

type Answers = {
  readonly roots: string[];
  readonly records: string[][];
  readonly trees: string[][];
  readonly note: string;
};

const random = mulberry32(SEED);
const upTo = (most: number): number => 1 + Math.floor(random() * most);
const hex = (hashes: readonly Buffer[]): string[] => hashes.map((each) => each.toString('hex'));

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'kontor-tlog-'));
});
afterAll(() => rm(directory, { recursive: true }));

/** Builds and runs the Go program, and returns its output. */
async function ask(questions: object): Promise<Answers> {
  const program = join(directory, 'tlog');
  await promisify(execFile)('go', ['build', '-o', program, '.'], { cwd: PROGRAM });
  const running = promisify(execFile)(program, { maxBuffer: 512 * 1024 * 1024 });
  running.child.stdin?.end(JSON.stringify(questions));
  return JSON.parse((await running).stdout) as Answers;
}

test(`Roots and proofs over ${LEAVES} random leaves equal those of another implementation (seed ${SEED})`, async () => {
  const leaves = Array.from({ length: LEAVES }, () => String(random()).repeat(upTo(4)));
  const tiles: EndedTile[] = [];
  const tree = new GrowingTree((tile) => tiles.push({ ...tile, end: 0 }));
  const roots: string[] = [];
  for (const leaf of leaves) {
    tree.append(leafHash(leaf));
    roots.push(tree.root().toString('hex'));
  }
  const reads = await EmbeddedReadStore.open({ directory, mode: 'readwrite' });
  try {
    const store = new TileStore(reads);
    await store.prepare();
    const edge = tree.edge().map((tile) => ({ ...tile, end: 0 }));
    await store.save([...tiles, ...edge], { size: tree.size, position: 0 });
    const { node } = store.view();
    const records = Array.from({ length: PROOFS }, () => upTo(LEAVES)).map((size) => [size, upTo(size) - 1] as const);
    const trees = Array.from({ length: PROOFS }, () => upTo(LEAVES)).map((newer) => [newer, upTo(newer)] as const);
    const keys = await IntegrityKeys.open(directory);
    const note = keys.sign({ size: tree.size, root: tree.root() });
    const answers = await ask({
      leaves: leaves.map((leaf) => Buffer.from(leaf).toString('hex')),
      roots: leaves.map((_, index) => index + 1),
      ...{ records, trees, note, key: keys.publicKey },
    });
    expect(answers.roots).toEqual(roots);
    let differing = 0;
    for (const [at, [size, index]] of records.entries())
      if (hex(await inclusionProof(node, index, size)).join() !== answers.records[at]?.join()) differing += 1;
    for (const [at, [newer, older]] of trees.entries())
      if (hex(await consistencyProof(node, older, newer)).join() !== answers.trees[at]?.join()) differing += 1;
    expect(differing).toBe(0);
    expect(answers.note).toBe(note.slice(0, note.lastIndexOf('\n\n') + 1));
  } finally {
    await reads.close();
  }
}, 300_000);
