import { t } from '../messages/catalogue';
import { locale } from '../messages/language';
const whole = new Intl.NumberFormat(locale, { maximumFractionDigits: 0 });
const fine = new Intl.NumberFormat(locale, { maximumFractionDigits: 1 });
const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'] as const;
const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

export const count = (value: number): string => whole.format(value);
/** Maximum number of decimals in a tax rate. */
export const RATE_DIGITS = 4;

/** Formats a percentage, such as 50 as `50%`. */
export const percent = (value: number, maximumFractionDigits = 1): string =>
  new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits }).format(value / 100);

export const decimal = (value: number): string => fine.format(value);

export function bytes(value: number): string {
  const power = Math.min(UNITS.length - 1, Math.floor(Math.log2(Math.max(1, value)) / 10));
  return `${fine.format(value / 1024 ** power)} ${UNITS[power] ?? 'B'}`;
}

/** Formats a duration, such as `850 ms`, `12.3 s`, `4 min 5 s`, `2 h 3 min` or `3 d 4 h`. */
export function duration(ms: number): string {
  if (ms < SECOND_MS) return t('{ms} ms', { ms: whole.format(ms) });
  if (ms < MINUTE_MS) return `${fine.format(ms / SECOND_MS)} s`;
  const [unit, large, below, small] =
    ms < HOUR_MS
      ? ([MINUTE_MS, 'min', SECOND_MS, 's'] as const)
      : ms < DAY_MS
        ? ([HOUR_MS, 'h', MINUTE_MS, 'min'] as const)
        : ([DAY_MS, 'd', HOUR_MS, 'h'] as const);
  const rest = Math.floor((ms % unit) / below);
  return `${Math.floor(ms / unit)} ${large}${rest > 0 ? ` ${rest} ${small}` : ''}`;
}

const relative = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' });

/** Formats an instant relative to now, such as `just now`, `3 minutes ago` or `in 2 hours`. */
export function ago(instantMs: number, nowMs: number): string {
  const ms = instantMs - nowMs;
  const size = Math.abs(ms);
  // The clocks of the service and this device may differ slightly, and `nowMs` may be a few seconds old.
  if (size < 6 * SECOND_MS) return t('just now');
  if (size < MINUTE_MS) return relative.format(Math.round(ms / SECOND_MS), 'second');
  if (size < HOUR_MS) return relative.format(Math.round(ms / MINUTE_MS), 'minute');
  if (size < DAY_MS) return relative.format(Math.round(ms / HOUR_MS), 'hour');
  return relative.format(Math.round(ms / DAY_MS), 'day');
}
