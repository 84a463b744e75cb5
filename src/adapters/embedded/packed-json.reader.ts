import {
  DASH,
  DASHES,
  DATE,
  DATE_LENGTH,
  FIRST_WORD,
  GROUP,
  GROUP_BYTES,
  HEX,
  LAST_GROUP,
  LOOKAHEAD,
  MAX_BYTES,
  PACKED,
  PAIRS,
  REPEATED,
  SPACE,
  TIME,
  TIME_FORM,
  UUID,
  UUID_DIGITS,
  UUID_LENGTH,
  ZERO,
  source,
  target,
  uuids,
} from './packed-json.forms.js';
import { BASE, expansions } from './packed-json.words.js';

const { bytes: expanded, starts } = expansions;
let sourceLength = 0;
let to = 0;
/** Number of offsets in `uuids`. They refer to `target`. */
let uuidCount = 0;

export class DamagedText extends Error {
  constructor() {
    super('The packed text is damaged');
  }
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

/** Copies the bytes up to the next code. Returns the offset of that code. */
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
  if (uuidCount < uuids.length) uuids[uuidCount++] = first;
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
