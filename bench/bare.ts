import { fastify } from 'fastify';

/** What everything is held against: bare Fastify that answers with the JSON that it was sent. */
const server = fastify({ logger: false });
server.post('/echo', (request, reply) => reply.code(202).send(request.body));
process.stdout.write(`${await server.listen({ port: 0, host: '127.0.0.1' })}\n`);
