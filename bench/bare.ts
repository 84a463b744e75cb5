import { readFileSync } from 'node:fs';
import { fastify } from 'fastify';

/**
 * Common baseline: bare Fastify that echoes JSON. Also serves a file's bytes if its path is given on the command line.
 */
const server = fastify({ logger: false });
server.post('/echo', (request, reply) => reply.code(202).send(request.body));
const file = process.argv[2];
if (file !== undefined) {
  const bytes = readFileSync(file, 'utf8');
  server.get('/bytes', (_request, reply) =>
    reply.header('content-type', 'application/json; charset=utf-8').send(bytes),
  );
}
process.stdout.write(`${await server.listen({ port: 0, host: '127.0.0.1' })}\n`);
