import { mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

/**
 * Options of a benchmark process, set by `npm run bench` or on the command line:
 *
 *   node --import ./test/support/typescript.mjs bench/requests.bench.ts --quick --runs 1 --events 10000,100000
 */
const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    runs: { type: 'string' },
    events: { type: 'string' },
    folder: { type: 'string' },
    seed: { type: 'string', default: '20260101' },
    'no-peer': { type: 'string' },
    'both-cores': { type: 'boolean', default: false },
  },
});

export type Options = {
  /** Whether the run is short and small. Such a run is a smoke test, whose figures must not be quoted. */
  readonly quick: boolean;
  readonly runs: number;
  /**
   * History sizes for the growth curves. If undefined, the benchmark measures only the size to which the goal applies.
   */
  readonly sizes: readonly number[] | undefined;
  /** Seed for all generated data. */
  readonly seed: number;
  /** The reason why the peer cannot run. Undefined if the peer can run. */
  readonly noPeer: string | undefined;
  /** Disables CPU pinning, so that the subject and its load share both cores. */
  readonly bothCores: boolean;
};

export const options: Options = {
  quick: values.quick,
  runs: Number(values.runs ?? (values.quick ? 2 : 3)),
  sizes: values.events?.split(',').map(Number),
  seed: Number(values.seed),
  noPeer: values['no-peer'],
  bothCores: values['both-cores'],
};

/** Selects the value for the full measurement or for the short run. */
export const pick = <T>(whole: T, quick: T): T => (options.quick ? quick : whole);

/**
 * Folder for prepared histories, which several figures can share. Without --folder, the process uses a temporary
 * folder.
 */
export const folder = values.folder ?? mkdtempSync(join(tmpdir(), 'kontor-bench-'));
export const isFolderOurs = values.folder === undefined;
mkdirSync(folder, { recursive: true });
