// Output of `npm run bench`: the table and the growth curves.

/**
 * A curve is flat if the result for the largest history is worse than the result for the smallest by at most this
 * factor.
 */
const FLAT = 1.25;
/** Units for which lower values are better. */
const LESS = ['ms', 's', 'µs', 'MiB', 'MiB/min'];

// JSON supports neither infinity nor NaN, so both are stored as null.
const number = (value) => (value === null ? '?' : told(value));
const told = (value) =>
  Math.abs(value) >= 1_000 ? Math.round(value).toLocaleString('en') : String(Number(value.toPrecision(3)));

const spread = ({ median, min, max }) =>
  min === max ? number(median) : `${number(median)} (${number(min)}–${number(max)})`;

function goalOf({ goal, unit }) {
  if (!goal) return '';
  const bound = 'atLeast' in goal ? `≥ ${number(goal.atLeast)}` : `≤ ${number(goal.atMost)}`;
  return goal.of === 'ratio' ? `${bound} ×` : `${bound} ${unit}`;
}

const metOf = (figure) => (figure.met === null ? '' : figure.met ? 'met' : 'NOT met');

function lineOf(figure) {
  if (figure.notRun) return [figure.figure, figure.name, `not run: ${figure.notRun}`];
  if (figure.failed) return [figure.figure, figure.name, `FAILED: ${figure.failed}`];
  const { unit, operations, errors, concurrency, events, against, ratio } = figure;
  return [
    figure.figure,
    events === undefined ? figure.name : `${figure.name}; ${number(events)} events`,
    `${spread(figure)} ${unit}`,
    against ? `${number(against.median)} ${against.name}` : '',
    ratio ? `${spread(ratio)} ×` : '',
    goalOf(figure),
    metOf(figure),
    `${number(operations)} / ${errors} / ${concurrency}`,
  ];
}

const HEAD = ['', 'figure', 'median (range)', 'against', 'ratio', 'goal', '', 'operations / errors / concurrency'];

export function table(figures) {
  const lines = [HEAD, ...figures.map(lineOf)];
  // Excludes rows of skipped figures, in which the reason spans all columns.
  const whole = lines.filter(({ length }) => length === HEAD.length);
  const widths = HEAD.map((_, at) => Math.max(...whole.map((line) => line[at].length)));
  return lines
    .map((line) => line.map((text, at) => (at === line.length - 1 ? text : text.padEnd(widths[at]))).join('  '))
    .join('\n');
}

/**
 * Returns a growth curve for each figure that was measured at several sizes. A curve contains the medians, and the
 * factor by which the result for the largest size is worse than the result for the smallest size.
 */
export function curves(figures) {
  const groups = figures
    .filter(isPoint)
    .reduce((all, one) => all.set(nameOf(one), [...(all.get(nameOf(one)) ?? []), one]), new Map());
  return [...groups.values()].filter((points) => points.length > 1).map(curveOf);
}

const isPoint = ({ events, median }) => events !== undefined && median !== undefined;
const nameOf = ({ figure, name }) => `${figure} ${name}`;

/**
 * Compares rates by their ratio to the baseline of the same run, because the speed of the machine may change between
 * runs.
 */
function curveOf(all) {
  const points = all.toSorted((a, b) => a.events - b.events);
  const { figure, name, unit, against } = points[0];
  const byRatio = unit === '/s' && points.every(({ ratio }) => ratio !== undefined);
  const values = points.map(({ median, ratio }) => (byRatio ? ratio.median : median));
  const [first, last] = [values[0], values.at(-1)];
  const growth = LESS.includes(unit) ? last / first : first / last;
  return {
    ...{ figure, name, unit: byRatio ? `× ${against.name}` : unit },
    points: points.map(({ events }, at) => [events, values[at]]),
    ...{ timesWorse: Number(growth.toPrecision(3)), flat: growth <= FLAT },
  };
}

export const curveTable = (all) =>
  all
    .map(({ figure, name, unit, points, timesWorse, flat }) => {
      const told = points.map(([events, median]) => `${number(events)}: ${number(median)}`).join(', ');
      return `${figure}  ${name}  ${told} ${unit}: ${timesWorse} × worse at the end, ${flat ? 'flat' : 'NOT flat'}`;
    })
    .join('\n');
