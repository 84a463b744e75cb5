import { isUtf8 } from 'node:buffer';
import { errorCodes, type FastifyInstance } from 'fastify';
import { DomainError } from '../eventsourcing/domain-error.js';
import type { Endpoint } from './endpoint.js';

/** Deeper nesting is rejected: no request needs it, and code that walks the value may recurse. */
export const MAX_JSON_DEPTH = 32;
export const MAX_BODY_BYTES = 1_048_576;
/** For public routes: several times the size of the longest valid sign-in. */
export const MAX_PUBLIC_BODY_BYTES = 4_096;
/** Default maximum number of members and elements in a body: several times what any route needs. */
const MAX_VALUES = 2_048;

const malformed = (message: string): DomainError => new DomainError('invalid', 'VALIDATION_FAILED', message);
const notJson = (): DomainError => malformed('The body is not valid JSON.');

const MAX_LITERAL_LENGTH = 100;
/** Decimals of at most 15 digits, with a power of ten below 290, survive the conversion to a double. */
const EXACT = /^[\d.]{1,15}(?:e[+-]?(?:1?\d?\d|2[0-8]\d))?$/i;

/**
 * Strings, numbers and punctuation; other text does not match. The closing quote is optional, so that matching a string
 * that does not end never backtracks.
 */
const TOKENS = /"[^"\\]*(?:\\.[^"\\]*)*"?|\d[\d.eE+-]*|[{}[\],:]/gs;
/** The most that a value can have: name, colon, two brackets and comma. */
const MAX_TOKENS_PER_VALUE = 5;

/** What the text says about its size, taken before any value is built. `numbers`: those that a double may not hold. */
type Outline = { readonly members: number; readonly deepest: number; readonly numbers: readonly string[] };

/**
 * Its cost is bounded by the length of the text and by `maxValues`; that of JSON.parse and of validation by the number of
 * values.
 */
function outlineOf(text: string, maxValues: number): Outline {
  let [values, members, depth, deepest, left] = [1, 0, 0, 0, maxValues * MAX_TOKENS_PER_VALUE];
  const numbers: string[] = [];
  for (const [token] of text.matchAll(TOKENS)) {
    if (--left < 0) throw notJson();
    if (token === ':') members += 1;
    else if ('{['.includes(token)) deepest = Math.max(deepest, (depth += 1));
    else if ('}]'.includes(token)) depth -= 1;
    else if (/^\d/.test(token) && !EXACT.test(token)) numbers.push(token);
    // Each value but the first follows a comma or an opening bracket.
    if (',{['.includes(token) && ++values > maxValues)
      throw malformed(`The body has more than ${maxValues} values: members and elements of lists.`);
  }
  return { members, deepest, numbers };
}

/** A decimal literal as significant digits and a power of ten. */
function significand(literal: string): string {
  const [, whole = '', fraction = '', power = '0'] = /^-?(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(literal) ?? [];
  const digits = (whole + fraction).replace(/^0+/, '');
  const kept = digits.replace(/0+$/, '');
  return `${kept}e${kept === '' ? 0 : Number(power) - fraction.length + digits.length - kept.length}`;
}

// Bounded, because trimming the zeros of a long literal takes quadratic time. No double needs that many digits.
const losesPrecision = (literal: string): boolean =>
  literal.length > MAX_LITERAL_LENGTH || significand(literal) !== significand(String(Number(literal)));

/** Counts the members of a parsed value at any depth; depth is bounded before. */
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
 * Parses JSON like JSON.parse, but rejects what it accepts silently: a repeated member name (the text then has more
 * members than the value), a number that a double cannot represent exactly, `__proto__`, and nesting deeper than 32.
 * Text with more than `maxValues` values is rejected before any value is built.
 * @throws DomainError invalid VALIDATION_FAILED
 */
export function parseJson(text: string, maxValues: number): unknown {
  const outline = outlineOf(text, maxValues);
  if (outline.deepest > MAX_JSON_DEPTH) throw malformed(`JSON is nested deeper than ${MAX_JSON_DEPTH} levels.`);
  const value = parseText(text);
  if (countMembers(value) !== outline.members) throw malformed('A member name is repeated in one object.');
  if (outline.numbers.some(losesPrecision))
    throw malformed('A number has more digits, or is larger, than a double holds exactly: send it as a string.');
  return value;
}

function parseText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw notJson();
  }
}

/** Parses the bytes of a JSON body. @throws DomainError invalid if they are not UTF-8 */
export function decodeJson(bytes: Buffer, maxValues: number): unknown {
  if (!isUtf8(bytes)) throw malformed('The body is not UTF-8.');
  return parseJson(bytes.toString('utf8'), maxValues);
}

/** The limits of a route's body. */
export const bodyLimitsOf = ({ who, maxValues }: Pick<Endpoint, 'who' | 'maxValues'>) => ({
  bytes: who === 'public' ? MAX_PUBLIC_BODY_BYTES : MAX_BODY_BYTES,
  values: maxValues ?? MAX_VALUES,
});

/** Makes JSON the only content type. An empty body stays undefined; the declaration decides whether it is valid. */
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
        const { endpoint } = request.state;
        const maxValues = endpoint === undefined ? MAX_VALUES : bodyLimitsOf(endpoint).values;
        done(null, bytes.length === 0 ? undefined : decodeJson(bytes, maxValues));
      } catch (error) {
        done(error as DomainError);
      }
    },
  );
}
