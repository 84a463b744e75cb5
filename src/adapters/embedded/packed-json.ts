import { AFTERS, BASE, expansions, FORMS, numberOf, UNKNOWN, VALUE } from './packed-json.words.js';

/** First character of packed text. */
const PACKED = 0x1f;
const UUID = 0x01;
const TIME = 0x02;
const DATE = 0x1e;
/** A repeated UUID. The number of its first occurrence follows. */
const REPEATED = 0x1d;
/**
 * First word code. There is one code for each form and set of words, up to 0x16. The word's number follows the code.
 */
const FIRST_WORD = 0x03;
const SPACE = 0x20;

const MAX_CHARACTERS = 65_536;
/** Number of zero bytes appended to the text, so that lookups past its end find nothing. */
const LOOKAHEAD = 8;
const MAX_BYTES = 3 * MAX_CHARACTERS + LOOKAHEAD;
/** Buffers for the input text and the output text. */
const source = Buffer.allocUnsafeSlow(MAX_BYTES);
const target = Buffer.allocUnsafeSlow(MAX_BYTES);
const { bytes: expanded, starts } = expansions;
let sourceLength = 0;
let to = 0;
/**
 * Offsets of the first distinct UUIDs in the unpacked text, which is `source` or `target`. Stored text contains their
 * numbers, so the size must never change.
 */
const uuids = new Uint32Array(32);
let uuidCount = 0;
/** Returned instead of an offset if the input is not JSON. */
const NOT_JSON = Infinity;

const [QUOTE, COMMA, DASH, ZERO, COLON, BACKSLASH, BRACE] = [0x22, 0x2c, 0x2d, 0x30, 0x3a, 0x5c, 0x7b] as const;
const [N, U, L] = [0x6e, 0x75, 0x6c] as const;
const HEX = Buffer.from('0123456789abcdef');
const hexValues = Int8Array.from({ length: 256 }, (_, byte) => HEX.indexOf(byte));
/** A UUID is stored in groups of five hex digits (20 bits, three bytes). The last group has two digits. */
const UUID_LENGTH = 36;
const DASHES = [8, 13, 18, 23];
const UUID_DIGITS = Uint8Array.from(Array(UUID_LENGTH).keys()).filter((at) => !DASHES.includes(at));
const GROUP_BYTES = 3;
const [GROUP, LAST_GROUP] = [5, 2];
/** A time is stored as pairs of digits. The characters after them remain unchanged. */
const TIME_FORM = Buffer.from('0000-00-00T00:00:00.00');
const DATE_LENGTH = 10;
/** Longer values are not looked up in the word list. */
const MAX_VALUE = 20;
const PAIRS = [0, 2, 5, 8, 11, 14, 17, 20];
/** Offsets of the other characters. */
const MARKS = [4, 7, 10, 13, 16, 19];

export class DamagedText extends Error {
  constructor() {
    super('The packed text is damaged');
  }
}

/**
 * Shortens the output of `JSON.stringify` to about two fifths of its length for storage. Codes replace field names,
 * frequent values, UUIDs and times. All other characters remain unchanged. Codes are characters below U+0020, which
 * this output never contains, so `unpack` restores exactly the same text. Returns the text unchanged if it is too long
 * or not an object. Arrays remain unpacked, because stored arrays contain only values, and reports read hundreds of
 * thousands of them.
 */
export function pack(json: string): string {
  if (json.length > MAX_CHARACTERS || json.charCodeAt(0) !== BRACE) return json;
  sourceLength = source.write(json);
  for (let n = 0; n < LOOKAHEAD; n += 1) source[sourceLength + n] = 0;
  target[0] = PACKED;
  to = 1;
  uuidCount = 0;
  let at = 0;
  while (at < sourceLength) at = source[at] === QUOTE ? packText(at) : copy(at, at + 1);
  return at === NOT_JSON ? json : target.toString('utf8', 0, to);
}

/** Copies bytes to the target. Returns the next offset. */
function copy(start: number, end: number): number {
  let next = to;
  for (let at = start; at < end; at += 1) {
    const byte = source[at] as number;
    if (byte < SPACE) return NOT_JSON;
    target[next++] = byte;
  }
  to = next;
  return end;
}

/** Packs the string whose opening quote is at `at`. After a field name, also packs a string value. */
function packText(at: number): number {
  const end = endOf(at + 1);
  const number = source[end + 1] === COLON ? numberOf(source, at + 1, end) : UNKNOWN;
  const before = number === UNKNOWN ? -1 : takeBefore(at);
  if (before >= 0) return packName(number, before, end + 2);
  target[to++] = QUOTE;
  return packContent(at + 1);
}

/** Returns the offset of a string's closing quote. */
function endOf(start: number): number {
  let end = start;
  while (end < sourceLength && source[end] !== QUOTE) end += source[end] === BACKSLASH ? 2 : 1;
  return end;
}

/** Removes the text before a name from `target`. Returns its index in `BEFORE`, or −1 if it is a different text. */
function takeBefore(quote: number): number {
  const last = source[quote - 1];
  if (last !== COMMA && last !== BRACE) return -1;
  to -= 1;
  if (last === BRACE) return 2;
  if (source[quote - 2] !== QUOTE) return 1;
  to -= 1;
  return 0;
}

/** Writes the code of a field name. `value` is the offset of the field's value. */
function packName(number: number, before: number, value: number): number {
  const after = source[value] === QUOTE ? 0 : isNull(value) ? 1 : 2;
  packWord(number, before * AFTERS + after);
  if (after === 0) return packContent(value + 1);
  return after === 1 ? value + 4 : value;
}

function packWord(number: number, form: number): void {
  target[to++] = FIRST_WORD + Math.floor(number / BASE) * FORMS + form;
  target[to++] = (number % BASE) + 1;
}

const isNull = (at: number): boolean =>
  source[at] === N && source[at + 1] === U && source[at + 2] === L && source[at + 3] === L;

/** Packs a string's content and copies its closing quote. */
function packContent(start: number): number {
  const isUuid = source[start + UUID_LENGTH] === QUOTE && packUuid(start);
  if (isUuid) return copy(start + UUID_LENGTH, start + UUID_LENGTH + 1);
  const end = endOf(start);
  if (end >= sourceLength) return NOT_JSON;
  return copy(start + packValue(start, end - start), end + 1);
}

/** Writes the code of a time or a word. Returns the number of characters that the code replaces. */
function packValue(start: number, size: number): number {
  if (size === DATE_LENGTH && packTime(DATE, start, size)) return size;
  const isTime = size === TIME_FORM.length + 2 && packTime(TIME, start, TIME_FORM.length);
  if (isTime) return TIME_FORM.length;
  const number = size <= MAX_VALUE ? numberOf(source, start, start + size) : UNKNOWN;
  if (number === UNKNOWN) return 0;
  packWord(number, VALUE);
  return size;
}

function packUuid(start: number): boolean {
  for (let known = 0; known < uuidCount; known += 1) {
    if (!isSame(uuids[known] as number, start)) continue;
    target[to++] = REPEATED;
    target[to++] = known + 1;
    return true;
  }
  for (const at of DASHES) if (source[start + at] !== DASH) return false;
  let next = to + 1;
  for (let first = 0; first < UUID_DIGITS.length; first += GROUP) {
    const value = hexValueAt(start, first);
    if (value < 0) return false;
    target[next++] = (value % BASE) + 1;
    target[next++] = (Math.floor(value / BASE) % BASE) + 1;
    if (first + GROUP <= UUID_DIGITS.length) target[next++] = Math.floor(value / (BASE * BASE)) + 1;
  }
  note(start);
  target[to] = UUID;
  to = next;
  return true;
}

/** Returns the value of a group of a UUID's digits, or a negative number if one of them is not a hex digit. */
function hexValueAt(start: number, first: number): number {
  let value = 0;
  for (let n = first; n < Math.min(first + GROUP, UUID_DIGITS.length); n += 1) {
    const digit = hexValues[source[start + (UUID_DIGITS[n] as number)] as number] as number;
    value = digit < 0 ? digit : (value << 4) | digit;
  }
  return value;
}

function note(offset: number): void {
  if (uuidCount < uuids.length) uuids[uuidCount++] = offset;
}

/** Compares two UUIDs, starting with their last characters, because the first ones are often equal. */
function isSame(one: number, other: number): boolean {
  for (let n = UUID_LENGTH - 1; n >= 0; n -= 1) if (source[one + n] !== source[other + n]) return false;
  return true;
}

function packTime(code: number, start: number, size: number): boolean {
  for (const at of MARKS) if (at < size && source[start + at] !== TIME_FORM[at]) return false;
  let next = to + 1;
  for (const at of PAIRS) {
    if (at >= size) break;
    const [tens, ones] = [(source[start + at] as number) - ZERO, (source[start + at + 1] as number) - ZERO];
    if (tens < 0 || tens > 9 || ones < 0 || ones > 9) return false;
    target[next++] = tens * 10 + ones + 1;
  }
  target[to] = code;
  to = next;
  return true;
}

/** Restores the text that `pack` converted to `stored`. Returns any other text unchanged. @throws DamagedText */
export function unpack(stored: string): string {
  if (stored.charCodeAt(0) !== PACKED) return stored;
  sourceLength = source.write(stored);
  to = 0;
  uuidCount = 0;
  let at = 1;
  while (at < sourceLength) {
    const code = source[at] as number;
    at = code >= SPACE ? copyText(at) : unpackCode(code, at + 1);
  }
  if (at !== sourceLength || sourceLength > MAX_BYTES - LOOKAHEAD || to > MAX_BYTES) throw new DamagedText();
  return target.toString('utf8', 0, to);
}

/** Copies the bytes before the next code. Returns the next offset. */
function copyText(start: number): number {
  let [at, next] = [start, to];
  for (let byte = SPACE; at < sourceLength && (byte = source[at] as number) >= SPACE; at += 1) target[next++] = byte;
  to = next;
  return at;
}

/** Writes the text that the code before `at` represents. Returns the next offset. */
function unpackCode(code: number, at: number): number {
  if (code === UUID) return unpackUuid(at);
  if (code === REPEATED) return repeat(at);
  if (code === TIME) return unpackTime(at, TIME_FORM.length);
  if (code === DATE) return unpackTime(at, DATE_LENGTH);
  return unpackWord(code - FIRST_WORD, at);
}

function unpackWord(code: number, at: number): number {
  const n = code * BASE + (source[at] as number) - 1;
  const start = starts[n] ?? 0;
  const end = starts[n + 1] ?? 0;
  if (start >= end) throw new DamagedText();
  const shift = to - start;
  for (let from = start; from < end; from += 1) target[from + shift] = expanded[from] as number;
  to = end + shift;
  return at + 1;
}

function repeat(at: number): number {
  const known = (source[at] as number) - 1;
  if (known < 0 || known >= uuidCount) throw new DamagedText();
  const first = uuids[known] as number;
  for (let n = 0; n < UUID_LENGTH; n += 1) target[to + n] = target[first + n] as number;
  to += UUID_LENGTH;
  return at + 1;
}

function unpackUuid(start: number): number {
  const first = to;
  note(first);
  let at = start;
  for (let n = 0; n < UUID_DIGITS.length; n += GROUP) {
    const size = n + GROUP <= UUID_DIGITS.length ? GROUP : LAST_GROUP;
    let value = (source[at] as number) - 1 + ((source[at + 1] as number) - 1) * BASE;
    if (size === GROUP) value += ((source[at + 2] as number) - 1) * BASE * BASE;
    at += size === GROUP ? GROUP_BYTES : GROUP_BYTES - 1;
    for (let digit = n + size - 1; digit >= n; digit -= 1) {
      target[first + (UUID_DIGITS[digit] as number)] = HEX[value & 15] as number;
      value >>= 4;
    }
  }
  for (const dash of DASHES) target[first + dash] = DASH;
  to = first + UUID_LENGTH;
  return at;
}

function unpackTime(start: number, size: number): number {
  for (let n = 0; n < size; n += 1) target[to + n] = TIME_FORM[n] as number;
  let at = start;
  for (let n = 0; (PAIRS[n] as number) < size; n += 1) {
    const pair = (source[at++] as number) - 1;
    target[to + (PAIRS[n] as number)] = ZERO + Math.floor(pair / 10);
    target[to + (PAIRS[n] as number) + 1] = ZERO + (pair % 10);
  }
  to += size;
  return at;
}
