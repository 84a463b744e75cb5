import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { DomainError, invalid, type Fault } from '../platform/domain-error.js';
import type { Endpoint } from './endpoint.js';

const MAX_FAULTS = 50;
const MAX_NAME_LENGTH = 100;
const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,255}$/;
const POSITION = /^\d{1,16}$/;
const nothing = z.strictObject({}).optional();

const named = (name: PropertyKey): string => String(name).slice(0, MAX_NAME_LENGTH);

/** `['lines', 0, 'quantity']` as `lines[0].quantity`. */
export const pathText = (path: readonly PropertyKey[]): string =>
  path.reduce<string>((text, part) => {
    if (typeof part === 'number') return `${text}[${part}]`;
    return text === '' ? named(part) : `${text}.${named(part)}`;
  }, '');

/** What zod found, one fault for each field. */
export const faultsOf = ({ issues }: z.core.$ZodError): Fault[] =>
  issues
    .flatMap((issue): Fault[] =>
      issue.code === 'unrecognized_keys'
        ? issue.keys.map((key) => ({ path: pathText([...issue.path, key]), message: 'Unknown field.' }))
        : [{ path: pathText(issue.path), message: issue.message }],
    )
    .slice(0, MAX_FAULTS);

/** The first fault speaks for all in the message, with its field's name. */
export function refuse(faults: readonly Fault[]): DomainError {
  const [first] = faults;
  const message = first && first.path !== '' ? `${first.path}: ${first.message}` : (first?.message ?? '');
  return new DomainError('invalid', 'VALIDATION_FAILED', message, { errors: faults });
}

function parsed(schema: z.ZodType, value: unknown): unknown {
  const result = schema.safeParse(value);
  if (!result.success) throw refuse(faultsOf(result.error));
  return result.data;
}

/** Checks the query and replaces it by the schema's output. A parameter may be given once. */
function readQuery(endpoint: Endpoint, request: FastifyRequest): void {
  const query = request.query as Record<string, unknown>;
  const names = Object.keys(query);
  if (names.length === 0 && endpoint.query === undefined) return;
  const repeated = names.filter((name) => Array.isArray(query[name]));
  if (repeated.length > 0)
    throw refuse(repeated.map((name) => ({ path: named(name), message: 'Given more than once.' })));
  request.query = parsed(endpoint.query ?? nothing, query);
}

function readBody(endpoint: Endpoint, request: FastifyRequest): void {
  request.state.received = request.body;
  const schema = endpoint.body ?? nothing;
  if (request.body === undefined && !schema.safeParse(undefined).success)
    throw refuse([{ path: '', message: 'A JSON body is needed.' }]);
  request.body = parsed(schema, request.body);
}

function readIdempotencyKey(request: FastifyRequest): void {
  const key = request.headers['idempotency-key'];
  if (key === undefined) return;
  if (typeof key !== 'string' || !IDEMPOTENCY_KEY.test(key))
    throw refuse([{ path: 'Idempotency-Key', message: 'Must be 1 to 255 visible ASCII characters.' }]);
  request.state.idempotencyKey = key;
}

/** Checks what the declaration says of body and query, and replaces both by the schemas' output. @throws DomainError */
export function readInput(endpoint: Endpoint, request: FastifyRequest): void {
  if (endpoint.idempotencyKey === true) readIdempotencyKey(request);
  readQuery(endpoint, request);
  if (endpoint.method !== 'GET') readBody(endpoint, request);
}

/** X-Min-Position of a GET: the answer must not be older. @throws DomainError when it is no position */
export function minPositionOf(request: FastifyRequest): number | undefined {
  const header = request.headers['x-min-position'];
  if (header === undefined) return undefined;
  const position = typeof header === 'string' && POSITION.test(header) ? Number(header) : Number.NaN;
  if (!Number.isSafeInteger(position))
    throw invalid([{ path: 'X-Min-Position', message: 'X-Min-Position must be a position: a non-negative integer.' }]);
  return position;
}
