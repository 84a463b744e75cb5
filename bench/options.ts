import { mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

/**
 * What a figure's process is told, by `npm run bench` or by hand:
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
  /** Short and small: to see that everything works, not to be quoted. */
  readonly quick: boolean;
  readonly runs: number;
  /** Sizes of the history for the curves of growth; undefined: what the goal says. */
  readonly sizes: readonly number[] | undefined;
  /** Decides everything that is generated. */
  readonly seed: number;
  /** Why the peer cannot be run; undefined where it can. */
  readonly noPeer: string | undefined;
  /** Nothing is held to a core: what is measured shares both with its load. */
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

/** A long measurement, or its short form. */
export const pick = <T>(whole: T, quick: T): T => (options.quick ? quick : whole);

/** Where prepared histories lie, which several figures use. Whoever names no folder has one of its own, and removes it. */
export const folder = values.folder ?? mkdtempSync(join(tmpdir(), 'kontor-bench-'));
export const isFolderOurs = values.folder === undefined;
mkdirSync(folder, { recursive: true });
