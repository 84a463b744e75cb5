import type { ReactNode } from 'react';

/** A record's field names and values. They are stacked on a phone. */
export const Facts = ({ of }: { of: readonly (readonly [name: string, value: ReactNode])[] }): ReactNode => (
  <dl className="k-facts">
    {of.map(([name, value]) => (
      <div key={name}>
        <dt>{name}</dt>
        <dd>{value ?? '—'}</dd>
      </div>
    ))}
  </dl>
);
