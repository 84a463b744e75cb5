import type { ReactNode } from 'react';
import { amountWords } from './amount';

export type Bars = {
  readonly label: string;
  /** Amounts, in the order of the chart's names. */
  readonly amounts: readonly string[];
};

type Props = {
  /** Text alternative, which precedes the amounts. */
  readonly label: string;
  readonly names: readonly string[];
  readonly series: readonly Bars[];
};

const HEIGHT = 140;

/** Amounts as bars, grouped by name. Negative amounts extend below the zero line. */
export function ReportChart({ label, names, series }: Props): ReactNode {
  const values = series.flatMap(({ amounts }) => amounts.map(Number));
  const [lowest, highest] = [Math.min(0, ...values), Math.max(0, ...values)];
  if (lowest === highest) return null;
  const scale = HEIGHT / (highest - lowest);
  const words = series.map((one) => {
    const amounts = one.amounts.map((amount, index) => `${names[index] ?? ''} ${amountWords(amount)}`);
    return `${one.label}: ${amounts.join(', ')}`;
  });
  return (
    <figure className="k-bars">
      <div aria-label={`${label}. ${words.join('; ')}`} className="k-bars-groups" role="img">
        {names.map((name, index) => (
          <div className="k-bars-group" key={name}>
            <div className="k-bars-area" style={{ height: HEIGHT }}>
              {series.map(({ label: what, amounts }, number) => {
                const value = Number(amounts[index] ?? '0');
                return (
                  <div
                    className="k-bar"
                    data-series={number}
                    key={what}
                    style={{ height: Math.abs(value) * scale, marginTop: (highest - Math.max(0, value)) * scale }}
                    title={`${name}, ${what}: ${amountWords(amounts[index] ?? '0')}`}
                  />
                );
              })}
              <div className="k-bars-zero" style={{ top: highest * scale }} />
            </div>
            <span>{name}</span>
          </div>
        ))}
      </div>
      <figcaption>
        {series.map(({ label: what }, number) => (
          <span data-series={number} key={what}>
            {what}
          </span>
        ))}
      </figcaption>
    </figure>
  );
}
