/**
 * Encodes text whose sort order matters. MongoDB compares strings by UTF-8 bytes, but compatible servers written in
 * Java or JavaScript compare them by UTF-16 code units. The two orders differ only in how characters from U+E000 to
 * U+FFFF compare with characters beyond U+FFFF. Characters from U+E000 to U+FFFF are therefore encoded as two
 * characters that sort identically in both orders: U+D7FF (which Unicode never assigns) and an ordinal. Prefixes remain
 * prefixes, and U+0000 remains unchanged.
 */
const MARK = '\uD7FF';
const FIRST_CODE = 0x0100;
const FIRST_MARKED = 0xe000;
/**
 * Replacement character, to which UTF-8 encoding converts an unpaired surrogate. It is substituted here, so that text
 * does not change when it is stored.
 */
const REPLACEMENT = 0xfffd;

const toMark = /[\uD7FF\uE000-\uFFFF\p{Cs}]/gu;
const marked = /\uD7FF([\u0100-\u2100])/g;
/** Fast path: almost no text contains such a character, so a search is sufficient and no copy is made. */
const needsMark = /[\uD7FF\uE000-\uFFFF\p{Cs}]/u;

function markOne(character: string): string {
  const code = character.charCodeAt(0);
  if (character === MARK) return MARK + String.fromCharCode(FIRST_CODE);
  const known = code < FIRST_MARKED ? REPLACEMENT : code;
  return MARK + String.fromCharCode(FIRST_CODE + 1 + known - FIRST_MARKED);
}

export const ordered = (text: string): string => (needsMark.test(text) ? text.replace(toMark, markOne) : text);

export const unordered = (text: string): string =>
  text.includes(MARK)
    ? text.replace(marked, (_, code: string) => {
        const place = code.charCodeAt(0) - FIRST_CODE;
        return place === 0 ? MARK : String.fromCharCode(FIRST_MARKED + place - 1);
      })
    : text;

/**
 * A noncharacter that no text contains. A prefix followed by this character sorts after every text with that prefix.
 */
export const LAST = '\u{10FFFF}';
