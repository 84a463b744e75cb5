import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Backpressure } from '../eventsourcing/backpressure.js';

/** Background work does not wait for streams and downloads, because the client decides how long they last. */
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
  // Admitted requests in progress. The `onResponse` hook also runs for rejected requests, although these were never
  // counted.
  const begun = new WeakSet<FastifyRequest>();
  server.addHook('onRequest', (request, _reply, done) => {
    if (!isLong(request)) {
      begun.add(request);
      pace.requestBegins();
    }
    done();
  });
  server.addHook('onResponse', (request, _reply, done) => {
    if (begun.delete(request)) pace.requestEnds();
    done();
  });
}
