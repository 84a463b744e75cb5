// The codes of packed text, the forms of the values that they replace, and the buffers for both texts.

/** First character of packed text. */
export const PACKED = 0x1f;
export const UUID = 0x01;
export const TIME = 0x02;
export const DATE = 0x1e;
/** A repeated UUID. The number of its first occurrence follows. */
export const REPEATED = 0x1d;
/**
 * First word code. Codes up to 0x16 are used, one for each combination of a form and a set of `BASE` words. The word's
 * number within its set follows the code.
 */
export const FIRST_WORD = 0x03;
export const SPACE = 0x20;

export const MAX_CHARACTERS = 65_536;
/** Number of zero bytes appended to the text, so that lookups past its end find nothing. */
export const LOOKAHEAD = 8;
export const MAX_BYTES = 3 * MAX_CHARACTERS + LOOKAHEAD;
export const HEX = Buffer.from('0123456789abcdef');
export const hexValues = Int8Array.from({ length: 256 }, (_, byte) => HEX.indexOf(byte));
/** A UUID is stored in groups of five hex digits (20 bits, three bytes). The last group has two digits. */
export const UUID_LENGTH = 36;
export const DASHES = [8, 13, 18, 23];
export const UUID_DIGITS = Uint8Array.from(Array(UUID_LENGTH).keys()).filter((at) => !DASHES.includes(at));
export const GROUP_BYTES = 3;
export const [GROUP, LAST_GROUP] = [5, 2];
/** A time is stored as pairs of digits. The characters after them remain unchanged. */
export const TIME_FORM = Buffer.from('0000-00-00T00:00:00.00');
export const TIME_LENGTH = TIME_FORM.length + 2;
export const DATE_LENGTH = 10;
export const FORM_LENGTHS = [UUID_LENGTH, TIME_LENGTH, DATE_LENGTH];
/** Longer values are not looked up in the word list. */
export const MAX_VALUE = 20;
/** Offsets of the pairs of digits in `TIME_FORM`. */
export const PAIRS = [0, 2, 5, 8, 11, 14, 17, 20];
/** Offsets of the punctuation in `TIME_FORM`. */
export const MARKS = [4, 7, 10, 13, 16, 19];
/** Buffers for the input text and the output text. Packing and unpacking share them, because neither is interrupted. */
export const source = Buffer.allocUnsafeSlow(MAX_BYTES);
export const target = Buffer.allocUnsafeSlow(MAX_BYTES);
/**
 * Offsets of the first distinct UUIDs in the unpacked text. Stored text contains their numbers, so the size must never
 * change.
 */
export const uuids = new Uint32Array(32);
export const [DASH, ZERO] = [0x2d, 0x30] as const;
