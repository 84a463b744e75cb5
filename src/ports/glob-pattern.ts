/**
 * Maximum pattern length. It is limited, because the matching time is proportional to the product of key and pattern
 * length.
 */
export const MAX_PATTERN_LENGTH = 256;

/** Whether an element of a pattern matches a character code. ANY_TEXT matches any number of characters. */
type Takes = (code: number) => boolean;
const ANY_TEXT = undefined;

const ELEMENT = /\\([^])|\[(\^?)((?:\\[^]|[^\]]-[^]|[^\]])*)\]?|[^]/g;
const CLASS_ITEM = /\\([^])|([^\]])-([^])|[^\]]/g;

/**
 * Compiles a glob with Redis syntax: `*` for any text, `?` for one character, `[a-z]` and `[^a-z]` for classes, and `\`
 * for the next character literally. An unclosed class ends with the pattern. The result is not a regular expression, so
 * no pattern can make matching slow. Characters are UTF-16 code units.
 * @throws RangeError for a pattern longer than MAX_PATTERN_LENGTH
 */
export function compileGlob(pattern: string): (text: string) => boolean {
  if (pattern.length > MAX_PATTERN_LENGTH) {
    throw new RangeError(`A pattern can have at most ${MAX_PATTERN_LENGTH} characters, not ${pattern.length}.`);
  }
  const elements = [...pattern.matchAll(ELEMENT)].map(([text, escaped = text, negated, items]) => {
    if (text === '*') return ANY_TEXT;
    if (text === '?') return () => true;
    if (items !== undefined) return classOf(items, negated === '^');
    return (code: number) => code === escaped.charCodeAt(0);
  });
  return (text) => matches(elements, text);
}

/** Reversed ranges are swapped, as in Redis. */
function classOf(items: string, isNegated: boolean): Takes {
  const ranges = [...items.matchAll(CLASS_ITEM)].map(([text, escaped = text, low = escaped, high = low]) =>
    [low.charCodeAt(0), high.charCodeAt(0)].sort((a, b) => a - b),
  );
  return (code) => ranges.some(([low = 0, high = 0]) => low <= code && code <= high) !== isNegated;
}

/**
 * Backtracks only to the last `*` (an earlier one never needs to match more), so the worst case is O(text × pattern).
 * Source: the greedy wildcard algorithm of K. Krauss, "Matching Wildcards: An Algorithm", Dr. Dobb's, 2008.
 */
function matches(elements: readonly (Takes | undefined)[], text: string): boolean {
  let at = 0;
  let element = 0;
  let star = -1;
  let resume = 0;
  while (at < text.length) {
    const isStar = element < elements.length && elements[element] === ANY_TEXT;
    if (isStar) {
      star = element;
      resume = at;
      element += 1;
    } else if (elements[element]?.(text.charCodeAt(at))) {
      at += 1;
      element += 1;
    } else if (star >= 0) {
      resume += 1;
      at = resume;
      element = star + 1;
    } else {
      return false;
    }
  }
  return elements.slice(element).every((left) => left === ANY_TEXT);
}
