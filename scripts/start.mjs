// npm start: installs and builds if necessary, then runs the service in this same process, so that a signal forwarded
// by npm reaches it.
import { buildIfStale, install } from './checkout.mjs';

await install();
await buildIfStale();
// Ctrl-C arrives twice, from the terminal and from npm. The second signal must not interrupt the draining that the
// first one started.
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => undefined);
await import('../dist/main.js');
