import { useComputedColorScheme } from '@mantine/core';
import { useEffect, useRef, type ReactNode } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { count } from './figures';
import { t } from '../messages/catalogue';
import { locale } from '../messages/language';

type Series = {
  readonly label: string;
  /** One value for each time. An unknown value is null. */
  readonly values: readonly (number | null)[];
};

type Props = {
  /** Text alternative, which should state the latest values. */
  readonly summary: string;
  /** Unix times in seconds, ascending. */
  readonly times: readonly number[];
  readonly series: readonly Series[];
  readonly height?: number;
  /** Whether to draw axes and a grid. A sparkline has neither. */
  readonly axes?: boolean;
};

const INKS = {
  light: { lines: ['#1864ab', '#a61e4d', '#2b8a3e', '#a63f00'], axis: '#495057', grid: '#e3e6e9' },
  dark: { lines: ['#74c0fc', '#f783ac', '#8ce99a', '#ffc078'], axis: '#c1c2c5', grid: '#3b3d42' },
} as const;
type Inks = (typeof INKS)[keyof typeof INKS];

/** The scale starts at zero. If all values are zero, the line is therefore at the bottom. */
const range: uPlot.Range.Function = (_chart, _min, max) => [0, Math.max(4, max * 1.1)];

/** Intervals between axis labels. They are integers, like the charted values. */
const STEPS = Array.from({ length: 12 }, (_, power) => [1, 2, 5].map((step) => step * 10 ** power)).flat();
const clock = new Intl.DateTimeFormat(locale, { timeStyle: 'medium' });

function optionsOf({ series, height = 180, axes = true }: Props, width: number, inks: Inks): uPlot.Options {
  const axis = { stroke: inks.axis, grid: { stroke: inks.grid, width: 1 }, ticks: { stroke: inks.grid, width: 1 } };
  return {
    width,
    height,
    padding: axes ? [8, 8, 0, 0] : [2, 0, 2, 0],
    legend: { show: false },
    cursor: { show: false },
    select: { show: false, left: 0, top: 0, width: 0, height: 0 },
    scales: { x: { time: true }, y: { range } },
    axes: axes
      ? [
          { ...axis, space: 110, values: (_chart, splits) => splits.map((each) => clock.format(each * 1_000)) },
          { ...axis, size: 56, incrs: STEPS, values: (_chart, splits) => splits.map((each) => count(each)) },
        ]
      : [{ show: false }, { show: false }],
    series: [
      {},
      ...series.map(({ label }, index) => ({
        label,
        stroke: inks.lines[index % inks.lines.length] ?? inks.axis,
        width: 1.5,
        dash: index === 0 ? [] : [6, 3 * index],
        points: { show: false },
      })),
    ],
  };
}

/** Values over time on a canvas, with a text alternative and a legend that does not depend on color. */
export function LiveChart(props: Props): ReactNode {
  const { summary, times, series, height = 180, axes = true } = props;
  const box = useRef<HTMLDivElement>(null);
  const chart = useRef<uPlot | null>(null);
  const scheme = useComputedColorScheme('light');
  const labels = series.map(({ label }) => label).join();
  const isDrawn = series.some(({ values }) => values.filter((value) => value !== null).length > 1);
  const latest = useRef(props);
  useEffect(() => {
    latest.current = props;
    chart.current?.setData([[...times], ...series.map(({ values }) => [...values])]);
  });
  useEffect(() => {
    const place = box.current;
    if (place === null) return undefined;
    const { times: now, series: lines } = latest.current;
    const values: uPlot.AlignedData = [[...now], ...lines.map((line) => [...line.values])];
    const drawn = new uPlot(optionsOf(latest.current, place.clientWidth, INKS[scheme]), values, place);
    chart.current = drawn;
    const fitting = new ResizeObserver(() => {
      drawn.setSize({ width: place.clientWidth, height });
    });
    fitting.observe(place);
    return () => {
      fitting.disconnect();
      chart.current = null;
      drawn.destroy();
    };
  }, [scheme, labels, height, axes]);
  return (
    <figure className="k-chart">
      <div aria-label={summary} ref={box} role="img" style={{ height }} />
      {axes && !isDrawn && <p className="k-chart-note">{t('Waiting for more data…')}</p>}
      {axes && series.length > 1 && <Legend labels={series.map(({ label }) => label)} />}
    </figure>
  );
}

const Legend = ({ labels }: { labels: readonly string[] }): ReactNode => (
  <figcaption className="k-legend">
    {labels.map((label, index) => (
      <span data-line={index} key={label}>
        {label}
      </span>
    ))}
  </figcaption>
);
