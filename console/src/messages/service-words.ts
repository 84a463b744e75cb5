import { textsOfKind, written } from './catalogue';
import { locale } from './language';

const KIND = 'error';
const VALUE = /\{(\w+)\}/g;
const DAY = /^\d{4}-\d\d-\d\d$/;

const days = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' });
const shown = (value: string): string => (DAY.test(value) ? days.format(new Date(`${value}T00:00:00Z`)) : value);

const escaped = (text: string): string => text.replace(/[.*+?^$()|[\]\\]/g, String.raw`\$&`);

type Known = { readonly pattern: RegExp; readonly names: readonly string[]; readonly words: string };

/** Messages with values, such as `The total is {total}.` in the catalogue. */
const known: readonly Known[] = textsOfKind(KIND)
  .filter(([message]) => message.includes('{'))
  .map(([message, words]) => ({
    pattern: new RegExp(`^${escaped(message).replace(VALUE, '(.+)')}$`),
    names: [...message.matchAll(VALUE)].map(([, name = '']) => name),
    words,
  }));
const fixed = new Map(textsOfKind(KIND));

/** An error message of the service in the viewer's language. Without a translation, the English message. */
export function serviceWords(message: string): string {
  const words = fixed.get(message);
  if (words !== undefined) return words;
  for (const { pattern, names, words: text } of known) {
    const values = pattern.exec(message)?.slice(1);
    if (values !== undefined)
      return written(text, Object.fromEntries(names.map((name, index) => [name, shown(values[index] ?? '')])));
  }
  return message;
}
