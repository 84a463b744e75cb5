import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { fastify, type FastifyInstance } from 'fastify';
import { type TrustedProxies, trustOf } from '../security/addresses.js';
import { MAX_BODY_BYTES } from './json-body.js';
import { problemBody, problemOfStatus, sendProblem } from './problem.js';

export type ServerOptions = {
  /** Proxies whose X-Forwarded-For, -Proto and -Host are trusted. Default: none. */
  readonly trustProxy?: TrustedProxies;
};

const MAX_HEADER_BYTES = 16_384;
const PARSER_STATUS: Readonly<Record<string, number>> = { ERR_HTTP_REQUEST_TIMEOUT: 408, HPE_HEADER_OVERFLOW: 431 };

/**
 * Makes Fastify treat a path with invalid escapes as literal text, so that the request passes the same checks as any
 * other.
 */
function decodable(url: string): string {
  if (!url.includes('%')) return url;
  const end = url.indexOf('?');
  const path = end < 0 ? url : url.slice(0, end);
  try {
    // The result must be used, because the bundler removes calls to functions that it considers free of side effects.
    return decodeURIComponent(path) === '' ? '/' : url;
  } catch {
    return path.replaceAll('%', '%25') + url.slice(path.length);
  }
}

/** Creates a Fastify server with this service's limits, but without the kernel. */
export function createServer(options: ServerOptions = {}): FastifyInstance {
  const server = fastify({
    logger: false,
    bodyLimit: MAX_BODY_BYTES,
    trustProxy: trustOf(options.trustProxy ?? false),
    requestTimeout: 30_000,
    connectionTimeout: 120_000,
    keepAliveTimeout: 72_000,
    // The kernel rejects requests without a host in the service's own format.
    http: { maxHeaderSize: MAX_HEADER_BYTES, headersTimeout: 15_000, requireHostHeader: false },
    // The limit on parameters equals that on headers. A long parameter is therefore treated as an unknown id and
    // rejected after authentication.
    routerOptions: { maxParamLength: MAX_HEADER_BYTES },
    exposeHeadRoutes: true,
    requestIdHeader: false,
    // Requests in progress are completed while the server closes.
    return503OnClosing: false,
    rewriteUrl: ({ url = '/' }) => decodable(url),
    frameworkErrors: (error, request, reply) => {
      sendProblem(request, reply, error);
    },
    clientErrorHandler: answerBrokenRequest,
  });
  // Node.js would respond to an unknown expectation itself. HTTP allows a server to ignore it.
  server.server.on('checkExpectation', (request, response) => server.server.emit('request', request, response));
  return server;
}

/**
 * Responds to input that the Node.js parser rejects. Such input never becomes a request, so the response is written to
 * the socket.
 */
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
