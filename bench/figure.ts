import { median, round } from './statistics.js';

/** A bound, and the value to which it applies. */
export type Goal = { readonly of: 'value' | 'ratio' } & ({ readonly atLeast: number } | { readonly atMost: number });

/** One number, measured once per run. */
export type Series = { readonly name: string; readonly unit: string; readonly runs: readonly number[] };

export type Measurement = Series & {
  /** The name used with `--only`, such as B1 or B1b. */
  readonly figure: string;
  /** Total number of operations in all runs. No operation may fail. */
  readonly operations: number;
  readonly errors: number;
  readonly concurrency: number;
  /** History size, if the size is a parameter. */
  readonly events?: number;
  /** Baseline from the same runs, on the same machine. The ratio is computed for each run. */
  readonly against?: Series;
  readonly goal?: Goal;
  /** Context required to interpret the figure. */
  readonly notes?: readonly string[];
  readonly details?: Readonly<Record<string, unknown>>;
};

type Spread = { readonly runs: readonly number[]; readonly median: number; readonly min: number; readonly max: number };
export type Figure = Omit<Measurement, 'against'> &
  Spread & {
    readonly against?: Series & Spread;
    readonly ratio?: Spread;
    /** Whether the goal is met. Null if there is no goal. */
    readonly met: boolean | null;
  };

const spread = (runs: readonly number[]): Spread => ({
  runs: runs.map((run) => round(run)),
  median: round(median(runs)),
  min: round(Math.min(...runs)),
  max: round(Math.max(...runs)),
});

function isMet({ goal, errors }: Measurement, value: number, ratio: number | undefined): boolean | null {
  if (!goal) return null;
  const measured = goal.of === 'value' ? value : (ratio ?? NaN);
  const within = 'atLeast' in goal ? measured >= goal.atLeast : measured <= goal.atMost;
  return within && errors === 0;
}

export function figureOf(measurement: Measurement): Figure {
  const { against, runs, ...rest } = measurement;
  const value = spread(runs);
  if (!against) return { ...rest, ...value, met: isMet(measurement, value.median, undefined) };
  const ratio = spread(runs.map((run, at) => run / (against.runs[at] ?? NaN)));
  const met = isMet(measurement, value.median, ratio.median);
  return { ...rest, ...value, against: { ...against, ...spread(against.runs) }, ratio, met };
}
