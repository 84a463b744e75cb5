// A receiver that accepts every delivery. GET returns the number of deliveries.
import { createServer } from 'node:http';

let received = 0;
const server = createServer((request, response) => {
  request.resume();
  request.on('end', () => {
    if (request.method === 'GET') return response.end(String(received));
    received += 1;
    return response.writeHead(204).end();
  });
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`));
