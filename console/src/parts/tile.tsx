import type { ReactNode } from 'react';

export type TileProps = { readonly name: string; readonly value: ReactNode; readonly note?: ReactNode };

/** A page's key figures. */
export const Tiles = ({ of }: { of: readonly TileProps[] }): ReactNode => (
  <dl className="k-tiles">
    {of.map(({ name, value, note }) => (
      <div className="k-tile" key={name}>
        <dt>{name}</dt>
        <dd>
          {value}
          {note !== undefined && <small>{note}</small>}
        </dd>
      </div>
    ))}
  </dl>
);
