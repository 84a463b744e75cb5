import { isUtf8 } from 'node:buffer';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { errorCodes, type FastifyInstance } from 'fastify';
import { DomainError } from '../eventsourcing/domain-error.js';
import type { Endpoint } from './endpoint.js';

/**
 * Deeper nesting is rejected, because no request needs it, and because the functions that process the value may be
 * recursive.
 */
export const MAX_JSON_DEPTH = 32;
export const MAX_BODY_BYTES = 1_048_576;
/** Maximum body size of public routes: several times the size of the longest valid sign-in. */
export const MAX_PUBLIC_BODY_BYTES = 4_096;
/** Default maximum number of members and elements in a body: several times the number that any route needs. */
const MAX_VALUES = 2_048;

const malformed = (message: string): DomainError => new DomainError('invalid', 'VALIDATION_FAILED', message);
const tooManyValues = (maxValues: number): DomainError =>
  malformed(`The body has more than ${maxValues} values (members and list elements). Send fewer per request.`);

const QUOTE = '"';
const BACKSLASH = 0x5c;
const MAX_LITERAL_LENGTH = 100;
const MAX_SHOWN_LENGTH = 40;
/**
 * Maximum number of digits for which a decimal survives the conversion to a double. The absolute value of its exponent
 * must also be at most EXACT_POWER.
 */
const EXACT_DIGITS = 15;
const EXACT_POWER = 290;
/** Maximum number of literals compared with their doubles in one step. */
const COMPARED_AT_ONCE = 16_384;

/** Returns the index of the closing quote of a string that starts before `from`. */
function endOfString(text: string, from: number): number {
  for (let end = text.indexOf(QUOTE, from); end >= 0; end = text.indexOf(QUOTE, end + 1)) {
    let slashes = 0;
    while (text.charCodeAt(end - 1 - slashes) === BACKSLASH) slashes += 1;
    if (slashes % 2 === 0) return end;
  }
  return text.length;
}

const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39;
const isLetterE = (code: number): boolean => (code | 0x20) === 0x65;
const isPartOfNumber = (code: number): boolean =>
  isDigit(code) || code === 0x2e || isLetterE(code) || code === 0x2b || code === 0x2d;

const isSmallPower = (text: string): boolean => Math.abs(Number(text)) <= EXACT_POWER;

/**
 * Scans the text outside strings before any value is built. Counts values, members (by their colons) and nesting
 * levels, and collects numbers that a double might not represent exactly. The cost depends only on the length of the
 * text, while the costs of JSON.parse and validation depend on the number of values.
 */
class Outline {
  values = 1;
  members = 0;
  depth = 0;
  deepest = 0;
  readonly suspects: string[] = [];

  constructor(private readonly maxValues: number) {}

  add(text: string, from: number, to: number): void {
    for (let index = from; index < to; index += 1) {
      const code = text.charCodeAt(index);
      if (isDigit(code)) index = this.addNumber(text, index, to) - 1;
      else this.mark(code);
    }
  }

  /**
   * Collects the number that starts at `from` if a double might not represent it exactly. Returns the index after the
   * number.
   */
  private addNumber(text: string, from: number, to: number): number {
    let end = from + 1;
    let power = 0;
    for (; end < to; end += 1) {
      const code = text.charCodeAt(end);
      if (!isPartOfNumber(code)) break;
      if (power === 0 && isLetterE(code)) power = end;
    }
    const digits = (power === 0 ? end : power) - from;
    const isExact = digits <= EXACT_DIGITS && (power === 0 || isSmallPower(text.slice(power + 1, end)));
    if (!isExact) this.suspects.push(text.slice(from, end));
    return end;
  }

  private mark(code: number): void {
    switch (code) {
      case 0x2c: // ,
        this.count();
        break;
      case 0x3a: // :
        this.members += 1;
        break;
      case 0x7b: // {
      case 0x5b: // [
        this.count();
        this.depth += 1;
        if (this.depth > this.deepest) this.deepest = this.depth;
        break;
      case 0x7d: // }
      case 0x5d: // ]
        this.depth -= 1;
    }
  }

  /** Counts a value. Every value follows a comma or an opening bracket. */
  private count(): void {
    this.values += 1;
    if (this.values > this.maxValues) throw tooManyValues(this.maxValues);
  }
}

function outlineOf(text: string, maxValues: number): Outline {
  const outline = new Outline(maxValues);
  let from = 0;
  while (from < text.length) {
    const quote = text.indexOf(QUOTE, from);
    outline.add(text, from, quote < 0 ? text.length : quote);
    if (quote < 0) break;
    from = endOfString(text, quote + 1) + 1;
  }
  return outline;
}

/** Returns a decimal literal as significant digits and a power of ten. */
function significand(literal: string): string {
  const [, whole = '', fraction = '', power = '0'] = /^-?(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(literal) ?? [];
  const digits = (whole + fraction).replace(/^0+/, '');
  const kept = digits.replace(/0+$/, '');
  return `${kept}e${kept === '' ? 0 : Number(power) - fraction.length + digits.length - kept.length}`;
}

// The length is limited, because trimming the zeros of a long literal takes quadratic time. No double needs that many
// digits.
const losesPrecision = (literal: string): boolean =>
  literal.length > MAX_LITERAL_LENGTH || significand(literal) !== significand(String(Number(literal)));

/** Counts the members of a parsed value at all depths. The depth has already been checked. */
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
 * Parses JSON like JSON.parse, but rejects some input that JSON.parse accepts. It rejects repeated member names,
 * numbers that a double cannot represent exactly, `__proto__`, and nesting deeper than 32. If a name is repeated, the
 * text has more members than the value. Text with more than `maxValues` values is rejected before any value is built.
 * @throws DomainError invalid VALIDATION_FAILED
 */
export const parseJson = (text: string, maxValues: number): unknown => resultOf(parsingSteps(text, maxValues));

const cut = (literal: string): string =>
  literal.length <= MAX_SHOWN_LENGTH ? literal : `${literal.slice(0, MAX_SHOWN_LENGTH)}…`;

type Steps = Generator<undefined, unknown>;

function* parsingSteps(text: string, maxValues: number): Steps {
  const { deepest, members, suspects } = outlineOf(text, maxValues);
  if (deepest > MAX_JSON_DEPTH) throw malformed(`JSON is nested deeper than ${MAX_JSON_DEPTH} levels.`);
  yield;
  const value = parseText(text);
  yield;
  if (countMembers(value) !== members) throw malformed('A member name is repeated in one object.');
  for (let at = 0; at < suspects.length; at += COMPARED_AT_ONCE) {
    yield;
    const inexact = suspects.slice(at, at + COMPARED_AT_ONCE).find(losesPrecision);
    if (inexact !== undefined)
      throw malformed(`The number ${cut(inexact)} exceeds the exact range of a double. Send it as a string.`);
  }
  return value;
}

/** Runs all steps and returns the parsed value. */
function resultOf(steps: Steps): unknown {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/** Like `resultOf`, but lets other requests run between the steps. */
async function laterResultOf(steps: Steps): Promise<unknown> {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    await nextTurn();
  }
}

function parseText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw malformed('The body is not valid JSON.');
  }
}

/** Returns the number of values that the JSON text of a parsed value contains. */
function countValues(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1;
  const parts = Object.values(value);
  return parts.reduce((sum: number, part) => sum + countValues(part), 2 - Math.min(1, parts.length));
}

/** Applies the limit on values to a part of a body. @throws DomainError invalid VALIDATION_FAILED */
export function requireFewValues(value: unknown, maxValues: number): void {
  if (countValues(value) > maxValues) throw tooManyValues(maxValues);
}

/** Parses the bytes of a JSON body. @throws DomainError invalid if they are not valid UTF-8 */
export const decodeJson = (bytes: Buffer, maxValues: number): unknown => resultOf(decodingSteps(bytes, maxValues));

/** Like `decodeJson`, but works in steps. */
export function* decodingSteps(bytes: Buffer, maxValues: number): Steps {
  if (!isUtf8(bytes)) throw malformed('The body is not UTF-8.');
  return yield* parsingSteps(bytes.toString('utf8'), maxValues);
}

type Done = (error: Error | null, value?: unknown) => void;

/**
 * Decodes a body. A body larger than MAX_BODY_BYTES is decoded in steps, so that other requests are not delayed for
 * long.
 */
function decode(bytes: Buffer, maxValues: number, done: Done): void {
  if (bytes.length > MAX_BODY_BYTES) {
    laterResultOf(decodingSteps(bytes, maxValues)).then((value) => {
      done(null, value);
    }, done);
    return;
  }
  let value: unknown;
  try {
    value = bytes.length === 0 ? undefined : decodeJson(bytes, maxValues);
  } catch (error) {
    done(error as DomainError);
    return;
  }
  done(null, value);
}

/** Returns the limits on a route's body. */
export const bodyLimitsOf = ({ who, maxValues, maxBytes }: Pick<Endpoint, 'who' | 'maxValues' | 'maxBytes'>) => ({
  bytes: maxBytes ?? (who === 'public' ? MAX_PUBLIC_BODY_BYTES : MAX_BODY_BYTES),
  values: maxValues ?? MAX_VALUES,
});

/**
 * Makes JSON the only content type. An empty body remains undefined. The route's declaration determines whether an
 * empty body is valid.
 */
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
      const { endpoint } = request.state;
      const maxValues = endpoint === undefined ? MAX_VALUES : bodyLimitsOf(endpoint).values;
      decode(bytes, maxValues, done);
    },
  );
}
