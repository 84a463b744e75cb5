import { IntlMessageFormat } from 'intl-messageformat';

/** A message from the service, with `{names}` in place of its values, and its translation in ICU notation. */
type Translation = readonly [text: string, words: string];
type Known = {
  readonly pattern: RegExp;
  readonly names: readonly string[];
  /** Names of the values that are amounts, such as `1234.50`. */
  readonly amounts: readonly string[];
  readonly words: string;
};

const VALUE = /\{(\w+)\}/g;
/** A translation contains `{by, number, amount}` for an amount, which keeps its number of decimals. */
const AMOUNT = /\{(\w+), number, amount\}/g;
const DAY = /^\d{4}-\d\d-\d\d$/;
const INSTANT = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;
const SENTENCE_END = /(?<=\.) (?=\S)/;

const escaped = (text: string): string => text.replace(/[.*+?^$()|[\]\\]/g, String.raw`\$&`);
const isOneSentence = (value: string): boolean => !SENTENCE_END.test(value);
const isSinglePart = (value: string): boolean => isOneSentence(value) && !value.includes(': ');
const isAny = (): boolean => true;
/** Separates the items of a list, such as the documents that differ. */
const PARTS = '; ';

/** Returns the pattern for a value. A value that the translation formats as a number or an amount must be numeric. */
function valueIn(words: string, name: string): string {
  if (words.includes(`{${name}, number, amount}`)) return String.raw`(\d+(?:\.\d+)?)`;
  return words.includes(`{${name}, number}`) ? String.raw`(\d+)` : '(.+)';
}

/** Returns the messages that contain values, the most specific first. */
function patternsOf(texts: readonly Translation[]): readonly Known[] {
  const fixedLength = ([text]: Translation): number => text.replace(VALUE, '').length;
  return texts
    .filter(([text]) => text.includes('{'))
    .toSorted((a, b) => fixedLength(b) - fixedLength(a))
    .map(([text, words]) => ({
      pattern: new RegExp(`^${escaped(text).replace(VALUE, (_, name: string) => valueIn(words, name))}$`, 's'),
      names: [...text.matchAll(VALUE)].map(([, name = '']) => name),
      amounts: [...words.matchAll(AMOUNT)].map(([, name = '']) => name),
      words: words.replaceAll(AMOUNT, '{$1}'),
    }));
}

/** Translates messages that the service composes in English. Parts without a translation remain English. */
export class ServiceTexts {
  private readonly fixed: ReadonlyMap<string, string>;
  private readonly known: readonly Known[];
  private readonly days: Intl.DateTimeFormat;
  private readonly instants: Intl.DateTimeFormat;

  constructor(
    texts: readonly Translation[],
    private readonly locale: string,
  ) {
    this.fixed = new Map(texts);
    this.known = patternsOf(texts);
    this.days = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' });
    this.instants = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'medium' });
  }

  wordsFor(text: string): string {
    if (this.fixed.size === 0) return text;
    return this.whole(text) ?? this.inSentences(text) ?? this.whole(text, isAny) ?? text;
  }

  /** Returns the translation of a message with values. Returns undefined for unknown messages and fixed ones. */
  wordsWithValues(text: string): string | undefined {
    return this.fixed.has(text) ? undefined : this.whole(text);
  }

  private amount(value: string): string {
    const digits = value.split('.')[1]?.length ?? 0;
    const format = new Intl.NumberFormat(this.locale, { minimumFractionDigits: digits, maximumFractionDigits: digits });
    return format.format(value as Intl.StringNumericLiteral);
  }

  private shown(value: string): string {
    if (DAY.test(value)) return this.days.format(new Date(`${value}T00:00:00Z`));
    if (INSTANT.test(value)) return this.instants.format(new Date(value));
    if (value.includes(PARTS))
      return value
        .split(PARTS)
        .map((part) => this.shown(part))
        .join(PARTS);
    return this.whole(value) ?? this.betweenColons(value) ?? value;
  }

  /** Returns the translation of a complete known message whose values all satisfy `accepts`. */
  private whole(text: string, accepts: (value: string) => boolean = isOneSentence): string | undefined {
    const words = this.fixed.get(text);
    if (words !== undefined) return words;
    for (const { pattern, names, amounts, words: format } of this.known) {
      const values = pattern.exec(text)?.slice(1);
      if (values?.every(accepts) !== true) continue;
      const shown = names.map((name, index) => {
        const value = values[index] ?? '';
        return [name, amounts.includes(name) ? this.amount(value) : this.shown(value)] as const;
      });
      return String(new IntlMessageFormat(format, this.locale).format(Object.fromEntries(shown)));
    }
    return undefined;
  }

  /**
   * Translates sentence by sentence. A known message may span several sentences. Returns undefined if no sentence is
   * known.
   */
  private inSentences(text: string): string | undefined {
    const rest = text.split(SENTENCE_END);
    const result: string[] = [];
    let isKnown = false;
    while (rest.length > 0) {
      const last = rest.findIndex((_, index) => this.whole(rest.slice(0, index + 1).join(' ')) !== undefined);
      const taken = rest.splice(0, Math.max(1, last + 1)).join(' ');
      const words = this.whole(taken) ?? this.betweenColons(taken);
      isKnown ||= words !== undefined;
      result.push(words ?? taken);
    }
    return isKnown ? result.join(' ') : undefined;
  }

  /**
   * Translates each known part between colons, the longest first, such as the last two of `database-backup: a job
   * failed: disk full`. Returns undefined if no part is known.
   */
  private betweenColons(text: string): string | undefined {
    const parts = text.split(': ');
    for (let length = parts.length; length > 0; length -= 1)
      for (let start = 0; start + length <= parts.length; start += 1) {
        const words = this.whole(parts.slice(start, start + length).join(': '), isSinglePart);
        if (words === undefined) continue;
        const around = (some: readonly string[]): string[] =>
          some.length === 0 ? [] : [this.wordsFor(some.join(': '))];
        return [...around(parts.slice(0, start)), words, ...around(parts.slice(start + length))].join(': ');
      }
    return undefined;
  }
}
