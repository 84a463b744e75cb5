// The console's strings in each language, as given by its catalogue.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, TYPE, type MessageFormatElement } from '@formatjs/icu-messageformat-parser';
import { IntlMessageFormat } from 'intl-messageformat';

const MESSAGES = join(import.meta.dirname, '..', '..', 'console', 'src', 'messages');
export type ShownLanguage = 'en' | 'de';
const GERMAN = JSON.parse(readFileSync(join(MESSAGES, 'de.json'), 'utf8')) as Readonly<Record<string, string>>;

/**
 * A string from the catalogue, with its values if it has any. The console shows strings that are not in the catalogue
 * unchanged. In `label: name`, it translates only the label.
 */
export type Words = string | readonly [text: string, values: Readonly<Record<string, string | number>>];

const inEnglish = (text: string): string => text.replace(/^[a-z]+\| /, '');

const inGerman = (text: string): string => GERMAN[text] ?? text;

export function wordsIn(language: ShownLanguage, words: Words): string {
  const [text, values] = typeof words === 'string' ? [words] : words;
  const message = language === 'en' ? inEnglish(text) : inGerman(text).replace(/^[^:]+/, inGerman);
  return values === undefined ? message : String(new IntlMessageFormat(message, language).format(values));
}

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/\s+/g, ' ');

/** Builds a pattern that matches every string that a message can produce. */
const patternOf = (elements: readonly MessageFormatElement[]): string =>
  elements
    .map((element) => {
      if (element.type === TYPE.literal) return escaped(element.value);
      if (element.type === TYPE.tag) return patternOf(element.children);
      if (element.type !== TYPE.plural && element.type !== TYPE.select) return '.+';
      return `(?:${Object.values(element.options)
        .map(({ value }) => patternOf(value))
        .join('|')})`;
    })
    .join('');

/** Messages in one language: fixed strings, and patterns for strings with values. */
class Messages {
  private readonly fixed = new Set<string>();
  private readonly patterns: RegExp[] = [];

  constructor(messages: readonly string[]) {
    for (const message of messages)
      if (/[{<]/.test(message)) this.patterns.push(new RegExp(`^${patternOf(parse(message))}$`));
      else this.fixed.add(message.replace(/\s+/g, ' '));
  }

  include(text: string): boolean {
    return this.fixed.has(text) || this.patterns.some((pattern) => pattern.test(text));
  }
}

const differing = Object.entries(GERMAN).filter(([english, german]) => inEnglish(english) !== german);
/** Messages that contain words and differ between the languages. */
const distinct = {
  en: new Messages(
    differing.map(([english]) => inEnglish(english)).filter((text) => /[A-Za-z]{2}/.test(literalsOf(text))),
  ),
  de: new Messages(differing.map(([, german]) => german).filter((text) => /[A-Za-z]{2}/.test(literalsOf(text)))),
};
const all = {
  en: new Messages(Object.keys(GERMAN).map(inEnglish)),
  de: new Messages(Object.values(GERMAN)),
};

function literalsOf(message: string): string {
  return patternOf(parse(message)).replaceAll('.+', ' ');
}

const MONTHS = 'Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sept?|Oct|Nov|Dec';
/** Matches dates and amounts in the format of the other language, and dates in ISO 8601. */
const FOREIGN_FORMATS: Readonly<Record<ShownLanguage, RegExp>> = {
  de: new RegExp(
    String.raw`\b\d{4}-\d\d-\d\d\b|\b\d\d?\/\d\d?\/\d{4}\b|\b\d\d? (?:${MONTHS})\b|(?<![\d.,])\d{1,3}(?:,\d{3})*\.\d\d(?![\d.])`,
  ),
  en: /\b\d{4}-\d\d-\d\d\b|\b\d\d?\.\d\d?\.\d{4}\b|(?<![\d.,])\d{1,3}(?:\.\d{3})*,\d\d(?![\d,])/,
};

/** The first operator's name, which is also a label, and the browser's `User-Agent`. */
const SAID_BY_OTHERS = /^Operator$|^Mozilla\//;

/** Returns the strings that are in the other language, or that contain a date or an amount in a foreign format. */
export function foreignAmong(texts: readonly string[], language: ShownLanguage): string[] {
  const other = language === 'de' ? 'en' : 'de';
  const isForeign = (text: string): boolean => distinct[other].include(text) && !all[language].include(text);
  return texts.filter(
    (text) => !SAID_BY_OTHERS.test(text) && (FOREIGN_FORMATS[language].test(text) || isForeign(text)),
  );
}
