import { begin, end, pack, packString, packWord, put } from './packed-json.js';
import { AFTER, AFTERS, BEFORE, numberIn, UNKNOWN } from './packed-json.words.js';

const [QUOTE, COMMA, COLON] = [0x22, 0x2c, 0x3a] as const;
const [BRACKET, END_OF_ARRAY, BRACE, END_OF_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d] as const;
/**
 * Maximum length of the JSON. A document that may be longer is passed to `pack`, which leaves very long text unpacked.
 */
const MAX_LENGTH = 32_768;
/** Upper bound on the JSON length of a field or an array element, excluding its name and the content of its strings. */
const LENGTH_BESIDES = 32;

/** Upper bound on the length of the JSON so far. */
let length = 0;

/**
 * Returns the same text as `pack(JSON.stringify(document))`, but without writing the JSON first. Field names therefore
 * need not be written and then recognized again.
 */
export function packDocument(document: object): string {
  begin();
  length = 0;
  const isPacked = !Array.isArray(document) && putObject(document as Record<string, unknown>) && length <= MAX_LENGTH;
  return isPacked ? end() : pack(JSON.stringify(document));
}

/** Returns false if `JSON.stringify` would omit or convert a value, such as NaN or a date. */
function putObject(object: Readonly<Record<string, unknown>>): boolean {
  if (object.toJSON !== undefined) return false;
  let before: number = BEFORE.first;
  // Objects in documents inherit no enumerable properties.
  for (const name in object) {
    const value = object[name];
    if (value === undefined) continue;
    const after = afterOf(value);
    const isComplete = putName(name, before, after);
    if (after === AFTER.text) length += packString(value as string);
    else if (!isComplete && !putValue(value)) return false;
    before = after === AFTER.text ? BEFORE.text : BEFORE.other;
  }
  if (before === BEFORE.text) put(QUOTE);
  if (before === BEFORE.first) put(BRACE);
  put(END_OF_OBJECT);
  return true;
}

const afterOf = (value: unknown): number =>
  typeof value === 'string' ? AFTER.text : value === null ? AFTER.null : AFTER.other;

/**
 * Writes a field name and the punctuation around it. If the name is in the word list, a single code represents the
 * name, its punctuation and a null value. Returns true if that code includes the value.
 */
function putName(name: string, before: number, after: number): boolean {
  length += name.length + LENGTH_BESIDES;
  const number = numberIn(name);
  if (number !== UNKNOWN) {
    packWord(number, before * AFTERS + after);
    return after === AFTER.null;
  }
  if (before === BEFORE.text) put(QUOTE);
  put(before === BEFORE.first ? BRACE : COMMA);
  putString(name);
  put(COLON);
  if (after === AFTER.text) put(QUOTE);
  return false;
}

function putValue(value: unknown): boolean {
  switch (typeof value) {
    case 'string':
      return putString(value);
    case 'number':
      return Number.isFinite(value) && putAscii(String(value));
    case 'boolean':
      return putAscii(String(value));
    case 'object':
      if (value === null) return putAscii('null');
      return Array.isArray(value) ? putArray(value) : putObject(value as Record<string, unknown>);
    default:
      return false;
  }
}

function putArray(values: readonly unknown[]): boolean {
  put(BRACKET);
  for (let at = 0; at < values.length; at += 1) {
    length += LENGTH_BESIDES;
    if (at > 0) put(COMMA);
    if (!putValue(values[at])) return false;
  }
  put(END_OF_ARRAY);
  return true;
}

function putString(text: string): boolean {
  put(QUOTE);
  length += packString(text);
  put(QUOTE);
  return true;
}

function putAscii(text: string): boolean {
  for (let at = 0; at < text.length; at += 1) put(text.charCodeAt(at));
  return true;
}
