/**
 * How text becomes words, in one place: every read store indexes and searches by these rules, so that all of them find
 * the same documents. Pure.
 */

/** Letters that differ from their plain form by more than a mark (Unicode does not decompose them), and final sigma. */
const plainLetters: Readonly<Record<string, string>> = { ø: 'o', ł: 'l', đ: 'd', ħ: 'h', æ: 'ae', œ: 'oe', ς: 'σ' };
const unlikePlain = /[øłđħæœς]/gu;
const marks = /\p{M}+/gu;
const wordPattern = /[\p{L}\p{N}]+/gu;
const asciiWordPattern = /[a-z0-9]+/g;

/** Words longer than this are cut to it, in documents and in searches alike (in code points). */
export const MAX_WORD_LENGTH = 64;
/** Words of a search beyond these many are ignored: it then finds more, never less. */
export const MAX_SEARCH_WORDS = 100;

// One code unit is one byte in UTF-8 only for ASCII: a cheap test, since most texts are.
const isAscii = (text: string): boolean => {
  for (let at = 0; at < text.length; at += 1) if (text.charCodeAt(at) > 127) return false;
  return true;
};

/**
 * Text without what search ignores: case, accents (NFKD, marks stripped), the dot of the Turkish i (İ I ı i are equal).
 * Through upper case and back, because lower case alone keeps ı and ß apart from I and SS (and ẞ has no other upper case).
 */
export function fold(text: string): string {
  if (isAscii(text)) return text.toLowerCase();
  const bare = text.normalize('NFKD').replace(marks, '');
  const cased = bare.toLowerCase().toUpperCase().normalize('NFKD').replace(marks, '').toLowerCase();
  return cased.replace(unlikePlain, (letter) => plainLetters[letter] ?? letter);
}

const cut = (word: string): string =>
  word.length <= MAX_WORD_LENGTH ? word : Array.from(word).slice(0, MAX_WORD_LENGTH).join('');

/** The distinct words of a text, folded, in order of first appearance; split on everything that is no letter or digit. */
export function words(text: string): string[] {
  const folded = fold(text);
  const found = folded.match(isAscii(folded) ? asciiWordPattern : wordPattern);
  return found === null ? [] : [...new Set(found.map(cut))];
}

/**
 * What a search asks for: undefined when it is none (absent or empty text); `[]` when there is text but no word in it,
 * which finds nothing; else at most MAX_SEARCH_WORDS words, without those that a longer one implies.
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
