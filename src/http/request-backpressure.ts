import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Backpressure } from '../eventsourcing/backpressure.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** Whether the request was admitted and counts as in progress. */
    isCounted: boolean;
  }
}

/** Background work does not wait for streams and downloads, because the client determines their duration. */
const isLong = ({ routeOptions }: FastifyRequest): boolean => {
  const shape = routeOptions.config.endpoint?.answers.shape;
  return shape === 'sse' || shape === 'file';
};

/**
 * Reports requests in progress to the backpressure mechanism. Counts only admitted requests, because the hook runs
 * after admission.
 */
export function countRequests(
  server: FastifyInstance,
  pace: Pick<Backpressure, 'requestBegins' | 'requestEnds'>,
): void {
  server.decorateRequest('isCounted', false);
  server.addHook('onRequest', (request, _reply, done) => {
    if (!isLong(request)) {
      request.isCounted = true;
      pace.requestBegins();
    }
    done();
  });
  // Also runs for rejected requests, which were never counted.
  server.addHook('onResponse', (request, _reply, done) => {
    if (request.isCounted) pace.requestEnds();
    done();
  });
}
