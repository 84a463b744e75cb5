import type { ReactNode } from 'react';
import { ago } from './figures';
import { NOTHING } from './nothing';
import { useNowMs } from './now';
import { useZone, VIEWER_ZONE } from './zone';
import { locale } from '../messages/language';

const formats = new Map<string, Intl.DateTimeFormat>();

function words(date: Date, timeZone: string, timeStyle?: 'medium'): string {
  const name = `${timeZone} ${timeStyle}`;
  let format = formats.get(name);
  if (format === undefined) {
    format = new Intl.DateTimeFormat(locale, { timeZone, dateStyle: 'medium', timeStyle });
    formats.set(name, format);
  }
  return format.format(date);
}

type Props = {
  /** The instant in ISO 8601, or null if there is none. */
  readonly at: string | null | undefined;
  /** `relative`: time elapsed, for live values. `exact`: date and time, for look-ups. `day`: only the date. */
  readonly as?: 'relative' | 'exact' | 'day';
};

/**
 * A time in the books' time zone. The tooltip shows the exact instant in this zone, in the viewer's zone, and in UTC.
 * The `dateTime` attribute is machine-readable.
 */
export function Instant({ at, as = 'exact' }: Props): ReactNode {
  const nowMs = useNowMs();
  const zone = useZone();
  if (at === null || at === undefined) return NOTHING;
  const date = new Date(at);
  const zones = [...new Set([zone, VIEWER_ZONE])].map((each) => `${words(date, each, 'medium')} (${each})`);
  return (
    <time className="k-instant" dateTime={at} title={[...zones, at].join('\n')}>
      {as === 'relative' ? ago(date.getTime(), nowMs) : words(date, zone, as === 'exact' ? 'medium' : undefined)}
    </time>
  );
}
