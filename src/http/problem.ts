import { HttpException } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { DomainError, type ErrorDetails, type ErrorKind } from '../eventsourcing/domain-error.js';
import { UnknownEvent } from '../eventsourcing/event-catalogue.js';
import { AppendOutcomeUnknown, EventStoreUnavailable } from '../ports/event-store.js';
import { CacheUnavailable } from '../ports/cache.js';
import { ReadStoreUnavailable, SearchTooBroad } from '../ports/read-store.js';
import { refuse } from './request-input.js';
import { liesBelow } from './request-state.js';

export const PARTNER_PREFIX = '/api/integrations/';

/** The only mapping of domain error kinds to HTTP statuses. */
const STATUS: Readonly<Record<ErrorKind, number>> = {
  invalid: 400,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  conflict: 409,
  limited: 429,
  unavailable: 503,
};

/** Framework errors, by status. The framework's own messages reveal internals and are not sent. */
const FRAMEWORK: Readonly<Record<number, readonly [code: string, message: string]>> = {
  400: ['VALIDATION_FAILED', 'The request is invalid.'],
  401: ['UNAUTHENTICATED', 'A valid credential is required.'],
  403: ['FORBIDDEN', 'Access is denied.'],
  404: ['NOT_FOUND', 'The address does not exist.'],
  405: [
    'METHOD_NOT_ALLOWED',
    'This address does not support this method. The Allow header lists the supported methods.',
  ],
  408: ['REQUEST_TIMEOUT', 'The request took too long to arrive.'],
  409: ['CONFLICT', 'The request conflicts with the current state.'],
  413: ['PAYLOAD_TOO_LARGE', 'The body is larger than this route accepts.'],
  414: ['URI_TOO_LONG', 'The address is too long.'],
  415: ['UNSUPPORTED_MEDIA_TYPE', 'The body must be application/json.'],
  421: ['MISDIRECTED_REQUEST', 'The service does not accept this host name. Add it to ALLOWED_HOSTS.'],
  429: ['RATE_LIMITED', 'Too many requests.'],
  431: ['HEADERS_TOO_LARGE', 'The headers are too large.'],
};

/** An error as sent to the client. `defect`: unexpected, so it is logged with its stack. */
export type Problem = ErrorDetails & {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly defect: boolean;
};

const UNAVAILABLE: Problem = {
  status: 503,
  code: 'UNAVAILABLE',
  message: 'The service is temporarily unavailable. Try again.',
  retryAfterSeconds: 1,
  defect: false,
};
/** Retries succeed only after an upgrade of the service, so they need not be frequent. */
const RECORD_UNREADABLE: Problem = {
  status: 503,
  code: 'RECORD_UNREADABLE',
  message: 'This version of the service cannot read all events of the record. Try again after an upgrade.',
  retryAfterSeconds: 60,
  defect: false,
};
const INTERNAL: Problem = { status: 500, code: 'INTERNAL', message: 'An internal error occurred.', defect: true };

const isUnavailable = (error: unknown): boolean =>
  error instanceof EventStoreUnavailable ||
  error instanceof ReadStoreUnavailable ||
  error instanceof CacheUnavailable ||
  error instanceof AppendOutcomeUnknown;

function fromDomain({ kind, code, message, details }: DomainError): Problem {
  const retryAfterSeconds = details.retryAfterSeconds ?? (kind === 'unavailable' ? 1 : undefined);
  return {
    status: STATUS[kind],
    code,
    message,
    ...(details.errors && details.errors.length > 0 ? { errors: details.errors } : {}),
    ...(details.tenants ? { tenants: details.tenants } : {}),
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
    defect: false,
  };
}

const TOO_BROAD = fromDomain(
  refuse([{ path: 'search', message: 'The search matches too many records. Enter more letters or words.' }]),
);

/** The status of a Fastify or Nest error. The `statusCode` of any other error (a driver's, for example) is ignored. */
function frameworkStatus(error: unknown): number | undefined {
  if (error instanceof HttpException) return error.getStatus();
  if (!(error instanceof Error)) return undefined;
  const { code, statusCode } = error as { code?: unknown; statusCode?: number };
  if (typeof code === 'string' && code.startsWith('FST_')) return statusCode;
  // The client disconnected while sending the body.
  return code === 'ECONNRESET' && statusCode === 400 ? 400 : undefined;
}

/** Converts any error to one that may be sent to the client. */
export function problemOf(error: unknown): Problem {
  if (error instanceof DomainError) return fromDomain(error);
  if (error instanceof SearchTooBroad) return TOO_BROAD;
  if (isUnavailable(error)) return UNAVAILABLE;
  if (error instanceof UnknownEvent) return RECORD_UNREADABLE;
  return problemOfStatus(frameworkStatus(error) ?? 500);
}

/** Returns the error to send for a status. */
export function problemOfStatus(status: number): Problem {
  if (status === 503) return UNAVAILABLE;
  const known = FRAMEWORK[status];
  return known === undefined ? INTERNAL : { status, code: known[0], message: known[1], defect: false };
}

/** Returns the error body in the partner intake format. */
export const partnerProblem = ({ code, message, errors }: Problem, requestId: string): object => ({
  error: { code, message, requestId, ...(errors ? { errors } : {}) },
});

export function problemBody(problem: Problem, requestId: string, partner: boolean): string {
  const { status, code, message, errors, tenants } = problem;
  return partner
    ? JSON.stringify(partnerProblem(problem, requestId))
    : JSON.stringify({ statusCode: status, code, message, errors, tenants, requestId });
}

/** Maximum size of a body that is read completely although it is too large. */
const MAX_DISCARDED_BYTES = 16_777_216;

/**
 * Makes Node.js read and discard the rest of the body. Otherwise, it closes the connection while the client is still
 * sending, and many clients then report a lost connection instead of the response.
 */
function discardRest({ headers }: FastifyRequest, reply: FastifyReply): void {
  if (Number(headers['content-length']) <= MAX_DISCARDED_BYTES) reply.removeHeader('connection');
}

/** Responds with an error and records it for the log line. */
export function sendProblem(request: FastifyRequest, reply: FastifyReply, error: unknown): void {
  const problem = problemOf(error);
  // The state is absent before the kernel's first hook.
  const state = request.state as FastifyRequest['state'] | null | undefined;
  if (state) state.failure = { code: problem.code, error };
  if (reply.sent || reply.raw.headersSent) {
    reply.raw.destroy();
    return;
  }
  // Below this path, errors have the partner intake format.
  const partner = liesBelow(request.raw.url ?? request.url, PARTNER_PREFIX);
  reply.code(problem.status).headers({
    'x-request-id': request.id,
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
    'content-type': 'application/json; charset=utf-8',
  });
  if (problem.status === 401) reply.header('www-authenticate', partner ? 'IntegrationKey' : 'Bearer');
  if (problem.retryAfterSeconds !== undefined) reply.header('retry-after', problem.retryAfterSeconds);
  if (problem.status === 413) discardRest(request, reply);
  for (const name of ['etag', 'content-disposition', 'content-length', 'digest', 'repr-digest'])
    reply.removeHeader(name);
  reply.send(problemBody(problem, request.id, partner));
}
