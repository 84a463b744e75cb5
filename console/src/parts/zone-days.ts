const DAY_MS = 86_400_000;

/** The Swedish date format is that of ISO 8601. */
const wallClock = (atMs: number, timeZone: string): string =>
  new Date(atMs).toLocaleString('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' });

/** Wall-clock time of an instant, in the form `2026-03-04T09:30:00`. */
export const wallClockOf = (instant: string, timeZone: string): string =>
  wallClock(Date.parse(instant), timeZone).replace(' ', 'T');

/** Today, in the form `2026-03-04`. */
export const today = (timeZone: string): string => wallClock(Date.now(), timeZone).slice(0, 10);

const LAST_MS = 8.64e15;
/** Text of an instant; `otherwise` if there is no such time, as while a year is being typed. */
const textOf = (atMs: number, otherwise: string): string =>
  Math.abs(atMs) <= LAST_MS ? new Date(atMs).toISOString() : otherwise;

/** The day a number of days later, or earlier if the number is negative. */
export const dayAfter = (day: string, days: number): string =>
  textOf(Date.parse(day) + days * DAY_MS, day).slice(0, 10);

/** Instant of a wall-clock time, such as `2026-03-04T09:30`. Returns a text that is no time unchanged. */
export function instantOf(wall: string, timeZone: string): string {
  const asUtc = Date.parse(`${wall}Z`);
  // The format has no leading zeros in years before 1000, which therefore have no offset.
  const offsetAt = (ms: number): number => Date.parse(`${wallClock(ms, timeZone).replace(' ', 'T')}Z`) - ms || 0;
  // If the clocks change on that day, the offsets of the guess and of the result may differ.
  if (Number.isNaN(asUtc)) return wall;
  return textOf(asUtc - offsetAt(asUtc - offsetAt(asUtc)), wall);
}

const midnight = (day: string, timeZone: string): string => instantOf(`${day}T00:00:00`, timeZone);

type Days = { readonly dateFrom?: string | undefined; readonly dateTo?: string | undefined };

/** First and last instants of the days of a filter. */
export const instantsOf = ({ dateFrom, dateTo }: Days, timeZone: string): { dateFrom?: string; dateTo?: string } => ({
  ...(dateFrom !== undefined && { dateFrom: midnight(dateFrom, timeZone) }),
  ...(dateTo !== undefined && {
    dateTo: textOf(Date.parse(midnight(dayAfter(dateTo, 1), timeZone)) - 1, dateTo),
  }),
});
