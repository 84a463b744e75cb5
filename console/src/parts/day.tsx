import type { ReactNode } from 'react';
import { locale } from '../messages/language';

const format = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' });

/** A booking date, which has no time zone. */
export const Day = ({ on }: { on: string }): ReactNode => (
  <time className="k-instant" dateTime={on}>
    {format.format(new Date(`${on}T00:00:00Z`))}
  </time>
);
