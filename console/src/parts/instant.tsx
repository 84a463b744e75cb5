import type { ReactNode } from 'react';
import { ago } from './figures';
import { useNowMs } from './now';

const day = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });
const time = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' });
const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;

type Props = {
  /** ISO 8601; null where there is none. */
  readonly at: string | null | undefined;
  /** `relative`: how long ago, for what is watched. `exact`: date and time, for what is looked up. */
  readonly as?: 'relative' | 'exact';
};

/** A time in the viewer's zone; the exact instant, in that zone and in UTC, shows on hover and is what machines read. */
export function Instant({ at, as = 'exact' }: Props): ReactNode {
  const nowMs = useNowMs();
  if (at === null || at === undefined) return <span className="k-nothing">—</span>;
  const date = new Date(at);
  const local = `${day.format(date)}, ${time.format(date)}`;
  return (
    <time className="k-instant" dateTime={at} title={`${local} (${zone})\n${at}`}>
      {as === 'relative' ? ago(date.getTime(), nowMs) : local}
    </time>
  );
}
