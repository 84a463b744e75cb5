import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { isIdempotencyKey } from '../aggregates/request-key.aggregate.js';
import { compiled } from '../eventsourcing/compiled-schema.js';
import { DomainError, invalid, type Fault } from '../eventsourcing/domain-error.js';
import { faultsOf, pathText } from '../eventsourcing/faults.js';
import { prefers } from './accept.js';
import { readsIdempotencyKey, type Endpoint } from './endpoint.js';

const POSITION = /^\d{1,16}$/;
const nothing = z.strictObject({}).optional();

/** Creates the error for an invalid request. Its message is the first fault's message, prefixed with the field name. */
export function refuse(faults: readonly Fault[]): DomainError {
  const [first] = faults;
  const message = first && first.path !== '' ? `${first.path}: ${first.message}` : (first?.message ?? '');
  return new DomainError('invalid', 'VALIDATION_FAILED', message, { errors: faults });
}

/** @throws DomainError VALIDATION_FAILED with every fault */
export function parsed<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  const result = compiled(schema).safeParse(value);
  if (!result.success) throw refuse(faultsOf(result.error));
  return result.data;
}

const isRepeatable = (schema: z.ZodType | undefined, name: string): boolean =>
  schema instanceof z.ZodObject &&
  (schema.shape as Readonly<Record<string, z.ZodType | undefined>>)[name]?.meta()?.['repeatable'] === true;

/** Replaces the query with the schema's output. Each parameter may occur only once, unless it is repeatable. */
function readQuery(endpoint: Endpoint, request: FastifyRequest): void {
  const query = request.query as Record<string, unknown>;
  const names = Object.keys(query);
  if (names.length === 0 && endpoint.query === undefined) return;
  const repeated = names.filter((name) => Array.isArray(query[name]) && !isRepeatable(endpoint.query, name));
  if (repeated.length > 0)
    throw refuse(
      repeated.map((name) => ({ path: pathText([name]), message: 'Must not be specified more than once.' })),
    );
  const isCsv = endpoint.csvQuery !== undefined && prefers(request.headers.accept, 'text/csv');
  request.query = parsed((isCsv ? endpoint.csvQuery : endpoint.query) ?? nothing, query);
}

function readBody(endpoint: Endpoint, request: FastifyRequest): void {
  request.state.received = request.body;
  const schema = endpoint.body ?? nothing;
  if (request.body === undefined && !schema.safeParse(undefined).success)
    throw refuse([{ path: '', message: 'A JSON body is required.' }]);
  request.body = parsed(schema, request.body);
}

function readIdempotencyKey(request: FastifyRequest): void {
  const key = request.headers['idempotency-key'];
  if (key === undefined) return;
  if (typeof key !== 'string' || !isIdempotencyKey(key))
    throw refuse([{ path: 'Idempotency-Key', message: 'Must be 1 to 255 visible ASCII characters.' }]);
  request.state.idempotencyKey = key;
}

/** Validates the query and the body and replaces both with the output of their schemas. @throws DomainError */
export function readInput(endpoint: Endpoint, request: FastifyRequest): void {
  if (readsIdempotencyKey(endpoint)) readIdempotencyKey(request);
  readQuery(endpoint, request);
  if (endpoint.method !== 'GET') readBody(endpoint, request);
}

/**
 * Returns the X-Min-Position of a GET request: the position that the response must have reached.
 * @throws DomainError if it is not a position
 */
export function minPositionOf(request: FastifyRequest): number | undefined {
  const header = request.headers['x-min-position'];
  if (header === undefined) return undefined;
  const position = typeof header === 'string' && POSITION.test(header) ? Number(header) : Number.NaN;
  if (!Number.isSafeInteger(position))
    throw invalid([{ path: 'X-Min-Position', message: 'X-Min-Position must be a position: a non-negative integer.' }]);
  return position;
}
