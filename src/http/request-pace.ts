import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Pace } from '../platform/pace.js';

/** Streams and downloads last as long as the client wants: they are no load that background work should wait for. */
const isLong = ({ routeOptions }: FastifyRequest): boolean => {
  const shape = routeOptions.config.endpoint?.answers.shape;
  return shape === 'sse' || shape === 'file';
};

/** Tells the pace of the requests that are under way: those that were admitted, as the hook comes after admission. */
export function countRequests(server: FastifyInstance, pace: Pick<Pace, 'requestBegins' | 'requestEnds'>): void {
  // What is refused on admission ends as well, without having begun here.
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
