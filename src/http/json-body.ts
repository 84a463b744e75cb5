import { isUtf8 } from 'node:buffer';
import { errorCodes, type FastifyInstance } from 'fastify';
import { DomainError } from '../platform/domain-error.js';

/** Deeper nesting is refused: no request of this service needs it, and what walks the value may recurse. */
export const MAX_JSON_DEPTH = 32;
export const MAX_BODY_BYTES = 1_048_576;

const malformed = (message: string): DomainError => new DomainError('invalid', 'VALIDATION_FAILED', message);

const QUOTE = '"';
const BACKSLASH = 0x5c;
const POINT = 0x2e;
const LETTER_E = 0x65;
const LONGEST_EXACT_DIGITS = 15;
const MAX_LITERAL_LENGTH = 100;

/** Index of the quote that ends the string begun before `from`. */
function endOfString(text: string, from: number): number {
  for (let end = text.indexOf(QUOTE, from); end >= 0; end = text.indexOf(QUOTE, end + 1)) {
    let slashes = 0;
    while (text.charCodeAt(end - 1 - slashes) === BACKSLASH) slashes += 1;
    if (slashes % 2 === 0) return end;
  }
  return text.length;
}

const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39;

/** What lies outside of the strings: members are counted by their colons, nesting and runs of digits by length. */
class Outline {
  members = 0;
  depth = 0;
  deepest = 0;
  /** Stretches with a number that a double may not hold: many digits, or an exponent. */
  readonly suspects: string[] = [];

  add(text: string, from: number, to: number): void {
    let digits = 0;
    let suspect = false;
    for (let index = from; index < to; index += 1) {
      const code = text.charCodeAt(index);
      if (isDigit(code)) {
        digits += 1;
        if (digits > LONGEST_EXACT_DIGITS) suspect = true;
      } else if (code !== POINT) {
        if (digits > 0 && (code | 0x20) === LETTER_E) suspect = true;
        digits = 0;
        this.mark(code);
      }
    }
    if (suspect) this.suspects.push(text.slice(from, to));
  }

  private mark(code: number): void {
    if (code === 0x3a) this.members += 1;
    else if (code === 0x7b || code === 0x5b) this.depth += 1;
    else if (code === 0x7d || code === 0x5d) this.depth -= 1;
    if (this.depth > this.deepest) this.deepest = this.depth;
  }
}

function outlineOf(text: string): Outline {
  const outline = new Outline();
  let from = 0;
  while (from < text.length) {
    const quote = text.indexOf(QUOTE, from);
    outline.add(text, from, quote < 0 ? text.length : quote);
    if (quote < 0) break;
    from = endOfString(text, quote + 1) + 1;
  }
  return outline;
}

/** A decimal literal as its significant digits and the power of ten behind them. */
function significand(literal: string): string {
  const [, whole = '', fraction = '', power = '0'] = /^-?(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(literal) ?? [];
  const digits = (whole + fraction).replace(/^0+/, '');
  const kept = digits.replace(/0+$/, '');
  return `${kept}e${kept === '' ? 0 : Number(power) - fraction.length + digits.length - kept.length}`;
}

// Bounded, as trimming the zeros of a long literal takes quadratic time; no double needs as many digits.
const losesPrecision = (literal: string): boolean =>
  literal.length > MAX_LITERAL_LENGTH || significand(literal) !== significand(String(Number(literal)));

/** Members in a parsed value, at any depth. The depth was bounded before. */
function countMembers(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  if (Array.isArray(value)) return value.reduce((sum: number, item) => sum + countMembers(item), 0);
  let count = 0;
  for (const key of Object.keys(value)) {
    if (key === '__proto__') throw malformed('The member name __proto__ is not allowed.');
    count += 1 + countMembers((value as Record<string, unknown>)[key]);
  }
  return count;
}

/**
 * Parses JSON as JSON.parse does, and refuses what that would swallow: a repeated member name (the text has then more
 * members than the value), a number that a double cannot hold exactly, `__proto__`, and nesting deeper than 32.
 * @throws DomainError invalid VALIDATION_FAILED
 */
export function parseJson(text: string): unknown {
  const outline = outlineOf(text);
  if (outline.deepest > MAX_JSON_DEPTH) throw malformed(`JSON is nested deeper than ${MAX_JSON_DEPTH} levels.`);
  const value = parseText(text);
  if (countMembers(value) !== outline.members) throw malformed('A member name is repeated in one object.');
  for (const stretch of outline.suspects)
    for (const [literal] of stretch.matchAll(/-?\d+(?:\.\d+)?(?:e[+-]?\d+)?/gi))
      if (losesPrecision(literal))
        throw malformed('A number has more digits, or is larger, than a double holds exactly: send it as a string.');
  return value;
}

function parseText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw malformed('The body is not valid JSON.');
  }
}

/** Text of a JSON body. @throws DomainError invalid, when the bytes are not UTF-8 */
export function decodeJson(bytes: Buffer): unknown {
  if (!isUtf8(bytes)) throw malformed('The body is not UTF-8.');
  return parseJson(bytes.toString('utf8'));
}

/** Makes JSON the only content type that the server takes. An empty body is left undefined: the declaration decides. */
export function installJsonBody(fastify: FastifyInstance): void {
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser<Buffer>(
    'application/json',
    { parseAs: 'buffer', bodyLimit: MAX_BODY_BYTES },
    (request, bytes, done) => {
      const encoding = request.headers['content-encoding'];
      if (encoding !== undefined && encoding !== 'identity') {
        done(new errorCodes.FST_ERR_CTP_INVALID_MEDIA_TYPE());
        return;
      }
      try {
        done(null, bytes.length === 0 ? undefined : decodeJson(bytes));
      } catch (error) {
        done(error as DomainError);
      }
    },
  );
}
