import type { ReactNode } from 'react';

const format = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeZone: 'UTC' });

/** A booking date, which has no time zone. */
export const Day = ({ on }: { on: string }): ReactNode => (
  <time className="k-instant" dateTime={on}>
    {format.format(new Date(`${on}T00:00:00Z`))}
  </time>
);

/** Today in the viewer's time zone, as `2026-03-04`. */
export function today(): string {
  const now = new Date();
  return new Date(now.getTime() - now.getTimezoneOffset() * 60_000).toISOString().slice(0, 10);
}
