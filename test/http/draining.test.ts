import { once } from 'node:events';
import { createServer, get, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Draining } from '../../src/http/draining.js';

const BODY_BYTES = 30_000_000;

test('A complete response that the client still reads is not cut off', async () => {
  const server = createServer((_request, response) => response.end(Buffer.alloc(BODY_BYTES)));
  const draining = new Draining(server);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const [response] = (await once(get({ host: '127.0.0.1', port }), 'response')) as [IncomingMessage];
  await draining.begin(0);
  server.close();
  draining.closeIdle();
  let bytes = 0;
  for await (const chunk of response) bytes += (chunk as Buffer).length;
  expect(bytes).toBe(BODY_BYTES);
  server.closeAllConnections();
});
