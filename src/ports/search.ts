/**
 * Tokenization rules shared by all read stores, for indexing and searching, so that they all find the same documents.
 * Pure functions.
 */

/** Letters that Unicode does not decompose into a plain letter and a mark, plus the final sigma. */
const plainLetters: Readonly<Record<string, string>> = { ø: 'o', ł: 'l', đ: 'd', ħ: 'h', æ: 'ae', œ: 'oe', ς: 'σ' };
const unlikePlain = /[øłđħæœς]/gu;
const marks = /\p{M}+/gu;
const wordPattern = /[\p{L}\p{N}]+/gu;

/** Maximum word length in code points. Longer words are truncated, both in documents and in searches. */
export const MAX_WORD_LENGTH = 64;
/**
 * Maximum number of words in a search. Further words are ignored, so the search matches more documents, never fewer.
 */
export const MAX_SEARCH_WORDS = 100;
const SPACE = 32;

// Fast path: most text is ASCII and needs no Unicode handling.
const isAscii = (text: string): boolean => {
  for (let at = 0; at < text.length; at += 1) if (text.charCodeAt(at) > 127) return false;
  return true;
};

/**
 * Removes the differences that search ignores: case, accents (NFKD without marks), and the dot of the Turkish i (İ, I,
 * ı and i are equal). Converts to uppercase and back, because lowercasing alone would keep ı and ß distinct from I and
 * SS (and ẞ has no other uppercase form).
 */
export function fold(text: string): string {
  if (isAscii(text)) return text.toLowerCase();
  const bare = text.normalize('NFKD').replace(marks, '');
  const cased = bare.toLowerCase().toUpperCase().normalize('NFKD').replace(marks, '').toLowerCase();
  return cased.replace(unlikePlain, (letter) => plainLetters[letter] ?? letter);
}

const cut = (word: string): string =>
  word.length <= MAX_WORD_LENGTH ? word : Array.from(word).slice(0, MAX_WORD_LENGTH).join('');

/**
 * Splits text at all characters except letters and digits. Returns the distinct folded words in the order of their
 * first appearance.
 */
export function words(text: string): string[] {
  const ofAscii = asciiWords(text);
  if (ofAscii) return ofAscii;
  const folded = fold(text);
  return asciiWords(folded) ?? [...new Set((folded.match(wordPattern) ?? []).map(cut))];
}

/**
 * Returns the words of ASCII text, or undefined for other text. This fast path matters, because every stored document
 * is split into words.
 */
function asciiWords(text: string): string[] | undefined {
  const folded = text.toLowerCase();
  const found = new Set<string>();
  let start = -1;
  for (let at = 0; at <= text.length; at += 1) {
    // The original text is checked, because some non-ASCII letters have an ASCII lower case. The end of the text also
    // ends a word.
    const code = at < text.length ? text.charCodeAt(at) : SPACE;
    if (code > 127) return undefined;
    if (isAsciiLetterOrDigit(code)) start = start < 0 ? at : start;
    else if (start >= 0) {
      found.add(folded.slice(start, Math.min(at, start + MAX_WORD_LENGTH)));
      start = -1;
    }
  }
  return [...found];
}

const isAsciiLetterOrDigit = (code: number): boolean =>
  (code >= 97 && code <= 122) || (code >= 48 && code <= 57) || (code >= 65 && code <= 90);

/**
 * Returns the words of a search: at most MAX_SEARCH_WORDS, without words that are prefixes of longer ones. Returns
 * undefined for absent or empty text, which means no search, and `[]` for text without words, which matches nothing.
 */
export function searchWords(text: string | undefined): string[] | undefined {
  if (text === undefined || text === '') return undefined;
  const all = words(text).slice(0, 4 * MAX_SEARCH_WORDS);
  const needed: string[] = [];
  for (const word of all) {
    if (needed.length === MAX_SEARCH_WORDS) break;
    if (!all.some((other) => other !== word && other.startsWith(word))) needed.push(word);
  }
  return needed;
}
