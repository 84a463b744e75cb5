// npm start: installs and builds what is missing or stale, then is the service: in this same process, so that a signal
// that npm passes on reaches the service itself.
import { buildIfStale, install } from './checkout.mjs';

await install();
await buildIfStale();
// Ctrl-C comes twice, from the terminal and from npm; the second must not end the draining that the first began.
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => undefined);
await import('../dist/main.js');
