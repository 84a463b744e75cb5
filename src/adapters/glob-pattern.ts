/** Longer patterns are rejected: the time of a match is bounded by key length times pattern length. */
export const MAX_PATTERN_LENGTH = 256;

/**
 * A compiled pattern: each element is a character code, one of these constants, or FIRST_CLASS − n for the nth class.
 */
const ANY_TEXT = -1;
const ONE_CHARACTER = -2;
const FIRST_CLASS = -3;

type Class = { readonly negated: boolean; readonly ranges: readonly (readonly [low: number, high: number])[] };
type Glob = { readonly elements: readonly number[]; readonly classes: readonly Class[] };

/**
 * Compiles a glob with Redis's syntax: `*` any text, `?` one character, `[a-z]` and `[^a-z]` classes (an unclosed one
 * ends with the pattern), `\` takes the next character literally. Builds no regular expression, so no pattern can make
 * matching slow. Characters are UTF-16 code units.
 * @throws RangeError for a pattern over MAX_PATTERN_LENGTH
 */
export function compileGlob(pattern: string): (text: string) => boolean {
  if (pattern.length > MAX_PATTERN_LENGTH) {
    throw new RangeError(`A pattern may have ${MAX_PATTERN_LENGTH} characters, not ${pattern.length}.`);
  }
  const glob = parse(pattern);
  return (text) => matches(glob, text);
}

function parse(pattern: string): Glob {
  const elements: number[] = [];
  const classes: Class[] = [];
  let at = 0;
  while (at < pattern.length) {
    const char = pattern.charAt(at);
    if (char === '[') {
      const { parsed, next } = parseClass(pattern, at + 1);
      elements.push(FIRST_CLASS - classes.length);
      classes.push(parsed);
      at = next;
      continue;
    }
    if (char === '*') {
      if (elements.at(-1) !== ANY_TEXT) elements.push(ANY_TEXT);
    } else if (char === '?') {
      elements.push(ONE_CHARACTER);
    } else {
      if (char === '\\' && at + 1 < pattern.length) at += 1;
      elements.push(pattern.charCodeAt(at));
    }
    at += 1;
  }
  return { elements, classes };
}

/** Parses a class after its opening bracket. Reversed ranges are swapped, as in Redis. */
function parseClass(pattern: string, start: number): { parsed: Class; next: number } {
  const negated = pattern.charAt(start) === '^';
  const ranges: [number, number][] = [];
  let at = negated ? start + 1 : start;
  while (at < pattern.length && pattern.charAt(at) !== ']') {
    const first = pattern.charCodeAt(at);
    if (pattern.charAt(at) === '\\' && at + 1 < pattern.length) {
      const escaped = pattern.charCodeAt(at + 1);
      ranges.push([escaped, escaped]);
      at += 2;
    } else if (pattern.charAt(at + 1) === '-' && at + 2 < pattern.length) {
      const last = pattern.charCodeAt(at + 2);
      ranges.push([Math.min(first, last), Math.max(first, last)]);
      at += 3;
    } else {
      ranges.push([first, first]);
      at += 1;
    }
  }
  return { parsed: { negated, ranges }, next: at + 1 };
}

const includes = ({ negated, ranges }: Class, code: number): boolean =>
  ranges.some(([low, high]) => low <= code && code <= high) !== negated;

/**
 * Backtracks only to the last `*` (an earlier one never needs to match more), so the worst case is O(text × pattern).
 * Source: the greedy wildcard algorithm of K. Krauss, "Matching Wildcards: An Algorithm", Dr. Dobb's, 2008.
 */
function matches({ elements, classes }: Glob, text: string): boolean {
  let at = 0;
  let element = 0;
  let star = -1;
  let resume = 0;
  while (at < text.length) {
    const expected = elements[element];
    if (expected === ANY_TEXT) {
      star = element;
      resume = at;
      element += 1;
    } else if (expected !== undefined && takes(expected, text.charCodeAt(at), classes)) {
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

function takes(expected: number, code: number, classes: readonly Class[]): boolean {
  if (expected === code || expected === ONE_CHARACTER) return true;
  const within = expected <= FIRST_CLASS ? classes[FIRST_CLASS - expected] : undefined;
  return within !== undefined && includes(within, code);
}
