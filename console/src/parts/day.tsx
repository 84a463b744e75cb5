import type { ReactNode } from 'react';
import { locale } from '../messages/language';

const format = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' });

/** Formats a day in the viewer's notation. */
export const dayWords = (day: string): string => format.format(new Date(`${day}T00:00:00Z`));

/** A booking date, which has no time zone. */
export const Day = ({ on }: { on: string }): ReactNode => (
  <time className="k-instant" dateTime={on}>
    {dayWords(on)}
  </time>
);
