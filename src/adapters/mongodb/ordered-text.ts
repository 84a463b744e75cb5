/**
 * Text as it is stored wherever its order matters. MongoDB compares strings by their UTF-8 bytes; servers that speak its
 * protocol from Java or JavaScript compare by UTF-16 units. The two differ only where characters from U+E000 to U+FFFF
 * meet those beyond U+FFFF, so the former are written as two characters that every comparison puts in the same place:
 * U+D7FF (which Unicode never assigns) and one that counts them up. Prefixes stay prefixes; U+0000 stays itself.
 */
const MARK = '\uD7FF';
const FIRST_CODE = 0x0100;
const FIRST_MARKED = 0xe000;
/** What a surrogate without its partner becomes in UTF-8, done here so that a text equals itself when it comes back. */
const REPLACEMENT = 0xfffd;

const toMark = /[\uD7FF\uE000-\uFFFF\p{Cs}]/gu;
const marked = /\uD7FF([\u0100-\u2100])/g;
/** Nearly all texts have no such character: then a search alone is paid for, and no text is made. */
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

/** Above every text that begins with the prefix, when put behind it: no text has this character, which is none. */
export const LAST = '\u{10FFFF}';
