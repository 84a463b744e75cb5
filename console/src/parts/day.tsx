import type { ReactNode } from 'react';

const format = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeZone: 'UTC' });

/** A booking date, which has no time zone. */
export const Day = ({ on }: { on: string }): ReactNode => (
  <time className="k-instant" dateTime={on}>
    {format.format(new Date(`${on}T00:00:00Z`))}
  </time>
);
