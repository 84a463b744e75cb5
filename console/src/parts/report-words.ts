import { t } from '../messages/catalogue';
import { locale } from '../messages/language';

/** Reports, with their names in URLs and their titles. */
export const REPORTS = [
  ['profit-and-loss', t('Profit and loss')],
  ['balance-sheet', t('Balance sheet')],
  ['trial-balance', t('Trial balance')],
  ['general-ledger', t('General ledger')],
  ['ageing', t('Ageing')],
  ['tax', t('Tax')],
] as const;

/** Display names of report sections and of rows that summarize several accounts, keyed by the service's names. */
const NAMES: Readonly<Record<string, string>> = {
  Assets: t('Assets'),
  Liabilities: t('Liabilities'),
  Equity: t('Equity'),
  Income: t('report| Income'),
  Expenses: t('report| Expenses'),
  Customers: t('Customers'),
  'Retained earnings': t('Retained earnings'),
  'Result for the year': t('Result for the year'),
};

export const sectionWords = (name: string): string => NAMES[name] ?? name;

const MONTH = { month: 'short', timeZone: 'UTC' } as const;
const months = new Intl.DateTimeFormat(locale, MONTH);
const monthsOfYears = new Intl.DateTimeFormat(locale, { ...MONTH, year: 'numeric' });

/** Returns the display name of a report period: a month such as `2026-03`, or a quarter such as `2026-Q1`. */
export function periodWords(name: string, isYearShown = true): string {
  const [, year = '', quarter] = /^(\d{4})-Q(\d)$/.exec(name) ?? [];
  if (quarter !== undefined)
    return isYearShown ? t('Q{quarter} {year}', { quarter, year }) : t('Q{quarter}', { quarter });
  if (!/^\d{4}-\d\d$/.test(name)) return name;
  return (isYearShown ? monthsOfYears : months).format(new Date(`${name}-01T00:00:00Z`));
}
