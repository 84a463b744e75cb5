import { Catch, HttpException, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { DomainError, type ErrorKind, type Fault } from '../platform/domain-error.js';
import { AppendOutcomeUnknown, EventStoreUnavailable } from '../ports/event-store.js';
import { CacheUnavailable } from '../ports/cache.js';
import { ReadStoreUnavailable } from '../ports/read-store.js';
import { liesBelow } from './request-state.js';

export const PARTNER_PREFIX = '/api/integrations/';

/** The one table from refusals of the core to statuses. */
const STATUS: Readonly<Record<ErrorKind, number>> = {
  invalid: 400,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  conflict: 409,
  limited: 429,
  unavailable: 503,
};

/** What a status of the framework's own means to a client. Its messages are not passed on: they name internals. */
const FRAMEWORK: Readonly<Record<number, readonly [code: string, message: string]>> = {
  400: ['VALIDATION_FAILED', 'The request is not valid.'],
  401: ['UNAUTHENTICATED', 'A valid credential is needed.'],
  403: ['FORBIDDEN', 'This is not allowed.'],
  404: ['NOT_FOUND', 'There is nothing here.'],
  405: ['METHOD_NOT_ALLOWED', 'This address does not have this method: Allow names those that it has.'],
  408: ['REQUEST_TIMEOUT', 'The request took too long to arrive.'],
  409: ['CONFLICT', 'The request conflicts with the current state.'],
  413: ['PAYLOAD_TOO_LARGE', 'The body is larger than 1 MiB.'],
  414: ['URI_TOO_LONG', 'The address is too long.'],
  415: ['UNSUPPORTED_MEDIA_TYPE', 'The body must be application/json.'],
  429: ['RATE_LIMITED', 'Too many requests.'],
  431: ['HEADERS_TOO_LARGE', 'The headers are too large.'],
};

/** An error as the client sees it. `defect`: nobody foresaw it, so it is logged with its stack. */
export type Problem = {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly errors?: readonly Fault[];
  readonly retryAfterSeconds?: number;
  readonly defect: boolean;
};

const UNAVAILABLE: Problem = {
  status: 503,
  code: 'UNAVAILABLE',
  message: 'The service cannot answer now. Try again.',
  retryAfterSeconds: 1,
  defect: false,
};
const INTERNAL: Problem = { status: 500, code: 'INTERNAL', message: 'Something went wrong on our side.', defect: true };

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
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
    defect: false,
  };
}

/** The status that Fastify or Nest themselves chose; other errors' `statusCode` (a driver's, say) means nothing here. */
function frameworkStatus(error: unknown): number | undefined {
  if (error instanceof HttpException) return error.getStatus();
  if (!(error instanceof Error)) return undefined;
  const { code, statusCode } = error as { code?: unknown; statusCode?: number };
  if (typeof code === 'string' && code.startsWith('FST_')) return statusCode;
  // The client hung up within its body.
  return code === 'ECONNRESET' && statusCode === 400 ? 400 : undefined;
}

/** What an error, from wherever, is to the client. */
export function problemOf(error: unknown): Problem {
  if (error instanceof DomainError) return fromDomain(error);
  if (isUnavailable(error)) return UNAVAILABLE;
  return problemOfStatus(frameworkStatus(error) ?? 500);
}

/** What a bare status is to the client. */
export function problemOfStatus(status: number): Problem {
  if (status === 503) return UNAVAILABLE;
  const known = FRAMEWORK[status];
  return known === undefined ? INTERNAL : { status, code: known[0], message: known[1], defect: false };
}

/** The body of a failed request. */
export function problemBody(problem: Problem, requestId: string, partner: boolean): string {
  const { status, code, message, errors } = problem;
  return partner
    ? JSON.stringify({ error: { code, message, requestId, ...(errors ? { errors } : {}) } })
    : JSON.stringify({ statusCode: status, code, message, ...(errors ? { errors } : {}), requestId });
}

/** Whether a request's errors take the shape of the partner intake. */
export const isPartnerRequest = (request: FastifyRequest): boolean =>
  liesBelow(request.raw.url ?? request.url, PARTNER_PREFIX);

/** Answers a request with an error, wherever it was thrown, and notes it for the log line. */
export function sendProblem(request: FastifyRequest, reply: FastifyReply, error: unknown): void {
  const problem = problemOf(error);
  // Before the kernel's first hook there is no state, whatever its type says.
  const state = request.state as FastifyRequest['state'] | null | undefined;
  if (state) state.failure = { code: problem.code, error };
  if (reply.sent || reply.raw.headersSent) {
    reply.raw.destroy();
    return;
  }
  const partner = isPartnerRequest(request);
  reply.code(problem.status).headers({
    'x-request-id': request.id,
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
    'content-type': 'application/json; charset=utf-8',
  });
  if (problem.status === 401) reply.header('www-authenticate', partner ? 'IntegrationKey' : 'Bearer');
  if (problem.retryAfterSeconds !== undefined) reply.header('retry-after', problem.retryAfterSeconds);
  for (const name of ['etag', 'content-disposition', 'content-length', 'digest', 'repr-digest'])
    reply.removeHeader(name);
  reply.send(problemBody(problem, request.id, partner));
}

/** Hands errors of Nest's handlers to the same answer as those of Fastify's hooks. */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    sendProblem(http.getRequest<FastifyRequest>(), http.getResponse<FastifyReply>(), error);
  }
}
