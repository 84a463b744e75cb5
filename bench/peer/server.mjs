// node server.mjs <connection string> <append | project>: accepts sales. Each sale is one durable append, without
// validation and without authentication.
import { fastify } from 'fastify';
import { accept, openStore } from './sales.mjs';

const [connectionString, mode] = process.argv.slice(2);
const store = openStore(connectionString, mode === 'project');
await store.schema.migrate();
const server = fastify({ logger: false });
server.post('/sales', async (request, reply) => {
  await accept(store, request.body);
  return reply.code(202).send({ externalId: request.body.externalId, status: 'ACCEPTED' });
});
console.log(await server.listen({ port: 0, host: '127.0.0.1' }));
