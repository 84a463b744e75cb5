import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { fastify, type FastifyInstance, type FastifyReply, type FastifyRequest, type RouteOptions } from 'fastify';
import { DomainError } from '../platform/domain-error.js';
import { inContext } from '../platform/context.js';
import type { Principal } from '../platform/principal.js';
import type { TrustedProxies } from '../platform/trusted-proxies.js';
import type { Ids } from '../ports/time.js';
import { Admission, API_PREFIX, type AdmissionOptions } from './admission.js';
import { sendAnswer } from './answer.js';
import { idParameters, isWrite, type Endpoint } from './endpoint.js';
import { installJsonBody, MAX_BODY_BYTES } from './json-body.js';
import { problemBody, problemOfStatus, sendProblem } from './problem.js';
import { contextOf, pathOf, tenantOf } from './request-state.js';
import { minPositionOf, readInput } from './request-input.js';

/** Where the request's log line goes; pino's loggers are such. */
export interface RequestLog {
  info(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

type LogLine = {
  readonly requestId: string;
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly status: number;
  readonly ms: number;
  tenantId?: string;
  userId?: string;
  sourceId?: string;
  /** The problem's code, where the request failed. */
  code?: string;
};

/** How a request ended: what its log line says, and what metrics and the error log are made from. */
export type Outcome = Pick<LogLine, 'requestId' | 'method' | 'path' | 'status' | 'ms'> & {
  readonly tenantId: string | undefined;
  readonly userId: string | undefined;
  readonly sourceId: string | undefined;
  /** The problem's code, where the request failed. */
  readonly code: string | undefined;
  /** The route's pattern; undefined for unknown addresses. */
  readonly route: string | undefined;
  /** The user's, where the caller is one and has one. */
  readonly branchId: string | undefined;
  readonly ip: string;
  /** What was thrown, where the request failed. */
  readonly error: unknown;
};

export type KernelOptions = AdmissionOptions & {
  readonly ids: Ids;
  readonly logger?: RequestLog;
  /** Told of every request's end; must not throw. */
  readonly observe?: (outcome: Outcome) => void;
  /**
   * Resolves when the read models that the route answers from have the position.
   * @throws DomainError unavailable READ_MODEL_BEHIND
   */
  readonly waitForPosition?: (position: number, endpoint: Endpoint) => Promise<void>;
  /** Runs the rest of a read, which read models that are not filled yet then refuse. Default: just runs it. */
  readonly asRead?: (rest: () => void) => void;
};

/** What the kernel knows of the routes, once all are registered. */
export type Kernel = { readonly endpoints: readonly Endpoint[] };

export type ServerOptions = {
  /** Which proxies' X-Forwarded-For, -Proto and -Host are believed. Default: none. */
  readonly trustProxy?: TrustedProxies;
};

const REQUEST_ID = /^[\w.-]{1,128}$/;
const MAX_HEADER_BYTES = 16_384;
const PARSER_STATUS: Readonly<Record<string, number>> = { ERR_HTTP_REQUEST_TIMEOUT: 408, HPE_HEADER_OVERFLOW: 431 };

/** An address whose escapes can't be decoded is routed as literal text, so that its request meets the same checks. */
function decodable(url: string): string {
  if (!url.includes('%')) return url;
  const end = url.indexOf('?');
  const path = end < 0 ? url : url.slice(0, end);
  try {
    decodeURIComponent(path);
    return url;
  } catch {
    return path.replaceAll('%', '%25') + url.slice(path.length);
  }
}

/** Each proxy adds whom it was asked by at the end: what stands before that is what a client claims to be. */
function trustOf(proxies: TrustedProxies): false | ((address: string, hop: number) => boolean) | string[] {
  if (proxies === false) return false;
  return typeof proxies === 'number' ? (_, hop) => hop < proxies : [...proxies];
}

/** A Fastify server with the limits of this service; the kernel goes on top. */
export const createServer = (options: ServerOptions = {}): FastifyInstance => {
  const server = fastify({
    logger: false,
    bodyLimit: MAX_BODY_BYTES,
    trustProxy: trustOf(options.trustProxy ?? false),
    requestTimeout: 30_000,
    connectionTimeout: 120_000,
    keepAliveTimeout: 72_000,
    http: { maxHeaderSize: MAX_HEADER_BYTES, headersTimeout: 15_000 },
    // No parameter is longer than the headers' limit: a long one is an id that does not exist, told after authentication.
    routerOptions: { maxParamLength: MAX_HEADER_BYTES },
    exposeHeadRoutes: false,
    requestIdHeader: false,
    // What is under way when the server closes is answered, in the service's own shape.
    return503OnClosing: false,
    rewriteUrl: ({ url = '/' }) => decodable(url),
    frameworkErrors: (error, request, reply) => {
      sendProblem(request, reply, error);
    },
    clientErrorHandler: answerBrokenRequest,
  });
  return server;
};

/** What Node's parser refuses never becomes a request: the answer is written to the socket. */
function answerBrokenRequest(error: Error & { code?: string }, socket: Socket): void {
  if (!socket.writable || error.code === 'ECONNRESET') return;
  const problem = problemOfStatus(PARSER_STATUS[error.code ?? ''] ?? 400);
  const requestId = randomUUID();
  const body = problemBody(problem, requestId, false);
  socket.end(
    [
      `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status] ?? ''}`,
      'Content-Type: application/json; charset=utf-8',
      `Content-Length: ${Buffer.byteLength(body)}`,
      `X-Request-Id: ${requestId}`,
      'Cache-Control: no-store',
      'X-Content-Type-Options: nosniff',
      'Connection: close',
      '',
      body,
    ].join('\r\n'),
  );
}

/**
 * Puts the kernel around every route that is registered afterwards: admission before the body is read, checked input,
 * one shape for answers and errors, one log line. A route under /api without a declaration is refused.
 */
export function installKernel(server: FastifyInstance, options: KernelOptions): Kernel {
  const endpoints: Endpoint[] = [];
  const admission = new Admission(options, endpoints);
  installJsonBody(server);
  server.decorateRequest('state', null as never);
  server.setGenReqId((raw) => {
    const given = raw.headers['x-request-id'];
    return typeof given === 'string' && REQUEST_ID.test(given) ? given : options.ids.next();
  });
  server.setErrorHandler((error, request, reply) => {
    sendProblem(request, reply, error);
  });
  server.setNotFoundHandler((request, reply) => {
    sendProblem(request, reply, new DomainError('not_found', 'NOT_FOUND', 'There is nothing here.'));
  });
  server.addHook('onRoute', (route) => {
    const endpoint = declarationOf(route);
    if (endpoint === undefined) return;
    endpoints.push(endpoint);
    route.config = { ...route.config, ids: idParameters(endpoint) };
  });
  server.addHook('onRequest', (request, reply) => admission.admit(request, reply));
  server.addHook('preHandler', (request, _reply, done) => {
    prepare(request, options, done);
  });
  server.addHook('onResponse', (request, reply, done) => {
    report(request, reply, options);
    done();
  });
  return { endpoints };
}

function declarationOf(route: RouteOptions): Endpoint | undefined {
  const endpoint = route.config?.endpoint;
  const name = `${String(route.method)} ${route.url}`;
  if (endpoint === undefined) {
    if (route.url.startsWith(API_PREFIX)) throw new Error(`${name} has no declaration: use @Endpoint.`);
  } else if (route.url !== endpoint.path || route.method !== endpoint.method)
    throw new Error(`${name} is declared as ${endpoint.method} ${endpoint.path}.`);
  return endpoint;
}

/** Checked input, then the read model's position for reads, or the context for writes; then the handler. */
function prepare(request: FastifyRequest, options: KernelOptions, done: (error?: Error) => void): void {
  // Unset where the adapter turned the request away before the kernel's first hook.
  const endpoint = (request.state as FastifyRequest['state'] | null)?.endpoint;
  if (endpoint === undefined) {
    done();
    return;
  }
  let minPosition: number | undefined;
  try {
    readInput(endpoint, request);
    if (!isWrite(endpoint)) minPosition = minPositionOf(request);
  } catch (error) {
    done(error as Error);
    return;
  }
  if (isWrite(endpoint)) inContext(contextOf(request, options.ids.next()), done);
  else if (minPosition === undefined || options.waitForPosition === undefined) asRead(done, options);
  else
    options.waitForPosition(minPosition, endpoint).then(() => {
      asRead(done, options);
    }, done);
}

function asRead(done: () => void, options: KernelOptions): void {
  if (options.asRead) options.asRead(done);
  else done();
}

function report(request: FastifyRequest, reply: FastifyReply, { logger, observe }: KernelOptions): void {
  const state = request.state as FastifyRequest['state'] | null;
  const line = lineOf(request, reply, state?.principal);
  const failure = state?.failure;
  if (failure !== undefined) line.code = failure.code;
  if (observe !== undefined) observe(outcomeOf(line, request, state));
  if (logger !== undefined) log(logger, line, failure?.error);
}

/** Field by field: a spread takes some microseconds, and this is made for every request. */
function outcomeOf(line: LogLine, { ip }: FastifyRequest, state: FastifyRequest['state'] | null): Outcome {
  const principal = state?.principal;
  return {
    requestId: line.requestId,
    method: line.method,
    path: line.path,
    status: line.status,
    ms: line.ms,
    tenantId: line.tenantId,
    userId: line.userId,
    sourceId: line.sourceId,
    code: line.code,
    route: state?.endpoint?.path,
    branchId: principal?.kind === 'user' ? (principal.branchId ?? undefined) : undefined,
    ip,
    error: state?.failure?.error,
  };
}

function log(logger: RequestLog, line: LogLine, error: unknown): void {
  if (line.status < 500) logger.info(line, 'request');
  else logger.error(error === undefined ? line : { ...line, err: error }, 'request');
}

/** Built in one go: it is made for every request. */
function lineOf(request: FastifyRequest, reply: FastifyReply, principal: Principal | undefined): LogLine {
  const line: LogLine = {
    requestId: request.id,
    method: request.method,
    path: pathOf(request.originalUrl),
    status: reply.statusCode,
    ms: Math.round(reply.elapsedTime * 1000) / 1000,
  };
  if (principal === undefined) return line;
  line.tenantId = tenantOf(principal);
  if (principal.kind === 'partner') line.sourceId = principal.sourceId;
  else line.userId = principal.userId;
  return line;
}

/** Registers a declared route without a controller: where every microsecond counts, or for the service's own documents. */
export function route(server: FastifyInstance, endpoint: Endpoint, handle: (request: FastifyRequest) => unknown): void {
  server.route({
    method: endpoint.method,
    url: endpoint.path,
    config: { endpoint },
    handler: async (request, reply) => {
      sendAnswer(reply, endpoint, await handle(request));
      return reply;
    },
  });
}
