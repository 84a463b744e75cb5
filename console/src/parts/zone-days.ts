const DAY_MS = 86_400_000;

/** Formats an instant in Swedish, because Swedish dates use the ISO 8601 format. */
const wallClock = (atMs: number, timeZone: string): string =>
  new Date(atMs).toLocaleString('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' });

/** Returns the wall-clock time of an instant, in the form `2026-03-04T09:30:00`. */
export const wallClockOf = (instant: string, timeZone: string): string =>
  wallClock(Date.parse(instant), timeZone).replace(' ', 'T');

/** Returns today's date, in the form `2026-03-04`. */
export const today = (timeZone: string): string => wallClock(Date.now(), timeZone).slice(0, 10);

const LAST_MS = 8.64e15;
/**
 * Returns an instant as an ISO 8601 string, or `otherwise` if it is out of range, for example while the user is typing
 * a year.
 */
const textOf = (atMs: number, otherwise: string): string =>
  Math.abs(atMs) <= LAST_MS ? new Date(atMs).toISOString() : otherwise;

/** Returns the day that is `days` days later or, if `days` is negative, earlier. */
export const dayAfter = (day: string, days: number): string =>
  textOf(Date.parse(day) + days * DAY_MS, day).slice(0, 10);

/** Returns the instant of a wall-clock time, such as `2026-03-04T09:30`. Returns any other text unchanged. */
export function instantOf(wall: string, timeZone: string): string {
  const asUtc = Date.parse(`${wall}Z`);
  // Years before 1000 have no leading zeros in this format, which makes them unparsable. Their offset is therefore 0.
  const offsetAt = (ms: number): number => Date.parse(`${wallClock(ms, timeZone).replace(' ', 'T')}Z`) - ms || 0;
  // The offset is computed twice, because the offsets of the guess and the result may differ if the clocks change on
  // that day.
  if (Number.isNaN(asUtc)) return wall;
  return textOf(asUtc - offsetAt(asUtc - offsetAt(asUtc)), wall);
}

const midnight = (day: string, timeZone: string): string => instantOf(`${day}T00:00:00`, timeZone);

type Days = { readonly dateFrom?: string | undefined; readonly dateTo?: string | undefined };

/** Returns the first instant of a filter's first day and the last instant of its last day. */
export const instantsOf = ({ dateFrom, dateTo }: Days, timeZone: string): { dateFrom?: string; dateTo?: string } => ({
  ...(dateFrom !== undefined && { dateFrom: midnight(dateFrom, timeZone) }),
  ...(dateTo !== undefined && {
    dateTo: textOf(Date.parse(midnight(dayAfter(dateTo, 1), timeZone)) - 1, dateTo),
  }),
});
