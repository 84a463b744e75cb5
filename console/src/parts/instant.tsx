import type { ReactNode } from 'react';
import { ago } from './figures';
import { useNowMs } from './now';

const day = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });
const time = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' });
const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;

type Props = {
  /** ISO 8601; null if there is none. */
  readonly at: string | null | undefined;
  /** `relative`: time elapsed, for live values. `exact`: date and time, for look-ups. */
  readonly as?: 'relative' | 'exact';
};

/**
 * A time in the viewer's zone. The tooltip shows the exact instant, locally and in UTC; `dateTime` is machine-readable.
 */
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
