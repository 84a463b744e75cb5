import type { KontorError } from '../api/problem';
import { t } from '../messages/catalogue';
import { serviceWords } from '../messages/service-words';

type Fault = KontorError['errors'][number];

const [FROM, TO] = [t('From'), t('To')];
/** Labels of the filters of lists, reports and statements, by the names of the query parameters. */
const LABELS: ReadonlyMap<string, string> = new Map([
  ...(['from', 'dateFrom', 'beginDate'] as const).map((name) => [name, FROM] as const),
  ...(['to', 'dateTo', 'endDate'] as const).map((name) => [name, TO] as const),
  ['asOf', t('As of')],
  ['knownAt', t('Recorded up to')],
]);

/** Matches a parameter's name at the end of an English message, such as `Must not be combined with from or to.` */
const NAMES = new RegExp(String.raw`\b(?:${[...LABELS.keys()].join('|')})(?=\.$| or )`, 'g');

/** Returns the label of the filter for a query parameter; undefined if no filter has this name. */
export const fieldLabel = (path: string): string | undefined => LABELS.get(path);

/** Returns the message of a validation error, with the labels of filters in place of their API names. */
export const faultWords = ({ path, message }: Fault): string =>
  LABELS.has(path)
    ? serviceWords(message).replace(NAMES, (name) => `“${LABELS.get(name) ?? name}”`)
    : serviceWords(message);
