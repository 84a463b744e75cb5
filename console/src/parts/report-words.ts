import { t } from '../messages/catalogue';

/** Display names of report sections, and of rows that summarise several accounts, by the service's names. */
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
