import {
  DASH,
  DASHES,
  DATE,
  DATE_LENGTH,
  FIRST_WORD,
  FORM_LENGTHS,
  GROUP,
  LOOKAHEAD,
  MARKS,
  MAX_BYTES,
  MAX_CHARACTERS,
  MAX_VALUE,
  PACKED,
  PAIRS,
  REPEATED,
  SPACE,
  TIME,
  TIME_FORM,
  TIME_LENGTH,
  UUID,
  UUID_DIGITS,
  UUID_LENGTH,
  ZERO,
  hexValues,
  source,
  target,
  uuids,
} from './packed-json.forms.js';
import { AFTER, AFTERS, BASE, BEFORE, FORMS, numberIn, numberOf, UNKNOWN, VALUE } from './packed-json.words.js';

let sourceLength = 0;
let to = 0;
/** Number of offsets in `uuids`. They refer to `source`. */
let uuidCount = 0;
/** Returned instead of an offset if the input is not JSON. */
const NOT_JSON = Infinity;

const [QUOTE, COMMA, COLON, BACKSLASH, BRACE] = [0x22, 0x2c, 0x3a, 0x5c, 0x7b] as const;
const [N, U, L, TILDE] = [0x6e, 0x75, 0x6c, 0x7e] as const;

/**
 * Shortens the output of `JSON.stringify` to about two fifths of its length for storage. Codes replace field names,
 * frequent values, UUIDs and times. All other characters remain unchanged. Codes are characters below U+0020, which
 * `JSON.stringify` never outputs, so `unpack` restores exactly the same text. Returns the text unchanged if it is too
 * long or not an object. Arrays remain unpacked, because stored arrays contain only values, and reports read hundreds
 * of thousands of them.
 */
export function pack(json: string): string {
  if (json.length > MAX_CHARACTERS || json.charCodeAt(0) !== BRACE) return json;
  begin();
  sourceLength = source.write(json);
  for (let n = 0; n < LOOKAHEAD; n += 1) source[sourceLength + n] = 0;
  let at = 0;
  while (at < sourceLength) at = source[at] === QUOTE ? packText(at) : copy(at, at + 1);
  return at === NOT_JSON ? json : end();
}

/** Starts a packed text. `put`, `packWord` and `packString` append to it, and `end` returns it. */
export function begin(): void {
  target[0] = PACKED;
  to = 1;
  sourceLength = 0;
  uuidCount = 0;
}

export const end = (): string => target.toString('utf8', 0, to);

export function put(byte: number): void {
  target[to++] = byte;
}

/**
 * Packs the content of a string as `pack` would. Returns an upper bound on the length of its JSON without the quotes.
 */
export function packString(text: string): number {
  const size = text.length;
  const number = size <= MAX_VALUE ? numberIn(text) : UNKNOWN;
  if (number !== UNKNOWN) return (packWord(number, VALUE), size);
  const hasForm = FORM_LENGTHS.includes(size);
  const buffer = hasForm ? source : target;
  const start = hasForm ? sourceLength : to;
  for (let at = 0; at < size; at += 1) {
    const code = text.charCodeAt(at);
    if (!isPlain(code)) return putEscaped(text);
    buffer[start + at] = code;
  }
  if (hasForm) packFormed(start, size);
  else to += size;
  return size;
}

/** Packs a string that may be a UUID or a time. It remains in `source`, so that later UUIDs can be compared with it. */
function packFormed(start: number, size: number): void {
  sourceLength = start + size;
  if (size !== UUID_LENGTH) copy(start + packValue(start, size), sourceLength);
  else if (!packUuid(start)) copy(start, sourceLength);
}

/** Whether JSON represents the character unescaped and in one byte. */
const isPlain = (code: number): boolean => code >= SPACE && code <= TILDE && code !== QUOTE && code !== BACKSLASH;

function putEscaped(text: string): number {
  const json = JSON.stringify(text);
  to += target.write(json.slice(1, -1), Math.min(to, MAX_BYTES));
  return json.length;
}

/** Copies the bytes from `start` to `end`. Returns `end`, or NOT_JSON if any of them is a control character. */
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

/**
 * Removes the punctuation before a field name from `target`. Returns its index in `BEFORES`. Returns −1 and removes
 * nothing if it is not in that list.
 */
function takeBefore(quote: number): number {
  const last = source[quote - 1];
  if (last !== COMMA && last !== BRACE) return -1;
  to -= 1;
  if (last === BRACE) return BEFORE.first;
  if (source[quote - 2] !== QUOTE) return BEFORE.other;
  to -= 1;
  return BEFORE.text;
}

/** Writes the code of a field name. `value` is the offset of the field's value. */
function packName(number: number, before: number, value: number): number {
  const after = source[value] === QUOTE ? AFTER.text : isNull(value) ? AFTER.null : AFTER.other;
  packWord(number, before * AFTERS + after);
  if (after === AFTER.text) return packContent(value + 1);
  return after === AFTER.null ? value + 4 : value;
}

export function packWord(number: number, form: number): void {
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

/**
 * Writes the code of a date, a time or a word. Returns the number of characters that the code replaces, or 0 if the
 * value has no code.
 */
function packValue(start: number, size: number): number {
  if (size === DATE_LENGTH && packTime(DATE, start, size)) return size;
  if (size === TIME_LENGTH && packTime(TIME, start, TIME_FORM.length)) return TIME_FORM.length;
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
