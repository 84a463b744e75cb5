// npm start: installs and builds if necessary, and then runs the service in the same process, so that signals forwarded
// by npm reach the service.
import { buildIfStale, install } from './checkout.mjs';

await install();
await buildIfStale();
// Ctrl-C sends two signals, one from the terminal and one from npm. The second signal must not interrupt the draining
// that the first has started.
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => undefined);
await import('../dist/main.js');
