import { IntlMessageFormat } from 'intl-messageformat';
import { Children, createElement, Fragment, type ReactNode } from 'react';
import english from './en.json';
import { language, locale } from './language';

type Catalogue = Readonly<Record<string, string>>;
type Values = Readonly<Record<string, string | number>>;
type Tag = (words: ReactNode) => ReactNode;
type RichValues = Readonly<Record<string, ReactNode | Tag>>;

const load = import.meta.glob<Catalogue>(['./*.json', '!./en.json'], { import: 'default' })[`./${language}.json`];
// Every module that uses a translation is evaluated after this module, so modules may hold translations in constants.
const catalogue: Catalogue = (await load?.()) ?? english;

document.documentElement.lang = language;

/** Context that precedes a string whose translation depends on its place, such as `verb| Record`. */
const CONTEXT = /^[a-z]+\| /;
const wordsOf = (text: string): string => catalogue[text] ?? text.replace(CONTEXT, '');

const formats = new Map<string, IntlMessageFormat>();

/** Returns the compiled message for an English string, in the viewer's language. */
function formatOf(text: string): IntlMessageFormat {
  let format = formats.get(text);
  if (format === undefined) {
    format = new IntlMessageFormat(wordsOf(text), locale);
    formats.set(text, format);
  }
  return format;
}

/**
 * Returns a string in the viewer's language. The key is the English string in ICU notation: `t('{n, plural, one {#
 * sale} …}', { n })`.
 */
export const t = (text: string, values?: Values): string =>
  values === undefined ? wordsOf(text) : String(formatOf(text).format(values));

/**
 * Returns a translated string that contains elements: `rich('Read <a>the log</a> of {day}', { a: (words) => <Link
 * …>{words}</Link>, day: <Day … /> })`.
 */
export function rich(text: string, values: RichValues): ReactNode {
  const tags = Object.entries(values).map(([name, value]) => [
    name,
    typeof value === 'function' ? (parts: ReactNode[]) => value(listed(parts)) : value,
  ]);
  return listed([formatOf(text).format<ReactNode>(Object.fromEntries(tags) as Record<string, never>)].flat());
}

const listed = (parts: ReactNode[]): ReactNode => createElement(Fragment, null, ...Children.toArray(parts));

/** Returns a noun as written within a sentence: in lower case, except in German and except for acronyms. */
export const inSentence = (noun: string): string =>
  language === 'de' || /^[A-Z]{2}/.test(noun) ? noun : noun.charAt(0).toLowerCase() + noun.slice(1);

/** Returns the translations of all strings of a kind, with the codes by which the service identifies them. */
export const textsOfKind = (kind: string): readonly (readonly [code: string, text: string])[] =>
  Object.entries(catalogue)
    .filter(([key]) => key.startsWith(`${kind}:`))
    .map(([key, text]) => [key.slice(kind.length + 1), text]);

/**
 * Returns the translation of a string that the service identifies by a code. The key in the catalogue is `kind:CODE`.
 * `fallback` is the service's English string.
 */
export const byCode = (kind: string, code: string, fallback: string): string =>
  catalogue[`${kind}:${code}`] ?? fallback;
