import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import { DomainError, invalid, PositionNotReached } from '../eventsourcing/domain-error.js';
import type { Principal } from '../security/principal.js';
import { inContext } from '../eventsourcing/context.js';
import { Admission, API_PREFIX, type AdmissionOptions } from './admission.js';
import { idParameters, isWrite, type Endpoint } from './endpoint.js';
import { bodyLimitsOf, installJsonBody } from './json-body.js';
import { beginWrite, endCreation, type WriteOptions } from './keyed-creations.js';
import { sendProblem } from './problem.js';
import { addressOf, contextOf, isRoutable, pathOf, type RequestState, stateFor, tenantOf } from './request-state.js';
import { minPositionOf, readInput } from './request-input.js';

/** Receives the log line of each request. Compatible with pino. */
export interface RequestLog {
  info(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** The outcome of a request, from which its log line, metrics and error log entry are derived. */
export type Outcome = {
  readonly requestId: string;
  readonly method: string;
  /** The path without the query. */
  readonly path: string;
  readonly status: number;
  readonly ms: number;
  readonly tenantId: string | undefined;
  readonly userId: string | undefined;
  readonly sourceId: string | undefined;
  /** The error code if the request failed. */
  readonly code: string | undefined;
  /** The route's pattern; undefined for unknown paths. */
  readonly route: string | undefined;
  /** The calling user's branch. */
  readonly branchId: string | undefined;
  readonly ip: string;
  /** The thrown error if the request failed. */
  readonly error: unknown;
  /** Whether a 503 response is expected and not an error. */
  readonly isExpected?: boolean;
  readonly sales?: RequestState['sales'];
};

export type KernelOptions = AdmissionOptions &
  WriteOptions & {
    readonly logger?: RequestLog;
    /** Called at the end of every request; must not throw. */
    readonly observe?: (outcome: Outcome) => void;
    /**
     * Resolves once the read models of the tenant (of all tenants, for the platform) have reached the position.
     * @throws DomainError unavailable READ_MODEL_BEHIND
     */
    readonly waitForPosition?: (position: number, tenantId: string) => Promise<void>;
    /**
     * Runs the remaining steps of a read. While read models are incomplete, may delay or reject the read. Default: runs
     * it immediately.
     */
    readonly asRead?: (rest: () => void) => void;
    /** Rejects every write that could be lost. @throws EventStoreUnavailable */
    readonly assertWritable?: () => void;
  };

/** The declared routes, complete once all routes are registered. */
export type Kernel = { readonly endpoints: readonly Endpoint[] };

const REQUEST_ID = /^[\w.-]{1,128}$/;

/**
 * Installs the kernel for routes registered afterwards. The kernel admits a request before the body is read, validates
 * its input, sends responses and errors in one format, and writes one log line per request. A route under /api without
 * a declaration is rejected.
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
    sendProblem(request, reply, new DomainError('not_found', 'NOT_FOUND', 'The address does not exist.'));
  });
  server.addHook('onRoute', (route) => {
    const endpoint = declarationOf(route);
    if (endpoint === undefined) return;
    // Fastify adds a HEAD route with the same checks to every GET route.
    if (route.method !== 'HEAD') endpoints.push(endpoint);
    route.config = { ...route.config, ids: idParameters(endpoint) };
    route.bodyLimit = bodyLimitsOf(endpoint).bytes;
    if (endpoint.creates !== undefined) route.onSend = endCreation(options);
  });
  server.addHook('onRequest', (request, reply, done) => {
    if (request.raw.headers.host === undefined && request.raw.httpVersion === '1.1')
      done(invalid([{ path: 'Host', message: 'Required.' }]));
    // A target that is not routable is treated as not found. A request that has no route needs no such check.
    else if (request.is404 || isRoutable(request.raw.url ?? ''))
      admission.admit(request, reply).then(() => {
        done();
      }, done);
    else reply.callNotFound();
  });
  server.addHook('preHandler', (request, reply, done) => {
    prepare(request, reply, options, done);
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
    if (route.url.startsWith(API_PREFIX)) throw new Error(`${name} has no declaration: declare it with routesAt.`);
  } else if (route.url !== endpoint.path || (route.method === 'HEAD' ? 'GET' : route.method) !== endpoint.method)
    throw new Error(`${name} is declared as ${endpoint.method} ${endpoint.path}.`);
  return endpoint;
}

/**
 * Validates the input. Then waits for the minimum position of a read, or sets the context of a write. Finally, runs the
 * handler.
 */
function prepare(
  request: FastifyRequest,
  reply: FastifyReply,
  options: KernelOptions,
  done: (error?: Error) => void,
): void {
  // Unset if the request was not admitted, for example because its target is not routable.
  const endpoint = (request.state as FastifyRequest['state'] | null)?.endpoint;
  if (endpoint === undefined) {
    done();
    return;
  }
  let minPosition: number | undefined;
  try {
    readInput(endpoint, request);
    if (isWrite(endpoint)) options.assertWritable?.();
    else minPosition = minPositionOf(request);
  } catch (error) {
    done(error as Error);
    return;
  }
  if (isWrite(endpoint)) {
    beginWrite(request, reply, options, done);
    return;
  }
  const inOwnContext = (): void => {
    inContext(contextOf(request, options.ids.next()), done);
  };
  const read = endpoint.isRecorded === true ? inOwnContext : done;
  if (minPosition === undefined || options.waitForPosition === undefined) asRead(read, options);
  else
    options.waitForPosition(minPosition, tenantOf(request.state.principal)).then(() => {
      asRead(read, options);
    }, done);
}

function asRead(done: () => void, options: KernelOptions): void {
  if (options.asRead) options.asRead(done);
  else done();
}

function report(request: FastifyRequest, reply: FastifyReply, { logger, observe, isOpen }: KernelOptions): void {
  const outcome = outcomeOf(request, reply, isOpen);
  observe?.(outcome);
  if (logger !== undefined) log(logger, outcome);
}

/**
 * A 503 response is not an error if it responds to a probe, is sent during start-up, or concerns a position that has
 * not been reached yet.
 */
const isExpectedRefusal = (error: unknown, isOpen: KernelOptions['isOpen']): boolean =>
  error === undefined || error instanceof PositionNotReached || isOpen?.() === false;

/** Copies field by field, because a spread takes microseconds, and this function is called for every request. */
function outcomeOf(request: FastifyRequest, reply: FastifyReply, isOpen: KernelOptions['isOpen']): Outcome {
  // Unset if the request failed before admission.
  const { principal, failure, endpoint, sales } =
    (request.state as FastifyRequest['state'] | null) ?? stateFor(undefined);
  const { tenantId, userId, sourceId, branchId } = callerOf(principal);
  const status = reply.statusCode;
  return {
    requestId: request.id,
    method: request.method,
    path: pathOf(request.originalUrl),
    status,
    ms: Math.round(reply.elapsedTime * 1000) / 1000,
    tenantId,
    userId,
    sourceId,
    code: failure?.code,
    route: endpoint?.path,
    branchId,
    ip: addressOf(request),
    error: failure?.error,
    isExpected: status === 503 && isExpectedRefusal(failure?.error, isOpen),
    sales,
  };
}

type CallerFacts = Partial<Pick<Outcome, 'tenantId' | 'userId' | 'sourceId' | 'branchId'>>;
function callerOf(principal: Principal | undefined): CallerFacts {
  if (principal === undefined) return {};
  const tenantId = tenantOf(principal);
  if (principal.kind === 'partner') return { tenantId, sourceId: principal.sourceId };
  const { userId } = principal;
  return principal.kind === 'operator'
    ? { tenantId, userId }
    : { tenantId, userId, branchId: principal.branchId ?? undefined };
}

function log(logger: RequestLog, outcome: Outcome): void {
  const { requestId, method, path, status, ms, tenantId, userId, sourceId, code, error, isExpected } = outcome;
  const line = { requestId, method, path, status, ms, tenantId, userId, sourceId, code };
  if (status < 500 || isExpected === true) logger.info(line, 'request');
  else logger.error(error === undefined ? line : { ...line, err: error }, 'request');
}
